/// One thing that the test worker does, as `NAME` or `NAME:ARGUMENT` spells it.
enum Action: Hashable {
    /// How a callback is answered; outside of one there is nothing to answer.
    case complete, refuse, twice, stranger
    case fail(String)
    /// Answers with a state of one member, `text`.
    case state(String)
    /// Saves a state of so many bytes outside of any callback, over a connection of its own.
    case save(Int)
    /// Lets the rest wait, while other callbacks go on; or everything.
    case sleep(milliseconds: Int)
    case block(milliseconds: Int)
    /// Uses the processor, and does nothing else.
    case spin(milliseconds: Int)
    /// Begins a background task, and ends it after a while where that is said.
    case begin(String, milliseconds: Int?)
    /// Ends the youngest background task, or one that never began.
    case end, endTwice, endForeignChild
    /// Begins so many background tasks ahead of the answers.
    case flood(Int)
    case activate, remaining, getState
    /// Closes the attached connection; attaches once more.
    case close, attach
    case log(String)
    case exit(Int32), abort

    /// The actions that `text` lists, with commas between; nil for one that does not exist.
    static func list(_ text: Substring) -> [Action]? {
        var actions: [Action] = []
        for word in text.split(separator: ",") where word != "nothing" {
            guard let action = Action(word) else { return nil }
            actions.append(action)
        }
        return actions
    }

    private init?(_ text: Substring) {
        let parts = text.split(separator: ":", maxSplits: 1)
        let argument = parts.count > 1 ? String(parts[1]) : ""
        let number = Int(argument)
        switch (parts.first ?? "", number) {
        case ("complete", _): self = .complete
        case ("refuse", _): self = .refuse
        case ("twice", _): self = .twice
        case ("stranger", _): self = .stranger
        case ("fail", _): self = .fail(argument)
        case ("state", _): self = .state(argument)
        case ("save", let bytes?): self = .save(bytes)
        case ("sleep", let span?): self = .sleep(milliseconds: span)
        case ("block", let span?): self = .block(milliseconds: span)
        case ("spin", let span?): self = .spin(milliseconds: span)
        case ("begin", _):
            let words = argument.split(separator: ":")
            let span = words.count > 1 ? Int(words[1]) : nil
            self = .begin(words.first.map(String.init) ?? "task", milliseconds: span)
        case ("end", _): self = .end
        case ("endTwice", _): self = .endTwice
        case ("endStranger", _): self = .endForeignChild
        case ("flood", let count?): self = .flood(count)
        case ("activate", _): self = .activate
        case ("remaining", _): self = .remaining
        case ("getState", _): self = .getState
        case ("close", _): self = .close
        case ("attach", _): self = .attach
        case ("log", _): self = .log(argument)
        case ("exit", _): self = .exit(number.map { Int32(truncatingIfNeeded: $0) } ?? 0)
        case ("abort", _): self = .abort
        default: return nil
        }
    }
}
