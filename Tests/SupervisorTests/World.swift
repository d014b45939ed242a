import HostContract
import Launching
import Lifecycle
import Linux
import Systemd
import TestSupport
import Testing

@testable import Supervisor
@testable import SupervisorPorts

/// A supervisor on a fake machine, and all that it told.
///
/// The loop lends its thread to the actor and never runs: a test is one synchronous function.
final class World: NoticeObserver, @unchecked Sendable {
    let host: FakeHost
    let supervisor: Supervisor
    private(set) var notices: [(worker: WorkerID, notice: Notice)] = []
    /// Called at every notice, as one that reacts to what it hears.
    var reaction: (WorkerID, Notice) -> Void = { _, _ in }

    static let person = Requester.operator(uid: 0, pid: 7)

    static let programs: [ByteString: FakeProgram] = [
        "sleeper": FakeProgram(),
        "notifier": FakeProgram(
            [(.milliseconds(5), .says(.ready))],
            on: [.terminate: .handles(.ends(.exited(0)), after: .milliseconds(5))]),
        "silent": FakeProgram(on: [.terminate: .ignores]),
        "failing": FakeProgram([(.milliseconds(10), .ends(.exited(1)))]),
    ]

    init(_ manners: FakeManners = .prompt, seed: UInt64 = 1) throws {
        host = FakeHost(World.programs, manners: manners, random: SplitMix64(seed: seed))
        supervisor = Supervisor(on: try EventLoop(), host: host)
        supervisor.start()
        supervisor.observe(as: .clients, self)
    }

    func hear(_ notice: Notice, of worker: WorkerID) {
        notices.append((worker, notice))
        reaction(worker, notice)
    }

    func add(_ program: String, _ policy: Policy = Policy()) -> WorkerID {
        supervisor.add(
            WorkerConfiguration(name: program, policy: policy) { _ in
                LaunchRequest(ByteString(program), environment: Environment())
            })
    }

    func submit(_ event: Event, to worker: WorkerID) {
        supervisor.submit(event, to: worker)
    }

    /// Asks, and returns where the answer will be.
    @discardableResult
    func request(_ goal: Goal, of worker: WorkerID) -> Answer {
        let answer = Answer()
        let token = supervisor.request(Request(goal, by: World.person), of: worker) {
            answer.outcomes.append($0)
        }
        answer.token = token
        return answer
    }

    func cancel(_ answer: Answer) {
        guard let token = answer.token else { return }
        supervisor.cancel(token)
    }

    /// A worker that is active.
    func active(_ program: String, _ policy: Policy = Policy()) -> WorkerID {
        let worker = add(program, policy)
        request(.active, of: worker)
        host.run { state(of: worker) == .active }
        return worker
    }

    func life(of worker: WorkerID) -> WorkerLifecycle? {
        supervisor.life(of: worker)
    }

    func state(of worker: WorkerID) -> State? { life(of: worker)?.state }

    /// The states a worker went through.
    func path(of worker: WorkerID) -> [State] {
        notices.compactMap {
            guard $0.worker == worker, case .changed(let transition) = $0.notice else { return nil }
            return transition.to
        }
    }

    func records(of worker: WorkerID) -> [TerminationRecord] {
        notices.compactMap {
            guard $0.worker == worker, case .ended(let record) = $0.notice else { return nil }
            return record
        }
    }
}

/// What came of a request.
final class Answer: @unchecked Sendable {
    var outcomes: [WaitOutcome] = []
    var token: WaitToken?
}
