internal import Glibc
package import Idleness
package import Linux

/// The file of ``SegmentCounters`` of one network namespace, kept open: it goes on telling of that one.
package struct SegmentCounterFile: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor

    /// The file of the network namespace of the process `pid`; nil is the calling thread's.
    ///
    /// ENOENT where the process is gone, or /proc has no network.
    package init(ofProcess pid: Int32?) throws(LinuxError) {
        let path = "/proc/\(pid.map { "\($0)" } ?? "thread-self")/net/snmp"
        descriptor = OwnedDescriptor(
            adopting: try check(unsafe open(path, O_RDONLY | O_CLOEXEC), "open", path))
    }

    /// More than the file has: three lines of fifty numbers, and two with each kind of ICMP message that has come.
    private static let room = 8192

    /// What has been counted by now; nil where the file does not tell.
    package borrowing func read() -> SegmentCounters? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.room) { room in
            let count = unsafe pread(descriptor.rawValue, room.baseAddress, room.count, 0)
            guard count > 0 else { return nil }
            return unsafe SegmentCounters(snmp: Array(UnsafeBufferPointer(rebasing: room[..<count]))[...])
        }
    }

    /// How many processors the machine may have, whose counters the kernel adds up.
    package static let processors = max(1, sysconf(Int32(_SC_NPROCESSORS_CONF)))
}
