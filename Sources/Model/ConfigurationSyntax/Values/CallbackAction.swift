/// What a worker file does for a callback or a notification.
package enum CallbackAction: Hashable, Sendable, DirectiveValue {
    /// Sends a signal to the worker's main process.
    case signal(SignalNumber)
    /// Runs a command as the worker's user, in its environment.
    case exec(Command)
    /// Writes a line to the worker's standard input; the newline is added.
    case stdin(String)

    /// Reads `signal:NAME`, `exec:PATH ARGS` or `stdin:TEXT`.
    package init(parsing text: String, in context: SpecifierContext) throws(ValueError) {
        var cursor = ByteCursor(text)
        if cursor.take("signal:") {
            self = .signal(try SignalNumber(parsing: String(cut: cursor.rest).trimmed))
        } else if cursor.take("exec:") {
            self = .exec(try Command(parsing: String(cut: cursor.rest), in: context))
        } else if cursor.take("stdin:") {
            self = .stdin(try Text(parsing: String(cut: cursor.rest), in: context).text)
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What an action looks like.
    package static var expectation: String { "signal:NAME, exec:PATH ARGS or stdin:TEXT" }
}

/// When a callback's hook counts as completed.
package enum CallbackCompletion: Hashable, Sendable, PlainValue {
    /// As soon as it is sent.
    case immediately
    /// When its process has exited; for `exec:` only.
    case exit
    /// When `X_TORPOR_COMPLETE=1` comes on the notify socket.
    case notify
    /// When a line of the worker's output matches.
    case output(OutputPattern)

    /// Reads `immediately`, `exit`, `notify` or `output:REGEX`.
    package init(parsing text: String) throws(ValueError) {
        var cursor = ByteCursor(text)
        if cursor.take("output:") {
            self = .output(try OutputPattern(parsing: String(cut: cursor.rest)))
        } else if text.isExactly("immediately") {
            self = .immediately
        } else if text.isExactly("exit") {
            self = .exit
        } else if text.isExactly("notify") {
            self = .notify
        } else {
            throw ValueError(text, isNot: Self.expectation)
        }
    }

    /// What a completion looks like.
    package static var expectation: String { "immediately, exit, notify or output:REGEX" }
}
