internal import CLinux
internal import Glibc
package import Idleness
package import Linux

/// What the kernel tells of all sockets of a network namespace, by sock_diag(7): no right is needed for that.
///
/// A dump waits for no process: the kernel writes each portion of it while the one before is received.
package struct SockDiag: ~Copyable, Sendable {
    /// What passes through the sockets that are asked for.
    package enum Transport: Hashable, Sendable {
        case tcp
        case udp

        fileprivate var number: UInt8 {
            switch self {
            case .tcp: UInt8(IPPROTO_TCP)
            case .udp: UInt8(IPPROTO_UDP)
            }
        }
    }

    /// Sockets in some of the states.
    package struct States: OptionSet, Hashable, Sendable {
        /// A bit for each state, by its number.
        package let rawValue: UInt32

        /// The states of these bits.
        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// One state.
        package init(_ state: InetSocket.State) { rawValue = 1 << UInt32(state.rawValue) }

        /// Those that listen: the kernel has them in a table of their own, which is short.
        package static let listening = States(.listen)
        /// All of them; a connection in its handshake counts as `.synReceived`.
        package static let all = States(rawValue: 0xfff)
        /// All but those that listen.
        package static let others = all.subtracting(.listening)
        /// Those of a process, or that wait to be accepted: without what is left in TIME_WAIT after an end, of which there may be very many.
        package static let inUse = all.subtracting(States(.timeWait))
        /// Those through which something may come or wait: without what is left in TIME_WAIT after an end, which no process has.
        package static let connections = others.subtracting(States(.timeWait))
    }

    private let descriptor: OwnedDescriptor
    /// The number of the latest request, by which what was left of an earlier answer is told.
    private var sequence: UInt32 = 0

    /// A dump that was changed meanwhile is repeated until it has been asked for so many times.
    private static let attempts = 3
    /// The most that the kernel puts into one datagram of a dump.
    private static let room = 32768

    /// A socket in the network namespace of the calling thread, whose sockets it tells of wherever it is used.
    ///
    /// EPROTONOSUPPORT where the kernel has no sock_diag(7).
    package init() throws(LinuxError) {
        let result = torpor_diag_open()
        guard result >= 0 else { throw LinuxError(errno: -result, call: "socket", subject: "sock_diag") }
        descriptor = OwnedDescriptor(adopting: result)
    }

    /// A socket in the network namespace of a process.
    ///
    /// ENOENT where the process is gone, EACCES where it may not be looked at, EPERM where its namespace may not be entered: that needs
    /// CAP_SYS_ADMIN over it (setns(2)).
    package init(ofProcess pid: Int32) throws(LinuxError) {
        let path = "/proc/\(pid)/ns/net"
        let place = OwnedDescriptor(
            adopting: try check(unsafe open(path, O_RDONLY | O_CLOEXEC), "open", path))
        let result = torpor_diag_open_in(place.rawValue)
        guard result >= 0 else { throw LinuxError(errno: -result, call: "setns", subject: path) }
        descriptor = OwnedDescriptor(adopting: result)
    }

    /// The sockets of IPv4 and IPv6 in `states`, in the order of the kernel's table; as they were one after the other, not at one moment.
    ///
    /// Those of TCP that do not listen are found by walking through the whole table of connections, which is as large as the machine's
    /// memory makes it: 0.15 ms for 262 144 places, with hardly any connection in them.
    ///
    /// UDP knows two states: established, where it has one peer, and closed. Its `receiveQueue` is memory, more than the payload.
    /// ENOENT where the kernel has no module for them, EINVAL for a cgroup before Linux 5.9.
    ///
    /// `withTraffic` asks for ``InetSocket/traffic``, which takes three times as long. `cgroup` is the id of the cgroup whose sockets alone
    /// are told: those that were made in it, and what they accepted.
    package mutating func dump(
        _ states: States, of transport: Transport = .tcp, withTraffic: Bool = false, cgroup: UInt64? = nil
    ) throws(LinuxError) -> [InetSocket] {
        try read(states, of: transport, withTraffic, cgroup, leavingOutQuiet: false).sockets
    }

    /// Those of TCP at which something waits to be read or accepted, with connections that wait to be accepted; and how many sockets were
    /// looked at.
    package mutating func news(_ states: States) throws(LinuxError) -> (sockets: [InetSocket], count: Int) {
        try read(states, of: .tcp, false, nil, leavingOutQuiet: true)
    }

    private mutating func read(
        _ states: States, of transport: Transport, _ withTraffic: Bool, _ cgroup: UInt64?,
        leavingOutQuiet: Bool
    ) throws(LinuxError) -> (sockets: [InetSocket], count: Int) {
        var (sockets, count): ([InetSocket], Int) = ([], 0)
        for family in transport == .tcp ? [AF_UNSPEC] : [AF_INET, AF_INET6] {
            var reader = SockDiagReader(sequence: sequence)
            try repeatedly { sequence, descriptor in
                reader = SockDiagReader(sequence: sequence, leavingOutQuiet: leavingOutQuiet)
                var question = torpor_diag_question(
                    sequence: sequence, family: UInt8(family), protocol: transport.number,
                    with_traffic: withTraffic ? 1 : 0, states: states.rawValue, cgroup: cgroup ?? 0)
                return unsafe torpor_diag_ask(descriptor, &question)
            } read: {
                reader.read($0)
            }
            if sockets.isEmpty { sockets = reader.sockets } else { sockets += reader.sockets }
            count += reader.count
        }
        return (sockets, count)
    }

    /// All Unix sockets of the network namespace, abstract ones and those with a path or without a name alike.
    ///
    /// ENOENT where the kernel has no module for them.
    package mutating func unixSockets() throws(LinuxError) -> [UnixSocket] {
        var reader = UnixDiagReader(sequence: sequence)
        try repeatedly { sequence, descriptor in
            reader = UnixDiagReader(sequence: sequence)
            return torpor_diag_ask_unix(descriptor, sequence)
        } read: {
            reader.read($0)
        }
        return reader.sockets
    }

    /// Has a dump asked for and read, again where it was changed meanwhile, and the last time as it is.
    private mutating func repeatedly(
        ask: (_ sequence: UInt32, _ descriptor: Int32) -> Int32,
        read: (ArraySlice<UInt8>) -> SockDiagReader.Progress
    ) throws(LinuxError) {
        for _ in 0..<Self.attempts {
            sequence &+= 1
            let result = ask(sequence, descriptor.rawValue)
            guard result == 0 else { throw LinuxError(errno: -result, call: "send", subject: "sock_diag") }
            if try receive(read) == .done { return }
        }
    }

    /// Receives a dump to its end: `.done` or `.interrupted`.
    ///
    /// Also one that cannot be read is received to its end: until then the kernel takes no further request (EBUSY).
    private borrowing func receive(
        _ read: (ArraySlice<UInt8>) -> SockDiagReader.Progress
    ) throws(LinuxError) -> SockDiagReader.Progress {
        var buffer = [UInt8](repeating: 0, count: Self.room)
        var failure: Int32?
        while true {
            let result = unsafe torpor_netlink_receive(descriptor.rawValue, &buffer, buffer.count)
            switch -result {
            case EINTR: continue
            // Cut short, or lost for want of memory: more may come.
            case ENOBUFS: failure = ENOBUFS
            // All that there was has been received.
            case EAGAIN: throw refusal(failure ?? ENODATA)
            case let error where error > 0: throw refusal(error)
            default:
                switch read(buffer[..<Int(result)]) {
                case .more: continue
                case .damaged: failure = EBADMSG
                case .refused(let error): throw refusal(error)
                case let end:
                    if let failure { throw refusal(failure) }
                    return end
                }
            }
        }
    }

    private borrowing func refusal(_ error: Int32) -> LinuxError {
        LinuxError(errno: error, call: "recvmsg", subject: "sock_diag")
    }
}
