internal import Lifecycle
internal import Notifications
package import SupervisorPorts

/// Letterboxes as they come from the store, go aside with their workers, and come back with their names.
extension Supervisor {
    /// Its letterbox, made when it is needed.
    func openLetterbox(of worker: Worker) -> Letterbox {
        if let letterbox = worker.letterbox { return letterbox }
        let box = Letterbox(queue: NotificationQueue(restoring: [], after: lastUnreadNumber))
        worker.letterbox = box
        return box
    }

    /// Takes over what another supervisor has kept, by the names of workers; before they are taken on.
    package func restore(_ kept: [String: KeptLetters]) {
        for (name, letters) in kept { parkedLetters[name] = letterbox(letters) }
    }

    private func letterbox(_ letters: KeptLetters) -> Letterbox {
        Letterbox(
            queue: NotificationQueue(
                restoring: letters.entries, knowing: letters.known, after: Self.number(after: letters)),
            book: ScheduleBook(restoring: letters.schedules))
    }

    /// Numbers that were given out and not kept are not given out again.
    private static func number(after letters: KeptLetters) -> UInt64 { letters.lastSequence + sequenceGap }

    /// Takes over what another supervisor has kept and what could not be read until now: workers have been taken on meanwhile,
    /// and something may wait for them that is not kept.
    package func restoreLate(_ kept: [String: KeptLetters]) {
        lastUnreadNumber = 0
        let known = Dictionary(workers.values.map { ($0.blueprint.name, $0) }) { first, _ in first }
        for (name, letters) in kept {
            let worker = known[name]
            guard let box = worker?.letterbox ?? parkedLetters[name] else {
                worker?.letterbox = letterbox(letters)
                if worker == nil { parkedLetters[name] = letterbox(letters) }
                if let worker { announce(worker) }
                continue
            }
            // One that has come from a predecessor in the same process is complete.
            guard !box.isInherited else { continue }
            box.queue.restore(
                letters.entries, knowing: letters.known, after: Self.number(after: letters))
            // Nothing was scheduled meanwhile: that has to be kept.
            box.book = ScheduleBook(restoring: letters.schedules)
            if let worker {
                keepChanges(of: worker)
                announceAgain(worker)
            }
        }
        rearmSchedules()
    }

    func takeParkedLetters(for worker: Worker) {
        guard let box = parkedLetters.removeValue(forKey: worker.blueprint.name) else { return }
        worker.letterbox = box
        announce(worker)
        rearmSchedules()
    }

    /// Puts the letterbox of a worker that is forgotten aside, until somebody defines one of its name again.
    func park(_ box: Letterbox?, of worker: Worker) {
        guard let box else { return }
        retries[worker.id] = nil
        box.retryAt = nil
        box.isAnnounced = false
        keepAllChanges()
        parkedLetters[worker.blueprint.name] = box
        rearmSchedules()
    }

    /// More than a supervisor gives out of numbers that it does not keep.
    private static let sequenceGap: UInt64 = 1 << 20

    /// Drops what waits for a worker and what is scheduled for it: it is gone for good.
    package func dropLetters(of id: WorkerID) {
        guard let worker = workers[id], let box = worker.letterbox else { return }
        box.queue.clear()
        keepChanges(of: worker)
        keepAllChanges()
        for entry in box.book.entries {
            letters?.drop(schedule: entry.id, of: worker.blueprint.name, then: nil)
        }
        worker.letterbox = nil
        retries[id] = nil
        rearmSchedules()
    }
}
