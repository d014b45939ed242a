internal import Interrupting
package import Notifications

/// Why something is not scheduled.
package enum ScheduleRefusal: Error, Hashable {
    case post(PostRefusal)
    case book(ScheduleBook.Refusal)

    package var sentence: String {
        switch self {
        case .post(let refusal): refusal.sentence
        case .book(.past): "its time is in the past"
        case .book(.full): "it has the maximum of \(ScheduleBook.capacity) scheduled posts"
        case .book(.tooOften): "it would repeat more often than once a second"
        }
    }
}

extension PostRefusal {
    /// What is in the way, in words.
    package var sentence: String {
        switch self {
        case .noSuchWorker: "no such worker"
        case .notWanted: "its definition has no receiver for this topic"
        case .notRunning: "it is not running, and a new process reads the current state itself"
        case .queue(.tooManyTopics): "it has too many pending topics"
        case .queue(.tooManyMembers): "the set has too many members"
        case .queue(.full): "its queue is full"
        case .queue(.wrongRule): "the topic has a fixed rule"
        case .waitsOtherwise(let rule):
            "pending notifications of this topic merge by the rule \(rule); use that rule, or omit --rule"
        case .notStored(let why): "it cannot be stored: \(why)"
        case .tooLarge(let limit): "the payload exceeds \(limit) bytes"
        case .notAlerted(let refusal): refusal.words
        }
    }
}
