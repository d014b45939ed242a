internal import Glibc

/// Work that may wait for a disk, in order, on a thread that is there only while there is some.
///
/// A loop that must not block leaves it here. Nobody idle pays for a thread: it starts with the first job and ends with the
/// last.
@safe public final class JobThread: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: `jobs` and `isRunning` are touched with `mutex` held, and `mutex` never changes. A
    // pthread mutex, which the thread sanitizer sees.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var jobs: [@Sendable () -> Void] = []
    private var isRunning = false

    /// A thread that does not exist yet.
    public init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Has `job` done after all that were given before; here and now where no thread can be had.
    public func perform(_ job: @escaping @Sendable () -> Void) {
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

    /// Starts the thread, with every signal blocked: signals are the loop's.
    private func start() -> Bool {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(self)
        let result = unsafe pthread_create(&thread, nil, { argument in
            // It was retained for this thread.
            if let argument = unsafe argument {
                unsafe Unmanaged<JobThread>.fromOpaque(argument).takeRetainedValue().work()
            }
            return nil
        }, box.toOpaque())
        guard result == 0 else {
            unsafe box.release()
            return false
        }
        pthread_detach(thread)
        return true
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
