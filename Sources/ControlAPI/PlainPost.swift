public import Varlink

extension SupervisorInterface {
    /// A post to one worker, now: nearly all are, and thousands may come in a row.
    ///
    /// It is read off its message without anything in between, where that is written as programs write JSON. All other posts are
    /// read by the rules for all calls, and so is what is wrong with one.
    public struct PlainPost: Hashable, ExpressContent {
        /// The worker.
        public private(set) var name = ""
        /// What it is about.
        public private(set) var topic = ""
        /// What is said, in its one form.
        public private(set) var payload: [UInt8]?
        /// How it merges.
        public private(set) var rule: MergeRule?
        /// Whether it wakes the worker.
        public private(set) var wake = false
        /// Whether it may die with the process and the supervisor.
        public private(set) var transient = false

        /// Reads a message; nil for everything else.
        public init?(_ message: Span<UInt8>) {
            let isRead = message.withUnsafeBufferPointer { bytes in
                var scanner = PlainScanner(bytes)
                return read(&scanner)
            }
            guard isRead else { return nil }
        }

        private mutating func read(_ scanner: inout PlainScanner) -> Bool {
            guard scanner.take(#"{"method":"io.torpor.Supervisor.Post","parameters":{"#) else { return false }
            // Which were there: one that is there twice is not read here.
            var seen: UInt8 = 0
            repeat {
                guard let bit = readMember(&scanner), seen & bit == 0 else { return false }
                seen |= bit
            } while scanner.take(",")
            return scanner.take("}}") && scanner.isAtEnd && seen & 3 == 3
        }

        /// One member of the parameters; answers a bit for it.
        private mutating func readMember(_ scanner: inout PlainScanner) -> UInt8? {
            guard let key = scanner.string(), scanner.take(":") else { return nil }
            if key.says("names") {
                guard scanner.take("["), let value = scanner.string(), scanner.take("]") else { return nil }
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
                payload = Array(value)
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

        private static func rule(_ text: UnsafeBufferPointer<UInt8>) -> MergeRule? {
            if text.says("latest") { return .latest }
            if text.says("each") { return .each }
            if text.says("count") { return .count }
            if text.says("set") { return .set }
            return text.says("net") ? .net : nil
        }

        /// The same as all posts are said.
        public var spelledOut: Post.Parameters {
            Post.Parameters(
                names: [name], topic: topic, payload: payload.flatMap { try? JSON(parsing: $0.span) },
                rule: rule, wake: wake ? true : nil, transient: transient ? true : nil)
        }

        /// The same as it comes over the wire.
        public var parameters: JSON.Object {
            guard case .object(let object) = try? JSON(encoding: spelledOut) else { return [:] }
            return object
        }
    }
}

extension SupervisorInterface.Post.Reply {
    /// The reply to a post to one worker, as it goes over the wire.
    public static func message(_ name: String, sequence: Int64?) -> EncodedMessage {
        EncodedMessage { bytes in
            bytes.append(contentsOf: #"{"results":[{"name":"#.utf8)
            JSON.write(string: name, into: &bytes)
            if let sequence {
                bytes.append(contentsOf: #","sequence":"#.utf8)
                JSON.write(integer: sequence, into: &bytes)
            }
            bytes.append(contentsOf: "}]}".utf8)
        }
    }
}
