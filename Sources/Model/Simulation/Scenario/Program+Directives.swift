internal import Lifecycle
package import WorkerFile

extension Program: DirectiveTable {
    /// All keys of a program.
    package static let directives = ownDirectives + callbackDirectives

    /// The same by section and key.
    package static let index = indexed(directives)

    private static let ownDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Program")
        return [
            section.one("LaunchSec", \.launch, "How long its launch takes, until execve has succeeded."),
            section.number(
                "FailingLaunches", \.failingLaunches, 0...100, "Percentage of launches that fail."),
            section.one("ReadySec", \.ready, "From its start until READY=1, or until it attaches."),
            section.one("CallbackSec", \.callback, "How long it takes for a callback; infinity hangs."),
            section.many("Receives", \.receives, "The callbacks it receives with Type=app; all by default."),
            section.one("StopSec", \.stop, "From the stop signal to its exit; infinity ignores the signal."),
            section.one("StopStatus", \.stopStatus, "Its exit status after the stop signal."),
            section.one("LifeSec", \.life, "How long after its start it exits by itself."),
            section.one("LifeStatus", \.lifeStatus, "Its exit status then; SEGV by default."),
            section.one("TaskSec", \.task, "The background task that it begins in didEnterBackground."),
            section.one(
                "EndsTasksOnExpiry", \.endsTasksOnExpiry,
                "Whether it ends its tasks in backgroundTaskWillExpire."),
            section.one("BusySec", \.busy, "How long it works after it is started or woken; 0 by default."),
            section.one("PingSec", \.ping, "The time between two WATCHDOG=1 messages; infinity hangs."),
            section.one(
                "HoldsResource", \.holdsResource,
                "Whether it holds a resource that must not be held while suspended."),
            section.one("FreezeSec", \.freeze, "How long it takes to freeze it."),
            section.number("FailingFreezes", \.failingFreezes, 0...100, "Percentage of freezes that fail."),
            section.one("ThawSec", \.thaw, "How long it takes to thaw it."),
            section.one("KillSec", \.kill, "From SIGKILL to its end; infinity cannot be killed."),
            section.one("Version", \.version, "Its build id, which StateVersion= is by default."),
            section.one("MemorySize", \.memory, "The memory it uses after its start."),
            section.one("MemoryGrowth", \.growth, "How much that grows per second while it runs."),
            section.one(
                "MemoryAfterWarning", \.memoryAfterWarning,
                "The memory it uses after didReceiveMemoryWarning."),
            section.one("MemoryReclaimed", \.reclaimed, "How much of it is swapped out while it sleeps."),
            section.one(
                "LatenessSec", \.lateness, "The maximum delay of reports about it to the supervisor."),
            section.number("Doubled", \.doubled, 0...100, "Percentage of reports that arrive twice."),
        ]
    }()

    private static let callbackDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Program")
        return Callback.allCases.flatMap { callback in
            [
                section.one(
                    callback.key + "Sec", \.callbacks[callback], "How long it takes for \(callback.rawValue)."
                ),
                section.one(
                    callback.key + "Answer", \.answers[callback], "How it answers \(callback.rawValue)."),
            ]
        }
    }()
}
