internal import Idleness
internal import Lifecycle
internal import Notifications
internal import Scheduling
internal import SupervisorPorts

/// What operators are shown of a worker, besides its model.
struct WorkerFigures: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        worker.since = transition.at
        if transition.from == .active || transition.to == .active { worker.lastActive = transition.at }
        if transition.to == .active { worker.wasUsed = true }
        if let asleep = transition.suspendedFor {
            worker.suspendedFor = asleep
            worker.sleepTally.slept(asleep, until: transition.at)
        }
    }
}

/// Keeps the last lines of output of a worker that leaves the foreground, or has done something in the background since (1.8).
struct OutputSnapshots: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        if SnapshotRule.keeps(at: transition) { supervisor.keepSnapshot(of: worker) }
    }
}

/// The shares of the worker's group.
struct GroupSettings: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        worker.configuration.stateChanged?(transition)
    }
}

/// The time of an adopted worker to connect anew begins when it wakes.
struct Reattachment: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        if transition.from == .suspended { supervisor.beginReattachment(of: worker) }
    }
}

/// Commands that could not run while the worker slept.
struct CommandsAfterThaw: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        if transition.from == .suspended { supervisor.runAfterThaw(of: worker) }
    }
}

/// Hooks that have failed are those of the present process.
struct HookFailures: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        if transition.from == .notRunning { worker.hookFailures = [] }
    }
}

/// Notifications that are out when the worker falls asleep come back.
struct InterruptedNotifications: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        if transition.to == .suspended { supervisor.tellPlan(.suspended, of: worker, inTurn: true) }
    }
}

/// What the topics of a worker that falls asleep stand at.
struct RecordedTopicStates: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        if transition.to == .suspended { supervisor.compareTopicState(of: worker) }
    }
}

/// The memory limits of the state, and the reclaim of what a sleeper holds.
struct MemoryOfState: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        supervisor.settleMemory(of: worker, after: transition)
    }
}

/// The observers beyond the core, in the order of ``ObserverPlace``.
struct NoticeObservers: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        supervisor.notify(worker, .changed(transition))
    }
}

/// Whether the worker can be evicted or warned, for the policy of memory.
struct EvictionEligibilities: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        supervisor.publishEligibility(of: worker)
    }
}

/// Workers that sleep when this one does.
struct Dependents: LifecycleObserver {
    func changed(_ worker: Worker, by transition: Transition, in supervisor: Supervisor) {
        supervisor.followStack(worker, transition)
    }
}
