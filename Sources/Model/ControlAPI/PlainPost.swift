package import Varlink

/// A post to one worker, now: nearly all are, and thousands may come in a row.
///
/// It is read off its message without anything in between, where that is written as programs write JSON. All other posts are
/// read by the rules for all calls, and so is what is wrong with one.
package struct PlainPost: Hashable {
    package typealias API = SupervisorInterface

    /// The worker.
    package private(set) var name = ""
    /// What it is about.
    package private(set) var topic = ""
    /// What is said, in its one form.
    package private(set) var payload: [UInt8]?
    /// How it merges.
    package private(set) var rule: API.MergeRule?
    /// Whether it wakes the worker.
    package private(set) var wake = false
    /// Whether it may die with the process and the supervisor.
    package private(set) var transient = false

    /// Reads a message; nil for everything else.
    package init?(_ message: Span<UInt8>) {
        let isRead = message.withUnsafeBufferPointer { bytes in
            var scanner = PlainScanner(bytes)
            return read(&scanner)
        }
        guard isRead else { return nil }
    }

    private mutating func read(_ scanner: inout PlainScanner) -> Bool {
        scanner.skipSpaces()
        guard scanner.take(token: "{"), Self.key("method", &scanner), let method = scanner.string(),
            method.says("io.torpor.Supervisor.Post"), scanner.take(token: ","),
            Self.key("parameters", &scanner),
            scanner.take(token: "{")
        else { return false }
        // Which were there: one that is there twice is not read here.
        var seen: UInt8 = 0
        repeat {
            guard let bit = readMember(&scanner), seen & bit == 0 else { return false }
            seen |= bit
        } while scanner.take(token: ",")
        return scanner.take(token: "}") && scanner.take(token: "}") && scanner.isAtEnd && seen & 3 == 3
    }

    private static func key(_ name: StaticString, _ scanner: inout PlainScanner) -> Bool {
        guard let key = scanner.string() else { return false }
        return key.says(name) && scanner.take(token: ":")
    }

    /// One member of the parameters; answers a bit for it.
    private mutating func readMember(_ scanner: inout PlainScanner) -> UInt8? {
        guard let key = scanner.string(), scanner.take(token: ":") else { return nil }
        if key.says("names") {
            guard scanner.take(token: "["), let value = scanner.string(), scanner.take(token: "]") else {
                return nil
            }
            name = String(decoding: value, as: UTF8.self)
            return 1
        }
        if key.says("topic") {
            guard let value = scanner.string() else { return nil }
            topic = String(decoding: value, as: UTF8.self)
            return 2
        }
        if key.says("payload") {
            guard let value = scanner.canonicalObject() else { return nil }
            payload = value
            return 4
        }
        if key.says("rule") {
            guard let value = scanner.string(), let known = Self.rule(value) else { return nil }
            rule = known
            return 8
        }
        if key.says("wake") { return Self.flag(&wake, &scanner) ? 16 : nil }
        if key.says("transient") { return Self.flag(&transient, &scanner) ? 32 : nil }
        return nil
    }

    private static func flag(_ flag: inout Bool, _ scanner: inout PlainScanner) -> Bool {
        flag = scanner.take("true")
        return flag || scanner.take("false")
    }

    private static func rule(_ text: UnsafeBufferPointer<UInt8>) -> API.MergeRule? {
        if text.says("latest") { return .latest }
        if text.says("each") { return .each }
        if text.says("count") { return .count }
        // Not set: it needs members, which no plain post has.
        return text.says("net") ? .net : nil
    }

    /// The same as it comes over the wire, for the rules for all calls.
    package var parameters: JSON.Object {
        let post = API.Post.Parameters(
            names: [name], topic: topic, payload: payload.flatMap { try? JSON(parsing: $0.span) },
            rule: rule, wake: wake ? true : nil, transient: transient ? true : nil)
        return (try? JSON(encoding: post))?.object ?? [:]
    }
}

/// How a post to one worker is answered, encoded once but for its number.
package struct PostAnswer {
    private let start: [UInt8]

    /// The answers to posts to the worker of this name.
    package init(_ name: String) {
        var bytes = Array(#"{"parameters":{"results":[{"name":"#.utf8)
        JSON.write(string: name, into: &bytes)
        start = bytes
    }

    /// Appends the whole message for a post that waits under `sequence`, or has undone what waited.
    package func write(_ sequence: Int64?, into bytes: inout [UInt8]) {
        bytes += start
        if let sequence {
            bytes += #","sequence":"#.utf8
            JSON.write(integer: sequence, into: &bytes)
        }
        bytes += "}]}}\0".utf8
    }
}
