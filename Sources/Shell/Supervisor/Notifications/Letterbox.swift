internal import Lifecycle
public import Notifications

/// What was posted to one worker and what is on its way to it; there is none for a worker to which nothing was posted.
///
/// Belongs to the supervisor's loop.
final class Letterbox {
    var queue: NotificationQueue
    /// What is scheduled for it.
    var book: ScheduleBook
    /// What has been handed out and is not taken or returned yet.
    var flight: Flight?
    /// It has come from a predecessor in the same process, with all that was in it.
    var isInherited = false
    /// The model knows that something waits.
    var isAnnounced = false
    /// What has changed is to be kept at the end of this turn of the loop.
    var isDirty = false
    /// How often in a row what was handed out was not taken.
    var failures = 0
    /// Why it was not taken the last time; nil when it was.
    var problem: String?
    /// When it is handed out again.
    var retryAt: Instant?
    /// The id of the last hook that was run.
    var lastHook: UInt32 = 0
    /// What its connection had in hand when it went away: where its process ends next, it died of that.
    var suspects: Set<UInt64> = []
    /// What its connection said of a flush that it did not take.
    var answer: String?
    /// The model has been told that the flush is over, and has not heard it yet.
    var isFinishing = false

    init(queue: NotificationQueue = NotificationQueue(), book: ScheduleBook = ScheduleBook()) {
        self.queue = queue
        self.book = book
    }

    /// Whether nothing of it has to be remembered.
    var isEmpty: Bool { queue.isEmpty && queue.setAside.isEmpty && !queue.isInFlight && book.entries.isEmpty }

    /// It was not taken; answers how long it is to be left alone: 1 s at first, doubled each time, 5 min at most.
    func failed(_ problem: String) -> TimeSpan {
        self.problem = problem
        failures += 1
        return min(.seconds(300), .seconds(1 << Int64(min(failures - 1, 9))))
    }

    /// It was taken, or whoever did not take it is gone.
    func forgetFailures() {
        failures = 0
        problem = nil
        retryAt = nil
    }
}

/// One flush under way: handed to the worker's connection as a whole, or to one hook after the other.
struct Flight {
    /// A run of a hook, and which entries it stands for.
    struct Job {
        let topic: Topic
        let hook: Hook
        var entries: [QueuedNotification]
    }

    /// The delivery that the model waits for; nil while only the signals that go before a thaw are out.
    var delivery: UInt32?
    /// It was handed to the worker's connection as a whole.
    var isWhole = false
    /// Hooks that have not been run.
    var jobs: [Job] = []
    /// Hooks that run, by their ids.
    var running: [UInt32: Job] = [:]
    /// Topics of which something was not taken: what comes after it waits, to keep the order.
    var failed: Set<Topic> = []
    /// Why the first of them was not.
    var problem: String?

    /// The numbers of those that the worker has in hand now, of all that is out.
    func inHand(of queue: NotificationQueue) -> Set<UInt64> {
        isWhole
            ? Set(queue.inFlight.map(\.sequence))
            : Set(running.values.flatMap(\.entries).map(\.sequence))
    }
}

/// Whom a post wakes.
public enum PostWaking: Hashable, Sendable {
    /// Nobody: it waits where it cannot be taken.
    case nobody
    /// A worker with the `remote-notification` mode, in the background.
    case silently
    /// Its worker, for a person: into the foreground, launched where it does not run.
    case intoForeground
}

/// What became of a post.
public enum PostOutcome: Hashable, Sendable {
    /// It waits for the worker, or is on its way to it, under this number.
    case queued(UInt64)
    /// It undid what waited of its topic: nothing is left to tell.
    case vanished
    /// It was not taken.
    case refused(PostRefusal)
}

/// Why a post is not taken.
public enum PostRefusal: Hashable, Sendable {
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
    case notKept(String)
    /// The payload is longer than so many bytes.
    case tooLarge(Int)
}
