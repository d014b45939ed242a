internal import ControlAPI
internal import Varlink

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension Worker {
    /// Serves callbacks with `delegate` until `willTerminate` is complete; the program should exit then.
    ///
    /// Without a supervisor the delegate receives willFinishLaunching, didFinishLaunching and didBecomeActive, then nothing until
    /// ``terminate()``, which causes willResignActive and willTerminate. The program handles signals itself.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, without willTerminate; ``WorkerError`` if callbacks are
    ///   already being served.
    public func run(_ delegate: some LifecycleDelegate) async throws {
        let (items, number) = try serve(delegate.callbacks)
        defer { stopServing(number) }
        if !isSupervised {
            // Ignoring refusals and failures: there is no supervisor to tell.
            _ = try? await delegate.willFinishLaunching(launch)
            _ = try? await delegate.didFinishLaunching(launch)
            try? await delegate.didBecomeActive()
        }
        let isTerminated = await serve(items, with: delegate)
        if !isTerminated { try Task.checkCancellation() }
    }

    /// Answers what comes; true when the worker is to end.
    private func serve(_ items: AsyncStream<Item>, with delegate: some LifecycleDelegate) async -> Bool {
        // Long work is done one at a time: a supervisor that was killed meanwhile and started anew asks for it again.
        var lastWork: Task<Void, Never>?
        return await withDiscardingTaskGroup { activities in
            // What is under way when the worker ends is not waited for longer than it takes to notice.
            defer { activities.cancelAll() }
            for await item in items {
                switch item {
                case .terminate:
                    if !isSupervised { try? await delegate.willResignActive() }
                    // Ignoring a failure: the supervisor goes on with the end.
                    try? await delegate.willTerminate()
                    return true
                case .callback(let callback) where callback.name == .performProcessing:
                    // Like the body of a background task: it is cancelled when its time is nearly over.
                    let number = expirations.nextNumber()
                    expirations.add(number)
                    let work = Task { [lastWork] in
                        await lastWork?.value
                        await callback.perform(on: delegate)
                    }
                    lastWork = work
                    activities.addTask { [expirations] in
                        defer { expirations.remove(number) }
                        expirations.start(number) { work.cancel() }
                        await withTaskCancellationHandler {
                            await work.value
                        } onCancel: {
                            work.cancel()
                        }
                    }
                case .callback(let callback) where callback.isActivity:
                    activities.addTask { await callback.perform(on: delegate) }
                case .callback(let callback):
                    await callback.perform(on: delegate)
                    if callback.name == .willTerminate { return true }
                }
            }
            return false
        }
    }
}

extension Callback {
    /// Whether it may overlap with others.
    var isActivity: Bool {
        switch name {
        case .performFetch, .handleTransferEvents, .didReceiveNotifications, .performProcessing: true
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive,
            .didEnterBackground,
            .willEnterForeground, .willTerminate, .didReceiveMemoryWarning, .backgroundTaskWillExpire,
            .openURL,
            .continueActivity, .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable,
            .significantTimeChange, .shouldSaveState, .saveState, .restoreState:
            false
        }
    }

    /// Has `delegate` do it, and answers.
    func perform(on delegate: some LifecycleDelegate) async {
        if let suspendedFor { await delegate.wasSuspended(for: suspendedFor) }
        do throws(WorkerError) {
            let isAccepted: Bool
            do {
                if name == .saveState {
                    let state = try await delegate.saveState()
                    return await report(to: delegate) { () async throws(WorkerError) in
                        try await self.complete(saving: state)
                    }
                }
                if name == .performFetch {
                    let result = try await delegate.performFetch()
                    return await report(to: delegate) { () async throws(WorkerError) in
                        try await self.complete(fetched: result)
                    }
                }
                isAccepted = try await ask(delegate)
            } catch {
                return try await fail("\(error)")
            }
            if isAccepted { try await complete() } else { try await refuse() }
        } catch {
            await delegate.answerWasLost(name, error)
        }
    }

    private func report(
        to delegate: some LifecycleDelegate, _ answer: () async throws(WorkerError) -> Void
    ) async {
        do throws(WorkerError) { try await answer() } catch { await delegate.answerWasLost(name, error) }
    }

    /// Whether the delegate says yes; one that has no say does.
    private func ask(_ delegate: some LifecycleDelegate) async throws -> Bool {
        switch name {
        case .willFinishLaunching: return try await delegate.willFinishLaunching(ownLaunch)
        case .didFinishLaunching: return try await delegate.didFinishLaunching(ownLaunch)
        case .openURL:
            // No worker opens what is not a URL.
            guard let url else { return false }
            return try await delegate.openURL(url)
        case .continueActivity:
            return try await delegate.continueActivity(activity ?? ContinuedActivity([:]))
        case .shouldSaveState: return try await delegate.shouldSaveState()
        case .restoreState: try await restore(delegate)
        case .didBecomeActive: try await delegate.didBecomeActive()
        case .willResignActive: try await delegate.willResignActive()
        case .didEnterBackground: _ = try await delegate.didEnterBackground()
        case .willEnterForeground: try await delegate.willEnterForeground()
        case .willTerminate: try await delegate.willTerminate()
        case .didReceiveMemoryWarning:
            try await delegate.didReceiveMemoryWarning(memoryWarning ?? MemoryWarning(message))
        case .backgroundTaskWillExpire: try await delegate.backgroundTaskWillExpire()
        case .didReceiveNotifications:
            try await delegate.didReceiveNotifications(notifications)
        case .handleTransferEvents:
            try await delegate.handleTransferEvents(transferEvents ?? TransferEvents([:]))
        case .protectedDataWillBecomeUnavailable: try await delegate.protectedDataWillBecomeUnavailable()
        case .protectedDataDidBecomeAvailable: try await delegate.protectedDataDidBecomeAvailable()
        case .performProcessing: try await delegate.performProcessing()
        case .significantTimeChange: try await delegate.significantTimeChange()
        // The caller answers these, with the state and with the result.
        case .saveState, .performFetch: break
        }
        return true
    }

    private func restore<Delegate: LifecycleDelegate>(_ delegate: Delegate) async throws {
        try await delegate.restoreState(try state(as: Delegate.State.self))
    }

    /// The launch, which comes with both callbacks of it.
    private var ownLaunch: Launch {
        launch ?? Launch(.init(reason: .operator, intoForeground: true, restoresState: false, options: [:]))
    }
}
