#if canImport(Linux)
public import ControlAPI
public import TorporWorker
internal import Varlink

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The sequences of callbacks of a worker's life, each as a supervisor delivers it.
extension TestSupervisor {
    /// Launches the worker: willFinishLaunching, restoreState where there is state to restore, didFinishLaunching, and into the
    /// foreground didBecomeActive.
    ///
    /// - Returns: whether the worker has accepted the launch.
    /// - Throws: ``TestSupervisorError``: `mismatch` if a value is no JSON, `wrongState` if the worker runs already.
    @discardableResult
    public func launch(
        _ reason: LaunchReason = .operator, options: (any Encodable & Sendable)? = nil,
        intoForeground: Bool = true, restoring state: (any Encodable & Sendable)? = nil
    ) async throws(TestSupervisorError) -> Bool {
        try require([.notRunning])
        let launch = WorkerInterface.Launch(
            reason: reason, intoForeground: intoForeground, restoresState: state != nil,
            options: try options.map { value throws(TestSupervisorError) in try Self.json(value) } ?? [:])
        stage.enter(intoForeground ? .inactive : .background)
        let will = try await deliver(.willFinishLaunching) { $0.launch = launch }
        if let state { try await restore(state) }
        let did = try await deliver(.didFinishLaunching) { $0.launch = launch }
        if intoForeground { try await activate() }
        return will != .refused && did != .refused
    }

    private func restore(_ state: any Encodable & Sendable) async throws(TestSupervisorError) {
        let json: JSON
        do throws(WorkerError) { json = try SavedState.json(of: state) } catch {
            throw TestSupervisorError(.mismatch, "\(error)")
        }
        try await deliver(.restoreState) { $0.state = json }
    }

    /// Moves the worker to the foreground: from the background, or from its sleep, with willEnterForeground first.
    ///
    /// - Throws: ``TestSupervisorError``, `wrongState` if the worker does not run or is active.
    public func activate() async throws(TestSupervisorError) {
        try require([.inactive, .background, .suspended])
        if state != .inactive {
            stage.enter(.background)
            try await deliver(.willEnterForeground)
        }
        stage.enter(.inactive)
        try await deliver(.didBecomeActive)
        stage.enter(.active)
    }

    /// Makes an active worker inactive: willResignActive.
    ///
    /// - Throws: ``TestSupervisorError``, `wrongState` if the worker is not active.
    public func resign() async throws(TestSupervisorError) {
        try require([.active])
        try await deliver(.willResignActive)
        stage.enter(.inactive)
    }

    /// Moves the worker to the background: willResignActive where it is active, then didEnterBackground; background time begins to count.
    ///
    /// - Returns: the answer to didEnterBackground.
    /// - Throws: ``TestSupervisorError``, `wrongState` if the worker is not in the foreground.
    @discardableResult
    public func enterBackground() async throws(TestSupervisorError) -> Answer {
        try require([.active, .inactive])
        if state == .active { try await resign() }
        stage.enter(.background)
        return try await deliver(.didEnterBackground)
    }

    /// Suspends a worker in the background, which is never told; it sleeps for so long in virtual time, and the next callback says so.
    ///
    /// - Throws: ``TestSupervisorError``, `wrongState` if the worker is not in the background.
    public func suspend(for duration: Duration) throws(TestSupervisorError) {
        try require([.background])
        stage.enter(.suspended)
        advance(by: duration)
    }

    /// Asks whether there is state to save, and for the state.
    ///
    /// - Returns: the state; nil where there is none to save.
    /// - Throws: ``TestSupervisorError`` if there is no answer.
    public func saveState() async throws(TestSupervisorError) -> RecordedState? {
        guard try await deliver(.shouldSaveState) == .completed,
            case .saved(let state) = try await deliver(.saveState)
        else { return nil }
        return state
    }

    /// Opens a URL: openURL.
    ///
    /// - Returns: whether the worker has opened it.
    /// - Throws: ``TestSupervisorError`` if there is no answer.
    public func open(_ url: URL) async throws(TestSupervisorError) -> Bool {
        try await deliver(.openURL) { $0.url = url.absoluteString } == .completed
    }

    /// Brings an activity to the worker: continueActivity.
    ///
    /// - Returns: whether the worker continues it.
    /// - Throws: ``TestSupervisorError``, `mismatch` if the state is no JSON object.
    public func continueActivity(
        _ type: String, state: some Encodable & Sendable
    ) async throws(TestSupervisorError) -> Bool {
        let payload = try Self.json(state)
        return try await deliver(.continueActivity) { callback in
            callback.activity = [
                "type": .string(type), "handoff": .string("test-\(callback.id)"), "payload": payload,
            ]
        } == .completed
    }

    /// Asks the worker for the state of an activity that it offers; the answer is among its requests.
    public func askForActivity(_ type: String) { fake.ask(1, type) }

    /// Posts a notification: didReceiveNotifications; a worker that sleeps is woken for it, into the background.
    ///
    /// - Returns: the answer.
    /// - Throws: ``TestSupervisorError``, `mismatch` if the payload is no JSON object.
    @discardableResult
    public func post(
        _ topic: String, payload: (any Encodable & Sendable)? = nil, count: Int = 1
    ) async throws(TestSupervisorError) -> Answer {
        let json: JSON? = if let payload { try Self.json(payload) } else { nil }
        if state == .suspended { stage.enter(.background) }
        return try await deliver(.didReceiveNotifications) { callback in
            var notification = WorkerInterface.Notification(
                topic: topic, sequence: callback.id, count: Int64(count), first: 0, last: 0)
            notification.payload = json
            callback.notifications = [notification]
        }
    }

    /// Warns of short memory, or tells that this is over: didReceiveMemoryWarning.
    ///
    /// - Returns: the answer.
    /// - Throws: ``TestSupervisorError`` if there is no answer.
    @discardableResult
    public func warn(
        of level: MemoryLevel, available: Int64? = nil
    ) async throws(TestSupervisorError) -> Answer {
        try await deliver(.didReceiveMemoryWarning) { callback in
            callback.memoryLevel = level
            callback.memoryAvailableBytes = available
        }
    }

    /// Ends the worker: willResignActive where it is active, willTerminate, and the end of `run`, which answers it.
    ///
    /// - Throws: ``TestSupervisorError``, `wrongState` if the worker does not run.
    public func terminate() async throws(TestSupervisorError) {
        try require([.active, .inactive, .background, .suspended])
        if state == .active { try await resign() }
        let delivery = try await send(.willTerminate)
        guard await stage.detached() else {
            throw TestSupervisorError(.cancelled, "cancelled before the worker ended")
        }
        // Ignoring that it has no answer: its end is the answer.
        if case .failed(let reason)? = try? await delivery.answer {
            throw TestSupervisorError(.detached, "willTerminate failed: \(reason)")
        }
        stage.enter(.notRunning)
    }

    private func require(_ states: [WorkerState]) throws(TestSupervisorError) {
        guard !states.contains(state) else { return }
        let expected = states.map(\.rawValue).joined(separator: " or ")
        throw TestSupervisorError(.wrongState(state), "the worker is \(state.rawValue), not \(expected)")
    }

    private static func json(_ value: any Encodable) throws(TestSupervisorError) -> JSON {
        do throws(JSON.Mismatch) {
            let json = try JSON(encoding: value)
            guard json.object != nil else { throw JSON.Mismatch(path: "", expected: "an object") }
            return json
        } catch {
            throw TestSupervisorError(.mismatch, "not a JSON object: \(error)")
        }
    }
}
#endif
