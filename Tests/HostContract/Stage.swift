import Launching
import Lifecycle
import Linux
internal import Supervisor
package import SupervisorPorts

/// A program that the contract needs to have on a machine.
package enum ContractProgram: String, CaseIterable, Sendable {
    /// Says READY=1, then waits for ever; any signal kills it.
    case sleeper
    /// Says READY=1; SIGTERM makes it exit with status 7, as soon as it runs to see it.
    case catcher
    /// Says READY=1 and ignores SIGTERM.
    case stubborn
    /// Exits with status 3 at once.
    case failing
    /// Exits with status 0 when it has started a process that ignores SIGTERM.
    case parent
    /// Says READY=1; exits with status 5 when it is told of memory pressure by systemd's protocol.
    case listener
    /// There is no such program.
    case missing
}

/// A machine, and the means to play the contract on it.
package protocol Stage: AnyObject {
    /// The machine.
    var host: any Host { get }
    /// How `program` is run here.
    func configuration(_ program: ContractProgram, name: String) -> WorkerConfiguration
    /// Lets things happen until it is so; false when that takes too long.
    func wait(until isSo: () -> Bool) async -> Bool
    /// Whether workers hear memory warnings from us here, and not from the kernel.
    var warnsOfMemory: Bool { get }
    /// Has another process stop a worker's process.
    func stopFromOutside(_ worker: WorkerID, pid: Int32)
    /// Has another process continue a worker's process.
    func continueFromOutside(_ worker: WorkerID, pid: Int32)
    /// Has another process end a worker's process by SIGKILL.
    func killFromOutside(_ worker: WorkerID, pid: Int32)
}

/// The fake machine as a stage.
package final class FakeStage: Stage {
    private let fake: FakeHost

    /// A stage on a fake machine of these manners.
    package init(_ manners: FakeManners, random: any RandomNumberGenerator) {
        fake = FakeHost(manners: manners, random: random)
        fake.watchesSleepers = true
        let ready = (after: TimeSpan.milliseconds(1), action: FakeProgram.ScenarioAction.says(.ready))
        fake.programs = [
            "sleeper": FakeProgram([ready]),
            "catcher": FakeProgram(
                [ready], on: [.terminate: .handles(.ends(.exited(7)), after: .milliseconds(1))]),
            "stubborn": FakeProgram([ready], on: [.terminate: .ignores]),
            "listener": FakeProgram([ready]),
            "failing": FakeProgram([(.milliseconds(1), .ends(.exited(3)))]),
            "parent": FakeProgram([(.milliseconds(1), .ends(.exited(0)))], leftoverLife: .seconds(1000)),
        ]
        fake.programs["listener"]?.onMemoryWarning = .ends(.exited(5))
        for name in fake.programs.keys {
            fake.programs[name]?.hooks = [
                .didEnterBackground: .ends(.done, after: .milliseconds(1)),
                .willFinishLaunching: .ends(.refused, after: .milliseconds(1)),
                .openURL: .ends(.failed, after: .milliseconds(1)), .willTerminate: .hangs,
            ]
        }
    }

    /// The machine.
    package var host: any Host { fake }
    /// They do.
    package var warnsOfMemory: Bool { true }

    /// The program of that name.
    package func configuration(_ program: ContractProgram, name: String) -> WorkerConfiguration {
        WorkerConfiguration(
            name: name, policy: Policy(), hasNotifySocket: true, leftoverGrace: .milliseconds(100)
        ) { _ in
            .init(.init(program.rawValue), environment: .init())
        }
    }

    /// Lets virtual time pass.
    package func wait(until isSo: () -> Bool) async -> Bool { fake.run(until: isSo) }

    /// Has another process stop a worker's process.
    package func stopFromOutside(_ worker: WorkerID, pid: Int32) { fake.stopFromOutside(worker) }

    /// Has another process continue a worker's process.
    package func continueFromOutside(_ worker: WorkerID, pid: Int32) { fake.continueFromOutside(worker) }

    /// Has another process end a worker's process by SIGKILL.
    package func killFromOutside(_ worker: WorkerID, pid: Int32) { fake.kill(worker) }
}
