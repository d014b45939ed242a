#if canImport(Linux)
internal import ControlAPI
internal import Synchronization
internal import TorporWorker
internal import Varlink

/// What a ``TestSupervisor`` knows of its worker: which callbacks are unanswered, how much time has passed, which state it is in.
final class Stage: Sendable {
    typealias Result = Swift.Result<Answer, TestSupervisorError>

    private struct Facts {
        var time: VirtualTime
        var state = WorkerState.notRunning
        /// The callbacks that the worker receives; nil while it is not attached.
        var wanted: Set<CallbackName>?
        var isLowPower = false
        var lastCallback: Int64 = 0
        var lastToken: Int64 = 0
        var waiting: [Int64: (name: CallbackName, promise: Promise<Result>)] = [:]
        var tasks: [Int64: String] = [:]
        var arrivals: [Promise<Void>] = []
        var departures: [Promise<Void>] = []
    }

    private let facts: Mutex<Facts>
    private let tell: @Sendable (Request) -> Void

    init(_ time: VirtualTime, _ tell: @escaping @Sendable (Request) -> Void) {
        facts = Mutex(Facts(time: time))
        self.tell = tell
    }

    var state: WorkerState { facts.withLock { $0.state } }

    var isLowPower: Bool {
        get { facts.withLock { $0.isLowPower } }
        set { facts.withLock { $0.isLowPower = newValue } }
    }

    /// Microseconds of background time.
    var remaining: Int64? { facts.withLock { $0.time.remaining?.wholeMicroseconds } }

    /// The worker has changed its state.
    func enter(_ state: WorkerState) {
        facts.withLock { facts in
            let wasInBackground = facts.state == .background || facts.state == .suspended
            let isInBackground = state == .background || state == .suspended
            facts.state = state
            if wasInBackground != isInBackground { facts.time.inBackground(isInBackground) }
            if state == .suspended { facts.time.suspend() }
        }
    }

    /// Waits for the worker to attach; false when the task of the caller is cancelled.
    func attached() async -> Bool {
        let promise = facts.withLock { facts -> Promise<Void>? in
            guard facts.wanted == nil else { return nil }
            let promise = Promise<Void>()
            facts.arrivals.append(promise)
            return promise
        }
        guard let promise else { return true }
        return await promise.value != nil
    }

    /// Waits for the worker to detach; false when the task of the caller is cancelled.
    func detached() async -> Bool {
        let promise = facts.withLock { facts -> Promise<Void>? in
            guard facts.wanted != nil else { return nil }
            let promise = Promise<Void>()
            facts.departures.append(promise)
            return promise
        }
        guard let promise else { return true }
        return await promise.value != nil
    }

    /// A callback is to be delivered: the promise of its answer, and the message, which is nil where the worker does not receive it.
    func begin(
        _ name: CallbackName, _ fill: (inout WorkerInterface.Callback) -> Void
    ) -> (Promise<Result>, WorkerInterface.Callback?) {
        facts.withLock { facts in
            let promise = Promise<Result>()
            guard facts.wanted?.contains(name) ?? true else {
                promise.fulfil(.success(.notReceived))
                return (promise, nil)
            }
            facts.lastCallback += 1
            var message = WorkerInterface.Callback(id: facts.lastCallback, name: name)
            message.timeLimitUsec = name.timeLimit.wholeMicroseconds
            message.suspendedForUsec = facts.time.resume()?.wholeMicroseconds
            if name == .didEnterBackground {
                message.backgroundTimeRemainingUsec = facts.time.taskLimit.wholeMicroseconds
            }
            fill(&message)
            facts.waiting[message.id] = (name, promise)
            facts.time.began(message.id, within: message.timeLimitUsec.map { .microseconds($0) })
            return (promise, message)
        }
    }

    /// Time passes; what the worker would have been killed for, and whether its background time is nearly over.
    func advance(by duration: Duration) -> (Kill?, expires: Bool) {
        facts.withLock { facts in
            var kill: Kill?
            var expires = false
            for due in facts.time.advance(by: duration) {
                switch due {
                case .expiring: expires = true
                case .expired:
                    let names = facts.tasks.values.sorted().joined(separator: ", ")
                    kill = kill ?? Kill(code: 0x2182_bad2, reason: "the background time is over: \(names)")
                case .overdue(let id):
                    guard let (name, promise) = facts.waiting.removeValue(forKey: id) else { continue }
                    let found = Kill(code: name.overrunCode, reason: "\(name) took too long")
                    kill = kill ?? found
                    promise.fulfil(.failure(TestSupervisorError(.killed(found), "\(found)")))
                }
            }
            return (kill, expires)
        }
    }

    /// Every connection is over.
    func lose() {
        facts.withLock { facts in
            facts.wanted = nil
            facts.tasks = [:]
            facts.time.endTasks()
            for (id, entry) in facts.waiting {
                facts.time.ended(id)
                let sentence = "the worker was detached before it answered \(entry.name)"
                entry.promise.fulfil(.failure(TestSupervisorError(.detached, sentence)))
            }
            facts.waiting = [:]
            for promise in facts.departures { promise.fulfil(()) }
            facts.departures = []
        }
    }

    // MARK: what the worker says

    func hear(_ heard: Heard) {
        switch heard {
        case .attached(let names):
            let wanted = names.map { Set($0.compactMap(CallbackName.init)) } ?? Set(CallbackName.allCases)
            facts.withLock { facts in
                facts.wanted = wanted
                for promise in facts.arrivals { promise.fulfil(()) }
                facts.arrivals = []
            }
            tell(.attached(wanted))
        case .detached:
            lose()
            tell(.detached)
        case .completed(let id): answer(id, .completed)
        case .refused(let id): answer(id, .refused)
        case .noData(let id): answer(id, .noData)
        case .failed(let id, let reason): answer(id, .failed(reason))
        case .saved(0, let json):
            let isEmpty = json.object?.members.isEmpty ?? true
            tell(isEmpty ? .discardedState : .savedState(RecordedState(json: json)))
        case .saved(let id, let json): answer(id, .saved(RecordedState(json: json)))
        case .began(let name):
            facts.withLock { facts in
                facts.lastToken += 1
                facts.tasks[facts.lastToken] = name
                facts.time.beganTask(facts.lastToken)
            }
            tell(.beganBackgroundTask(name))
        case .ended(let token):
            let name = facts.withLock { facts in
                facts.time.endedTask(token)
                return facts.tasks.removeValue(forKey: token)
            }
            if let name { tell(.endedBackgroundTask(name)) }
        case .called("RequestActivation"): tell(.requestedActivation)
        case .interrupted(let purpose): tell(.beganInterruption(purpose))
        case .called("EndInterruption"): tell(.endedInterruption)
        case .transferred(let command): tell(.beganTransfer(command))
        case .called("CancelTransfer"): tell(.cancelledTransfer)
        case .offered(let type): tell(.offeredActivity(type))
        case .told(_, let state): tell(.toldActivity(RecordedState(json: state)))
        case .notTold(_, let reason): tell(.keptActivity(reason))
        case .posted("Cancel", _): tell(.cancelledSchedule)
        case .posted(let method, let parameters):
            let topic = parameters["topic"]?.string ?? ""
            tell(method == "Schedule" ? .scheduled(topic: topic) : .posted(topic: topic))
        case .called: break
        }
    }

    private func answer(_ id: Int64, _ answer: Answer) {
        let promise = facts.withLock { facts in
            facts.time.ended(id)
            return facts.waiting.removeValue(forKey: id)?.promise
        }
        promise?.fulfil(.success(answer))
    }
}

extension CallbackName {
    /// How long it may take by the default rules of a worker of Type=app.
    var timeLimit: Duration {
        switch self {
        case .willFinishLaunching, .didFinishLaunching, .restoreState: .seconds(20)
        case .didEnterBackground, .willTerminate: .seconds(5)
        case .performFetch, .didReceiveNotifications, .handleTransferEvents: .seconds(30)
        case .performProcessing: .seconds(1800)
        case .didBecomeActive, .willResignActive, .willEnterForeground, .didReceiveMemoryWarning,
            .backgroundTaskWillExpire, .openURL, .continueActivity, .protectedDataWillBecomeUnavailable,
            .protectedDataDidBecomeAvailable, .significantTimeChange, .shouldSaveState, .saveState:
            .seconds(10)
        }
    }

    /// The code of a termination because it took too long.
    var overrunCode: UInt32 {
        switch self {
        case .performFetch: 0x2182_bad4
        case .handleTransferEvents: 0x2182_bad3
        case .performProcessing: 0x2182_bad2
        case .willFinishLaunching, .didFinishLaunching, .restoreState, .didEnterBackground, .willTerminate,
            .didReceiveNotifications, .didBecomeActive, .willResignActive, .willEnterForeground,
            .didReceiveMemoryWarning, .backgroundTaskWillExpire, .openURL, .continueActivity,
            .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable, .significantTimeChange,
            .shouldSaveState, .saveState:
            0x8bad_f00d
        }
    }
}

extension Duration {
    /// The microseconds of a span that is no longer than those fit.
    var wholeMicroseconds: Int64 {
        components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000
    }
}
#endif
