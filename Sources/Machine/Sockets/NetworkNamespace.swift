internal import Glibc
package import Idleness
package import Linux

/// A network namespace (network_namespaces(7)), by its file in nsfs; a socket shows only in a dump of its own.
package struct NetworkNamespace: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// The one of a process; nil where the process is gone, or may not be looked at.
    package init?(ofProcess pid: Int32) { self.init("/proc/\(pid)/ns/net") }

    private init?(_ path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    /// The supervisor's own.
    package static let own = NetworkNamespace("/proc/self/ns/net")

    /// Those of `processes` other than the supervisor's own, each with one process that is in it; and whether some are in the supervisor's.
    ///
    /// A process that may not be looked at counts as one in the supervisor's.
    package static func places(of processes: [Int32]) -> (hasOwn: Bool, others: [NetworkNamespace: Int32]) {
        var (hasOwn, others): (Bool, [NetworkNamespace: Int32]) = (processes.isEmpty, [:])
        for process in processes.prefix(mostProcesses) {
            if let place = NetworkNamespace(ofProcess: process), place != own, others.count < most {
                others[place] = process
            } else {
                hasOwn = true
            }
        }
        return (hasOwn, others)
    }

    /// How many processes of a worker are looked at, and how many namespaces of it.
    private static let mostProcesses = 256
    private static let most = 8
}

extension SockDiag {
    /// The TCP sockets in `states` of the network namespaces of `processes`, for each namespace; with ``InetSocket/traffic`` and of one
    /// cgroup alone as ``dump(_:of:withTraffic:cgroup:)`` says.
    package static func tables(
        of processes: [Int32], _ states: States, withTraffic: Bool, cgroup: UInt64? = nil
    ) throws(LinuxError) -> [[InetSocket]] {
        let (hasOwn, others) = NetworkNamespace.places(of: processes)
        var tables: [[InetSocket]] = []
        if hasOwn {
            var diag = try SockDiag()
            tables.append(try diag.dump(states, withTraffic: withTraffic, cgroup: cgroup))
        }
        for process in others.values {
            var diag = try SockDiag(ofProcess: process)
            tables.append(try diag.dump(states, withTraffic: withTraffic, cgroup: cgroup))
        }
        return tables
    }
}
