public import ControlAPI
internal import Synchronization
internal import Varlink

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A pending callback, which must be answered once.
///
/// A callback that is released without an answer fails, so that the supervisor does not wait in vain.
public final class Callback: Sendable {
    /// The callback as sent by the supervisor.
    public let message: WorkerInterface.Callback
    private let attachment: Int
    private let worker: Worker?
    private let isAnswered = Atomic(false)

    init(_ message: WorkerInterface.Callback, of attachment: Int, from worker: Worker?) {
        self.message = message
        self.attachment = attachment
        self.worker = worker
    }

    deinit {
        // The end of the process completes this one.
        guard message.name != .willTerminate, !isAnswered.load(ordering: .acquiring) else { return }
        post(["failure": "released without an answer"])
    }

    /// The name of the callback.
    public var name: CallbackName { message.name }

    /// How long the worker slept before the callback; its clocks have jumped by this time.
    public var suspendedFor: Duration? { message.suspendedForUsec.map { .microseconds($0) } }

    /// The time limit of the callback, if any.
    public var timeLimit: Duration? { message.timeLimitUsec.map { .microseconds($0) } }

    /// The remaining background time: for didEnterBackground and backgroundTaskWillExpire.
    public var backgroundTimeRemaining: Duration? {
        message.backgroundTimeRemainingUsec.map { .microseconds($0) }
    }

    /// The memory warning: for didReceiveMemoryWarning.
    public var memoryWarning: MemoryWarning? {
        name == .didReceiveMemoryWarning ? MemoryWarning(message) : nil
    }

    /// The launch: for willFinishLaunching and didFinishLaunching.
    public var launch: Launch? { message.launch.map(Launch.init) }

    /// The URL to open: for openURL; nil also if it is not a valid URL.
    public var url: URL? { message.url.flatMap { URL(string: $0) } }

    /// The program that opened the URL, if it is known: for openURL.
    public var sourceApplication: SourceApplication? {
        message.sourceApplication.flatMap(SourceApplication.init)
    }

    /// The activity to continue: for continueActivity.
    public var activity: ContinuedActivity? { message.activity.map(ContinuedActivity.init) }

    /// The results of transfers: for handleTransferEvents.
    public var transferEvents: TransferEvents? { message.transfer.map(TransferEvents.init) }

    /// The posted notifications, the oldest topic first: for didReceiveNotifications.
    public var notifications: [PostedNotification] {
        (message.notifications ?? []).map(PostedNotification.init)
    }

    /// The saved state: for restoreState.
    public func state<Value: Decodable>(as type: Value.Type = Value.self) throws(WorkerError) -> Value {
        try SavedState.value(type, of: message.state ?? .null)
    }

    /// The version that saved the state, where that is another one than the version of this program, and empty where it is not known: for
    /// restoreState.
    public var stateVersion: String? { message.stateVersion }

    /// Completes the callback.
    public func complete() async throws(WorkerError) {
        try await answer(.init(id: message.id))
    }

    /// Refuses the callback: the launch or the URL is refused, or there is nothing to save.
    public func refuse() async throws(WorkerError) {
        try await answer(.init(id: message.id, refused: true))
    }

    /// Fails the callback; `reason` appears in the supervisor's log.
    public func fail(_ reason: String) async throws(WorkerError) {
        try await answer(.init(id: message.id, failure: reason))
    }

    /// Answers performFetch.
    public func complete(fetched result: FetchResult) async throws(WorkerError) {
        try await answer(.init(id: message.id, fetched: result == .newData ? nil : result))
    }

    /// Answers saveState.
    public func complete(saving state: some Encodable) async throws(WorkerError) {
        let json: JSON
        do {
            json = try SavedState.json(of: state)
        } catch {
            try await fail("\(error)")
            throw error
        }
        do {
            try await answer(.init(id: message.id, state: json))
        } catch {
            // The supervisor waits on: it shall not wait in vain.
            if error.code != .alreadyCompleted { post(["failure": .string("\(error)")]) }
            throw error
        }
    }

    private func answer(_ parameters: WorkerInterface.Complete.Parameters) async throws(WorkerError) {
        guard take() else { throw .alreadyCompleted }
        guard let worker else { throw .disconnected }
        // Its exit is the completion, and anything else than a failure would only come too early.
        if name == .willTerminate, parameters.failure == nil { return }
        let call = Task { () async -> Result<Void, WorkerError> in
            do throws(WorkerError) {
                _ = try await worker.call(WorkerInterface.Complete.self, parameters, of: attachment)
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        // Not with the caller: an answer that is due is given even when the caller has been cancelled.
        try await call.value.get()
    }

    /// Completes the callback without waiting.
    func completeSoon() {
        if take() { post([:]) }
    }

    private func take() -> Bool {
        !isAnswered.exchange(true, ordering: .acquiringAndReleasing)
    }

    private func post(_ answer: JSON.Object) {
        var parameters: JSON.Object = ["id": .int(message.id)]
        for member in answer.members { parameters[member.key] = member.value }
        let attachment = attachment
        // Ignoring failures: without a thread there was no callback either, and the answer is not waited for.
        let link = try? worker?.link()
        link?.post { [parameters] conversation in
            conversation.call(WorkerInterface.Complete.name, parameters, of: attachment) { _ in }
        }
    }
}
