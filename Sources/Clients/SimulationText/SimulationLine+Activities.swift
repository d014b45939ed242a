internal import ConfigurationSyntax
internal import Continuing
internal import Operator
internal import Simulation
internal import Varlink

extension SimulationLine {
    /// What became of an activity.
    init(_ note: HandoffNote) {
        switch note.what {
        case .offered(let type):
            self.init("offered", "offers the activity \(type)", nil, ["type": .string(type.text)])
        case .refused(let refusal):
            self.init(
                "refused", "handoff refused: \(refusal.sentence)", .attention,
                ["reason": .string(refusal.sentence)])
        case .news(let news):
            let kind =
                switch news {
                case .began: "handoff"
                case .over(_, .taken): "handedOver"
                case .over: "kept"
                case .took: "took"
                }
            self.init(kind, news.words, kind == "kept" ? .attention : .strong, ["words": .string(news.words)])
        }
    }
}
