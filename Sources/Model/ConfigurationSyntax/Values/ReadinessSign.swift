/// What shows that a worker is ready which does not say so itself (`ReadyWhen=`).
package enum ReadinessSign: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// A line that it prints.
    case output(OutputPattern)
    /// A TCP port that it listens at.
    case port(UInt16)

    /// Reads `output:REGEX` or `port:NUMBER`.
    package init(parsing text: String) throws(ValueError) {
        var cursor = ByteCursor(text)
        if cursor.take("output:") {
            self = .output(try OutputPattern(parsing: String(cut: cursor.rest)))
        } else if cursor.take("port:") {
            let digits = String(cut: cursor.rest)
            guard digits.utf8.allSatisfy(\.isDigit), let port = UInt16(digits), port > 0 else {
                throw ValueError(text, isNot: Self.expectation)
            }
            self = .port(port)
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// The sign as a file says it.
    package var description: String {
        switch self {
        case .output(let pattern): "output:\(pattern)"
        case .port(let number): "port:\(number)"
        }
    }

    /// What a sign looks like.
    package static var expectation: String { "output:REGEX or port:NUMBER" }
}
