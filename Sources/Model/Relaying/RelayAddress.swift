/// One end of a stream connection.
package enum RelayAddress: Hashable, Sendable {
    /// An IPv4 address, whose first byte is the highest, and a port.
    case ipv4(UInt32, port: UInt16)
    /// The 16 bytes of an IPv6 address, a port, and the number of the interface that a link-local address belongs to; 0 for none.
    case ipv6([UInt8], port: UInt16, scope: UInt32 = 0)
    /// `sun_path` of a Unix socket: a path, a NUL and an abstract name, or empty for a socket without a name.
    case unix([UInt8])
}

extension RelayAddress {
    private enum Family {
        static let unix: UInt16 = 1
        static let ipv4: UInt16 = 2
        static let ipv6: UInt16 = 10
    }

    /// The address in the kernel's form, which is `sockaddr_in`, `sockaddr_in6` or `sockaddr_un` (ip(7), ipv6(7), unix(7)).
    package var kernelBytes: [UInt8] {
        switch self {
        case .ipv4(let address, let port):
            return Self.native(Family.ipv4) + Self.network(port) + Self.network(address)
                + [UInt8](repeating: 0, count: 8)
        case .ipv6(let address, let port, let scope):
            return Self.native(Family.ipv6) + Self.network(port) + [0, 0, 0, 0] + address + Self.native(scope)
        case .unix(let path):
            // A path ends with a NUL, an abstract name does not.
            let end: [UInt8] = path.first.map { $0 != 0 && path.count < Self.longestPath } ?? false ? [0] : []
            return Self.native(Family.unix) + path + end
        }
    }

    /// The room of `sun_path`.
    static let longestPath = 108

    /// Reads the kernel's form; nil where it is of another family, or too short.
    package init?(kernelBytes bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count >= 2 else { return nil }
        func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
            bytes[offset..<offset + Number.bitWidth / 8].reduce(0) { $0 << 8 | Number($1) }
        }
        switch number(0, UInt16.self).nativeOrder {
        case Family.ipv4 where bytes.count >= 8:
            self = .ipv4(number(4, UInt32.self), port: number(2, UInt16.self))
        case Family.ipv6 where bytes.count >= 28:
            self = .ipv6(
                Array(bytes[8..<24]), port: number(2, UInt16.self),
                scope: number(24, UInt32.self).nativeOrder)
        case Family.unix:
            let path = bytes.dropFirst(2).prefix(Self.longestPath)
            let isPath = path.first.map { $0 != 0 } ?? false
            self = .unix(Array(isPath ? path.prefix { $0 != 0 } : path))
        default: return nil
        }
    }

    private static func native<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        network(number.nativeOrder)
    }

    private static func network<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        stride(from: Number.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: number >> Number($0))
        }
    }
}

extension FixedWidthInteger {
    /// The number whose big-endian bytes are the bytes of this one in memory.
    fileprivate var nativeOrder: Self { bigEndian }
}

extension RelayAddress {
    /// An IPv6 address that stands for an IPv4 one, as that one; every other address as it is.
    ///
    /// A socket of IPv6 that accepts IPv4 too names its peers so (ipv6(7)).
    package var unmapped: RelayAddress {
        guard case .ipv6(let bytes, let port, _) = self,
            bytes[..<12].elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff])
        else { return self }
        return .ipv4(bytes[12...].reduce(0) { $0 << 8 | UInt32($1) }, port: port)
    }

    /// Whether only processes of this machine can use the address.
    package var isLoopback: Bool {
        switch unmapped {
        case .ipv4(let address, _): address >> 24 == 127
        case .ipv6(let bytes, _, _): bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        case .unix: false
        }
    }

    /// Whether it is an address of the internet protocols.
    package var isInternet: Bool {
        if case .unix = self { false } else { true }
    }

    /// The same address with another port; a Unix one as it is.
    package func with(port: UInt16) -> RelayAddress {
        switch self {
        case .ipv4(let address, _): .ipv4(address, port: port)
        case .ipv6(let address, _, let scope): .ipv6(address, port: port, scope: scope)
        case .unix: self
        }
    }
}

extension RelayAddress: CustomStringConvertible {
    /// `10.0.0.7:51422`, `[::1]:80`, `/run/a.sock`, `@name`, or `a Unix socket` without a name.
    package var description: String {
        switch self {
        case .ipv4(_, let port): "\(host ?? ""):\(port)"
        case .ipv6(_, let port, _): "[\(host ?? "")]:\(port)"
        case .unix(let path) where path.isEmpty: "a Unix socket"
        case .unix(let path) where path[0] == 0: "@" + String(decoding: path.dropFirst(), as: UTF8.self)
        case .unix(let path): String(decoding: path, as: UTF8.self)
        }
    }

    /// The address alone in its text form; nil for a Unix one.
    var host: String? {
        switch self {
        case .ipv4(let address, _):
            return [24, 16, 8, 0].map { String(UInt8(truncatingIfNeeded: address >> $0)) }.joined(
                separator: ".")
        case .ipv6(let bytes, _, _):
            let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
            func text(_ part: some Sequence<UInt16>) -> String {
                part.map { String($0, radix: 16) }.joined(separator: ":")
            }
            guard let zeroes = Self.longestZeroes(groups) else { return text(groups) }
            return text(groups[..<zeroes.lowerBound]) + "::" + text(groups[zeroes.upperBound...])
        case .unix: return nil
        }
    }

    /// The first of the longest runs of zeroes, of two groups or more (RFC 5952, 4.2).
    private static func longestZeroes(_ groups: [UInt16]) -> Range<Int>? {
        var (best, start): (Range<Int>?, Int?) = (nil, nil)
        for (index, group) in (groups + [1]).enumerated() {
            if group == 0 {
                start = start ?? index
            } else if let from = start {
                start = nil
                if index - from >= 2, index - from > best?.count ?? 0 { best = from..<index }
            }
        }
        return best
    }
}
