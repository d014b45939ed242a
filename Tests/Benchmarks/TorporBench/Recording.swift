import DaemonCore
import Glibc
import History
import Lifecycle
import Linux
import SupervisorPorts
import Systemd

/// Changes of state left with a real store on a real disk: what each costs the thread that leaves it.
struct Recording {
    func measure() throws {
        let directory = "/tmp/torpor-bench-\(getpid())"
        let recorder = Recorder(in: directory, maxAge: nil, maxSize: 64 << 20, on: try EventLoop())
        defer {
            recorder.close()
            unlink(directory + "/torpor.db")
            rmdir(directory)
        }
        let changes = Self.changes()
        // Alone, each finds the store's thread asleep and has to wake it.
        var alone = Spread("record.change")
        for round in -20..<300 {
            let cost = Self.cost(of: changes[(round + 20) % changes.count], recorder)
            if round >= 0 { alone.add(cost) }
            usleep(40_000 / (round % 4 == 0 ? 1 : 20))
        }
        var many = Spread("record.burst")
        for _ in 0..<100 {
            for round in 0..<200 { many.add(Self.cost(of: changes[round % changes.count], recorder)) }
            usleep(5000)
        }
        alone.tell()
        many.tell()
    }

    private static func cost(of change: Notice, _ recorder: Recorder) -> Double {
        let begin = now()
        recorder.record(change, of: "worker-with-a-name", at: Instant(microseconds: KernelClock.monotonic))
        recorder.flush()
        return now() - begin
    }

    /// What one walk through all states publishes.
    private static func changes() -> [Notice] {
        var life = WorkerLifecycle(policy: Policy())
        var published: [Notice] = []
        func feed(_ event: Event) {
            for effect in life.handle(event, at: Instant(microseconds: KernelClock.monotonic)) {
                switch effect {
                case .publish(let change): published.append(.changed(change))
                case .freeze: feed(.frozen)
                case .thaw: feed(.thawed)
                case .launch: feed(.launched(pid: 1))
                case .inspectResources: feed(.inspected(nil))
                default: break
                }
            }
        }
        for goal in [Goal.active, .suspended, .active, .background] {
            feed(.requested(Request(goal, by: .operator(uid: 1000, pid: 4242))))
        }
        return published
    }
}
