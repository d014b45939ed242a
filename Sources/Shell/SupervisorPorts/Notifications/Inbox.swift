package import Lifecycle
package import Notifications

/// What was posted to one worker and what is on its way to it; there is none for a worker to which nothing was posted.
///
/// Belongs to the supervisor's loop.
package final class Inbox {
    package var queue: NotificationQueue
    /// What is scheduled for it.
    package var book: ScheduleBook
    /// What has been handed out and is not taken or returned yet.
    package var batch: Batch?
    /// It has come from a predecessor in the same process, with all that was in it.
    package var isInherited = false
    /// The model knows that something waits.
    package var isAnnounced = false
    /// What has changed is to be kept at the end of this turn of the loop.
    package var isDirty = false
    private var backoff = Backoff(first: .seconds(1), longest: .seconds(300))
    /// Why it was not taken the last time; nil when it was.
    package var problem: String?
    /// When it is handed out again.
    package var retryAt: Instant?
    /// The id of the last hook that was run.
    package var lastHook: UInt32 = 0
    /// What its connection had in hand when it went away: where its process ends next, it died of that.
    package var suspects: Set<UInt64> = []
    /// What its connection said of a flush that it did not take.
    package var answer: String?
    /// The model has been told that the flush is over, and has not heard it yet.
    package var isFinishing = false

    package init(queue: NotificationQueue = NotificationQueue(), book: ScheduleBook = ScheduleBook()) {
        self.queue = queue
        self.book = book
    }

    /// Whether nothing of it has to be remembered.
    package var isEmpty: Bool {
        queue.isEmpty && queue.setAside.isEmpty && !queue.isInFlight && book.entries.isEmpty
    }

    /// It was not taken; answers how long it is to be left alone.
    package func failed(_ problem: String) -> TimeSpan {
        self.problem = problem
        return backoff.failed()
    }

    /// It was taken, or whoever did not take it is gone.
    package func forgetFailures() {
        backoff.succeeded()
        problem = nil
        retryAt = nil
    }
}

/// One flush under way: handed to the worker's connection as a whole, or to one hook after the other.
package struct Batch {
    /// A run of a hook, and which entries it stands for.
    package struct Job {
        package let topic: Topic
        package let hook: Hook
        package var entries: [QueuedNotification]

        package init(topic: Topic, hook: Hook, entries: [QueuedNotification]) {
            self.topic = topic
            self.hook = hook
            self.entries = entries
        }
    }

    /// The delivery that the model waits for; nil while only the signals that go before a thaw are out.
    package var delivery: UInt32?
    /// It was handed to the worker's connection as a whole.
    package var isWhole = false
    /// Hooks that have not been run.
    package var jobs: [Job] = []
    /// Hooks that run, by their ids.
    package var running: [UInt32: Job] = [:]
    /// Topics of which something was not taken: what comes after it waits, to keep the order.
    package var failed: Set<Topic> = []
    /// Why the first of them was not.
    package var problem: String?

    package init(
        delivery: UInt32? = nil, isWhole: Bool = false, jobs: [Job] = [], running: [UInt32: Job] = [:],
        failed: Set<Topic> = [], problem: String? = nil
    ) {
        self.delivery = delivery
        self.isWhole = isWhole
        self.jobs = jobs
        self.running = running
        self.failed = failed
        self.problem = problem
    }

    /// The numbers of those that the worker has in hand now, of all that is out.
    package func inHand(of queue: NotificationQueue) -> Set<UInt64> {
        isWhole
            ? Set(queue.inFlight.map(\.sequence))
            : Set(running.values.flatMap(\.entries).map(\.sequence))
    }
}

/// Whom a post wakes.
package enum PostWaking: Hashable, Sendable {
    /// Nobody: it waits where it cannot be taken.
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
    /// It could not be kept on the disk, and so is not promised to survive us.
    case notStored(String)
    /// The payload is longer than so many bytes.
    case tooLarge(Int)
}
