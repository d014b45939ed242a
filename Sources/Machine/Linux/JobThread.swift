internal import Glibc

/// Work that may wait for a disk, in order, on a thread that is there only while there is some.
///
/// A loop that must not block leaves it here, and bounds what it leaves: one job for each thing that is worked on, not one for each
/// request. Nobody idle pays for a thread: it starts with the first job and ends with the
/// last.
@safe package final class JobThread: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: `jobs` and `isRunning` are touched with `mutex` held, and `mutex` never changes. A
    // pthread mutex, which the thread sanitizer sees.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var jobs: [@Sendable () -> Void] = []
    private var isRunning = false

    /// A thread that does not exist yet.
    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Has `job` done after all that were given before; here and now where no thread can be had.
    package func perform(_ job: @escaping @Sendable () -> Void) {
        let mustStart = locked {
            jobs.append(job)
            defer { isRunning = true }
            return !isRunning
        }
        if mustStart, !start() { work() }
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    private func start() -> Bool {
        do {
            try DetachedThread.start { self.work() }
            return true
        } catch {
            // Ignoring why: whoever has no thread does the work itself.
            return false
        }
    }

    private func work() {
        while true {
            let batch = locked {
                let batch = jobs
                jobs = []
                if batch.isEmpty { isRunning = false }
                return batch
            }
            if batch.isEmpty { return }
            for job in batch { job() }
        }
    }
}
