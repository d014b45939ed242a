import Cgroups
import Glibc
import TestSupport
import Testing

@testable import Launching
@testable import Lifecycle
@testable import Linux
@testable import LinuxHost
@testable import Processes
@testable import Supervisor
@testable import SupervisorPorts
@testable import Systemd

/// What others do to a worker while a host stops it by SIGSTOP.
@Suite(.timeLimit(.minutes(60))) struct `A freeze that is under way` {
    private final class Observer: HostObserver {
        var told: [Fact] = []

        func receive(_ fact: Fact, of worker: WorkerID) { told.append(fact) }
        func alarmWentOff() {}
    }

    @Test func `has failed when another program continues the worker, and what it has stopped is no other's`()
        async
    {
        // In a process of its own: a host reaps all children.
        await #expect(processExitsWith: .success) {
            try SignalSource.block([Signal.child.rawValue])
            let host = try LinuxHost(on: try EventLoop(), method: .signals(reason: "a test"))
            let observer = Observer()
            host.observer = observer
            // Its own, since other tests look for processes of theirs.
            host.supervisor = "/freeze/io.torpor.Supervisor"
            let begun = host.now
            let request = LaunchRequest.sleeper(of: host.supervisor)
            let pid = try request.launch().pid
            defer {
                kill(pid, SIGKILL)
                waitpid(pid, nil, 0)
            }
            let configuration = WorkerConfiguration(name: "web", policy: Policy()) { [request] _ in request }
            let worker = WorkerID(0)
            let adoption = host.adopt(worker, configuration, AdoptionRecord(launchAskedAt: begun))
            guard adoption == .alive(pid: pid, isAsleep: false), let running = host.workers[worker] else {
                fatalError("\(adoption)")
            }
            // As between two turns of stopping all of it: its main process is stopped, another is not yet.
            running.freeze = .asked(since: host.now, nil)
            kill(pid, SIGSTOP)
            while ProcessStat.read(pid: pid)?.state != .stopped { usleep(100) }
            host.look(at: worker)
            guard observer.told.isEmpty else { fatalError("\(observer.told)") }
            host.childChanged(ChildEvent(pid: pid, change: .continued))
            guard
                observer.told == [
                    .continuedOutside, .freezeFailed("another program has continued it"),
                ], running.freeze.isNone
            else { fatalError("\(observer.told)") }
            while ProcessStat.read(pid: pid)?.state == .stopped { usleep(100) }
        }
    }
}
