internal import ConfigurationSyntax
internal import Lifecycle
internal import Pressure
internal import Scheduling
internal import WorkerFile

/// The memory of the simulated machine: processes that grow, swap, triggers, and the OOM killer when nothing is left.
extension World {
    /// A process begins to hold memory.
    mutating func holdMemory(_ worker: Int) {
        guard memory != nil else { return }
        settleMemory()
        memory?.book.holdings[worker] = MemoryBook.Holding(
            resident: Double(programs[worker].memory.bytes), growth: Double(programs[worker].growth.bytes))
        settleMemory()
    }

    /// Nothing of a process is left.
    mutating func releaseMemory(_ worker: Int) {
        guard memory != nil else { return }
        settleMemory()
        memory?.book.holdings[worker] = nil
    }

    /// A process runs, or does not: asleep it grows no more, and awake it needs what was swapped out.
    mutating func memoryRuns(_ worker: Int, _ runs: Bool) {
        guard memory != nil else { return }
        settleMemory()
        memory?.book.holdings[worker]?.runs = runs
        if runs {
            memory?.book.swapIn(worker)
        } else if let process = processes[worker], programs[worker].reclaimed.permyriad > 0 {
            enter(.reclaims(worker, process: process.number), after: ReclaimRule.settling)
        }
        settleMemory()
    }

    /// What a sleeper holds goes to swap, as far as it is not needed and there is room.
    mutating func reclaim(_ worker: Int) {
        guard let held = memory?.book.holdings[worker], !held.runs else { return }
        settleMemory()
        memory?.book.swapOut(worker, held.resident * Double(programs[worker].reclaimed.permyriad) / 10_000)
    }

    /// Whether the callback of memory that a program has just been given tells it that memory is short.
    ///
    /// One that a scenario announces tells no level, and means that.
    mutating func takesMemoryWarning(_ worker: Int) -> Bool {
        guard let level = memory?.told[worker] else { return true }
        memory?.told[worker] = nil
        return level != .normal
    }

    /// The program drops what it can do without.
    mutating func shrink(_ worker: Int) {
        guard let least = programs[worker].memoryAfterWarning, let held = memory?.book.holdings[worker] else {
            return
        }
        settleMemory()
        memory?.book.holdings[worker]?.resident = min(held.resident, Double(least.bytes))
    }

    /// Its program is another one from now on.
    mutating func memoryChanges(_ worker: Int, _ key: String) {
        guard memory?.book.holdings[worker] != nil else { return }
        settleMemory()
        memory?.book.holdings[worker]?.growth = Double(programs[worker].growth.bytes)
        if key == "MemorySize" {
            memory?.book.holdings[worker]?.resident = Double(programs[worker].memory.bytes)
        }
        settleMemory()
    }

    /// A program outside the workers will hold so much after a while.
    mutating func consumer(_ bytes: UInt64, over span: TimeSpan) {
        guard memory != nil else { return }
        settleMemory()
        memory?.book.consumer.target = Double(bytes)
        let distance = abs(Double(bytes) - (memory?.book.consumer.held ?? 0))
        memory?.book.consumer.speed = span > .zero ? distance / Double(span.microseconds) * 1e6 : 0
        settleMemory()
    }

    /// Brings the figures up to date, and looks again soon while something changes by itself or memory is short.
    mutating func settleMemory() {
        let moment = now
        memory?.book.advance(to: moment)
        makeRoom()
        guard let writeQueue = memory, !writeQueue.isTicking, isInteresting(writeQueue.book) else { return }
        memory?.isTicking = true
        memory?.tick &+= 1
        enter(.memoryTick(writeQueue.tick &+ 1), after: tickSpan(writeQueue.book))
    }

    mutating func memoryTick() {
        memory?.isTicking = false
        settleMemory()
        fireTriggers()
        for (index, worker) in scenario.workers.enumerated() {
            guard let most = limit(worker.definition.memory.max), let held = memory?.book.holdings[index],
                held.resident > most
            else { continue }
            consider(.fact(.overLimit(worker: worker.name)))
        }
    }

    func limit(_ limit: MemoryLimit) -> Double? {
        switch limit {
        case .bytes(let size): Double(size.bytes)
        case .share(let share): (memory?.book.total ?? 0) * Double(share.permyriad) / 10_000
        case .infinity: nil
        }
    }

    private func isInteresting(_ book: MemoryBook) -> Bool {
        book.isMoving || book.available < book.total * 0.1
            || (memory.map { book.someStall > $0.some.base } ?? false)
    }

    /// The less is left, the closer the machine is looked at.
    private func tickSpan(_ book: MemoryBook) -> TimeSpan {
        let share = book.total > 0 ? book.available / book.total : 1
        return share < 0.2 ? .milliseconds(100) : .seconds(1)
    }

    private mutating func fireTriggers() {
        guard let writeQueue = memory else { return }
        let (settings, moment) = (writeQueue.model.settings, now)
        let isSome = memory?.some.fires(settings.warningTrigger, total: writeQueue.book.someStall, at: moment)
        let isFull = memory?.full.fires(
            settings.criticalTrigger, total: writeQueue.book.fullStall, at: moment)
        if isSome ?? false { consider(.fact(.triggered(.some, .machine))) }
        if isFull ?? false { consider(.fact(.triggered(.full, .machine))) }
    }

    /// When nothing is left the kernel swaps, and then kills: the biggest of all.
    private mutating func makeRoom() {
        for index in lives.indices {
            guard let book = memory?.book, book.available < 0 else { return }
            guard let held = book.holdings[index], !held.runs else { continue }
            memory?.book.swapOut(index, -book.available * (book.compressesSwap ? 1.5 : 1))
        }
        guard let book = memory?.book, book.available < 0 else { return }
        let biggest = book.holdings.indices.max {
            (book.holdings[$0]?.resident ?? -1) < (book.holdings[$1]?.resident ?? -1)
        }
        let most = biggest.flatMap { book.holdings[$0]?.resident } ?? 0
        if book.consumer.held >= most {
            let moment = now
            memory?.book.consumer = MemoryBook.MemoryConsumer()
            memory?.decisions.append(
                MemoryDecision(
                    at: moment, effect: .report(.killedByKernel(worker: "(outside)", processes: 1)),
                    available: 0
                ))
        } else if let biggest {
            memory?.book.holdings[biggest] = nil
            end(biggest, ProgramEnd.killed.status, oomKilled: true)
        }
    }
}
