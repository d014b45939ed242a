internal import ConfigurationSyntax

/// A compose file as its parts are read: mappings with their merge keys, and texts with their variables.
struct ComposeDocument {
    let path: String
    let root: YAMLNode
    /// What `${NAME}` stands for.
    let variables: [String: String]
    /// How many more pairs of merge keys may be taken.
    private(set) var mergesLeft = 100_000
    /// How many more bytes of texts may be read: an alias is a text for each place that it stands in.
    private let budget = Budget()

    private final class Budget { var bytesLeft = 64 << 20 }

    init(_ text: String, path: String, variables: [String: String]) throws(ImportFailure) {
        self.path = path
        self.variables = variables
        do throws(YAMLError) { root = try YAMLParser.read(text) } catch {
            throw ImportFailure(path, error.line, error.problem)
        }
    }

    /// One key of a mapping.
    struct Entry {
        let key: String
        let value: YAMLNode
        let source: ForeignLine
    }

    func failure(_ node: YAMLNode, _ problem: String, _ expected: String = "", key: String = "")
        -> ImportFailure
    {
        ImportFailure(path, node.line, problem, expected, key: key)
    }

    /// The keys of a mapping, those of its merge keys behind its own; none of null.
    mutating func entries(_ node: YAMLNode, of key: String) throws(ImportFailure) -> [Entry] {
        var seen: Set<String> = []
        return try entries(node, of: key, &seen, depth: 0)
    }

    private mutating func entries(_ node: YAMLNode, of name: String, _ seen: inout Set<String>, depth: Int)
        throws(ImportFailure) -> [Entry]
    {
        if node.isNull { return [] }
        guard case .mapping(let pairs) = node.content else {
            throw failure(node, "got no mapping", "KEY: VALUE", key: name)
        }
        var entries: [Entry] = []
        var merged: [YAMLNode] = []
        var own: Set<String> = []
        for pair in pairs {
            guard let key = pair.key.text else { throw failure(pair.key, "a key that is no text", key: name) }
            if key == "<<", case .scalar(_, isPlain: true) = pair.key.content {
                if case .sequence(let nodes) = pair.value.content {
                    merged += nodes
                } else {
                    merged.append(pair.value)
                }
                continue
            }
            guard own.insert(key).inserted else {
                throw failure(pair.key, "the key \(key.quoted) is there twice", key: name)
            }
            guard seen.insert(key).inserted else { continue }
            entries.append(Entry(key: key, value: pair.value, source: line(pair)))
        }
        guard depth < 16 || merged.isEmpty else { throw failure(node, "merge keys go too deep", key: name) }
        for other in merged {
            guard case .mapping(let pairs) = other.content else {
                throw failure(node, "<<: merges no mapping", key: name)
            }
            mergesLeft -= pairs.count
            guard mergesLeft >= 0 else { throw failure(node, "more than 100000 keys are merged", key: name) }
            entries += try self.entries(other, of: name, &seen, depth: depth + 1)
        }
        return entries
    }

    private func line(_ pair: YAMLNode.Pair) -> ForeignLine {
        let value: String
        switch pair.value.content {
        case .scalar(let text, _): value = text
        case .sequence: value = "[…]"
        case .mapping: value = "{…}"
        }
        return ForeignLine(file: path, line: pair.key.line, text: "\(pair.key.text ?? ""): \(value)")
    }

    /// The text of a scalar, its variables replaced; nil of null.
    func text(_ node: YAMLNode, of key: String) throws(ImportFailure) -> String? {
        if node.isNull { return nil }
        guard let text = node.text else { throw failure(node, "got a list or a mapping", "a text", key: key) }
        budget.bytesLeft -= text.utf8.count
        guard budget.bytesLeft >= 0 else { throw failure(node, "the texts exceed 64 MiB together", key: key) }
        do throws(ForeignTextError) {
            return try ComposeVariables.expand(text) { variables[$0] }
        } catch { throw failure(node, error.problem, key: key) }
    }

    /// The texts of a list, or the one of a scalar.
    func texts(_ node: YAMLNode, of key: String) throws(ImportFailure) -> [String] {
        guard case .sequence(let items) = node.content else {
            return try text(node, of: key).map { [$0] } ?? []
        }
        var texts: [String] = []
        for item in items { texts.append(try text(item, of: key) ?? "") }
        return texts
    }

    /// The words of a command: of a list as they stand, of a text as a shell cuts them.
    func words(_ node: YAMLNode, of key: String) throws(ImportFailure) -> [String] {
        if case .sequence = node.content { return try texts(node, of: key) }
        guard let text = try text(node, of: key) else { return [] }
        do throws(ForeignTextError) { return try ShellWords.split(text) } catch {
            throw failure(node, error.problem, key: key)
        }
    }

    /// Names with values: a mapping, or a list of `NAME=VALUE`; nil for a name without a value.
    mutating func variables(_ node: YAMLNode, of key: String) throws(ImportFailure) -> [(
        name: String, value: String?
    )] {
        var result: [(name: String, value: String?)] = []
        if case .sequence = node.content {
            for word in try texts(node, of: key) {
                guard let mark = word.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                    result.append((word, nil))
                    continue
                }
                result.append((String(word[..<mark]), String(word[word.utf8.index(after: mark)...])))
            }
            return result
        }
        for entry in try entries(node, of: key) { result.append((entry.key, try text(entry.value, of: key))) }
        return result
    }
}

/// `$NAME`, `${NAME}`, `${NAME:-default}`, `${NAME-default}`, `${NAME:?error}`, `${NAME?error}`, `${NAME:+other}`, `${NAME+other}` and `$$`
/// of compose files.
enum ComposeVariables {
    /// `text` with the values of `variable`; a variable that is not set is nothing.
    static func expand(_ text: String, _ variable: (String) -> String?) throws(ForeignTextError) -> String {
        guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
        var position = 0
        let bytes = Array(text.utf8)
        var budget = 1 << 20
        let result = try expand(bytes, &position, inside: false, depth: 0, &budget, variable)
        return String(decoding: result, as: UTF8.self)
    }

    private static func expand(
        _ bytes: [UInt8], _ position: inout Int, inside: Bool, depth: Int, _ budget: inout Int,
        _ variable: (String) -> String?
    ) throws(ForeignTextError) -> [UInt8] {
        guard depth < 16 else { throw ForeignTextError("variables inside of each other go too deep") }
        var result: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            if inside, byte == UInt8(ascii: "}") { return result }
            position += 1
            guard byte == UInt8(ascii: "$") else {
                result.append(byte)
                continue
            }
            guard position < bytes.count else {
                throw ForeignTextError("a “$” at the end; a literal one is written $$")
            }
            if bytes[position] == UInt8(ascii: "$") {
                position += 1
                result.append(byte)
                continue
            }
            let isBraced = bytes[position] == UInt8(ascii: "{")
            if isBraced { position += 1 }
            let start = position
            while position < bytes.count, bytes[position].isWord { position += 1 }
            let name = String(decoding: bytes[start..<position], as: UTF8.self)
            guard (try? VariableName(parsing: name)) != nil else {
                throw ForeignTextError("a “$” that begins no variable; a literal one is written $$")
            }
            let value =
                isBraced
                ? try rest(of: name, bytes, &position, depth, &budget, variable)
                : Array((variable(name) ?? "").utf8)
            budget -= value.count
            guard budget >= 0 else { throw ForeignTextError("the value exceeds 1 MiB") }
            result += value
        }
        guard !inside else { throw ForeignTextError("an unterminated “${”") }
        return result
    }

    /// What stands behind the name in braces.
    private static func rest(
        of name: String, _ bytes: [UInt8], _ position: inout Int, _ depth: Int, _ budget: inout Int,
        _ variable: (String) -> String?
    ) throws(ForeignTextError) -> [UInt8] {
        var value = variable(name)
        guard position < bytes.count else { throw ForeignTextError("an unterminated “${”") }
        if bytes[position] == UInt8(ascii: "}") {
            position += 1
            return Array((value ?? "").utf8)
        }
        if bytes[position] == UInt8(ascii: ":") {
            position += 1
            if value?.isEmpty ?? false { value = nil }
        }
        guard position < bytes.count, "-?+".utf8.contains(bytes[position]) else {
            throw ForeignTextError(
                "${\(name)…} is not understood; expected ${\(name)} or ${\(name):-DEFAULT}")
        }
        let sign = bytes[position]
        position += 1
        let other = try expand(bytes, &position, inside: true, depth: depth + 1, &budget, variable)
        position += 1
        switch sign {
        case .dash: return value.map { Array($0.utf8) } ?? other
        case UInt8(ascii: "+"): return value == nil ? [] : other
        default:
            guard let value else {
                let reason = String(decoding: other, as: UTF8.self)
                throw ForeignTextError(
                    "the variable \(name) is not set" + (reason.isEmpty ? "" : ": \(reason)"))
            }
            return Array(value.utf8)
        }
    }
}
