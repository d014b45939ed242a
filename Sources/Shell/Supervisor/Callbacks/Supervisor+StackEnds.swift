internal import Launching
internal import Lifecycle
internal import Linux
internal import SupervisorPorts
internal import Varlink
internal import WorkerFile

/// Ends, sleep and restarts of workers that others depend on, in the order of the stack.
extension Supervisor {
    /// Has those go first that require a worker which is asked to end or to sleep, and sees to what is asked of the worker itself.
    func ask(
        _ request: Request, of worker: Worker, then answer: @escaping (WaitOutcome) -> Void
    ) -> WaitToken {
        let (name, graph) = (worker.configuration.name, graph().graph)
        // What is refused is not asked of others either, and takes back no end that waits.
        guard worker.life.refusal(of: request) == nil, !isClosed || request.goal == .notRunning else {
            return submitRequest(.requested(request), to: worker, for: request.goal, then: answer)
        }
        dropHeldEnds(of: worker.id, for: request.goal)
        let before: [String]
        switch request.goal {
        case .suspended: before = graph.sleeping(before: name, state)
        case .notRunning: before = graph.ending(with: name, state)
        case .active, .inactive, .background: before = []
        }
        for other in before.compactMap({ self.graph().ids[$0] }).compactMap({ workers[$0] }) {
            other.goalOrigin = GoalOrigin(
                worker: name, tie: .requires, goal: request.goal, requester: request.requester)
            _ = askInOrder(request, of: other) { _ in }
        }
        return askInOrder(request, of: worker, then: answer)
    }

    /// Has a worker and those that require it restarted: they end in their order, and come back in theirs.
    ///
    /// `answer` hears when the worker and all that have ended with it stand where they are wanted.
    func restartStack(
        _ worker: Worker, by requester: Requester, then answer: @escaping (WaitOutcome) -> Void
    ) -> WaitToken {
        let others = graph().graph.ending(with: worker.configuration.name, state).compactMap {
            self.graph().ids[$0].flatMap { workers[$0] }
        }
        let round = RestartRound(of: 1 + others.count, then: answer)
        for other in others {
            let name = other.configuration.name
            _ = endInOrder(.restartRequested(requester), of: other, for: nil) { round.settle(name, $0) }
        }
        return endInOrder(.restartRequested(requester), of: worker, for: nil) { round.settle($0) }
    }

    /// Asks for an end when those have ended that come after the worker, and for anything else at once.
    private func askInOrder(
        _ request: Request, of worker: Worker, then answer: @escaping (WaitOutcome) -> Void
    ) -> WaitToken {
        guard request.goal == .notRunning else {
            return submitRequest(.requested(request), to: worker, for: request.goal, then: answer)
        }
        return endInOrder(.requested(request), of: worker, for: request.goal, then: answer)
    }

    /// Submits an event that ends a worker's process when those have ended that come after the worker; one without a process comes back no more.
    private func endInOrder(
        _ event: Event, of worker: Worker, for goal: Goal?, then answer: @escaping (WaitOutcome) -> Void
    ) -> WaitToken {
        let mayWait = goal == nil ? !isClosed : worker.life.currentLaunch != nil
        guard mayWait, !graph().graph.ending(before: worker.configuration.name, state).isEmpty else {
            return submitRequest(event, to: worker, for: goal, then: answer)
        }
        nextWait += 1
        let token = WaitToken(worker: worker.id, number: nextWait)
        stacks.ends.append(
            HeldEnd(
                worker: worker.id, event: event,
                request: PendingRequest(token: token, goal: goal, answer: answer)))
        return token
    }

    /// Has all ends asked for at once that wait for others: whoever comes after us knows of none that waits.
    package func releaseHeldEnds() {
        let ends = stacks.ends
        stacks.ends = []
        for end in ends {
            guard let worker = workers[end.worker] else { continue }
            submit(end.event, to: worker, for: end.request)
        }
    }

    /// Whether what is asked of a worker may be others' concern too.
    func concernsOthers(_ worker: Worker) -> Bool {
        hasStacks && graph().graph.concerns(worker.configuration.name)
    }

    /// Gives up the request of an end that waits.
    func dropHeldRequest(_ token: WaitToken) {
        guard let index = stacks.ends.firstIndex(where: { $0.request.token == token }) else { return }
        stacks.ends[index].request.answer = { _ in }
    }

    /// Ends that wait are not wanted any more.
    private func dropHeldEnds(of worker: WorkerID, for goal: Goal) {
        guard goal != .notRunning, !stacks.ends.isEmpty else { return }
        let over = stacks.ends.filter { $0.worker == worker }
        stacks.ends.removeAll { $0.worker == worker }
        for end in over { end.request.answer(.replaced(by: goal)) }
    }

    /// Whether the end of a worker waits: where it comes back by itself meanwhile, nothing is launched for that.
    func endWaits(of id: WorkerID) -> Bool {
        stacks.ends.contains { $0.worker == id && $0.request.goal == .notRunning }
    }

    func settleEnds() {
        // One at a time: what others wait for changes with it, and the next look follows.
        for (index, end) in stacks.ends.enumerated() {
            guard let worker = workers[end.worker] else {
                stacks.ends.remove(at: index)
                return end.request.answer(.refused(.notRunning))
            }
            // Nothing is restarted while all are to end.
            let isRefused = isClosed && end.event.wantsProcess
            let isDue = isRefused || worker.life.pid == nil && end.request.goal == .notRunning
            if !isDue, !graph().graph.ending(before: worker.configuration.name, state).isEmpty { continue }
            stacks.ends.remove(at: index)
            submit(end.event, to: worker, for: end.request)
            return isRefused ? settleEnds() : ()
        }
    }
}

/// The workers that one restart has ended, until all of them are back.
private final class RestartRound {
    private var left: Int
    private var outcome = WaitOutcome.reached
    private var missing: [String] = []
    private let answer: (WaitOutcome) -> Void

    init(of count: Int, then answer: @escaping (WaitOutcome) -> Void) {
        left = count
        self.answer = answer
    }

    /// The worker that was meant is back, or will not be.
    func settle(_ outcome: WaitOutcome) {
        self.outcome = outcome
        count()
    }

    /// The same for one that was ended with it.
    func settle(_ name: String, _ outcome: WaitOutcome) {
        if outcome != .reached { missing.append(name) }
        count()
    }

    private func count() {
        left -= 1
        guard left == 0 else { return }
        let isWhole = outcome != .reached || missing.isEmpty
        answer(isWhole ? outcome : .followersMissing(missing.sorted()))
    }
}
