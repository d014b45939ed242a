/// Cuts an interface description into words and signs, and collects the comments between them.
struct InterfaceScanner {
    enum Token: Hashable {
        /// Letters, digits and what names consist of, dots included.
        case word(String)
        /// One of `( ) [ ] : , ?` and `->`.
        case sign(String)
        case end
    }

    private let text: [UInt8]
    private var position = 0
    /// The token at hand.
    private(set) var token = Token.end
    /// The line of the token at hand, from 1.
    private(set) var line = 1
    /// The comments right before the token at hand; a blank line starts anew.
    private(set) var comments: [String] = []

    init(_ text: String) throws(InterfaceDefinition.Fault) {
        self.text = Array(text.utf8)
        try advance()
    }

    func fault(_ message: String) -> InterfaceDefinition.Fault {
        InterfaceDefinition.Fault(line: line, message: message)
    }

    /// Moves to the next token.
    mutating func advance() throws(InterfaceDefinition.Fault) {
        skipSpace()
        guard position < text.count else {
            token = .end
            return
        }
        let start = position
        let byte = text[position]
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ":"),
            UInt8(ascii: ","), UInt8(ascii: "?"):
            position += 1
            token = .sign(String(Unicode.Scalar(byte)))
        case UInt8(ascii: "-") where position + 1 < text.count && text[position + 1] == UInt8(ascii: ">"):
            position += 2
            token = .sign("->")
        case let byte where isLetterOrDigit(byte):
            while position < text.count, isWordByte(at: position) { position += 1 }
            token = .word(String(decoding: text[start..<position], as: UTF8.self))
        default: throw fault("unexpected character")
        }
    }

    private mutating func skipSpace() {
        comments = []
        var isLineEmpty = false
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\n"):
                if isLineEmpty { comments = [] }
                isLineEmpty = true
                line += 1
            case 0x20, 0x09, 0x0d: break
            case UInt8(ascii: "#"):
                let end = text[position...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
                let comment = text[position + 1..<end].drop { $0 == 0x20 }
                comments.append(String(decoding: comment, as: UTF8.self))
                position = end - 1
                isLineEmpty = false
            default: return
            }
            position += 1
        }
    }

    /// A dash belongs to a word (interface names have them) unless it begins an arrow.
    private func isWordByte(at position: Int) -> Bool {
        switch text[position] {
        case UInt8(ascii: "."), UInt8(ascii: "_"): true
        case UInt8(ascii: "-"): position + 1 < text.count && text[position + 1] != UInt8(ascii: ">")
        case let byte: isLetterOrDigit(byte)
        }
    }

    private func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10
    }
}
