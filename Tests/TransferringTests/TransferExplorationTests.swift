import Lifecycle
import Testing
import Transferring

/// Every order of ends, deaths, cancellations, crashes and upgrades of a supervisor with two transfers of one worker.
@Suite struct `Explored transfers` {
    /// The world beside the plan: processes, records, and what the worker has taken.
    struct Standing: Hashable {
        var plan = TransferPlan()
        /// The records, by their numbers; the next supervisor has nothing else.
        var records: [UInt32: TransferPlan.Entry] = [:]
        /// Whether the process of a transfer is there.
        var alive: Set<UInt32> = []
        /// What a worker was given and has not answered; it knows that whatever becomes of the supervisor.
        var given: [UInt32] = []
        /// How often the end of each was taken, up to two.
        var taken: [UInt32: Int] = [:]
        var begun: UInt32 = 0
        /// Whether the worker can be told.
        var isReachable = false
        /// How many crashes and failures there may be still.
        var crashes = 1
        var failures = 1
    }

    private static let most: UInt32 = 2

    /// What can happen next, each by its name, with what comes of it.
    private func steps(_ standing: Standing) -> [(String, Standing)] {
        var all: [(String, Standing)] = []
        func add(_ name: String, _ change: (inout Standing) -> Void) {
            var next = standing
            change(&next)
            all.append((name, next))
        }
        if standing.begun < Self.most {
            add("begin") {
                $0.begun += 1
                handle(.began(`Transfers of workers`.transfer($0.begun, for: .seconds(3600))), &$0)
            }
        }
        for (number, entry) in standing.plan.entries.sorted(by: { $0.key < $1.key }) {
            if case .starting = entry.stage {
                add("start \(number)") {
                    $0.alive.insert(number)
                    handle(.started(number), &$0)
                }
                add("fail to start \(number)") { handle(.notStarted(number), &$0) }
            }
            if standing.alive.contains(number) {
                add("end \(number)") {
                    $0.alive.remove(number)
                    handle(.ended(number, TransferEnd(.exited(0), at: .zero)), &$0)
                }
            }
            add("cancel \(number)") { handle(.stopRequested(number, .cancelled), &$0) }
        }
        add("due") { handle(.due, &$0, at: .zero + .seconds(7200)) }
        add(standing.isReachable ? "unreachable" : "reachable") {
            $0.isReachable.toggle()
            handle(.reachable("w", $0.isReachable), &$0)
        }
        if !standing.given.isEmpty {
            add("take") {
                for number in $0.given { $0.taken[number] = min(2, ($0.taken[number] ?? 0) + 1) }
                $0.given = []
                handle(.taken("w"), &$0)
            }
            if standing.failures > 0 {
                add("die") {
                    ($0.given, $0.isReachable) = ([], false)
                    $0.failures -= 1
                    handle(.notTaken("w"), &$0)
                    handle(.reachable("w", false), &$0)
                }
            }
        }
        if standing.crashes > 0 {
            add("crash") { restart(&$0, knows: false) }
            // What the worker took is not known to the next supervisor where the records were not removed in time.
            if !standing.given.isEmpty {
                add("take, crash") {
                    for number in $0.given { $0.taken[number] = min(2, ($0.taken[number] ?? 0) + 1) }
                    $0.given = []
                    restart(&$0, knows: false)
                }
            }
        }
        add("upgrade") { restart(&$0, knows: true) }
        return all
    }

    /// Another supervisor goes on with the records; one that was executed in place knows what is being told besides.
    private func restart(_ standing: inout Standing, knows: Bool) {
        if !knows {
            standing.crashes -= 1
            standing.given = []
        } else if standing.plan.entries.values.contains(where: {
            if case .starting = $0.stage { true } else { false }
        }) {
            // It waits for launches.
            return
        }
        let told = knows ? Set(standing.given) : []
        standing.plan = TransferPlan(lastNumber: standing.begun)
        for (number, entry) in standing.records.sorted(by: { $0.key < $1.key }) {
            handle(.found(entry, isTold: told.contains(number)), &standing)
        }
        for (number, entry) in standing.records.sorted(by: { $0.key < $1.key }) where entry.end == nil {
            if standing.alive.contains(number) {
                handle(.started(number), &standing)
            } else {
                handle(.ended(number, TransferEnd(.unknown, at: .zero)), &standing)
            }
        }
        handle(.reachable("w", standing.isReachable), &standing)
    }

    /// Carries out what the plan decides.
    private func handle(_ event: TransferEvent, _ standing: inout Standing, at now: Instant = .zero) {
        for effect in standing.plan.handle(event, at: now) {
            switch effect {
            case .store(let number): standing.records[number] = standing.plan.entries[number]
            case .remove(let number): standing.records[number] = nil
            case .tell(_, let numbers):
                // Another list is told only when the last one is answered.
                if !standing.given.isEmpty { standing.taken[0] = 1 }
                standing.given = numbers
            case .look: handle(.reachable("w", standing.isReachable), &standing, at: now)
            case .start, .stop, .kill, .over, .refused: break
            }
        }
    }

    /// The promise that is broken; nil where none is.
    private func broken(_ standing: Standing) -> String? {
        if standing.taken[0] != nil { return "a list is told while another is" }
        for number in standing.begun == 0 ? [] : Array(1...standing.begun) {
            let count = standing.taken[number] ?? 0
            // A crash alone has one told twice.
            if count > 1, standing.crashes == 1 { return "the end of \(number) was taken twice" }
            if standing.alive.contains(number), standing.plan.entries[number] == nil {
                return "\(number) runs, and is not known"
            }
            if standing.plan.entries[number] != standing.records[number] {
                return "the record of \(number) is not as it stands"
            }
        }
        if Set(standing.given) != Set(standing.plan.tellings["w"]?.inFlight ?? []) {
            return "what is told is not what the plan knows as told"
        }
        if standing.isReachable, standing.given.isEmpty, !standing.plan.untold(of: "w").isEmpty,
            standing.plan.tellings["w"]?.notBefore == nil
        {
            return "an end is not told although it could be"
        }
        if standing.plan.tellings.count > 1
            || standing.plan.entries.isEmpty && !standing.plan.tellings.isEmpty
        {
            return "something is left"
        }
        return nil
    }

    @Test func `are each told once, and once more only after a crash, whatever happens in whatever order`() {
        var seen: Set<Standing> = [Standing()]
        var open: [(Standing, [String])] = [(Standing(), [])]
        var whole = 0
        while let (standing, path) = open.popLast() {
            if standing.begun == Self.most, standing.taken.count == 2, standing.records.isEmpty { whole += 1 }
            for (name, next) in steps(standing) where seen.insert(next).inserted {
                let path = path + [name]
                if let problem = broken(next) {
                    Issue.record("\(problem): \(path.joined(separator: ", "))")
                    return
                }
                open.append((next, path))
            }
        }
        #expect(seen.count > 1000 && whole > 0, "\(seen.count) standings")
        // From everywhere, it comes to an end when nothing more goes wrong.
        for standing in seen {
            var standing = standing
            settle(&standing)
            #expect(standing.plan.entries.isEmpty && standing.records.isEmpty && standing.given.isEmpty)
        }
    }

    /// Lets what runs end, and has the worker take all.
    private func settle(_ standing: inout Standing) {
        for (number, entry) in standing.plan.entries {
            if case .starting = entry.stage { handle(.notStarted(number), &standing) }
        }
        for number in standing.alive {
            standing.alive.remove(number)
            handle(.ended(number, TransferEnd(.exited(0), at: .zero)), &standing)
        }
        standing.isReachable = true
        handle(.launched("w"), &standing)
        handle(.reachable("w", true), &standing)
        for _ in 0..<4 where !standing.given.isEmpty {
            standing.given = []
            handle(.taken("w"), &standing)
        }
    }
}
