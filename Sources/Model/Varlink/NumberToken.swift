/// The spelling of a number, checked against RFC 8259, section 6.
struct NumberToken {
    /// Its value when it has neither fraction nor exponent and fits.
    let integer: Int64?

    /// The number that starts at `start`, and the offset behind it.
    static func scan(_ text: Span<UInt8>, from start: Int) throws(JSON.ParseError) -> (NumberToken, end: Int)
    {
        var position = start
        let isNegative = text[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let firstDigit = position
        var value: Int64? = 0
        while let digit = digit(text, position) {
            value = value.flatMap { appending(digit, to: $0, isNegative: isNegative) }
            position += 1
        }
        let length = position - firstDigit
        guard length == 1 || (length > 1 && text[firstDigit] != UInt8(ascii: "0")) else {
            throw JSON.ParseError(reason: .badNumber, offset: start)
        }
        let integerEnd = position
        if byte(text, position) == UInt8(ascii: ".") {
            position = try digits(text, from: position + 1, of: start)
        }
        if let exponent = byte(text, position), exponent | 0x20 == UInt8(ascii: "e") {
            position += 1
            if let sign = byte(text, position), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                position += 1
            }
            position = try digits(text, from: position, of: start)
        }
        // -0 is a double: an integer would lose its sign.
        let isWhole = position == integerEnd && !(isNegative && value == 0)
        return (NumberToken(integer: isWhole ? value : nil), position)
    }

    /// `value` with one more digit; negative numbers grow downward, so that Int64.min is reached.
    private static func appending(_ digit: Int64, to value: Int64, isNegative: Bool) -> Int64? {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        guard !overflow else { return nil }
        let (sum, carry) = product.addingReportingOverflow(isNegative ? -digit : digit)
        return carry ? nil : sum
    }

    /// The offset behind at least one digit.
    private static func digits(
        _ text: Span<UInt8>, from start: Int, of number: Int
    ) throws(JSON.ParseError) -> Int {
        var position = start
        while digit(text, position) != nil { position += 1 }
        guard position > start else { throw JSON.ParseError(reason: .badNumber, offset: number) }
        return position
    }

    private static func digit(_ text: Span<UInt8>, _ position: Int) -> Int64? {
        guard position < text.count else { return nil }
        let digit = text[position] &- UInt8(ascii: "0")
        return digit < 10 ? Int64(digit) : nil
    }

    private static func byte(_ text: Span<UInt8>, _ position: Int) -> UInt8? {
        position < text.count ? text[position] : nil
    }
}
