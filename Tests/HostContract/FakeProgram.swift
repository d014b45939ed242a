package import Lifecycle
package import Linux
package import Pressure
internal import Supervisor
package import SupervisorPorts

/// What a process of the fake machine does: by itself, and when a signal comes.
package struct FakeProgram: Sendable {
    /// Something that a process does.
    package enum ScenarioAction: Hashable, Sendable {
        /// It says something on its notify socket.
        case says(NotifyReport)
        /// It ends.
        case ends(ExitStatus)
    }

    /// What a signal does to it.
    package enum Reaction: Hashable, Sendable {
        /// What the kernel does by default, frozen or not: it ends by the signal.
        case dies
        /// Nothing.
        case ignores
        /// It takes note, and does this after a while; frozen, it takes no note until it is thawed.
        case handles(ScenarioAction, after: TimeSpan)
    }

    /// What it does by itself, and how long after its start.
    package var actions: [(after: TimeSpan, action: ScenarioAction)]
    /// What it does about signals; one that is not listed kills it.
    package var reactions: [Signal: Reaction]
    /// How long what it leaves lives on after it.
    package var leftoverLife: TimeSpan?
    /// What its hooks come to; one that is not listed is done at once.
    package var hooks: [Callback: HookFate] = [:]
    /// What it holds when the supervisor inspects it.
    package var holds: HeldResource?
    /// How long it works from its start on.
    package var busy = TimeSpan.zero
    /// What it holds in memory, and how much of that can be given back while it sleeps.
    package var memory = WorkerMemory(resident: 8 << 20)
    /// The latter.
    package var spareMemory: Int64 = 6 << 20
    /// What it does when it is told that memory is short; nil is nothing.
    package var onMemoryWarning: ScenarioAction?
    /// What it has printed.
    package var output: [String] = []

    /// What a hook comes to.
    package enum HookFate: Hashable, Sendable {
        /// It is over after a while.
        case ends(Completion, after: TimeSpan)
        /// It never is.
        case hangs
    }

    /// A program of these actions and reactions.
    package init(
        _ actions: [(after: TimeSpan, action: ScenarioAction)] = [], on reactions: [Signal: Reaction] = [:],
        leftoverLife: TimeSpan? = nil
    ) {
        self.actions = actions
        self.reactions = reactions
        self.leftoverLife = leftoverLife
    }
}

extension NotifyReport {
    /// READY=1.
    package static var ready: NotifyReport { phase(.ready) }

    /// A message of nothing but this.
    package static func phase(_ phase: Phase) -> NotifyReport {
        var report = NotifyReport()
        report.phase = phase
        return report
    }
}
