internal import Lifecycle
internal import SupervisorPorts

/// Deliveries that the model does not wait for any more.
struct Deliveries: TurnObserver {
    func handled(_ event: Event, of worker: Worker, in supervisor: Supervisor) {
        supervisor.settleDeliveries(of: worker, after: event)
    }
}

/// Commands before a launch that is not wanted any more.
struct UnwantedLaunches: TurnObserver {
    func handled(_ event: Event, of worker: Worker, in supervisor: Supervisor) {
        guard !worker.configuration.commands.startPre.isEmpty, worker.life.isLaunchUnwanted else { return }
        supervisor.host.abandonLaunch(worker.id)
    }
}

/// What others of its foreground group hear of it comes before anything else.
struct ForegroundFollowers: TurnObserver {
    func handled(_ event: Event, of worker: Worker, in supervisor: Supervisor) {
        supervisor.enqueueNext(supervisor.settleForeground(of: worker, after: event))
    }
}

/// The request that the event carries out; only now, since the event's own effects may have given it up.
struct Requests: TurnObserver {
    func handled(_ event: Event, of worker: Worker, in supervisor: Supervisor) {
        if let request = supervisor.requestOfTurn { supervisor.take(request, of: worker) }
    }
}

/// The workers that this one requires are in use, or no longer.
struct RequiredWorkers: TurnObserver {
    func handled(_ event: Event, of worker: Worker, in supervisor: Supervisor) {
        supervisor.settleNeeds(of: worker)
    }
}

/// Requests whose worker is where it was wanted, or never will be.
struct Waiters: TurnObserver {
    func handled(_ event: Event, of worker: Worker, in supervisor: Supervisor) {
        supervisor.settleWaiters(of: worker)
    }
}
