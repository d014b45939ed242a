extension Interruption {
    /// What interrupts the worker, in a clause; without what callers and workers have written, where `withTexts` is false.
    package func words(withTexts: Bool = true) -> String {
        func about(_ text: String) -> String { withTexts && !text.isEmpty ? " (\(text))" : "" }
        return switch kind {
        case .sessionLock(let session): "session \(session) of its user is locked"
        case .call(let purpose): "a caller interrupts it for as long as a command runs\(about(purpose))"
        case .request(let purpose): "a caller interrupts it\(about(purpose))"
        case .worker(let purpose): "it interrupts itself\(about(purpose))"
        case .alert(let topic): "an alert\(about(topic)) waits for an answer"
        }
    }

    /// What would end it, in a clause.
    package func remedy(of name: String) -> String {
        switch kind {
        case .sessionLock(let session): "session \(session) is unlocked or ends"
        case .call: "the command ends"
        case .request: "'torpor interrupt --end \(name)' is run"
        case .worker: "the worker ends it"
        case .alert: "'torpor answer \(name)' is run"
        }
    }
}

extension Interruption.End {
    /// Why it is over, in a clause.
    package var words: String {
        switch self {
        case .ended: "it was ended"
        case .unlocked: "the session was unlocked or has ended"
        case .answered: "the alert was answered"
        case .limit: "its time is over"
        case .processEnded: "the worker's process ended"
        case .callLost: "the call ended with a previous supervisor"
        }
    }
}

extension InterruptionRefusal {
    /// What is in the way, in a sentence.
    package var sentence: String {
        switch self {
        case .tooMany(let most): "it has the maximum of \(most) interruptions"
        case .noneRequested: "no interruption of it was begun by 'torpor interrupt' without a command"
        case .noAlert: "no alert of it waits for an answer"
        case .noSuch(let number): "it has no interruption \(number) that can be ended in this way"
        }
    }
}
