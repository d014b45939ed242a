package import Budgeting
internal import ConfigurationSyntax
package import Continuing
package import Interrupting
package import Launching
package import Lifecycle
internal import Linux
package import Notifications
package import Processing

/// What happened to a worker, for its observers: the log, subscribers, callers that wait for a goal.
package enum Notice: Hashable, Sendable {
    /// Its state changed.
    case changed(Transition)
    /// A process of it ended, or did not come to be.
    case ended(TerminationRecord)
    /// A launch did not happen.
    case launchFailed(LaunchError)
    /// didFinishLaunching is complete.
    case launchCompleted
    /// It said something on its notify socket.
    case said(NotifyReport)
    /// Something went wrong that supervision goes on without.
    case warned(Warning, detail: String?)
    /// Something that was asked will not be done.
    case refused(Refusal, Requester)
    /// An event that means nothing here.
    case surprised(Surprise)
    /// A callback that was given to it is complete, and how long after that.
    case completed(Callback, Completion, took: TimeSpan)
    /// A hook failed, and how.
    case hookFailed(Callback, String)
    /// A line that a hook printed.
    case hookPrinted(Callback, String)
    /// An event wakes it, or launches it.
    case woken(WakeOrigin)
    /// How it is watched while it sleeps, in words.
    case watched(String)
    /// A caller opens a URL with it.
    case opened(String, by: CallerIdentity)
    /// An interruption of it began.
    case interrupted(Interruption)
    /// An interruption of it is over.
    case interruptionOver(Interruption, Interruption.End)
    /// Something of its budget of wakes, or of its fetches.
    case budget(BudgetNotice)
    /// Something of its long work.
    case processing(ProcessingNews)
    /// An activity is handed over by it, or taken.
    case handoff(HandoffNews)
    /// A notification in whose delivery the worker has died twice is set aside.
    case notificationSetAside(topic: String, number: UInt64)
    /// A notification that was set aside is removed: too many are.
    case notificationRemoved(topic: String, number: UInt64)
    /// A command of its file that belongs to no callback failed, and how.
    case commandFailed(ServiceCommand, String)
    /// A line that such a command printed.
    case commandPrinted(ServiceCommand, String)
    /// A message of a worker, or of a foreign process, that was not taken.
    case ignored(String)
    /// Something about its processes that an operator should know.
    case remarked(String)
}

/// What happened to a worker's budget of wakes, or to its fetches (1.4).
package enum BudgetNotice: Hashable, Sendable {
    /// A wake is kept, the first of its reason: the budget is used, and full again in this time.
    case kept(WakeBudget.Kept, fullIn: TimeSpan?)
    /// A wake is kept, the first of its reason: the protected data of the worker was not available since boot.
    case heldBack(WakeBudget.Kept)
    /// What was kept is let through.
    case released([WakeBudget.Kept])
    /// A fetch is over; the pace says with which result, and when the next one comes.
    case fetched(FetchPace)

    /// What happened, in a clause.
    package var words: String {
        switch self {
        case .kept(let kept, let span):
            "\(kept.words()): kept, since the budget of wakes is used"
                + (span.map { "; it is full again in \(max(.zero, $0).written(accuracy: .seconds(1)))" } ?? "")
        case .heldBack(let kept):
            "\(kept.words()): kept until its protected data is available for the first time since boot"
        case .released(let kept):
            "what was kept is let through: " + kept.map { $0.words() }.joined(separator: ", ")
        case .fetched(let pace):
            switch pace.last {
            case .newData: "a fetch brought new data"
            case .noData: "a fetch found no new data"
            case .failed, nil: "a fetch failed"
            }
        }
    }
}
