/// The numbers of the notify protocol and of the environment that comes with it.
enum NotifyNumber {
    /// A decimal number without sign, spaces or leading zeros; nil for anything else, and for what exceeds 64
    /// bits.
    static func parse(_ text: some StringProtocol) -> UInt64? {
        let digits = text.utf8
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        guard digits.count == 1 || digits.first != UInt8(ascii: "0") else { return nil }
        return UInt64(text)
    }
}
