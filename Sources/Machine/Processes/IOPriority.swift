internal import CLinux
internal import Glibc
package import Linux

/// The I/O priority of a thread, as in ioprio_set(2): its class and its level within that.
package struct IOPriority: Hashable, Sendable {
    /// The class in the upper bits, the level in the lower ones.
    package let rawValue: Int32

    /// None of its own: it follows the nice level.
    package static let none = IOPriority(rawValue: 0)

    private init(rawValue: Int32) { self.rawValue = rawValue }

    /// Best effort, at a level from 0, the first to be served, to 7.
    package init(bestEffort level: Int) {
        self.init(rawValue: 2 << 13 | Int32(min(max(level, 0), 7)))
    }

    /// That of a thread by its number; nil when there is none.
    package static func of(_ thread: Int32) -> IOPriority? {
        let value = torpor_ioprio_get(thread)
        return value < 0 ? nil : IOPriority(rawValue: value)
    }

    /// Gives it to a thread.
    package func set(of thread: Int32) throws(LinuxError) {
        try check(torpor_ioprio_set(thread, rawValue), "ioprio_set", "thread \(thread)")
    }
}

extension ThisProcess {
    /// Whether nice levels may be lowered again: CAP_SYS_NICE (capabilities(7)) is in effect, number 23.
    package static var mayLowerNiceLevels: Bool { hasCapability(23) }
}

extension ProcessStat {
    /// The threads of process `pid` by their numbers; none when it is gone.
    package static func threads(of pid: Int32) -> [Int32] {
        Directory.entries(of: "/proc/\(pid)/task").compactMap { Int32($0) }
    }
}
