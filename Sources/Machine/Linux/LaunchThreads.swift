internal import Glibc

/// Threads for launches, which may hang one by one without keeping the others waiting.
///
/// A few threads take the jobs in the order in which they came. A job that takes longer than ``patience`` is counted as
/// hanging: another thread takes its place, up to ``mostHanging``. Threads end when there has been nothing to do for a
/// second, so an idle process has none.
@safe package final class LaunchThreads: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: every stored property but the constants is touched with `mutex` held.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var jobs: [@Sendable () -> Void] = []
    /// The first of ``jobs`` that no thread has taken.
    private var next = 0
    /// When each job that is under way was begun, by the number of its thread; nil for one that hangs.
    private var begun: [Int: Int?] = [:]
    private var idle = 0
    private var threads = 0
    private var lastThread = 0

    /// How many jobs run side by side, as long as none hangs.
    package static let width = 3
    /// How many jobs may hang, beyond which the others wait.
    package static let mostHanging = 256
    /// How long a job may take before another thread takes its place, in microseconds.
    package static let patience = 50_000
    /// How long a thread waits for another job, in seconds.
    private static let linger = 1

    /// No threads yet.
    package init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe condition = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Has `job` run on a thread, after those that were given before it; true when it has to wait for one that may hang, and
    /// ``relieve()`` is to be called after ``patience``.
    package func perform(_ job: @escaping @Sendable () -> Void) -> Bool {
        locked {
            jobs.append(job)
            // One that was woken a moment ago counts as idle until it has the lock.
            if waiting > idle, busy < Self.width {
                startThread()
            } else {
                unsafe pthread_cond_signal(condition)
            }
            return waiting > idle
        }
    }

    /// Gives jobs that wait behind hanging ones threads of their own; true while some wait, and this is to be called again.
    package func relieve() -> Bool {
        locked {
            let now = MonotonicClock.now
            for (thread, since) in begun {
                if let since, now - since > Self.patience { begun[thread] = .some(nil) }
            }
            while waiting > idle, busy < Self.width, threads < Self.width + Self.mostHanging {
                if !startThread() { break }
            }
            return waiting > 0
        }
    }

    /// How many jobs wait for a thread.
    package var waitingCount: Int { locked { waiting } }

    /// How many jobs wait or are under way.
    package var count: Int { locked { waiting + begun.count } }

    /// Threads that are at work, or about to take a job, and do not hang.
    private var busy: Int { threads - begun.values.count { $0 == nil } }

    private var waiting: Int { jobs.count - next }

    @discardableResult private func startThread() -> Bool {
        lastThread += 1
        let number = lastThread
        do throws(LinuxError) {
            // A child borrows the stack of its thread until it executes.
            try DetachedThread.start(stackSize: 512 << 10) { self.run(number) }
            threads += 1
            return true
        } catch {
            // Ignoring which error it was: threads that are there take the jobs, or the next call tries again.
            return false
        }
    }

    private func run(_ number: Int) {
        while let job = take(number) {
            job()
            locked { begun[number] = nil }
        }
    }

    /// The next job; nil when there has been none for a while, and the thread is to end.
    private func take(_ number: Int) -> (@Sendable () -> Void)? {
        locked {
            // One whose place was taken while it hung is not needed any more.
            if busy > Self.width, waiting == 0 {
                threads -= 1
                return nil
            }
            var until = timespec()
            unsafe clock_gettime(CLOCK_MONOTONIC, &until)
            until.tv_sec += Self.linger
            while waiting == 0 {
                idle += 1
                let result = unsafe pthread_cond_timedwait(condition, mutex, &until)
                idle -= 1
                if result == ETIMEDOUT, waiting == 0 {
                    threads -= 1
                    return nil
                }
            }
            let job = jobs[next]
            next += 1
            if next == jobs.count { (jobs, next) = ([], 0) }
            begun[number] = MonotonicClock.now
            return job
        }
    }
}
