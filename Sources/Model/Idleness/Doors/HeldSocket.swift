package import ConfigurationSyntax
package import Lifecycle

/// A socket or FIFO that the supervisor opens for a worker and holds while it has no process (systemd.socket(5)).
package struct HeldSocket: Hashable, Sendable {
    /// Which of the directives asks for it.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case stream = "ListenStream"
        case datagram = "ListenDatagram"
        case sequentialPacket = "ListenSequentialPacket"
        case fifo = "ListenFIFO"
    }

    /// What a port without an address means (`BindIPv6Only=`).
    package enum IPv6Only: String, Hashable, Sendable, CaseIterable {
        /// As `net.ipv6.bindv6only` says.
        case standard = "default"
        case both
        case only = "ipv6-only"
    }

    package let kind: Kind
    /// Where; a FIFO has a path.
    package let address: ListenAddress
    /// How it is made and kept.
    package var options: Options

    /// What is set on it.
    package struct Options: Hashable, Sendable {
        /// How many connections may wait to be accepted (`Backlog=`).
        package var backlog = 4096
        package var ipv6Only = IPv6Only.standard
        /// An address that no interface has yet is taken too (`FreeBind=`, IP_FREEBIND).
        package var freeBind = false
        /// Other sockets of the same user may have the same address (`ReusePort=`, SO_REUSEPORT).
        package var reusePort = false
        /// Small packets are sent at once (`NoDelay=`, TCP_NODELAY).
        package var noDelay = false
        /// Idle connections are probed (`KeepAlive=`, SO_KEEPALIVE).
        package var keepAlive = false
        /// How long a connection without data is kept from the worker; zero is not at all (`DeferAcceptSec=`, TCP_DEFER_ACCEPT).
        package var deferAccept = TimeSpan.zero
        /// Its file is removed when it is closed for good (`RemoveOnStop=`).
        package var removeOnStop = false
        /// The mode of its file (`SocketMode=`).
        package var mode: UInt32 = 0o666
        /// The mode of directories that are made for its file (`DirectoryMode=`).
        package var directoryMode: UInt32 = 0o755
        /// The owner of its file; nil leaves it with the supervisor's user (`SocketUser=`, `SocketGroup=`).
        package var user: UInt32?
        package var group: UInt32?

        /// The defaults.
        package init() {}
    }

    /// A socket at this address.
    package init(_ kind: Kind, _ address: ListenAddress, _ options: Options = Options()) {
        (self.kind, self.address, self.options) = (kind, address, options)
    }

    /// Its file; nil where it has none.
    package var path: String? { if case .path(let path) = address { path } else { nil } }

    /// Its port; nil of one that has none.
    package var port: UInt16? {
        switch address {
        case .path, .abstract: nil
        case .port(let port): port
        case .ipv4(_, let port): port
        case .ipv6(_, let port, _): port
        }
    }

    /// Whether it is a socket of IPv4 or IPv6.
    package var isInternet: Bool {
        switch address {
        case .path, .abstract: false
        case .port, .ipv4, .ipv6: true
        }
    }

    /// Whether connections are accepted at it.
    package var listens: Bool { kind == .stream || kind == .sequentialPacket }

    /// Its address as the directive has it: `8080`, `127.0.0.1:8080`, `/run/web.sock`, `@web`.
    package var addressWords: String {
        switch address {
        case .path(let path): path
        case .abstract(let name): "@\(name)"
        case .port(let port): "\(port)"
        case .ipv4(let bits, let port): "\(Endpoint(IPAddress(ipv4: bits), port: port))"
        case .ipv6(let bytes, let port, let interface):
            "[\(Self.address(bytes))]:\(port)" + (interface.map { "%\($0)" } ?? "")
        }
    }

    private static func address(_ bytes: [UInt8]) -> IPAddress {
        func half(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return IPAddress(high: half(bytes.prefix(8)), low: half(bytes.dropFirst(8)))
    }

    /// As operators are told: `tcp 8080`, `udp 127.0.0.1:53`, `/run/web.sock`.
    package var words: String {
        guard isInternet else { return addressWords }
        return (kind == .datagram ? "udp " : "tcp ") + addressWords
    }

    /// As the directive spells it: `ListenStream=8080`.
    package var spelling: String { "\(kind.rawValue)=\(addressWords)" }

    /// Its port and the addresses that it takes there; nil of one without a port.
    private var place: (port: UInt16, address: IPAddress, isWhole: Bool)? {
        switch address {
        case .path, .abstract: nil
        case .port(let port):
            (port, IPAddress(high: 0, low: 0), options.ipv6Only != .only)
        case .ipv4(let bits, let port): (port, IPAddress(ipv4: bits), false)
        case .ipv6(let bytes, let port, _):
            (port, Self.address(bytes), Self.address(bytes).isUnspecified && options.ipv6Only != .only)
        }
    }

    /// Whether both cannot be open at once, since they take the same address.
    ///
    /// Two that share a port by `ReusePort=` can; so can a stream and datagrams of one port, and IPv4 and IPv6 where one says so.
    package func excludes(_ other: HeldSocket) -> Bool {
        switch (address, other.address) {
        case (.path(let one), .path(let two)): return one == two
        case (.abstract(let one), .abstract(let two)): return one == two
        default: break
        }
        guard let one = place, let two = other.place, one.port == two.port,
            (kind == .datagram) == (other.kind == .datagram)
        else { return false }
        if options.reusePort, other.options.reusePort { return false }
        if one.isWhole || two.isWhole { return true }
        let isFour = (one.address.ipv4 != nil, two.address.ipv4 != nil)
        guard isFour.0 == isFour.1 else { return false }
        return one.address == two.address || one.address.isUnspecified || two.address.isUnspecified
    }
}

extension HeldSocket.IPv6Only: Keyword {}

extension HeldSocket {
    /// What a reload does to the sockets of a worker: in this order.
    package struct Change: Hashable, Sendable {
        /// Those that are closed: they are asked for no more, or have to be made anew.
        package var closed: [HeldSocket] = []
        /// Those that stay open, as they were and as they are to be: no client of them notices.
        package var kept: [Pair] = []
        /// Those that are opened.
        package var opened: [HeldSocket] = []

        /// A socket before and after.
        package struct Pair: Hashable, Sendable {
            package let old: HeldSocket
            package let new: HeldSocket

            /// A socket that changes from one to the other.
            package init(_ old: HeldSocket, _ new: HeldSocket) { (self.old, self.new) = (old, new) }

            /// Whether anything of it is set anew.
            package var isTuned: Bool { old.options != new.options }
        }

        /// From `old`, which are open, to `new`.
        package init(from old: [HeldSocket], to new: [HeldSocket]) {
            var rest = old
            for socket in new {
                if let index = rest.firstIndex(where: { $0.canBecome(socket) }) {
                    kept.append(Pair(rest.remove(at: index), socket))
                } else {
                    opened.append(socket)
                }
            }
            closed = rest
        }
    }

    /// Whether it can go on as `other`: what is fixed when a socket is bound is the same.
    package func canBecome(_ other: HeldSocket) -> Bool {
        kind == other.kind && address == other.address && options.ipv6Only == other.options.ipv6Only
            && options.freeBind == other.options.freeBind && options.reusePort == other.options.reusePort
            // What was switched on for connections that wait is not taken back from them.
            && (other.options.deferAccept > .zero || options.deferAccept == .zero)
    }
}
