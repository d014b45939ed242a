import Lifecycle
import TestSupport
import Testing

@testable import Supervisor
@testable import SupervisorPorts

@Suite struct `The alarms` {
    private struct Key: Hashable {
        let worker: WorkerID
        let timer: Lifecycle.Timer
    }

    @Test(arguments: 0..<20)
    func `do what a plain list would do`(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var alarms = Alarms()
        var plain: [Key: Alarms.Entry] = [:]
        var now = Instant.zero
        let timers: [Lifecycle.Timer] = [.launch, .callback, .watchdog, .idle, .activity(1), .activity(2)]
        for generation in 0..<3000 {
            let key = Key(
                worker: WorkerID(UInt32.random(in: 0..<5, using: &random)),
                timer: timers[Int.random(in: 0..<timers.count, using: &random)])
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                // Few moments, so that many are due together.
                let due = now + .seconds(Int64.random(in: -2...8, using: &random))
                let entry = Alarms.Entry(
                    due: due, worker: key.worker, timer: key.timer, generation: UInt32(generation))
                alarms.arm(entry)
                plain[key] = entry
            case 6..<8:
                alarms.disarm(key.worker, key.timer)
                plain[key] = nil
            default:
                now = now + .seconds(1)
                var popped: [Alarms.Entry] = []
                while let entry = alarms.popDue(at: now) { popped.append(entry) }
                let due = plain.values.filter { $0.due <= now }
                #expect(popped.map(\.due) == due.map(\.due).sorted())
                #expect(Set(popped) == Set(due))
                plain = plain.filter { $0.value.due > now }
            }
            #expect(alarms.count == plain.count)
            #expect(alarms.next() == plain.values.map(\.due).min())
        }
    }
}
