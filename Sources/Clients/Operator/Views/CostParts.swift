internal import ControlAPI

/// What `torpor status` says of the supervisor's own cost.
extension SupervisorInterface.Cost.Reply {
    /// Its processor time and its memory.
    var words: String {
        let memory = residentBytes.map { ", \(size($0)) of memory" } ?? ""
        return "\(span(cpuUsec)) of processor time\(memory)"
    }

    /// The longest pauses of its event loop, of late and of all; nil where there was none.
    func pauses(_ clock: WallClock) -> [String]? {
        guard let longestPause else { return nil }
        guard let recentPause, recentPause.at != longestPause.at else {
            return ["longest \(longestPause.words(clock))"]
        }
        return ["longest \(longestPause.words(clock))", "of the last 10 minutes \(recentPause.words(clock))"]
    }
}

extension SupervisorInterface.LoopPause {
    /// How long, when and where.
    fileprivate func words(_ clock: WallClock) -> String {
        let work = method.map { "\($0.printable), " } ?? ""
        return "\(span(lengthUsec)), \(clock.age(at)) (\(work)\(place.printable))"
    }
}
