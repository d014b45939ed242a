package import Lifecycle

/// What carries out the effects of workers' lives: the supervisor on a machine, the simulation on programs in virtual time.
///
/// Both have one method for each effect, and ``perform(_:of:)`` is the only place that tells effects apart.
package protocol EffectPerformer {
    /// How a worker is known here.
    associatedtype Subject

    /// Starts its process; `launched` or `launchFailed` is the answer.
    mutating func launch(_ launch: Launch, of worker: Subject)
    /// Hands it a callback; its completion is the answer, if it has one.
    mutating func deliver(_ delivery: Delivery, to worker: Subject)
    /// Freezes all of it; `frozen` or `freezeFailed` is the answer.
    mutating func freeze(_ worker: Subject)
    /// Thaws all of it; `thawed` is the answer.
    mutating func thaw(_ worker: Subject)
    /// Sends it the stop signal.
    mutating func sendStopSignal(to worker: Subject)
    /// Sends SIGKILL to all of it.
    mutating func kill(_ worker: Subject)
    /// Looks whether it holds a resource that it must not hold asleep; `inspected` is the answer.
    mutating func inspectResources(of worker: Subject)
    /// Reads the CPU time that it has used; `cpuRead` is the answer.
    mutating func readCPU(of worker: Subject)
    /// Counts its use from now on.
    mutating func beginUse(of worker: Subject)
    /// Finds out when it was used last; `usedLast` is the answer.
    mutating func inspectUse(of worker: Subject)
    /// Holds its CPU use down, or no longer.
    mutating func throttle(_ worker: Subject, _ isHeldDown: Bool)
    /// Has a timer of it run out at `due`, in place of an earlier one of its kind.
    mutating func arm(_ timer: Timer, of worker: Subject, at due: Instant, generation: UInt32)
    /// Takes back a timer of it.
    mutating func disarm(_ timer: Timer, of worker: Subject)
    /// Tells that it has changed its state.
    mutating func publish(_ transition: Transition, of worker: Subject)
    /// Tells that its launch is complete.
    mutating func launchCompleted(_ worker: Subject)
    /// Keeps how its process ended.
    mutating func record(_ record: TerminationRecord, of worker: Subject)
    /// Keeps, sets aside or drops the state that it has saved.
    mutating func settleSavedState(_ fate: SavedStateFate, of worker: Subject)
    /// Answers what it has asked of a background task.
    mutating func answerTask(_ token: UInt32, _ answer: TaskAnswer, of worker: Subject)
    /// Tells that a hold has ended.
    mutating func holdOver(_ token: UInt32, _ end: HoldEnd, of worker: Subject)
    /// Tells that what came in for it is not taken.
    mutating func drop(_ inbound: Inbound, _ refusal: Refusal, of worker: Subject)
    /// Tells that a request for it is refused.
    mutating func refuse(_ refusal: Refusal, _ requester: Requester, of worker: Subject)
    /// Tells of something that an operator should know.
    mutating func warn(_ warning: Warning, of worker: Subject)
    /// Tells of an event that meant nothing in its state.
    mutating func report(_ surprise: Surprise, of worker: Subject)
}

extension EffectPerformer {
    /// Carries out what the model of `worker` has decided; effects of one event are to be given in their order.
    package mutating func perform(_ effect: Effect, of worker: Subject) {
        switch effect {
        case .launch(let launch): self.launch(launch, of: worker)
        case .deliver(let delivery): deliver(delivery, to: worker)
        case .freeze: freeze(worker)
        case .thaw: thaw(worker)
        case .stop: sendStopSignal(to: worker)
        case .kill: kill(worker)
        case .inspectResources: inspectResources(of: worker)
        case .readCPU: readCPU(of: worker)
        case .beginUse: beginUse(of: worker)
        case .inspectUse: inspectUse(of: worker)
        case .throttle(let isHeldDown): throttle(worker, isHeldDown)
        case .arm(let timer, let due, let generation): arm(timer, of: worker, at: due, generation: generation)
        case .disarm(let timer): disarm(timer, of: worker)
        case .publish(let transition): publish(transition, of: worker)
        case .launchCompleted: launchCompleted(worker)
        case .record(let record): self.record(record, of: worker)
        case .savedState(let fate): settleSavedState(fate, of: worker)
        case .answerTask(let token, let answer): answerTask(token, answer, of: worker)
        case .holdOver(let token, let end): holdOver(token, end, of: worker)
        case .drop(let inbound, let refusal): drop(inbound, refusal, of: worker)
        case .refuse(let refusal, let requester): refuse(refusal, requester, of: worker)
        case .warn(let warning): warn(warning, of: worker)
        case .report(let surprise): report(surprise, of: worker)
        }
    }
}
