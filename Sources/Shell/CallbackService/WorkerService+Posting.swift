internal import ControlAPI
internal import ControlServer
internal import Linux
internal import Notifications
internal import OperatorService
internal import Supervisor
internal import SupervisorPorts
internal import Systemd
internal import Varlink

/// What workers post to themselves.
extension WorkerService {
    func post(
        _ parameters: API.Post.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        let post = try PostReading(
            topic: parameters.topic, payload: parameters.payload, rule: parameters.rule,
            added: parameters.added, removed: parameters.removed, transient: parameters.transient,
            now: KernelClock.wall
        ).post
        let sequence = SequenceBox()
        let kept = whenStored(sequence, responder) { API.Post.Reply(sequence: $0) }
        let outcome = supervisor.post(post, to: worker, then: kept)
        switch outcome {
        case .queued(let number):
            sequence.set(Int64(clamping: number))
            responder.note = ["posted": .int(Int64(clamping: number))]
        case .vanished:
            sequence.set(nil)
            responder.note = ["posted": .null]
        case .refused(let refusal):
            throw API.notPosted(obstacle: refusal.obstacle, why: refusal.sentence)
        }
    }

    /// Goes on with a post that a predecessor has taken, and maybe not kept.
    func postedBefore(
        _ number: JSON, of worker: WorkerID, _ note: JSON.Object, _ responder: Responder
    ) {
        let sequence = SequenceBox()
        sequence.set(number.int)
        responder.note = note
        supervisor.keepAnew(worker)
        supervisor.whenStored(whenStored(sequence, responder) { API.Post.Reply(sequence: $0) })
    }

    func schedule(
        _ parameters: API.Schedule.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        let now = KernelClock.wall
        let post = try PostReading(
            topic: parameters.topic, payload: parameters.payload, rule: parameters.rule, added: nil,
            removed: nil, transient: nil, now: now
        ).post
        let sequence = SequenceBox()
        let kept = whenStored(sequence, responder) { API.Schedule.Reply(id: $0 ?? 0) }
        let outcome = supervisor.schedule(
            post, for: worker, at: parameters.at, every: parameters.everyUsec,
            waking: parameters.wake ?? false, now: now, then: kept)
        switch outcome {
        case .success(let entry): sequence.set(Int64(clamping: entry.id))
        case .failure(let refusal):
            throw API.notPosted(obstacle: refusal.obstacle, why: refusal.sentence)
        }
    }

    func cancel(
        _ parameters: API.Cancel.Parameters, of worker: WorkerID, _ responder: Responder
    ) throws(MethodError) {
        let sequence = SequenceBox()
        sequence.set(parameters.id)
        let kept = whenStored(sequence, responder) { _ in API.Nothing() }
        let number = UInt64(clamping: parameters.id)
        let isThere = supervisor.cancelSchedule(number, of: worker, then: kept)
        guard isThere else { throw API.noSuchSchedule(id: parameters.id) }
    }

    /// Answers with `reply` of the number once it is known and the change on the disk, or with why it is not.
    private func whenStored(
        _ sequence: SequenceBox, _ responder: Responder, _ reply: @escaping (Int64?) -> some JSONConvertible
    ) -> (String?) -> Void {
        { problem in
            sequence.whenSet { number in
                if let problem {
                    responder.fail(API.notPosted(obstacle: .notKept, why: problem))
                } else {
                    responder.reply(reply(number))
                }
            }
        }
    }
}

/// A number and the reply that waits for it: the result of storing may be known before the call that gives the number has returned.
private final class SequenceBox {
    private var number: Int64??
    private var waiting: ((Int64?) -> Void)?

    func set(_ number: Int64?) {
        self.number = .some(number)
        waiting?(number)
        waiting = nil
    }

    func whenSet(_ body: @escaping (Int64?) -> Void) {
        if let number { body(number) } else { waiting = body }
    }
}
