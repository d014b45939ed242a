/// Work that may wait for a disk, in order, on a thread that is there only while there is some.
///
/// A loop that must not block leaves it here, and bounds what it leaves: one job for each thing that is worked on, not one for each
/// request. An idle queue has no thread: the thread starts with the first job and ends with the
/// last.
package final class JobThread: Sendable {
    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let queue = SignalledBox(Queue())

    /// A thread that does not exist yet.
    package init() {}

    /// Has `job` done after all that were given before; here and now where no thread can be had.
    package func perform(_ job: @escaping @Sendable () -> Void) {
        let mustStart = queue.with { queue in
            queue.jobs.append(job)
            defer { queue.isRunning = true }
            return !queue.isRunning
        }
        if mustStart, !start() { work() }
    }

    private func start() -> Bool {
        do {
            try DetachedThread.start { self.work() }
            return true
        } catch {
            // Ignoring why: without a thread the caller does the work itself.
            return false
        }
    }

    private func work() {
        while true {
            let batch = queue.with { queue in
                let batch = queue.jobs
                queue.jobs = []
                if batch.isEmpty { queue.isRunning = false }
                return batch
            }
            if batch.isEmpty { return }
            for job in batch { job() }
        }
    }
}
