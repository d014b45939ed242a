internal import Idleness
internal import Linux
package import Operator
internal import Sockets

/// Which TCP sockets processes of this machine have open: of the caller's network namespace, and where the caller may look.
package enum OpenConnections {
    /// So many descriptors of a process, and processes of a worker, are looked at.
    private static let mostDescriptors = 1024
    private static let mostProcesses = 16

    /// The open connections of each worker, by its main process and what that has started; one that may not be looked at is left out.
    package static func counted(_ workers: [(name: String, pid: Int32)]) -> [String: Int] {
        guard !workers.isEmpty, var diag = try? SockDiag(),
            let sockets = try? diag.dump(SockDiag.States(.established))
        else { return [:] }
        var open: Set<UInt64> = []
        for socket in sockets { open.insert(UInt64(socket.inode)) }
        var counts: [String: Int] = [:]
        for (name, pid) in workers {
            guard !open.isEmpty else {
                counts[name] = 0
                continue
            }
            var inodes: Set<UInt64> = []
            var isSeen = false
            for process in family(of: pid) {
                guard let found = OpenDescriptors.read(of: process, atMost: mostDescriptors), found.isListed
                else { continue }
                isSeen = true
                for case .socket(let inode) in found.kinds.values where open.contains(inode) {
                    inodes.insert(inode)
                }
            }
            if isSeen { counts[name] = inodes.count }
        }
        return counts
    }

    /// What a worker listens at and how many connections it has open, by its main process and what that has started; nil where the caller
    /// may not look.
    package static func sockets(of pid: Int32) -> OwnSockets? {
        guard var diag = try? SockDiag(),
            let all = try? diag.dump([SockDiag.States(.established), .listening])
        else { return nil }
        let byInode = Dictionary(all.map { (UInt64($0.inode), $0) }) { first, _ in first }
        var (seen, inodes) = (false, Set<UInt64>())
        for process in family(of: pid) {
            guard let found = OpenDescriptors.read(of: process, atMost: mostDescriptors), found.isListed
            else { continue }
            seen = true
            for case .socket(let inode) in found.kinds.values { inodes.insert(inode) }
        }
        guard seen else { return nil }
        let own = inodes.compactMap { byInode[$0] }
        return OwnSockets(
            listensAt: Set(own.filter { $0.state == .listen }.map { "tcp \($0.local)" }).sorted(),
            connections: own.count { $0.state == .established })
    }

    /// The process and its descendants, as far as the kernel lists children (proc_pid_children(5)).
    private static func family(of pid: Int32) -> [Int32] {
        var all = [pid]
        var next = 0
        while next < all.count, all.count < mostProcesses {
            let process = all[next]
            next += 1
            guard let text = try? KernelFile.text("/proc/\(process)/task/\(process)/children") else {
                continue
            }
            all += text.split(separator: " ").compactMap { Int32($0) }.prefix(mostProcesses - all.count)
        }
        return all
    }
}
