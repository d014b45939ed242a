internal import CLinux
internal import Glibc
package import Linux

/// What a socket is, as its options tell (socket(7)).
package struct SocketFacts: Hashable, Sendable {
    /// Its family of addresses (SO_DOMAIN).
    package enum Family: Hashable, Sendable {
        case ipv4
        case ipv6
        case unix
        case other

        fileprivate init(_ number: Int32) {
            switch number {
            case AF_INET: self = .ipv4
            case AF_INET6: self = .ipv6
            case AF_UNIX: self = .unix
            default: self = .other
            }
        }
    }

    /// How bytes pass through it (SO_TYPE).
    package enum Form: Hashable, Sendable {
        case stream
        case datagram
        case sequentialPacket
        case other

        fileprivate init(_ number: Int32) {
            switch UInt32(bitPattern: number) {
            case SOCK_STREAM.rawValue: self = .stream
            case SOCK_DGRAM.rawValue: self = .datagram
            case SOCK_SEQPACKET.rawValue: self = .sequentialPacket
            default: self = .other
            }
        }
    }

    package let family: Family
    package let form: Form
    /// The number of its protocol (SO_PROTOCOL): 6 is TCP, 17 UDP; 0 for Unix sockets.
    package let proto: Int32
    /// Whether it listens (SO_ACCEPTCONN).
    package let isListening: Bool
    /// Whether the last close(2) of it waits until what was sent has arrived (SO_LINGER).
    package let lingers: Bool

    /// What the socket behind an open descriptor of this process is; ENOTSOCK where it is none.
    package init(of descriptor: Int32) throws(LinuxError) {
        family = Family(try Self.option(SO_DOMAIN, "SO_DOMAIN", of: descriptor))
        form = Form(try Self.option(SO_TYPE, "SO_TYPE", of: descriptor))
        proto = try Self.option(SO_PROTOCOL, "SO_PROTOCOL", of: descriptor)
        isListening = try Self.option(SO_ACCEPTCONN, "SO_ACCEPTCONN", of: descriptor) != 0
        var value = linger()
        var length = socklen_t(MemoryLayout<linger>.size)
        try check(
            unsafe getsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, &length), "getsockopt", "SO_LINGER")
        lingers = value.l_onoff != 0 && value.l_linger > 0
    }

    private static func option(
        _ option: Int32, _ name: String, of descriptor: Int32
    ) throws(LinuxError) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        try check(
            unsafe getsockopt(descriptor, SOL_SOCKET, option, &value, &length), "getsockopt", name)
        return value
    }
}
