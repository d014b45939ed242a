/// Bytes in the order of the machine, which is little endian wherever this runs; nil beyond their end.
struct Fields {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    func part(from start: Int, to end: Int) -> Fields {
        Fields(bytes[(bytes.startIndex + start)..<(bytes.startIndex + end)])
    }

    /// All of them, without the zeros behind a path.
    var text: [UInt8]? {
        var end = bytes.endIndex
        while end > bytes.startIndex + 1, bytes[end - 1] == 0 { end -= 1 }
        return bytes.isEmpty ? nil : Array(bytes[..<end])
    }

    func u8(_ offset: Int) -> UInt8? { offset < count ? bytes[bytes.startIndex + offset] : nil }

    private func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number? {
        let size = Number.bitWidth / 8
        guard offset + size <= count else { return nil }
        var number: Number = 0
        for index in 0..<size {
            number |= Number(truncatingIfNeeded: bytes[bytes.startIndex + offset + index]) << (8 * index)
        }
        return number
    }

    func u16(_ offset: Int) -> UInt16? { number(offset, UInt16.self) }
    func u32(_ offset: Int) -> UInt32? { number(offset, UInt32.self) }
    func u64(_ offset: Int) -> UInt64? { number(offset, UInt64.self) }
    func i32(_ offset: Int) -> Int32? { u32(offset).map { Int32(bitPattern: $0) } }
    /// In the order of the network.
    func network16(_ offset: Int) -> UInt16? { u16(offset)?.byteSwapped }

    /// An address of AF_INET (2) or AF_INET6 (10).
    func address(at offset: Int, _ family: UInt8) -> IPAddress? {
        switch family {
        case 2: u32(offset).map { IPAddress(ipv4: $0.byteSwapped) }
        case 10:
            u64(offset).flatMap { high in
                u64(offset + 8).map { IPAddress(high: high.byteSwapped, low: $0.byteSwapped) }
            }
        default: nil
        }
    }

    /// Attributes: a length with its header, a kind, the value, each at a multiple of four (linux/netlink.h).
    func forEachAttribute(_ body: (UInt16, Fields) -> Void) {
        var rest = self
        while let length = rest.u16(0), let kind = rest.u16(2), length >= 4, Int(length) <= rest.count {
            // The two highest bits say how the value is to be read.
            body(kind & 0x3fff, rest.part(from: 4, to: Int(length)))
            rest = rest.part(from: min((Int(length) + 3) & ~3, rest.count), to: rest.count)
        }
    }
}
