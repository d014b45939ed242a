import HostContract
import Launching
import Lifecycle
import Linux
import TestSupport
import Testing

@testable import Supervisor
@testable import SupervisorPorts

/// What is recorded of topics for the supervisor that takes a worker over.
@Suite struct `What topics stood at` {
    private final class Files: TopicStateSource {
        var state = TopicState()
        func topicState(of worker: WorkerID) -> TopicState { state }
    }

    @Test(arguments: [Goal.suspended, .background])
    func `a path that changed before it was looked at stays to be found changed`(_ goal: Goal) throws {
        let world = try World(.prompt, seed: 1)
        world.host.programs["sleeper"] = FakeProgram([], on: [:])
        let id = world.supervisor.add(
            WorkerConfiguration(name: "sleeper", policy: Policy(readiness: .exec)) { _ in
                LaunchRequest("sleeper", environment: Environment())
            })
        let files = Files()
        world.supervisor.topicStates = files
        _ = world.request(.background, of: id)
        world.host.run()
        _ = world.request(goal, of: id)
        world.host.run()
        files.state.files = ["/settings": .content(size: 1, digest: 1), "/other": .missing]
        world.supervisor.refreshTopicState(of: id, unseen: "/settings")
        let recorded = world.supervisor.workers[id]?.topicState.files
        #expect(recorded == ["/settings": .unseen, "/other": .missing])
        world.supervisor.refreshTopicState(of: id)
        // One that sleeps has not heard of it yet.
        let later = world.supervisor.workers[id]?.topicState.files["/settings"]
        #expect(later == (goal == .suspended ? .unseen : .content(size: 1, digest: 1)))
    }
}
