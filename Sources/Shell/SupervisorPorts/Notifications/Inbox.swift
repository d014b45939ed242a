package import Interrupting
package import Lifecycle
package import Notifications

/// What was posted to one worker and what is on its way to it; there is none for a worker to which nothing was posted.
///
/// Belongs to the supervisor's loop.
package final class Inbox {
    /// What waits, what is handed out, and what becomes of it.
    package var plan: FlushPlan
    /// What is scheduled for it.
    package var book: ScheduleBook
    /// It has come from a predecessor in the same process, with all that was in it.
    package var isInherited = false
    /// What has changed is to be kept at the end of this turn of the loop.
    package var isDirty = false

    package init(plan: FlushPlan = FlushPlan(), book: ScheduleBook = ScheduleBook()) {
        self.plan = plan
        self.book = book
    }

    /// What was posted and has not been taken.
    package var queue: NotificationQueue {
        _read { yield plan.queue }
        _modify { yield &plan.queue }
    }

    /// When something is to be done for it next; nil where nothing is.
    package var nextDue: Instant? { plan.nextDue }
}

/// Which workers a post wakes.
package enum PostWaking: Hashable, Sendable {
    /// None: it waits where it cannot be taken.
    case nobody
    /// A worker with the `remote-notification` mode, in the background.
    case silently
    /// Its worker, for a person: into the foreground, launched where it does not run.
    case intoForeground
}

/// What became of a post.
package enum PostOutcome: Hashable, Sendable {
    /// It waits for the worker, or is on its way to it, under this number.
    case queued(UInt64)
    /// It undid what waited of its topic: nothing is left to tell.
    case vanished
    /// It was not taken.
    case refused(PostRefusal)
}

/// Why a post is not taken.
package enum PostRefusal: Hashable, Sendable {
    /// There is no such worker.
    case noSuchWorker
    /// Nothing in its definition takes this topic.
    case notWanted
    /// It is about the present process, and there is none.
    case notRunning
    /// The queue does not take it.
    case queue(NotificationQueue.Reason)
    /// What waits of the topic merges by this rule, and another one was asked for.
    case waitsOtherwise(MergeRule)
    /// It could not be kept on the disk, and so is not promised to survive the supervisor.
    case notStored(String)
    /// The payload is longer than so many bytes.
    case tooLarge(Int)
    /// It is an alert, and the worker takes none now.
    case notAlerted(AlertRule.Refusal)
}
