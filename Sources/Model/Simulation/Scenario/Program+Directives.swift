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
            section.number("FailingLaunches", \.failingLaunches, 0...100, "Launches in a hundred that fail."),
            section.one("ReadySec", \.ready, "From its start until READY=1, or until it attaches."),
            section.one("CallbackSec", \.callback, "How long it takes over a callback; infinity hangs."),
            section.many("Receives", \.receives, "What it wants to be told with Type=app; all by default."),
            section.one("StopSec", \.stop, "From the stop signal to its exit; infinity ignores it."),
            section.one("StopStatus", \.stopStatus, "How it ends when it is asked to."),
            section.one("LifeSec", \.life, "How long after its start it ends by itself."),
            section.one("LifeStatus", \.lifeStatus, "How it ends then; SEGV by default."),
            section.one("TaskSec", \.task, "The background task that it begins in didEnterBackground."),
            section.one(
                "EndsTasksOnExpiry", \.endsTasksOnExpiry,
                "Whether it ends its tasks in backgroundTaskWillExpire."),
            section.one("BusySec", \.busy, "How long it works when it was started or woken; 0 by default."),
            section.one("PingSec", \.ping, "The time between two WATCHDOG=1; infinity hangs."),
            section.one("HoldsResource", \.holdsResource, "Whether it holds what it must not hold asleep."),
            section.one("FreezeSec", \.freeze, "How long it takes to freeze it."),
            section.number("FailingFreezes", \.failingFreezes, 0...100, "Freezes in a hundred that fail."),
            section.one("ThawSec", \.thaw, "How long it takes to thaw it."),
            section.one("KillSec", \.kill, "From SIGKILL to its end; infinity cannot be killed."),
            section.one("MemorySize", \.memory, "What it holds when it has started."),
            section.one("MemoryGrowth", \.growth, "By how much that grows in a second, while it runs."),
            section.one(
                "MemoryAfterWarning", \.memoryAfterWarning, "What it drops to in didReceiveMemoryWarning."),
            section.one("MemoryReclaimed", \.reclaimed, "How much of it goes to swap while it sleeps."),
            section.one("LatenessSec", \.lateness, "How late the supervisor hears of it, at the most."),
            section.number("Doubled", \.doubled, 0...100, "Facts in a hundred that are told twice."),
        ]
    }()

    private static let callbackDirectives: [Directive<Self>] = {
        let section = DirectiveSection<Self>(name: "Program")
        return CallbackName.allCases.flatMap { name -> [Directive<Self>] in
            guard let callback = Callback(rawValue: name.rawValue) else { return [] }
            return [
                section.one(
                    name.key + "Sec", \.callbacks[callback], "How long \(callback.rawValue) takes it."),
                section.one(
                    name.key + "Answer", \.answers[callback], "How it answers \(callback.rawValue)."),
            ]
        }
    }()
}
