internal import Lifecycle

/// The colours of states and marks, alike in every picture.
enum Palette {
    /// The order in which states are explained.
    static let states: [State] = [.active, .inactive, .background, .suspended, .notRunning]

    /// The style sheet: on light ground, and on dark ground where the reader prefers that.
    static let styleSheet = """
        :root{--ground:#fff;--ink:#1c2430;--faint:#66707f;--line:#e3e7ee;--strong:#b9c1ce;--band:#f6f8fb;\
        --active:#2a9d63;--inactive:#e2b23a;--background:#3f8ae0;--suspended:#b7bdea;--notRunning:#cdd3dc;\
        --crash:#d03238;--eviction:#e06c1f;--warning:#c99700;--wake:#1d63b8;--launch:#1e7d4c;--supervisor:#7c4fc4;\
        --short:#fbe7b2;--critical:#f6c3bd}
        @media (prefers-color-scheme:dark){:root{--ground:#14181f;--ink:#e6eaf1;--faint:#97a1b1;--line:#262d38;\
        --strong:#485365;--band:#1a1f28;--active:#3fbf7f;--inactive:#e8c25a;--background:#5a9ff0;--suspended:#5a62a0;\
        --notRunning:#3a4352;--crash:#ff6b6b;--eviction:#ff9a52;--warning:#ffd04d;--wake:#8ec2ff;--launch:#7be0ab;\
        --supervisor:#b996f5;--short:#4d3f12;--critical:#5c231f}}
        """

    /// How high a state is drawn, as a share of the lane: what runs is tall, what sleeps is low.
    static func height(_ state: State) -> Double {
        switch state {
        case .active, .inactive, .background: 0.72
        case .suspended: 0.4
        case .notRunning: 0.1
        }
    }

    static func words(_ state: State) -> String { state == .notRunning ? "not running" : state.rawValue }

    static func words(_ kind: Timeline.MarkKind) -> String {
        switch kind {
        case .crash: "failure"
        case .eviction: "eviction"
        case .warning: "warning"
        case .wake: "wake"
        case .launch: "launch"
        case .supervisor: "supervisor"
        }
    }

    /// The shape of a mark around the origin, nine pixels high.
    static func shape(_ kind: Timeline.MarkKind) -> String {
        switch kind {
        case .crash: "M-4.5-4.5L0-1.5 4.5-4.5 1.5 0 4.5 4.5 0 1.5-4.5 4.5-1.5 0z"
        case .eviction: "M0-5 5 0 0 5-5 0z"
        case .warning: "M0-5 5 4.5-5 4.5z"
        case .wake: "M0 5-4-3.5 4-3.5z"
        case .launch: "M-3.5-4.5 5 0-3.5 4.5z"
        case .supervisor: "M-4-4H4V4H-4z"
        }
    }
}

/// A length of time in words, as fine as makes sense.
func spanInWords(_ microseconds: Int64) -> String {
    let second: Int64 = 1_000_000
    func parts(_ first: Int64, _ unit: String, _ rest: Int64, _ restUnit: String) -> String {
        rest == 0 ? "\(first)\(unit)" : "\(first)\(unit) \(rest)\(restUnit)"
    }
    return switch microseconds {
    case (86_400 * second)...:
        parts(microseconds / (86_400 * second), "d", microseconds / (3600 * second) % 24, "h")
    case (3600 * second)...:
        parts(microseconds / (3600 * second), "h", microseconds / (60 * second) % 60, "min")
    case (60 * second)...: parts(microseconds / (60 * second), "min", microseconds / second % 60, "s")
    case second...: (Double(microseconds) / 1_000_000).px + "s"
    case 1000...: "\(microseconds / 1000)ms"
    default: "\(microseconds)us"
    }
}
