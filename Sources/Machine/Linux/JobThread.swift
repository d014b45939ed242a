/// Work that may wait for a disk, in order, on a thread that is there only while there is some.
///
/// A loop that must not block leaves it here, and bounds what it leaves: one job for each thing that is worked on, not one for each
/// request. An idle queue has no thread: the thread starts with the first job and ends with the
/// last. The caller never does the work itself: where no thread can be created, a job is refused, or waits until one can.
package final class JobThread: Sendable {
    private struct Queue {
        var jobs: [@Sendable () -> Void] = []
        var isRunning = false
        /// Some caller tries again to create the thread.
        var isAwaited = false
    }

    /// Creates a thread that runs a body.
    package typealias Start = @Sendable (_ body: @escaping @Sendable () -> Void) throws(LinuxError) -> Void

    private let queue = SignalledBox(Queue())
    private let makeThread: Start

    /// A thread that does not exist yet; `start` creates it.
    package init(start: @escaping Start = { (body) throws(LinuxError) in try DetachedThread.start(body) }) {
        makeThread = start
    }

    /// Has `job` done after all that were given before; throws why no thread could be created, and then `job` is never done.
    package func perform(_ job: @escaping @Sendable () -> Void) throws(LinuxError) {
        let refusal = queue.with { queue -> LinuxError? in
            queue.jobs.append(job)
            guard let refusal = start(&queue) else { return nil }
            queue.jobs.removeLast()
            return refusal
        }
        if let refusal { throw refusal }
    }

    /// Has `job` done after all that were given before; where no thread can be created it waits, with all that are left after it.
    ///
    /// Returns whether the caller is to try again by ``goOn()`` after a while, until that is true; no other caller does.
    package func leave(_ job: @escaping @Sendable () -> Void) -> Bool {
        queue.with { queue in
            queue.jobs.append(job)
            guard start(&queue) != nil, !queue.isAwaited else { return false }
            queue.isAwaited = true
            return true
        }
    }

    /// Tries again to create the thread for jobs that wait; whether nothing waits for one any more.
    package func goOn() -> Bool {
        queue.with { queue in
            guard start(&queue) == nil else { return false }
            queue.isAwaited = false
            return true
        }
    }

    /// Creates the thread where it is needed and not there, with the lock held, for which it waits; why that failed, or nil.
    private func start(_ queue: inout Queue) -> LinuxError? {
        guard !queue.isRunning, !queue.jobs.isEmpty else { return nil }
        do throws(LinuxError) {
            try makeThread { self.work() }
            queue.isRunning = true
            return nil
        } catch {
            return error
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
