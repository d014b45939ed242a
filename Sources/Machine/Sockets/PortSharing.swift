internal import CLinux
internal import Glibc
package import Idleness
package import Linux

/// Has the TCP sockets that the processes of a group bind to some ports share these (SO_REUSEPORT, socket(7)), for as long as the value lives:
/// by programs of bpf(2) that are made here, and gone with it.
package struct PortSharing: ~Copyable, Sendable {
    private let four: OwnedDescriptor
    private let six: OwnedDescriptor

    /// Its descriptors, borrowed: it lasts as long as one process has them open.
    package var descriptors: [Int32] { [four.rawValue, six.rawValue] }

    /// How many ports there may be.
    package static let mostPorts = Int(TORPOR_MOST_SHARED_PORTS)

    /// Begins with the group of cgroup v2 at `group`, and with those below it.
    ///
    /// EPERM without CAP_BPF and CAP_NET_ADMIN (capabilities(7)).
    package init(of ports: [UInt16], in group: String) throws(LinuxError) {
        let directory = OwnedDescriptor(
            adopting: try check(unsafe torpor_open_directory(group), "open", group))
        let four = try Self.link(ports, directory.rawValue, six: false)
        let six = try Self.link(ports, directory.rawValue, six: true)
        self.four = four
        self.six = six
    }

    private static func link(
        _ ports: [UInt16], _ group: Int32, six: Bool
    ) throws(LinuxError) -> OwnedDescriptor {
        let program = try OwnedDescriptor(
            result: unsafe torpor_share_ports(ports, Int32(ports.count), six ? 1 : 0), "bpf", "BPF_PROG_LOAD")
        return try OwnedDescriptor(
            result: torpor_attach_to_group(program.rawValue, group, six ? 1 : 0), "bpf", "BPF_LINK_CREATE")
    }
}

/// Moves the connections that wait at a listener to another one of its port.
package struct QueueMigration: ~Copyable, Sendable {
    private let program: OwnedDescriptor

    /// Gets the program for it ready.
    package init() throws(LinuxError) {
        program = try OwnedDescriptor(result: torpor_keep_queue(), "bpf", "BPF_PROG_LOAD")
    }

    /// Closes `door`, which shares its port with another listener: what waits there goes to that one, and so does whatever comes.
    package func close(_ door: consuming DoorDescriptor) throws(LinuxError) {
        try attach(to: door.rawValue)
        door.shut()
    }

    /// Has what waits at a listener go to another one of its port when it is closed.
    fileprivate func attach(to listener: Int32) throws(LinuxError) {
        let result = torpor_attach_to_port(program.rawValue, listener)
        guard result == 0 else {
            throw LinuxError(errno: -result, call: "setsockopt", subject: "SO_ATTACH_REUSEPORT_EBPF")
        }
    }

    /// What has remained on a listener that was given another one's queue.
    package enum Remains: Sendable {
        /// The sharing of its port, by which any process of its user could take clients of it.
        case sharing
        /// The program: connections that clients had begun at the other one, and not completed, come by it, as long as they ask again.
        case program
    }

    /// How long the kernel repeats its answer to a connection that begins: `net.ipv4.tcp_synack_retries` by default (tcp(7)), in seconds.
    package static let patience: Int64 = 65

    /// Takes that away from a listener of another process, by its descriptor there.
    package static func settle(
        _ remains: Remains, _ number: Int32, of pidfd: borrowing Pidfd, expecting inode: UInt64
    ) throws(LinuxError) {
        let listener = try pidfd.duplicate(number)
        guard case .socket(inode)? = try? Inventory.Kind(of: listener.rawValue) else {
            return DescriptorCloser.close([listener.release()])
        }
        let (result, subject) =
            switch remains {
            case .sharing: (torpor_keep_port(listener.rawValue), "SO_REUSEPORT")
            case .program: (torpor_detach_from_port(listener.rawValue), "SO_DETACH_REUSEPORT_BPF")
            }
        guard result == 0 else { throw LinuxError(errno: -result, call: "setsockopt", subject: subject) }
    }

    /// Does that to the listener of this inode, whichever of `processes` has it open among its `most` lowest descriptors; what was in the way, or
    /// nil.
    package static func settle(
        _ remains: Remains, of inode: UInt64, in processes: [Int32], atMost most: Int
    ) -> String? {
        for process in processes {
            let kinds = OpenDescriptors.read(of: process, atMost: most)?.kinds ?? [:]
            guard let number = kinds.first(where: { $0.value == .socket(inode: inode) })?.key else {
                continue
            }
            do throws(LinuxError) {
                try settle(remains, number, of: try Pidfd(pid: process), expecting: inode)
                return nil
            } catch {
                return "\(error)"
            }
        }
        return "no process has it open"
    }

    /// Connects to a listener and closes the connection at once, so that what waits for it looks there (Linux before
    /// "tcp: call sk_data_ready() after listener migration").
    package static func nudge(_ endpoint: Endpoint) { Loopback.connect(to: endpoint) }
}

extension OwnedDescriptor {
    fileprivate init(result: Int32, _ call: String, _ subject: String) throws(LinuxError) {
        guard result >= 0 else { throw LinuxError(errno: -result, call: call, subject: subject) }
        self.init(adopting: result)
    }
}

extension DoorProspect {
    /// What this process may do: it is tried on two listeners of its own on the loopback interface, which are gone when this returns.
    package static func probe(hasGroups: Bool) -> DoorProspect {
        var attempt = Attempt.moved(isTold: true)
        do throws(LinuxError) {
            _ = try OwnedDescriptor(
                result: unsafe torpor_share_ports([1], 1, 0), "bpf", "BPF_CGROUP_INET4_BIND")
            attempt = .moved(isTold: try isTold(of: try QueueMigration()))
        } catch {
            attempt =
                switch error.errno {
                case EPERM, EACCES: .refused
                case ENOSYS: .missing
                default: .failed("\(error)")
                }
        }
        // CAP_SYS_ADMIN is good for both.
        let isAdmin = ThisProcess.hasCapability(21)
        let lacking = [(39, "CAP_BPF"), (12, "CAP_NET_ADMIN")].filter {
            !isAdmin && !ThisProcess.hasCapability($0.0)
        }
        return DoorProspect(
            attempt: attempt, hasGroups: hasGroups, lacking: lacking.map(\.1),
            isFiltered: ThisProcess.isFiltered)
    }

    /// Whether an epoll instance hears of a connection that was moved to the listener that it waits for.
    private static func isTold(of migration: borrowing QueueMigration) throws(LinuxError) -> Bool {
        let first = try Loopback.listener(on: 0)
        guard let endpoint = Endpoint(of: first.rawValue) else {
            throw LinuxError(errno: EBADF, call: "getsockname")
        }
        let client = Loopback.connect(to: endpoint, keeping: true)
        defer { if client >= 0 { close(client) } }
        let second = try Loopback.listener(on: endpoint.port)
        let set = try ReadySet()
        try set.add(second.rawValue, as: 0)
        try migration.attach(to: first.rawValue)
        _ = consume first
        let isTold = !set.ready().isEmpty
        let moved = torpor_unix_accept(second.rawValue)
        guard moved >= 0 else {
            throw LinuxError(errno: -moved, call: "accept4", subject: "a connection that was to be moved")
        }
        close(moved)
        return isTold
    }
}

/// Sockets of this process on the loopback interface.
private enum Loopback {
    static func listener(on port: UInt16) throws(LinuxError) -> OwnedDescriptor {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = OwnedDescriptor(adopting: try check(Glibc.socket(AF_INET, kind, 0), "socket"))
        var yes: Int32 = 1
        try check(
            unsafe setsockopt(
                socket.rawValue, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<Int32>.size)),
            "setsockopt", "SO_REUSEPORT")
        let endpoint = Endpoint(IPAddress(ipv4: 0x7f00_0001), port: port)
        try check(unsafe endpoint.withAddress { unsafe bind(socket.rawValue, $0, $1) }, "bind")
        try check(listen(socket.rawValue, 8), "listen")
        return socket
    }

    /// Connects without waiting; the connection, or -1 where it is not kept, or cannot be made.
    @discardableResult
    static func connect(to endpoint: Endpoint, keeping keeps: Bool = false) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let family = endpoint.address.ipv4 == nil ? AF_INET6 : AF_INET
        let socket = Glibc.socket(family, kind, 0)
        guard socket >= 0 else { return -1 }
        // Ignoring the result: on the loopback interface it is there at once, or not at all.
        _ = unsafe endpoint.withAddress { unsafe Glibc.connect(socket, $0, $1) }
        if keeps { return socket }
        close(socket)
        return -1
    }
}

extension Endpoint {
    /// Calls `body` with the address as bind(2) and connect(2) take it.
    @unsafe fileprivate func withAddress(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        if let bits = address.ipv4 {
            var four = sockaddr_in()
            four.sin_family = sa_family_t(AF_INET)
            four.sin_port = port.bigEndian
            four.sin_addr.s_addr = bits.bigEndian
            return unsafe withUnsafePointer(to: &four) {
                unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var six = sockaddr_in6()
        six.sin6_family = sa_family_t(AF_INET6)
        six.sin6_port = port.bigEndian
        unsafe withUnsafeMutableBytes(of: &six.sin6_addr) {
            unsafe $0.storeBytes(of: address.high.bigEndian, as: UInt64.self)
            unsafe $0.storeBytes(of: address.low.bigEndian, toByteOffset: 8, as: UInt64.self)
        }
        return unsafe withUnsafePointer(to: &six) {
            unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}
