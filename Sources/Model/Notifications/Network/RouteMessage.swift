/// What one message of rtnetlink(7) says of the network.
package enum RouteMessage: Hashable, Sendable {
    /// A link is there, so.
    case link(index: Int32, name: String, isUp: Bool)
    /// A link is gone.
    case linkGone(index: Int32)
    /// A link has an address.
    case address(NetworkAddress)
    /// It has it no longer, or not yet.
    case addressGone(NetworkAddress)
    /// There is a default route.
    case route(DefaultRoute)
    /// It is gone.
    case routeGone(DefaultRoute)
    /// What was asked for has been told completely.
    case done
    /// It has been told, but changed meanwhile: it has to be asked for again.
    case interrupted
    /// The kernel refuses what was asked, for this reason (errno(3)).
    case refused(Int32)
    /// Anything else.
    case other
}

/// An address of a link.
package struct NetworkAddress: Hashable, Sendable {
    /// The link.
    package let link: Int32
    /// Four bytes, or sixteen.
    package let bytes: [UInt8]
    /// How many bits of it name the network.
    package let prefix: UInt8

    /// An address by its parts.
    package init(link: Int32, bytes: [UInt8], prefix: UInt8) {
        self.link = link
        self.bytes = bytes
        self.prefix = prefix
    }
}

/// A way to everywhere.
package struct DefaultRoute: Hashable, Sendable {
    /// The link; 0 where it goes over several.
    package let link: Int32
    /// Whether it is of IPv6.
    package let isIPv6: Bool
    /// The next hop; empty when there is none.
    package let gateway: [UInt8]
    /// Smaller is preferred.
    package let metric: UInt32

    /// A route by its parts.
    package init(link: Int32, isIPv6: Bool, gateway: [UInt8], metric: UInt32) {
        self.link = link
        self.isIPv6 = isIPv6
        self.gateway = gateway
        self.metric = metric
    }
}

extension RouteMessage {
    /// Reads what one recv(2) brought: messages one after the other (netlink(7)); what is cut short is left out.
    package static func messages(in bytes: [UInt8]) -> [RouteMessage] {
        var messages: [RouteMessage] = []
        var rest = NetlinkBytes(bytes[...])
        while let length = rest.word(0), length >= 16, let message = rest.cut(Int(length)) {
            messages.append(RouteMessage(message))
            rest = rest.after(Int(length))
        }
        return messages
    }

    private init(_ message: NetlinkBytes) {
        let type = message.half(4) ?? 0
        // NLM_F_DUMP_INTR.
        if (message.half(6) ?? 0) & 0x10 != 0 {
            self = .interrupted
            return
        }
        let body = message.after(16)
        switch type {
        case 2: self = body.word(0).map { $0 == 0 ? .other : .refused(Int32(bitPattern: 0 &- $0)) } ?? .other
        case 3: self = .done
        case 16, 17: self = Self.link(body, isGone: type == 17)
        case 20, 21: self = Self.address(body, isGone: type == 21)
        case 24, 25: self = Self.route(body, isGone: type == 25)
        default: self = .other
        }
    }

    /// `struct ifinfomsg`: family, type, index, flags.
    private static func link(_ body: NetlinkBytes, isGone: Bool) -> RouteMessage {
        // Messages of a bridge about its ports (AF_BRIDGE) look like those of links, and are none.
        guard body.byte(0) == 0, let index = body.word(4), let flags = body.word(8), body.count >= 16 else {
            return .other
        }
        let number = Int32(bitPattern: index)
        if isGone { return .linkGone(index: number) }
        let name = body.after(16).attribute(3) ?? []
        // IFF_UP and IFF_RUNNING.
        return .link(
            index: number, name: String(decoding: name.prefix { $0 != 0 }, as: UTF8.self),
            isUp: flags & 0x41 == 0x41)
    }

    /// `struct ifaddrmsg`: family, length of the prefix, flags, scope, index.
    private static func address(_ body: NetlinkBytes, isGone: Bool) -> RouteMessage {
        guard let family = body.byte(0), let prefix = body.byte(1), let index = body.word(4) else {
            return .other
        }
        let attributes = body.after(8)
        // IFA_LOCAL is the local address where IFA_ADDRESS is that of the peer.
        guard let bytes = attributes.attribute(2) ?? attributes.attribute(1),
            bytes.count == (family == 2 ? 4 : 16), family == 2 || family == 10
        else { return .other }
        let address = NetworkAddress(link: Int32(bitPattern: index), bytes: bytes, prefix: prefix)
        let flags =
            attributes.attribute(8).flatMap { NetlinkBytes($0[...]).word(0) } ?? UInt32(body.byte(2) ?? 0)
        // IFA_F_TENTATIVE and IFA_F_DADFAILED: it cannot be used.
        return isGone || flags & 0x48 != 0 ? .addressGone(address) : .address(address)
    }

    /// `struct rtmsg`: family, lengths of destination and source, service, table, protocol, scope, type, flags.
    private static func route(_ body: NetlinkBytes, isGone: Bool) -> RouteMessage {
        guard let family = body.byte(0), family == 2 || family == 10, body.byte(1) == 0, body.count >= 12,
            // RTN_UNICAST in the main table.
            body.byte(7) == 1
        else { return .other }
        let attributes = body.after(12)
        func word(_ type: UInt16) -> UInt32? {
            attributes.attribute(type).flatMap { NetlinkBytes($0[...]).word(0) }
        }
        guard word(15) ?? UInt32(body.byte(4) ?? 0) == 254 else { return .other }
        let route = DefaultRoute(
            link: Int32(bitPattern: word(4) ?? 0), isIPv6: family == 10,
            gateway: attributes.attribute(5) ?? [],
            metric: word(6) ?? 0)
        return isGone ? .routeGone(route) : .route(route)
    }
}

/// Bytes as netlink lays them out: little-endian as all machines that we run on, everything at multiples of four.
private struct NetlinkBytes {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    func byte(_ offset: Int) -> UInt8? { offset < count ? bytes[bytes.startIndex + offset] : nil }

    func half(_ offset: Int) -> UInt16? {
        guard let low = byte(offset), let high = byte(offset + 1) else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    func word(_ offset: Int) -> UInt32? {
        guard let low = half(offset), let high = half(offset + 2) else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    /// The first `length` bytes; nil when there are fewer.
    func cut(_ length: Int) -> NetlinkBytes? { length <= count ? NetlinkBytes(bytes.prefix(length)) : nil }

    /// What follows `length` bytes and the gap behind them.
    func after(_ length: Int) -> NetlinkBytes { NetlinkBytes(bytes.dropFirst((length + 3) & ~3)) }

    /// The content of the first attribute of a type: length, type, content.
    func attribute(_ type: UInt16) -> [UInt8]? {
        var rest = self
        while let length = rest.half(0), length >= 4, let whole = rest.cut(Int(length)) {
            // The two highest bits are flags.
            if let found = rest.half(2), found & 0x3fff == type { return Array(whole.bytes.dropFirst(4)) }
            rest = rest.after(Int(length))
        }
        return nil
    }
}
