internal import ConfigurationSyntax

/// Reads one document of YAML 1.1 as compose files use it: block and flow collections, all kinds of scalars, comments, anchors and aliases.
///
/// What it does not know is an error: tags other than the usual ones, keys that are collections, several documents, tabs between tokens.
/// The time is linear in the length of the text.
package struct YAMLParser {
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var lineStart = 0
    private var depth = 0
    private var anchors: [String: YAMLNode] = [:]

    /// Deeper documents are refused: each level costs a part of the stack.
    private static let mostLevels = 64

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// The document in `text`, whose lines end with LF.
    package static func read(_ text: String) throws(YAMLError) -> YAMLNode {
        var parser = YAMLParser(text)
        return try parser.document()
    }

    // MARK: bytes

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private func has(_ character: Unicode.Scalar, _ distance: Int = 0) -> Bool {
        peek(distance) == UInt8(ascii: character)
    }

    private var column: Int { position - lineStart }

    private var isAtLineEnd: Bool { peek() == nil || peek() == .newline }

    /// Whether a blank, the end of a line or of the text stands there.
    private func isGap(_ distance: Int = 0) -> Bool {
        peek(distance).map { $0 == 0x20 || $0 == 0x09 || $0 == .newline } ?? true
    }

    private mutating func advance() {
        if peek() == .newline {
            line += 1
            lineStart = position + 1
        }
        position += 1
    }

    private func failure(_ problem: String, at line: Int? = nil) -> YAMLError {
        YAMLError(line: line ?? self.line, problem: problem)
    }

    private mutating func skipSpaces() { while has(" ") { position += 1 } }

    /// Moves to the next token, over spaces, comments and ends of lines.
    private mutating func skipToToken() throws(YAMLError) {
        while true {
            let start = position
            skipSpaces()
            if has("#"),
                position == lineStart || position > start || position == 0 || bytes[position - 1] == .newline
                    || bytes[position - 1] == 0x20
            {
                while !isAtLineEnd { position += 1 }
            }
            guard peek() == .newline else { break }
            advance()
        }
        if has("\t") { throw failure("a tab where only spaces may stand") }
    }

    /// Whether `---` or `...` begins the line at the cursor.
    private var isAtMarker: Bool {
        guard column == 0, let byte = peek(), byte == .dash || byte == .dot else { return false }
        return peek(1) == byte && peek(2) == byte && isGap(3)
    }

    // MARK: the document

    private mutating func document() throws(YAMLError) -> YAMLNode {
        try skipToToken()
        while has("%"), column == 0 {
            guard bytes[position...].starts(with: "%YAML".utf8) else { throw failure("an unknown directive") }
            while !isAtLineEnd { position += 1 }
            try skipToToken()
        }
        if isAtMarker, has("-") {
            position += 3
            try skipToToken()
        }
        let node =
            isAtMarker || peek() == nil
            ? YAMLNode(.scalar("", isPlain: true), line: line) : try block(above: -1, mayBeKey: true)
        try skipToToken()
        if isAtMarker, has(".") {
            position += 3
            try skipToToken()
        }
        if peek() != nil {
            throw failure(
                isAtMarker ? "a second document; give one file for each" : "nothing more is expected here")
        }
        return node
    }

    // MARK: blocks

    /// The node at the cursor, in a block that is indented by `parent`; `mayBeKey` where a mapping may begin on this line.
    private mutating func block(above parent: Int, mayBeKey: Bool, isIndentless: Bool = false)
        throws(YAMLError) -> YAMLNode
    {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.mostLevels else { throw failure("more than \(Self.mostLevels) levels") }
        let start = (position, line, lineStart, column)
        var properties = try properties()
        var mayBeKey = mayBeKey
        if properties.isAny, isAtLineEnd || has("#") {
            let before = line
            try skipToToken()
            guard peek() != nil, !isAtMarker, column > parent || (column == parent && isIndentless && isDash)
            else {
                return define(properties, YAMLNode(.scalar("", isPlain: true), line: before))
            }
            // What follows on a line of its own may be anything.
            let node = try block(above: parent, mayBeKey: true, isIndentless: isIndentless)
            return define(properties, node)
        }
        // Properties in front of a key belong to the key.
        if properties.isAny, mayBeKey, try isKeyAhead() {
            (position, line, lineStart) = (start.0, start.1, start.2)
            properties = Properties()
            return try mapping(at: start.3)
        }
        if isDash {
            guard mayBeKey else { throw failure("a list cannot begin on this line") }
            mayBeKey = true
            return define(properties, try sequence(at: column))
        }
        if has("?"), isGap(1) { throw failure("keys of several lines are not supported") }
        if mayBeKey, try isKeyAhead() { return define(properties, try mapping(at: column)) }
        if has(":"), isGap(1) { throw failure("a key is missing") }
        let node = try leaf(above: parent)
        return define(properties, node)
    }

    private var isDash: Bool { has("-") && isGap(1) }

    private mutating func sequence(at column: Int) throws(YAMLError) -> YAMLNode {
        let first = line
        var items: [YAMLNode] = []
        while self.column == column, isDash, !isAtMarker {
            position += 1
            let own = line
            try skipToToken()
            if peek() == nil || isAtMarker || self.column <= column {
                items.append(YAMLNode(.scalar("", isPlain: true), line: own))
            } else {
                items.append(try block(above: column, mayBeKey: true))
            }
            try skipToToken()
        }
        if peek() != nil, !isAtMarker, self.column > column {
            throw failure("the indentation fits no list or mapping above")
        }
        return YAMLNode(.sequence(items), line: first)
    }

    private mutating func mapping(at column: Int) throws(YAMLError) -> YAMLNode {
        let first = line
        var pairs: [YAMLNode.Pair] = []
        while peek() != nil, self.column == column, !isAtMarker {
            if isDash { throw failure("a list item among keys") }
            if has("?"), isGap(1) { throw failure("keys of several lines are not supported") }
            guard try isKeyAhead() else { throw failure("expected KEY: VALUE") }
            let key = try key()
            position += 1
            pairs.append(YAMLNode.Pair(key: key, value: try value(of: column)))
            try skipToToken()
        }
        if peek() != nil, !isAtMarker, self.column > column {
            throw failure("the indentation fits no list or mapping above")
        }
        return YAMLNode(.mapping(pairs), line: first)
    }

    /// The value behind a colon in a mapping that is indented by `column`.
    private mutating func value(of column: Int) throws(YAMLError) -> YAMLNode {
        let own = line
        try skipToToken()
        if line == own, peek() != nil { return try block(above: column, mayBeKey: false, isIndentless: true) }
        guard peek() != nil, !isAtMarker, self.column > column || (self.column == column && isDash) else {
            return YAMLNode(.scalar("", isPlain: true), line: own)
        }
        return try block(above: column, mayBeKey: true)
    }

    /// A key on one line, up to its colon.
    private mutating func key() throws(YAMLError) -> YAMLNode {
        let properties = try properties()
        let own = line
        let node: YAMLNode
        if has("*") {
            node = try alias()
        } else if has("\"") || has("'") {
            node = try quoted(above: -1, inFlow: false)
        } else {
            node = YAMLNode(.scalar(plainLine(inFlow: false), isPlain: true), line: own)
        }
        skipSpaces()
        guard has(":") else { throw failure("expected a colon behind the key") }
        return define(properties, node)
    }

    /// Whether the rest of the line begins with a key and its colon; the cursor stays.
    private func isKeyAhead() throws(YAMLError) -> Bool {
        var ahead = self
        _ = try ahead.properties()
        let own = ahead.line
        if ahead.has("*") {
            _ = ahead.name()
        } else if ahead.has("\"") || ahead.has("'") {
            guard ahead.skipQuotedOnLine() else { return false }
        } else if ahead.has("[") || ahead.has("{") {
            return false
        } else {
            guard ahead.canBeginPlain(inFlow: false) else { return false }
            _ = ahead.plainLine(inFlow: false)
        }
        ahead.skipSpaces()
        return ahead.line == own && ahead.has(":") && ahead.isGap(1)
    }

    /// Moves over a quoted text that ends on this line; whether it does.
    private mutating func skipQuotedOnLine() -> Bool {
        let mark = bytes[position]
        position += 1
        while let byte = peek(), byte != .newline {
            position += 1
            if byte == UInt8(ascii: "\\"), mark == UInt8(ascii: "\"") { position += 1 }
            if byte == mark {
                guard mark == UInt8(ascii: "'"), peek() == mark else { return true }
                position += 1
            }
        }
        return false
    }

    /// A scalar, an alias or a flow collection.
    private mutating func leaf(above parent: Int) throws(YAMLError) -> YAMLNode {
        let node: YAMLNode
        switch peek().map({ Character(Unicode.Scalar($0)) }) {
        case "*": node = try alias()
        case "[", "{": node = try flow()
        case "\"", "'": node = try quoted(above: parent, inFlow: false)
        case "|", ">": return try blockScalar(above: parent)
        default:
            guard canBeginPlain(inFlow: false) else {
                throw failure("a value cannot begin with this sign; quote it")
            }
            node = try plain(above: parent, inFlow: false)
        }
        let own = line
        skipSpaces()
        if has(":"), isGap(1) { throw failure("a mapping cannot begin on this line") }
        if has("\t") { throw failure("a tab where only spaces may stand") }
        // What follows on the same line is a comment, or a mistake.
        if line == own, !isAtLineEnd, !(has("#") && position > 0 && bytes[position - 1] == 0x20) {
            throw failure("nothing more is expected on this line")
        }
        return node
    }

    // MARK: anchors, aliases and tags

    private struct Properties {
        var anchor: String?
        var isText = false
        var isAny = false
    }

    private mutating func properties() throws(YAMLError) -> Properties {
        var properties = Properties()
        while has("&") || has("!") {
            properties.isAny = true
            if has("&") {
                guard properties.anchor == nil else { throw failure("a second anchor") }
                let name = name()
                guard !name.isEmpty else { throw failure("an anchor without a name") }
                properties.anchor = name
            } else {
                let tag = tag()
                guard ["!!str", "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq"].contains(tag) else {
                    throw failure("the tag \(tag.quoted) is not supported")
                }
                properties.isText = tag == "!!str"
            }
            guard isGap() else { throw failure("expected a space behind an anchor or a tag") }
            skipSpaces()
        }
        return properties
    }

    private mutating func define(_ properties: Properties, _ node: YAMLNode) -> YAMLNode {
        var node = node
        if properties.isText, case .scalar(let text, isPlain: true) = node.content {
            node = YAMLNode(.scalar(text, isPlain: false), line: node.line)
        }
        if let anchor = properties.anchor { anchors[anchor] = node }
        return node
    }

    /// The name behind a `&` or `*`.
    private mutating func name() -> String {
        position += 1
        let start = position
        while let byte = peek(), byte.isWord || byte == .dash { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func tag() -> String {
        let start = position
        while !isGap(), !has(","), !has("]"), !has("}") { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func alias() throws(YAMLError) -> YAMLNode {
        let name = name()
        guard let node = anchors[name] else {
            throw failure("the alias \(name.quoted) is not defined before")
        }
        return node
    }

    // MARK: flow collections

    private mutating func flow() throws(YAMLError) -> YAMLNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.mostLevels else { throw failure("more than \(Self.mostLevels) levels") }
        let own = line
        let isList = has("[")
        let close: Unicode.Scalar = isList ? "]" : "}"
        position += 1
        var items: [YAMLNode] = []
        var pairs: [YAMLNode.Pair] = []
        while true {
            try skipFlow(own)
            if has(close) { break }
            let start = line
            let node = try flowNode(own)
            try skipFlow(own)
            if has(":") {
                let pair = try flowPair(node, own)
                if isList {
                    items.append(YAMLNode(.mapping([pair]), line: start))
                } else {
                    pairs.append(pair)
                }
            } else if isList {
                items.append(node)
            } else {
                pairs.append(
                    YAMLNode.Pair(key: node, value: YAMLNode(.scalar("", isPlain: true), line: line)))
            }
            try skipFlow(own)
            if has(close) { break }
            guard has(",") else { throw failure("expected “,” or “\(close)”") }
            position += 1
        }
        position += 1
        return YAMLNode(isList ? .sequence(items) : .mapping(pairs), line: own)
    }

    private mutating func flowPair(_ key: YAMLNode, _ own: Int) throws(YAMLError) -> YAMLNode.Pair {
        position += 1
        try skipFlow(own)
        if has(",") || has("]") || has("}") {
            return YAMLNode.Pair(key: key, value: YAMLNode(.scalar("", isPlain: true), line: line))
        }
        return YAMLNode.Pair(key: key, value: try flowNode(own))
    }

    private mutating func flowNode(_ own: Int) throws(YAMLError) -> YAMLNode {
        let properties = try properties()
        try skipFlow(own)
        let node: YAMLNode
        switch peek().map({ Character(Unicode.Scalar($0)) }) {
        case "*": node = try alias()
        case "[", "{": node = try flow()
        case "\"", "'": node = try quoted(above: -1, inFlow: true)
        case ",", "]", "}":
            guard properties.isAny else { throw failure("a value is missing") }
            node = YAMLNode(.scalar("", isPlain: true), line: line)
        default:
            guard canBeginPlain(inFlow: true) else {
                throw failure("a value cannot begin with this sign; quote it")
            }
            node = try plain(above: -1, inFlow: true)
        }
        return define(properties, node)
    }

    /// Moves to the next token inside of a flow collection that began in line `own`.
    private mutating func skipFlow(_ own: Int) throws(YAMLError) {
        try skipToToken()
        if peek() == nil || isAtMarker { throw failure("an unterminated “[” or “{”", at: own) }
    }

    // MARK: scalars

    private func canBeginPlain(inFlow: Bool) -> Bool {
        guard let byte = peek(), !isGap() else { return false }
        if "-?:".utf8.contains(byte) { return !isGap(1) && (byte == .dash || !inFlow) }
        return !",[]{}#&*!|>'\"%@`".utf8.contains(byte)
    }

    /// The part of a plain scalar that stands on this line, without blanks at its end.
    private mutating func plainLine(inFlow: Bool) -> String {
        let start = position
        var end = position
        while let byte = peek(), byte != .newline, byte != 0x09 {
            if byte == UInt8(ascii: ":") {
                if isGap(1) { break }
                if inFlow, let next = peek(1), ",[]{}".utf8.contains(next) { break }
            }
            if inFlow, ",[]{}?".utf8.contains(byte), byte != UInt8(ascii: "?") { break }
            if byte == UInt8(ascii: "#"), position > start, bytes[position - 1] == 0x20 { break }
            position += 1
            if byte != 0x20 { end = position }
        }
        position = end
        return String(decoding: bytes[start..<end], as: UTF8.self)
    }

    private mutating func plain(above parent: Int, inFlow: Bool) throws(YAMLError) -> YAMLNode {
        let own = line
        var text = plainLine(inFlow: inFlow)
        while true {
            var ahead = self
            ahead.skipSpaces()
            guard ahead.peek() == .newline else { break }
            var breaks = 0
            while ahead.peek() == .newline {
                breaks += 1
                ahead.advance()
                ahead.skipSpaces()
            }
            // A line of the scalar is indented, and no comment.
            guard ahead.peek() != nil, !ahead.isAtMarker, inFlow || ahead.column > parent, !ahead.has("#"),
                !ahead.has("\t")
            else { break }
            if inFlow, let byte = ahead.peek(), ",[]{}".utf8.contains(byte) { break }
            if ahead.has(":"), ahead.isGap(1) { break }
            let part = ahead.plainLine(inFlow: inFlow)
            guard !part.isEmpty else { break }
            text += (breaks == 1 ? " " : String(repeating: "\n", count: breaks - 1)) + part
            self = ahead
        }
        return YAMLNode(.scalar(text, isPlain: true), line: own)
    }

    private mutating func quoted(above parent: Int, inFlow: Bool) throws(YAMLError) -> YAMLNode {
        let own = line
        let mark = bytes[position]
        let isDouble = mark == UInt8(ascii: "\"")
        position += 1
        var text: [UInt8] = []
        while true {
            guard let byte = peek() else { throw failure("an unterminated quote", at: own) }
            if byte == mark {
                position += 1
                guard !isDouble, peek() == mark else { break }
                text.append(mark)
                position += 1
            } else if byte == 0x20 || byte == 0x09 || byte == .newline {
                try foldBlanks(into: &text, own)
            } else if isDouble, byte == UInt8(ascii: "\\") {
                position += 1
                if peek() == .newline {
                    try foldBreaks(into: &text, isJoined: true, own)
                } else {
                    text += try escape()
                }
            } else {
                text.append(byte)
                position += 1
            }
        }
        return YAMLNode(.scalar(String(decoding: text, as: UTF8.self), isPlain: false), line: own)
    }

    /// Blanks inside of quotes: kept within a line, folded at its end.
    private mutating func foldBlanks(into text: inout [UInt8], _ own: Int) throws(YAMLError) {
        let start = position
        while has(" ") || has("\t") { position += 1 }
        guard peek() == .newline else {
            text += bytes[start..<position]
            return
        }
        try foldBreaks(into: &text, isJoined: false, own)
    }

    /// Ends of lines inside of quotes: one is a space, more are one fewer; none at all where the first one is escaped.
    private mutating func foldBreaks(into text: inout [UInt8], isJoined: Bool, _ own: Int) throws(YAMLError) {
        var breaks = 0
        while peek() == .newline {
            breaks += 1
            advance()
            if isAtMarker { throw failure("an unterminated quote", at: own) }
            while has(" ") || has("\t") { position += 1 }
        }
        if breaks == 1, !isJoined { text.append(0x20) }
        text += [UInt8](repeating: .newline, count: breaks - 1)
    }

    private mutating func escape() throws(YAMLError) -> [UInt8] {
        guard let byte = peek() else { throw failure("an unterminated quote") }
        position += 1
        switch Character(Unicode.Scalar(byte)) {
        case "a": return [0x07]
        case "b": return [0x08]
        case "t", "\t": return [0x09]
        case "n": return [0x0a]
        case "v": return [0x0b]
        case "f": return [0x0c]
        case "r": return [0x0d]
        case "e": return [0x1b]
        case " ", "\"", "\\", "/": return [byte]
        case "N": return Array("\u{85}".utf8)
        case "_": return Array("\u{a0}".utf8)
        case "L": return Array("\u{2028}".utf8)
        case "P": return Array("\u{2029}".utf8)
        case "x": return try character(2)
        case "u": return try character(4)
        case "U": return try character(8)
        default: throw failure("an unknown escape in a quoted text")
        }
    }

    private mutating func character(_ digits: Int) throws(YAMLError) -> [UInt8] {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let byte = peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80
            else {
                throw failure("expected \(digits) hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        guard let scalar = Unicode.Scalar(value), value != 0 else {
            throw failure("the escape is no character")
        }
        return Array(String(Character(scalar)).utf8)
    }

    /// A literal (`|`) or folded (`>`) block.
    private mutating func blockScalar(above parent: Int) throws(YAMLError) -> YAMLNode {
        let own = line
        let isFolded = has(">")
        position += 1
        var keepsEnd: Bool?
        var indentation: Int?
        while let byte = peek(), !isGap() {
            if byte == .dash || byte == UInt8(ascii: "+"), keepsEnd == nil {
                keepsEnd = byte == UInt8(ascii: "+")
            } else if byte.isDigit, byte != UInt8(ascii: "0"), indentation == nil {
                indentation = Int(byte - UInt8(ascii: "0"))
            } else {
                throw failure("an unknown indicator of a block")
            }
            position += 1
        }
        let start = position
        skipSpaces()
        if has("#"), position > start { while !isAtLineEnd { position += 1 } }
        guard isAtLineEnd else { throw failure("nothing more is expected on this line") }
        if peek() != nil { advance() }
        let least = max(1, parent + 1)
        var text: [UInt8] = []
        var breaks = 0
        let column: Int
        if let indentation {
            column = least + indentation - 1
            breaks = skipBreaks(column)
        } else {
            var most = 0
            while has(" ") || peek() == .newline {
                if has(" ") {
                    position += 1
                    most = max(most, self.column)
                } else {
                    advance()
                    breaks += 1
                }
            }
            column = max(least, most)
            // The first line that is not empty may be indented less.
        }
        var lastBreak = false
        while self.column == column, peek() != nil {
            text += [UInt8](repeating: .newline, count: breaks)
            let isFlush = !has(" ") && !has("\t")
            while !isAtLineEnd {
                text.append(bytes[position])
                position += 1
            }
            lastBreak = peek() != nil
            if lastBreak { advance() }
            breaks = skipBreaks(column)
            guard self.column == column, peek() != nil else { break }
            if isFolded, lastBreak, isFlush, !has(" "), !has("\t") {
                if breaks == 0 { text.append(0x20) }
            } else if lastBreak {
                text.append(.newline)
            }
        }
        if keepsEnd != false, lastBreak { text.append(.newline) }
        if keepsEnd == true { text += [UInt8](repeating: .newline, count: breaks) }
        return YAMLNode(.scalar(String(decoding: text, as: UTF8.self), isPlain: false), line: own)
    }

    /// Moves over empty lines and up to `column` spaces; returns how many lines.
    private mutating func skipBreaks(_ column: Int) -> Int {
        var breaks = 0
        while self.column < column, has(" ") { position += 1 }
        while peek() == .newline {
            advance()
            breaks += 1
            while self.column < column, has(" ") { position += 1 }
        }
        return breaks
    }
}
