internal import CLinux
internal import Glibc
package import Idleness
internal import Linux

/// Which process has a listening socket, as far as that can be found out: to be told to operators, when a port is taken.
package enum SocketHolder {
    /// How many descriptors are looked at.
    private static let most = 50_000

    /// The processes that listen at the port of `socket`, in words: `nginx (pid 812)`; nil where none is found.
    package static func words(for socket: HeldSocket) -> String? {
        guard let port = socket.port, var diag = try? SockDiag(),
            let listeners = try? diag.dump(
                socket.kind == .datagram ? .all : .listening, of: socket.kind == .datagram ? .udp : .tcp)
        else { return nil }
        let inodes = Set(listeners.filter { $0.local.port == port }.map { UInt64($0.inode) })
        guard !inodes.isEmpty else { return nil }
        var left = most
        for name in Directory.entries(of: "/proc") {
            guard let pid = Int32(name) else { continue }
            guard left > 0, let found = OpenDescriptors.read(of: pid, atMost: left) else { continue }
            left -= found.kinds.count
            for case .socket(let inode) in found.kinds.values where inodes.contains(inode) {
                let program = (try? KernelFile.text("/proc/\(pid)/comm").lines.first) ?? nil
                return "\(program.map { "\($0) " } ?? "")(pid \(pid))"
            }
        }
        return nil
    }
}

extension HeldSocketStatus.Queue {
    /// The queue of an open listening socket of TCP; nil of any other.
    package init?(of descriptor: Int32) {
        var (waiting, most): (UInt32, UInt32) = (0, 0)
        guard unsafe torpor_held_queue(descriptor, &waiting, &most) == 0 else { return nil }
        self.init(waiting: waiting, most: most)
    }
}
