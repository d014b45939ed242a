/// An address to listen on, as `ListenStream=` takes it (systemd.socket(5)).
package enum ListenAddress: Hashable, Sendable, PlainValue {
    /// A socket in the file system.
    case path(String)
    /// A socket in the abstract namespace, without its `@`.
    case abstract(String)
    /// A port on every address, of IPv6 and IPv4.
    case port(UInt16)
    /// A port on an IPv4 address, whose first byte is the highest.
    case ipv4(address: UInt32, port: UInt16)
    /// A port on an IPv6 address of 16 bytes, with the interface it belongs to.
    case ipv6(address: [UInt8], port: UInt16, interface: String?)

    /// Reads `/path`, `@name`, `port`, `a.b.c.d:port` or `[x:y::z]:port`, the last with an optional `%interface`.
    package init(parsing text: String) throws(ValueError) {
        guard let address = Self.read(text) else { throw ValueError(text, isNot: Self.expectation) }
        self = address
    }

    /// What an address looks like.
    package static var expectation: String {
        "/PATH, @NAME (both at most 107 bytes), PORT, IPV4:PORT or [IPV6]:PORT"
    }
    /// `%t/web.sock` is common.
    package static var takesSpecifiers: Bool { true }
    /// A socket whose name holds a ` #` is more likely a comment in the wrong place.
    package static var isClosed: Bool { true }

    private static func read(_ text: String) -> ListenAddress? {
        switch text.utf8.first {
        case UInt8(ascii: "/"):
            guard let path = try? AbsolutePath(parsing: text).text, (2...107).contains(path.utf8.count) else {
                return nil
            }
            return .path(path)
        case UInt8(ascii: "@"):
            let name = String(cut: text.utf8.dropFirst())
            return (1...107).contains(name.utf8.count) ? .abstract(name) : nil
        case UInt8(ascii: "["): return readIPv6(text)
        default:
            if let port = port(text) { return .port(port) }
            let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard parts.count == 2, let address = InternetAddress.ipv4(String(cut: parts[0])),
                let port = port(String(cut: parts[1]))
            else { return nil }
            return .ipv4(address: address, port: port)
        }
    }

    private static func port(_ text: String) -> UInt16? {
        guard let port = UInt16(systemd: text), port > 0 else { return nil }
        return port
    }

    private static func readIPv6(_ text: String) -> ListenAddress? {
        var cursor = ByteCursor(text)
        _ = cursor.take("[")
        let inside = cursor.take { $0 != UInt8(ascii: "]") }
        guard cursor.take("]:"), let address = InternetAddress.ipv6(String(cut: inside)) else { return nil }
        let digits = cursor.take { $0 != .percent }
        var interface: String?
        if cursor.take(.percent) {
            let name = String(cut: cursor.rest)
            guard (1...15).contains(name.utf8.count),
                name.utf8.allSatisfy({ $0 > 0x20 && $0 != UInt8(ascii: "/") })
            else {
                return nil
            }
            interface = name
        }
        return port(String(cut: digits)).map { .ipv6(address: address, port: $0, interface: interface) }
    }
}

extension ListenAddress {
    /// Whether only programs of this machine reach it: a Unix socket, or an address of the loopback interface.
    package var isLocal: Bool {
        switch self {
        case .path, .abstract: true
        case .port: false
        case .ipv4(let address, _): address >> 24 == 127
        case .ipv6(let address, _, _): address.dropLast().allSatisfy { $0 == 0 } && address.last == 1
        }
    }
}
