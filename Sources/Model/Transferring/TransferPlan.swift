package import Lifecycle

/// All transfers of a supervisor: which may begin, which are ended, and when their workers are told of it (1.3, 1.4).
///
/// Each end is told once, by `handleTransferEvents` with a list of all that have not been told; a supervisor that is killed while a worker
/// takes one has it told once more. What is known of a transfer is in a record until its worker has taken its end.
package struct TransferPlan: Hashable, Sendable {
    /// How far a transfer is.
    package enum Stage: Hashable, Sendable {
        /// Its process is being started; the stop is carried out when that is there.
        case starting(TransferStop?)
        /// It runs.
        case running
        /// It was asked to end, and is killed at `due`.
        case stopping(TransferStop, due: Instant)
        /// It was killed, and its end is still to be seen.
        case killed(TransferStop)
        /// It is over, and its worker has not taken that.
        case ended(TransferEnd)
    }

    /// A transfer, and how far it is.
    package struct Entry: Hashable, Sendable {
        package let transfer: Transfer
        package var stage: Stage

        package init(_ transfer: Transfer, _ stage: Stage) {
            self.transfer = transfer
            self.stage = stage
        }

        /// Its end, once it is over.
        package var end: TransferEnd? { if case .ended(let end) = stage { end } else { nil } }
    }

    /// How a worker stands towards the ends of its transfers.
    package struct Telling: Hashable, Sendable {
        /// Whether it could be told now.
        package var isReachable = false
        /// What it is being told.
        package var inFlight: [UInt32] = []
        /// How often it was told in vain in a row.
        package var failures = 0
        /// When it is told again after that.
        package var notBefore: Instant?

        package init() {}
    }

    /// The limits on how many there are.
    package struct Limits: Hashable, Sendable {
        /// How many of all workers may run at one time (`TransfersMax=` of torpord.conf).
        package var mostInAll = 64
        /// How many ends of one worker may wait to be told; one that has more begins none.
        package var mostUntold = 64

        package init() {}
    }

    /// All that are not told, by their numbers.
    package private(set) var entries: [UInt32: Entry] = [:]
    /// The workers that have one, by their names.
    package private(set) var tellings: [String: Telling] = [:]
    /// The number of the one that began last.
    package private(set) var lastNumber: UInt32
    package var limits = Limits()

    /// How long one that was asked to end may take before it is killed.
    ///
    /// What watches over it sends SIGKILL to the command after half of that.
    package static let grace = TimeSpan.seconds(10)
    /// How soon a worker is told again that has not taken it; doubled each time, up to an hour.
    package static let firstRetry = TimeSpan.seconds(60)

    /// None; the next one has the number after `lastNumber`.
    package init(lastNumber: UInt32 = 0) { self.lastNumber = lastNumber }

    /// Those of a worker, in the order in which they began; of all workers without one.
    package func all(of worker: String? = nil) -> [Entry] {
        entries.values.filter { worker == nil || $0.transfer.worker == worker }
            .sorted { $0.transfer.number < $1.transfer.number }
    }

    /// When something is due next; nil where nothing is.
    package var nextDue: Instant? {
        var next: Instant?
        func consider(_ due: Instant?) { if let due { next = next.map { min($0, due) } ?? due } }
        for entry in entries.values {
            switch entry.stage {
            case .starting(nil), .running: consider(entry.transfer.due)
            case .stopping(_, let due): consider(due)
            case .starting, .killed, .ended: break
            }
        }
        for (worker, telling) in tellings where telling.isReachable && !untold(of: worker).isEmpty {
            consider(telling.notBefore)
        }
        return next
    }

    /// The ends that a worker has not been told, and is not being told, the first to end first.
    package func untold(of worker: String) -> [UInt32] {
        let inFlight = tellings[worker]?.inFlight ?? []
        return entries.values.filter {
            $0.transfer.worker == worker && !inFlight.contains($0.transfer.number)
        }
        .compactMap { entry in entry.end.map { (entry.transfer.number, $0.at) } }
        .sorted { ($0.1, $0.0) < ($1.1, $1.0) }.map(\.0)
    }

    /// Why one more of a worker does not begin; nil where it may.
    ///
    /// At most `most` of the worker may run at one time (`TransfersMax=`).
    package func refusal(of worker: String, most: Int) -> TransferRefusal? {
        let all = entries.values
        let own = all.filter { $0.transfer.worker == worker }
        if own.count(where: { $0.end == nil }) >= most { return .tooMany(most) }
        if all.count(where: { $0.end == nil }) >= limits.mostInAll { return .tooManyInAll(limits.mostInAll) }
        // One that is begun has an end that is told: room for that is taken with it.
        return own.count >= limits.mostUntold + most ? .tooManyUntold(limits.mostUntold) : nil
    }

    // MARK: what happens

    /// Applies `event`, which happened at `now`, and returns what must be done, in order.
    package mutating func handle(_ event: TransferEvent, at now: Instant) -> [TransferEffect] {
        var effects: [TransferEffect] = []
        switch event {
        case .began(let transfer):
            lastNumber = max(lastNumber, transfer.number)
            entries[transfer.number] = Entry(transfer, .starting(nil))
            effects += [.store(transfer.number), .start(transfer.number)]
        case .started(let number): started(number, at: now, &effects)
        case .notStarted(let number):
            // Its requester hears of that by the answer: it never was a transfer.
            guard case .starting = entries[number]?.stage else { break }
            forget(number, &effects)
        case .ended(let number, let end): ended(number, end, &effects)
        case .stopRequested(let number, let stop): stopRequested(number, stop, at: now, &effects)
        case .reachable(let worker, let isReachable): tellings[worker]?.isReachable = isReachable
        case .launched(let worker):
            // A new process: what an earlier one did not take is told to it at once, but not what two have died of or failed at.
            if let failures = tellings[worker]?.failures, failures < 2 { tellings[worker]?.notBefore = nil }
        case .taken(let worker): taken(worker, &effects)
        case .notTaken(let worker): notTaken(worker, at: now)
        case .due: due(at: now, &effects)
        case .found(let entry, let isTold): found(entry, isTold: isTold)
        }
        if case .found = event { return effects }
        tellAll(at: now, &effects)
        return effects
    }

    private mutating func started(_ number: UInt32, at now: Instant, _ effects: inout [TransferEffect]) {
        switch entries[number]?.stage {
        case .starting(let stop):
            entries[number]?.stage = .running
            effects.append(.store(number))
            if let stop { stopRequested(number, stop, at: now, &effects) }
        // A predecessor had it end, and may not have come to do that.
        case .stopping: effects.append(.stop(number))
        case .killed: effects.append(.kill(number))
        case .running, .ended, nil: break
        }
    }

    private mutating func ended(_ number: UInt32, _ end: TransferEnd, _ effects: inout [TransferEffect]) {
        guard let entry = entries[number] else { return }
        var end = end
        switch entry.stage {
        case .starting(let stop): end.stop = stop
        case .running: end.stop = nil
        case .stopping(let stop, _), .killed(let stop): end.stop = stop
        case .ended: return
        }
        entries[number]?.stage = .ended(end)
        let worker = entry.transfer.worker
        if tellings[worker] == nil { tellings[worker] = Telling() }
        effects += [.store(number), .over(number), .look(worker)]
    }

    private mutating func stopRequested(
        _ number: UInt32, _ stop: TransferStop, at now: Instant, _ effects: inout [TransferEffect]
    ) {
        guard let entry = entries[number] else { return effects.append(.refused(.noSuch(number))) }
        switch entry.stage {
        case .starting(nil):
            entries[number]?.stage = .starting(stop)
            effects.append(.store(number))
        case .running:
            entries[number]?.stage = .stopping(stop, due: now + Self.grace)
            effects += [.store(number), .stop(number)]
        // It is being ended already, for the reason that came first.
        case .starting, .stopping, .killed: break
        case .ended: effects.append(.refused(.ended(number)))
        }
    }

    private mutating func due(at now: Instant, _ effects: inout [TransferEffect]) {
        for entry in all() {
            let number = entry.transfer.number
            switch entry.stage {
            case .starting(nil), .running:
                guard let due = entry.transfer.due, due <= now else { continue }
                stopRequested(number, .timeLimit, at: now, &effects)
            case .stopping(let stop, let due) where due <= now:
                entries[number]?.stage = .killed(stop)
                effects += [.store(number), .kill(number)]
            case .starting, .stopping, .killed, .ended: continue
            }
        }
    }

    // MARK: telling

    /// Has every worker told that can be, and for which something waits: one list at a time.
    private mutating func tellAll(at now: Instant, _ effects: inout [TransferEffect]) {
        for worker in tellings.keys.sorted() {
            guard var telling = tellings[worker], telling.isReachable, telling.inFlight.isEmpty,
                telling.notBefore.map({ $0 <= now }) ?? true
            else { continue }
            let waiting = untold(of: worker)
            guard !waiting.isEmpty else { continue }
            telling.inFlight = waiting
            telling.notBefore = nil
            tellings[worker] = telling
            effects.append(.tell(worker, waiting))
        }
    }

    private mutating func taken(_ worker: String, _ effects: inout [TransferEffect]) {
        guard let telling = tellings[worker] else { return }
        for number in telling.inFlight { forget(number, &effects) }
        tellings[worker]?.inFlight = []
        tellings[worker]?.failures = 0
        tellings[worker]?.notBefore = nil
    }

    private mutating func notTaken(_ worker: String, at now: Instant) {
        guard var telling = tellings[worker], !telling.inFlight.isEmpty else { return }
        telling.inFlight = []
        telling.notBefore = now + Self.retry(after: telling.failures)
        telling.failures += 1
        tellings[worker] = telling
    }

    /// How long a worker is left alone that has not taken an end, after so many times before.
    package static func retry(after failures: Int) -> TimeSpan {
        min(.seconds(3600), TimeSpan(microseconds: firstRetry.microseconds << Int64(min(failures, 6))))
    }

    private mutating func forget(_ number: UInt32, _ effects: inout [TransferEffect]) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        let worker = entry.transfer.worker
        tellings[worker]?.inFlight.removeAll { $0 == number }
        if !entries.values.contains(where: { $0.transfer.worker == worker }) { tellings[worker] = nil }
        effects.append(.remove(number))
    }

    /// Removes an end that no worker has taken.
    package mutating func drop(_ number: UInt32) -> [TransferEffect] {
        var effects: [TransferEffect] = []
        guard entries[number]?.end != nil else { return effects }
        forget(number, &effects)
        return effects
    }

    /// Knows one that a predecessor has left.
    private mutating func found(_ entry: Entry, isTold: Bool) {
        let (number, worker) = (entry.transfer.number, entry.transfer.worker)
        lastNumber = max(lastNumber, number)
        entries[number] = entry
        if tellings[worker] == nil { tellings[worker] = Telling() }
        if isTold, entry.end != nil { tellings[worker]?.inFlight.append(number) }
    }
}

/// What becomes of transfers.
package enum TransferEvent: Hashable, Sendable {
    /// One begins, which is not refused.
    case began(Transfer)
    /// Its process is there.
    case started(UInt32)
    /// Its process could not be started, which its requester is told.
    case notStarted(UInt32)
    /// It is over.
    case ended(UInt32, TransferEnd)
    /// It is to end.
    case stopRequested(UInt32, TransferStop)
    /// Whether the worker of this name can be told now.
    case reachable(String, Bool)
    /// The worker of this name has been launched.
    case launched(String)
    /// The worker of this name has taken what it was told.
    case taken(String)
    /// It has not: it failed, ended, or could not be reached.
    case notTaken(String)
    /// The time for something has come.
    case due
    /// A predecessor has left this one; its worker is being told of its end, or not.
    case found(TransferPlan.Entry, isTold: Bool)
}

/// What must be done about transfers.
package enum TransferEffect: Hashable, Sendable {
    /// Write the record of this one.
    case store(UInt32)
    /// Remove the record of this one, which is not known any more.
    case remove(UInt32)
    /// Start its process.
    case start(UInt32)
    /// Ask it to end.
    case stop(UInt32)
    /// Kill all of it.
    case kill(UInt32)
    /// It is over, for the log.
    case over(UInt32)
    /// Say whether this worker can be told.
    case look(String)
    /// Give the worker of this name the ends of these, and say what came of that.
    case tell(String, [UInt32])
    /// What was asked is not done.
    case refused(TransferRefusal)
}

/// Why a transfer does not begin, or is not ended.
package enum TransferRefusal: Hashable, Sendable, Error {
    /// So many of the worker run already.
    case tooMany(Int)
    /// So many of all workers run already.
    case tooManyInAll(Int)
    /// So many ends wait for the worker.
    case tooManyUntold(Int)
    /// There is none of this number.
    case noSuch(UInt32)
    /// It has ended.
    case ended(UInt32)
}
