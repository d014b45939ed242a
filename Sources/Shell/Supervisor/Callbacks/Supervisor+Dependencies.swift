internal import Launching
internal import Lifecycle
internal import Linux
package import SupervisorPorts
internal import Varlink
internal import WorkerFile

/// What the model of a worker has decided, and what others are waited for before.
enum HeldEffect {
    case launch(Launch)
    case thaw
    case freeze
}

/// An end that is asked for when others have ended.
struct HeldEnd {
    let worker: WorkerID
    let event: Event
    var request: PendingRequest
}

/// Workers that depend on each other (`After=`, `Requires=`, `Subscriptions=`, `OnFailure=`): what `DependencyGraph` decides, carried out.
///
/// A launch, a waking or a sleep that has to wait is held back where the model has it carried out: whatever has brought it about, the
/// order holds.
extension Supervisor {
    /// Everything that is kept of this; nothing while no worker names another.
    struct Stacks {
        /// Workers whose files name others.
        var naming: Set<WorkerID> = []
        /// The graph of all workers, and their numbers by name; nil when it has to be made anew.
        var known: (graph: DependencyGraph, ids: [String: WorkerID])?
        var effects: [WorkerID: HeldEffect] = [:]
        /// Since when launches are held back.
        var begun: [WorkerID: Instant] = [:]
        var ends: [HeldEnd] = []
        /// Workers that are in use since one that requires them is awake.
        var needed: Set<WorkerID> = []
    }

    /// Takes note of what a worker's configuration says of others.
    func takeDependencies(of worker: Worker) {
        if worker.configuration.dependencies.isEmpty {
            stacks.naming.remove(worker.id)
        } else {
            stacks.naming.insert(worker.id)
        }
        stacks.known = nil
    }

    /// Forgets a worker that is forgotten.
    func dropDependencies(of worker: Worker) {
        stacks.naming.remove(worker.id)
        stacks.needed.remove(worker.id)
        (stacks.effects[worker.id], stacks.begun[worker.id]) = (nil, nil)
        stacks.known = nil
    }

    /// Whether a worker names another.
    var hasStacks: Bool { !stacks.naming.isEmpty }

    func graph() -> (graph: DependencyGraph, ids: [String: WorkerID]) {
        if let known = stacks.known { return known }
        var nodes: [String: Dependencies] = [:]
        var ids: [String: WorkerID] = [:]
        for worker in workers.values {
            nodes[worker.configuration.name] = worker.configuration.dependencies
            ids[worker.configuration.name] = worker.id
        }
        let known = (DependencyGraph(nodes), ids)
        stacks.known = known
        return known
    }

    /// `ids` in the order in which they are launched; the end and sleep take them in reverse.
    package func launchOrder(_ ids: [WorkerID]) -> [WorkerID] {
        guard hasStacks, ids.count > 1 else { return ids }
        let known = graph()
        return known.graph.launchOrder(ids.compactMap { workers[$0]?.configuration.name }).compactMap {
            known.ids[$0]
        }
    }

    // MARK: how they stand

    func state(of name: String) -> DependencyGraph.Standing {
        guard let worker = graph().ids[name].flatMap({ workers[$0] }) else {
            // The instance of a template is made when it is needed.
            return definitions?.isDefinable(name) ?? false ? .resting : .missing
        }
        // Its end is certain, and comes when others have ended.
        let end = stacks.ends.first { $0.worker == worker.id }
        guard let end else { return worker.dependencyState }
        if case .restartRequested = end.event { return .restarting }
        return .ending
    }

    /// The same for a launch that is held back: what has run since that began, and has succeeded, was there for it.
    private func state(of name: String, forLaunchOf id: WorkerID) -> DependencyGraph.Standing {
        let (state, end) = (state(of: name), graph().ids[name].flatMap { workers[$0]?.lastRecord })
        guard state == .resting, let end, let began = stacks.begun[id] else { return state }
        return end.cause == .exited && end.at >= began ? .done : state
    }

    // MARK: effects

    /// Holds an effect back until those are ready that it waits for; false when it may be carried out at once.
    func hold(_ effect: HeldEffect, of worker: Worker) -> Bool {
        guard hasStacks else { return false }
        let name = worker.configuration.name
        let graph = graph().graph
        guard graph.concerns(name) else { return false }
        switch effect {
        case .launch(let launch):
            stacks.begun[worker.id] = host.now
            if isClosed || endWaits(of: worker.id) { break }
            pull(graph.pulled(by: name, isWaking: false, state), for: worker, launch)
        case .thaw:
            // What ends needs nothing any more.
            if worker.life.isEnding || worker.life.goal == .notRunning { return false }
            if let launch = worker.life.currentLaunch {
                pull(graph.pulled(by: name, isWaking: true, state), for: worker, launch)
            }
        case .freeze:
            if graph.sleepVerdict(on: name, state) == .go { return false }
        }
        // Decided when all that has been asked for has been heard of.
        stacks.effects[worker.id] = effect
        return true
    }

    /// The workers that the launch of one waits for, by name.
    func awaitedByLaunch(of worker: Worker) -> [String] {
        guard case .launch = stacks.effects[worker.id],
            case .wait(let names) = graph().graph.launchVerdict(
                on: worker.configuration.name, isWaking: false, state)
        else { return [] }
        return names
    }

    /// Asks for those that are launched or woken with `worker`.
    private func pull(_ names: [String], for worker: Worker, _ launch: Launch) {
        for name in names {
            guard let id = graph().ids[name] ?? definitions?.makeInstance(name), let other = workers[id]
            else { continue }
            if other.life.pid != nil, !other.life.isEnding, other.life.goal != .notRunning {
                // What another has stopped is not continued here.
                if !other.life.isHeld {
                    enqueue(.resumeRequested(.dependency), to: other, because: .isNeeded, of: worker)
                }
                continue
            }
            // Only an operator brings back what was ended by force.
            let requester = other.life.restReason == .forceQuit ? worker.life.goalRequester : .dependency
            let goal: Goal = launch.intoForeground ? .active : .background
            enqueue(
                .requested(Request(goal, by: requester, reason: launch.reason)), to: other,
                because: .isNeeded, of: worker, goal: goal, as: requester)
        }
    }

    /// Carries out what was held back and need not wait any more; called when every event has been handled.
    func settleStacks() {
        guard hasStacks else { return }
        for (id, effect) in stacks.effects.sorted(by: { $0.key < $1.key }) {
            guard let worker = workers[id] else {
                stacks.effects[id] = nil
                continue
            }
            settle(effect, of: worker)
        }
        settleEnds()
    }

    private func settle(_ effect: HeldEffect, of worker: Worker) {
        let (name, id) = (worker.configuration.name, worker.id)
        let graph = graph().graph
        switch effect {
        case .launch(let launch):
            guard worker.life.currentLaunch == launch, worker.life.pid == nil else {
                return stacks.effects[id] = nil
            }
            if endWaits(of: id) { return }
            guard !worker.life.isLaunchUnwanted else {
                stacks.effects[id] = nil
                return enqueue(.launchAbandoned, to: worker)
            }
            switch graph.launchVerdict(on: name, isWaking: false, { state(of: $0, forLaunchOf: id) }) {
            case .wait: return
            case .fail(let requirement): fail(worker, because: requirement)
            case .go:
                stacks.effects[id] = nil
                restartLaunchTime(of: worker)
                start(launch, of: worker)
            }
        case .thaw:
            guard worker.life.state == .suspended, worker.life.isBetweenSleeps else {
                return stacks.effects[id] = nil
            }
            let isEnding = worker.life.isEnding || worker.life.goal == .notRunning
            guard isEnding || graph.launchVerdict(on: name, isWaking: true, state) == .go else { return }
            stacks.effects[id] = nil
            thawNow(worker)
        case .freeze:
            guard worker.life.state == .background, worker.life.isBetweenSleeps else {
                return stacks.effects[id] = nil
            }
            // It is woken again as soon as it sleeps.
            let isWanted = worker.life.goal != .suspended || worker.life.isEnding
            switch isWanted ? .go : graph.sleepVerdict(on: name, state) {
            case .wait: return
            case .stay(let other):
                stacks.effects[id] = nil
                worker.freezeFailure = "\(other), which requires it, is awake"
                enqueue(.freezeRefused, to: worker)
            case .go:
                stacks.effects[id] = nil
                host.freeze(id)
            }
        }
    }

    /// A launch fails since a worker that it requires is not to be had: the message says why that is so, as far as that is known.
    private func fail(_ worker: Worker, because requirement: DependencyGraph.Requirement) {
        guard requirement.isDefined else {
            // Launched anew it fails alike.
            return fail(
                worker, LaunchError(stage: .preparation, errno: 0, subject: requirement.description))
        }
        var sentence = requirement.description
        if let other = graph().ids[requirement.name].flatMap({ workers[$0] }) {
            if let failure = other.launchFailure {
                sentence += ": its launch failed: \(failure)"
            } else if let record = other.lastRecord {
                sentence += ": it \(StatusPrinter.sentence(record))"
            }
        }
        fail(worker, LaunchError(stage: .precondition, errno: 0, subject: sentence))
    }

    private func fail(_ worker: Worker, _ error: LaunchError) {
        stacks.effects[worker.id] = nil
        worker.launchFailure = error
        notify(worker, .launchFailed(error))
        enqueue(.launchFailed(errno: 0), to: worker)
    }

    // MARK: what follows from a change

    /// What a change of a worker means to others.
    func followStack(_ worker: Worker, _ transition: Transition) {
        guard hasStacks, transition.to == .suspended else { return }
        let known = graph()
        for name in known.graph.sleeping(with: worker.configuration.name, state) {
            guard let other = known.ids[name].flatMap({ workers[$0] }) else { continue }
            if other.life.goal == .suspended {
                // It was to sleep before this one did.
                enqueue(.requested(Request(.suspended, by: other.life.goalRequester)), to: other)
            } else if !other.life.goalRequester.isOperator {
                enqueue(
                    .requested(Request(.suspended, by: .dependency)), to: other, because: .isNeeded,
                    of: worker, goal: .suspended)
            }
        }
    }

    /// Tells those that a worker requires whether they are in use because of it.
    func settleNeeds(of worker: Worker) {
        guard hasStacks, !worker.configuration.dependencies.requires.isEmpty else { return }
        let known = graph()
        for name in worker.configuration.dependencies.requires.sorted() {
            guard let id = known.ids[name], let other = workers[id] else { continue }
            let isNeeded = known.graph.isNeeded(name, state)
            guard isNeeded != stacks.needed.contains(id) else { continue }
            if isNeeded { stacks.needed.insert(id) } else { stacks.needed.remove(id) }
            enqueue(.used(isNeeded), to: other)
        }
    }

    /// Launches those that are for the case that a worker has failed for good, unless all are being ended.
    func launchOnFailure(of worker: Worker) {
        guard worker.life.restReason == .failed, !isClosed else { return }
        for name in worker.configuration.dependencies.onFailure {
            guard let id = graph().ids[name] ?? definitions?.makeInstance(name), let other = workers[id]
            else { continue }
            other.nextLaunch.options["failedWorker"] = .string(worker.configuration.name)
            if let record = worker.lastRecord {
                other.nextLaunch.options["cause"] = .string(record.cause.rawValue)
                other.nextLaunch.options["status"] = .string(record.status.description)
            }
            if isRoused(other, intoForeground: false) {
                sayWoken(other, WakeOrigin(.failure, worker.configuration.name))
            }
            enqueue(
                .requested(Request(.active, by: .dependency, reason: .failure)), to: other,
                because: .onFailure, of: worker, goal: .active)
        }
    }
}

extension Worker {
    /// How it stands, as far as others depend on it.
    var dependencyState: DependencyGraph.Standing {
        if let rest = life.restReason {
            switch rest {
            case .backingOff: return .coming
            case .exited where configuration.dependencies.isOneshot: return .done
            case .exited, .neverLaunched, .evicted, .forceQuit, .failed: return .resting
            }
        }
        guard life.pid != nil else { return life.isLaunchUnwanted ? .ending : .coming }
        if life.goal == .notRunning { return .ending }
        if life.isRestarting { return .restarting }
        // One that ends and is wanted again is followed by another process.
        if life.isEnding || life.isLaunching { return .coming }
        switch life.state {
        case .suspended: return life.isBetweenSleeps ? .coming : .asleep
        case .active, .inactive, .background: return life.goal == .suspended ? .leaving : .ready
        case .notRunning: return .resting
        }
    }
}
