internal import Idleness
internal import Launching
package import Lifecycle
package import SupervisorPorts

/// Requests of users, and the answers that they wait for.
extension Supervisor {
    /// Sets a goal, and answers when the worker is there or will not be; with `wasLooked` it was looked at a moment ago.
    @discardableResult
    package func request(
        _ request: Request, of worker: WorkerID, wasLooked: Bool = false,
        then answer: @escaping (WaitOutcome) -> Void = { _ in }
    ) -> WaitToken {
        if !wasLooked { look(at: worker) }
        if request.goal == .active { host.passed("a request for the foreground", to: worker) }
        if request.goal == .suspended, workers[worker]?.life.hasExitedInsteadOfSleep ?? false {
            nextWait += 1
            answer(.reached)
            return WaitToken(worker: worker, number: nextWait)
        }
        guard let known = workers[worker], concernsOthers(known) else {
            return submit(
                .requested(request), of: worker, for: request.goal, wasLooked: true, then: answer)
        }
        return ask(request, of: known, then: answer)
    }

    /// Wakes a worker to the goal it had before it slept, and answers as `request` does.
    @discardableResult
    package func resume(
        _ worker: WorkerID, by requester: Requester, then answer: @escaping (WaitOutcome) -> Void = { _ in }
    ) -> WaitToken {
        submit(.resumeRequested(requester), of: worker, for: nil, then: answer)
    }

    /// Ends a worker the graceful way and launches it again to where it is wanted, with those that require it; one that does not run is
    /// launched.
    ///
    /// Answers as `request` does, when all of them are back.
    @discardableResult
    package func restart(
        _ worker: WorkerID, by requester: Requester, then answer: @escaping (WaitOutcome) -> Void = { _ in }
    ) -> WaitToken {
        look(at: worker)
        guard let known = workers[worker], known.life.pid != nil, concernsOthers(known) else {
            return submit(
                .restartRequested(requester), of: worker, for: nil, wasLooked: true, then: answer)
        }
        return restartStack(known, by: requester, then: answer)
    }

    /// Ends a worker by force, and answers when it has ended.
    @discardableResult
    package func forceQuit(
        _ worker: WorkerID, by requester: Requester, then answer: @escaping (WaitOutcome) -> Void = { _ in }
    ) -> WaitToken {
        submit(.forceQuit(requester), of: worker, for: .notRunning, then: answer)
    }

    /// Waits for a goal that was set already; nil is the one that the worker has.
    package func waitOn(for goal: Goal?, _ id: WorkerID, then answer: @escaping (WaitOutcome) -> Void)
        -> WaitToken
    {
        nextWait += 1
        let token = WaitToken(worker: id, number: nextWait)
        guard let worker = workers[id] else {
            answer(.refused(.notRunning))
            return token
        }
        worker.waiters.append(Waiter(token: token, goal: goal ?? worker.life.goal, answer: answer))
        settleWaiters(of: worker)
        return token
    }

    /// Where a worker is and where it is wanted; nil when there is none of that number.
    package func stateAndGoal(of worker: WorkerID) -> (state: State, goal: Goal)? {
        workers[worker].map { ($0.life.state, $0.life.goal) }
    }

    /// Gives a wait up: it is not answered any more.
    ///
    /// The goal stays.
    package func cancel(_ token: WaitToken) {
        dropRequest(token)
        dropHeldRequest(token)
        workers[token.worker]?.waiters.removeAll { $0.token == token }
    }

    /// Submits `event` and waits for `goal`; nil is the goal that the worker has after it.
    private func submit(
        _ event: Event, of id: WorkerID, for goal: Goal?, wasLooked: Bool = false,
        then answer: @escaping (WaitOutcome) -> Void
    ) -> WaitToken {
        if !wasLooked { look(at: id) }
        guard let worker = workers[id] else {
            answer(.refused(.notRunning))
            nextWait += 1
            return WaitToken(worker: id, number: nextWait)
        }
        return submitRequest(event, to: worker, for: goal, then: answer)
    }

    /// The same for a worker at hand.
    @discardableResult
    func submitRequest(
        _ event: Event, to worker: Worker, for goal: Goal?, then answer: @escaping (WaitOutcome) -> Void
    ) -> WaitToken {
        nextWait += 1
        let token = WaitToken(worker: worker.id, number: nextWait)
        submit(event, to: worker, for: PendingRequest(token: token, goal: goal, answer: answer))
        return token
    }

    /// Answers a request that was refused, and waits for one that was not; once the model has heard of it.
    package func take(_ request: PendingRequest, of worker: Worker) {
        if let refusal = worker.refusal { return request.answer(.refused(refusal)) }
        worker.waiters.append(
            Waiter(token: request.token, goal: request.goal ?? worker.life.goal, answer: request.answer))
    }

    /// Answers those whose worker is where they wanted it, or never will be.
    func settleWaiters(of worker: Worker) {
        var index = 0
        while index < worker.waiters.count {
            guard let outcome = outcome(for: worker.waiters[index], worker) else {
                index += 1
                continue
            }
            worker.waiters.remove(at: index).answer(outcome)
            // An answer may give up the wait of others.
            index = 0
        }
    }

    private func outcome(for waiter: Waiter, _ worker: Worker) -> WaitOutcome? {
        let life = worker.life
        // It sleeps, by our own freeze or because another program has stopped it.
        if life.state == waiter.goal.state, life.isSettled { return .reached }
        if life.exitsInstead(of: waiter.goal) {
            guard life.state == .notRunning, let record = worker.lastRecord else { return nil }
            // A clean end by itself is what was wanted too.
            return record.cause == .stopped || record.cause == .exited ? .reached : .ended(record)
        }
        // Another launch may well fail alike: what is in the way has to be mended first, or a worker that it requires to be had.
        if life.restReason == .backingOff, let failure = worker.launchFailure, let record = worker.lastRecord,
            failure.isLasting || failure.stage == .precondition
        {
            return .ended(record)
        }
        if life.goal != waiter.goal {
            if life.goal == .notRunning, life.state == .notRunning, let record = worker.lastRecord {
                // What a oneshot worker is launched for is done when it has ended.
                if life.policy.readiness == .exit, record.cause == .exited { return .reached }
                return .ended(record)
            }
            return .replaced(by: life.goal)
        }
        if life.isHeld, waiter.goal != .notRunning { return .held }
        // It waits in the background for its turn in the foreground.
        if life.awaitsForeground { return nil }
        if waiter.goal == .active {
            // It says READY=1 when it has reloaded.
            if life.isReloading { return nil }
            if life.isInterrupted, life.isSettled { return .interrupted }
        }
        // It sleeps when its tasks have ended.
        if waiter.goal == .suspended, life.isKeptAwake { return nil }
        return life.isSettled ? .stuck : nil
    }
}
