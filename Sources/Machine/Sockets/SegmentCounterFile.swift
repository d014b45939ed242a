internal import Glibc
package import Idleness
package import Linux

/// The file of ``SegmentCounters`` of one network namespace, kept open: it goes on telling of that one, to any thread.
package final class SegmentCounterFile: Sendable {
    private let descriptor: OwnedDescriptor

    /// The file of the network namespace of the process `pid`; nil is the calling thread's.
    ///
    /// ENOENT where the process is gone, or /proc has no network.
    package init(ofProcess pid: Int32?) throws(LinuxError) {
        let path = "/proc/\(pid.map { "\($0)" } ?? "thread-self")/net/snmp"
        descriptor = OwnedDescriptor(
            adopting: try check(unsafe open(path, O_RDONLY | O_CLOEXEC), "open", path))
    }

    /// What the file had when it was read last.
    package struct Text: Sendable {
        fileprivate var bytes: [UInt8] = []
        /// What it is read into: nothing is allocated while it stays the same.
        fileprivate var room = [UInt8](repeating: 0, count: SegmentCounterFile.room)

        /// Nothing yet.
        package init() {}

        /// What has been counted by then; nil where the file did not tell.
        package var counters: SegmentCounters? { SegmentCounters(snmp: bytes.span) }
    }

    /// More than the file has: three lines of fifty numbers, and two with each kind of ICMP message that has come.
    private static let room = 8192

    /// Whether the file has another text than this one, which becomes that; none where it does not tell.
    package func read(into text: inout Text) -> Bool {
        let count = unsafe max(0, pread(descriptor.rawValue, &text.room, text.room.count, 0))
        let isSame = unsafe count == text.bytes.count && memcmp(text.bytes, text.room, count) == 0
        guard !isSame else { return false }
        text.bytes = Array(text.room[..<count])
        return true
    }

    /// What has been counted by now; nil where the file does not tell.
    package func read() -> SegmentCounters? {
        var text = Text()
        _ = read(into: &text)
        return text.counters
    }

    /// How many processors the machine may have, whose counters the kernel adds up.
    package static let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_CONF)))
}
