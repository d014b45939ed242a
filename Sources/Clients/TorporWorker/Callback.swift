public import ControlAPI
internal import Synchronization
internal import Varlink

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A callback on its way, which is to be answered once.
///
/// One that is let go of without an answer fails, so that the supervisor does not wait for nothing.
public final class Callback: Sendable {
    /// What the supervisor told.
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
        post(["failure": "let go of without an answer"])
    }

    /// Which one it is.
    public var name: CallbackName { message.name }

    /// How long the worker slept before it; its clocks have jumped by that.
    public var suspendedFor: Duration? { message.suspendedForUsec.map { .microseconds($0) } }

    /// How long it may take, where that is limited.
    public var timeLimit: Duration? { message.timeLimitUsec.map { .microseconds($0) } }

    /// What is left of the background time: with didEnterBackground and backgroundTaskWillExpire.
    public var backgroundTimeRemaining: Duration? {
        message.backgroundTimeRemainingUsec.map { .microseconds($0) }
    }

    /// How short memory is: with didReceiveMemoryWarning.
    public var memoryWarning: MemoryWarning? {
        name == .didReceiveMemoryWarning ? MemoryWarning(message) : nil
    }

    /// What the process was launched for: with willFinishLaunching and didFinishLaunching.
    public var launch: Launch? { message.launch.map(Launch.init) }

    /// What is to be opened: with openURL; nil also where it is no URL.
    public var url: URL? { message.url.flatMap { URL(string: $0) } }

    /// What is to be continued: with continueActivity.
    public var activity: ContinuedActivity? { message.activity.map(ContinuedActivity.init) }

    /// What has become of transfers: with handleTransferEvents.
    public var transferEvents: TransferEvents? { message.transfer.map(TransferEvents.init) }

    /// What was posted, the oldest topic first: with didReceiveNotifications.
    public var notifications: [PostedNotification] {
        (message.notifications ?? []).map(PostedNotification.init)
    }

    /// The state that was saved: with restoreState.
    public func state<Value: Decodable>(as type: Value.Type = Value.self) throws(WorkerError) -> Value {
        try SavedState.value(type, of: message.state ?? .null)
    }

    /// It is done.
    public func complete() async throws(WorkerError) {
        try await answer(.init(id: message.id))
    }

    /// The answer is no: the launch or the URL is refused, there is nothing to save.
    public func refuse() async throws(WorkerError) {
        try await answer(.init(id: message.id, refused: true))
    }

    /// It could not be done; `reason` is for the supervisor's log.
    public func fail(_ reason: String) async throws(WorkerError) {
        try await answer(.init(id: message.id, failure: reason))
    }

    /// The answer to saveState.
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

    /// Completes it and waits for nothing.
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
        // Ignoring failures: without a thread there was no callback either, and nobody waits for the answer.
        let link = try? worker?.link()
        link?.post { [parameters] conversation in
            conversation.call(WorkerInterface.Complete.name, parameters, of: attachment) { _ in }
        }
    }
}
