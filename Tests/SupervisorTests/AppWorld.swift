import ConfigurationSyntax
import Continuing
import HostContract
import Launching
import Lifecycle
import Linux
import Varlink

@testable import Supervisor
@testable import SupervisorPorts

/// An app on a fake machine: it attaches as soon as it runs, completes what it is told, and everything is written down.
final class App: CallbackReceiver, @unchecked Sendable {
    let world: World
    private(set) var id = WorkerID(0)
    var callbacks = CallbackSet.all
    /// What was told and what changed, in order: `didBecomeActive`, `→ active`, `KILL`.
    private(set) var story: [String] = []
    /// What came with each callback.
    private(set) var messages: [CallbackMessage] = []
    /// Callbacks that it never completes.
    var hangs: CallbackSet = []
    /// Callbacks that it refuses.
    var refuses: CallbackSet = []
    /// What it does besides, when it is told something.
    var reaction: (CallbackMessage) -> Void = { _ in }
    /// Whether it ends when it is told that it is about to.
    var obeys = true

    init(_ world: World, _ policy: Policy = .app, name: String = "app", group: String? = nil) {
        self.world = world
        world.host.programs["app"] = FakeProgram()
        let configuration = WorkerConfiguration(name: name, policy: policy) { _ in
            LaunchRequest("app", environment: Environment())
        }
        configuration.foregroundGroup = group
        configuration.hasWorkerSocket = true
        id = world.supervisor.add(configuration)
        let earlier = world.reaction
        world.reaction = { [unowned self] worker, notice in
            earlier(worker, notice)
            if worker == id { heard(notice) }
        }
    }

    private func heard(_ notice: Notice) {
        switch notice {
        case .changed(let transition):
            story.append("→ \(transition.to)")
            if transition.from == .notRunning {
                let id = id
                world.supervisor.attach(self, to: id)
            }
        case .ended(let record):
            story.append("† \(record.cause)")
            let id = id
            world.supervisor.detach(self, from: id)
        case .refused(let refusal, _): story.append("refused: \(refusal)")
        default: break
        }
    }

    /// What it tells of an activity that it is asked for; nil tells nothing.
    var activity: String?

    func ask(_ number: UInt32, _ type: ActivityType, within limit: TimeSpan) {
        story.append("asked for \(type)")
        guard let activity else { return }
        world.supervisor.settleActivities(of: id, .answered(number, activity))
    }

    func deliver(_ message: CallbackMessage) {
        messages.append(message)
        let callback = message.delivery.callback
        story.append(callback.rawValue)
        reaction(message)
        if callback == .willTerminate {
            if obeys { world.host.end(id, .exited(0)) }
            return
        }
        if hangs.contains(callback) { return }
        complete(message.delivery.id, refuses.contains(callback) ? .refused : .done)
    }

    @discardableResult
    func complete(_ delivery: UInt32, _ completion: Completion = .done) -> Bool {
        let id = id
        return world.supervisor.complete(delivery, completion, failure: nil, state: nil, of: id)
    }

    /// Begins a task and returns its token.
    func beginTask() -> UInt32 {
        let answer = TaskAnswerBox()
        let id = id
        world.supervisor.beginTask("work", of: id, by: .worker) { result, token, _, _ in
            answer.results.append(result)
            answer.token = token
        }
        return answer.token
    }

    func endTask(_ token: UInt32) -> TaskAnswer? {
        let answer = TaskAnswerBox()
        let id = id
        world.supervisor.endTask(token, of: id, by: .worker) { answer.results.append($0) }
        return answer.results.last
    }

    /// Opens a URL and returns where the answer will be.
    func open(_ url: String) -> OpenAnswer {
        let answer = OpenAnswer()
        let id = id
        world.supervisor.open(url, with: id) { answer.outcomes.append($0) }
        return answer
    }

    /// Gives it an event, lets everything happen, and returns what came of it.
    @discardableResult
    func tell(_ event: Event) -> [String] {
        let before = story.count
        world.submit(event, to: id)
        return Array(story[before...])
    }

    @discardableResult
    func want(_ goal: Goal, by requester: Requester = World.person) -> [String] {
        tell(.requested(Request(goal, by: requester)))
    }

    /// What comes of this much time.
    @discardableResult
    func after(_ span: TimeSpan) -> [String] {
        let before = story.count
        world.host.advance(by: span)
        return Array(story[before...])
    }

    var state: State? { world.state(of: id) }
}

/// Where the answer about a task goes.
final class TaskAnswerBox: @unchecked Sendable {
    var results: [TaskAnswer] = []
    var token: UInt32 = 0
}

/// Where the answer about a URL goes.
final class OpenAnswer: @unchecked Sendable {
    var outcomes: [DeliveryOutcome] = []
}
