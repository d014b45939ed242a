internal import Lifecycle
package import Linux

/// What a signal to `torpor run` means (2.1), after `--rewrite`.
package struct SignalTable: Hashable, Sendable {
    /// What is to be done with a signal.
    package enum Action: Hashable, Sendable {
        /// Pass this one on.
        case forward(Signal)
        /// Pass this one on: it is the stop signal, and asks the child to end.
        case stop(Signal)
        /// Stop the child and then `torpor run`.
        case suspend
        /// Pass this one on, if any, and stop `torpor run`: what the child does about it is its own matter.
        case suspendOurselves(passing: Signal?)
        /// Continue the child.
        case resume
        /// `--rewrite N:0`.
        case drop
    }

    /// What is to be done with a signal while there is no child, since it was evicted.
    package enum LoneAction: Hashable, Sendable {
        /// End, as the child would have ended by this one.
        case end(Signal)
        /// Launch the child again.
        case launch
        /// Stop `torpor run`.
        case suspend
        /// There is no process to receive it, and a new one gets no old signals.
        case drop
    }

    private let rewrites: [Signal: Signal?]
    private let ownSession: Bool

    /// A table with these rewrites, where nil drops, for a child that leads a session or does not.
    package init(rewrites: [Signal: Signal?] = [:], ownSession: Bool = true) {
        self.rewrites = rewrites
        self.ownSession = ownSession
    }

    /// What `signal` means.
    ///
    /// A signal of the terminal's that stops jobs stops `torpor run` whatever it is rewritten to, as dumb-init does: the shell that sent it
    /// waits for that. In a session of the child's own the kernel would discard it, so that SIGSTOP stands for it there.
    package func action(for signal: Signal) -> Action {
        if let rewritten = rewrites[signal] {
            if isStop(signal) { return rewritten == .stop ? .suspend : .suspendOurselves(passing: rewritten) }
            guard let target = rewritten else { return .drop }
            return signal == .terminate ? .stop(target) : target == .stop ? .suspend : .forward(target)
        }
        switch signal {
        case .terminate: return .stop(signal)
        case .terminalStop, .terminalInput, .terminalOutput:
            return ownSession ? .suspend : .suspendOurselves(passing: signal)
        case .resume: return .resume
        default: return .forward(signal)
        }
    }

    /// The signal that `torpor run` is to die of as the child did, so that a shell ends its loop or script: one that is typed at the
    /// terminal, and that reached `torpor run` too (`typed`), or the child alone, which has the foreground (`onTerminal`).
    static func fatalSignal(of status: ExitStatus, typed: Set<Signal>, onTerminal: Bool) -> Signal? {
        guard case .killed(let number, _) = status, let signal = Signal(rawValue: number),
            signal == .interrupt || signal == .quit, onTerminal || typed.contains(signal)
        else { return nil }
        return signal
    }

    /// Whether `signal` stops what does nothing about it, for its terminal's sake.
    func isStop(_ signal: Signal) -> Bool {
        signal == .terminalStop || signal == .terminalInput || signal == .terminalOutput
    }

    /// What `signal` means while there is no child.
    ///
    /// `torpor run` ends by the signals that users send and that would have ended a child without handlers: a hangup too, where it
    /// was started on a terminal, since no user is left there to want the child again.
    package func loneAction(for signal: Signal, onTerminal: Bool) -> LoneAction {
        switch action(for: signal) {
        case .stop(let signal): return .end(signal)
        case .suspend, .suspendOurselves: return .suspend
        case .resume: return .launch
        case .drop: return .drop
        case .forward(let signal):
            switch signal {
            case .interrupt, .quit, .kill: return .end(signal)
            case .hangup: return onTerminal ? .end(signal) : .drop
            default: return .drop
            }
        }
    }

    /// Reads one `FROM:TO` of `--rewrite`; names, numbers, and zero for dropping.
    package static func rewrite(_ text: String) throws(RewriteError) -> (from: Signal, to: Signal?) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw RewriteError(text: text, problem: "is not FROM:TO") }
        guard let from = Signal(String(parts[0])), from.rawValue > 0 else {
            throw RewriteError(text: text, problem: "names no signal before the colon")
        }
        guard from != .kill, from != .stop else {
            throw RewriteError(text: text, problem: "rewrites \(from), which cannot be caught")
        }
        guard from != .child else {
            throw RewriteError(text: text, problem: "rewrites \(from), which is never forwarded")
        }
        if parts[1] == "0" { return (from, nil) }
        guard let to = Signal(String(parts[1])), to.rawValue > 0 else {
            throw RewriteError(text: text, problem: "names no signal after the colon")
        }
        return (from, to)
    }

    /// A `--rewrite` that makes no sense.
    package struct RewriteError: Error, Hashable, CustomStringConvertible {
        /// What was given.
        package let text: String
        /// What is wrong with it.
        package let problem: String

        /// One line that says what to give instead.
        package var description: String {
            "--rewrite \(text) \(problem); expected signals by name or number, such as TERM:QUIT, or 0 to drop one"
        }
    }
}
