/// Threads for launches, which may hang one by one without keeping the others waiting.
///
/// A few threads take the jobs in the order in which they came. A job that takes longer than ``patience`` is counted as
/// hanging: another thread takes its place, up to ``mostHanging``. Threads end when there has been nothing to do for a
/// second, so an idle process has none.
package final class LaunchThreads: Sendable {
    private struct Pool {
        var jobs: [@Sendable () -> Void] = []
        /// The first of ``jobs`` that no thread has taken.
        var next = 0
        /// When each job that is under way was begun, by the number of its thread; nil for one that hangs.
        var begun: [Int: Int64?] = [:]
        var idle = 0
        var threads = 0
        var lastThread = 0

        /// Threads that are at work, or about to take a job, and do not hang.
        var busy: Int { threads - begun.values.count { $0 == nil } }
        var waiting: Int { jobs.count - next }
    }

    private let pool = SignalledBox(Pool())

    /// How many jobs run side by side, as long as none hangs.
    package static let width = 3
    /// How many jobs may hang, beyond which the others wait.
    package static let mostHanging = 256
    /// How long a job may take before another thread takes its place, in microseconds.
    package static let patience: Int64 = 50_000
    /// How long a thread waits for another job, in microseconds.
    private static let linger: Int64 = 1_000_000

    /// No threads yet.
    package init() {}

    /// Has `job` run on a thread, after those that were given before it; true when it has to wait for one that may hang, and
    /// ``relieve()`` is to be called after ``patience``.
    ///
    /// Fails, and does not take the job, where no thread is there and none can be made: EAGAIN at a limit of tasks (pthread_create(3)).
    package func perform(_ job: @escaping @Sendable () -> Void) throws(LinuxError) -> Bool {
        var failure: LinuxError?
        let mustWait = add(job) { failure = $0 }
        if let failure { throw failure }
        return mustWait
    }

    /// The same for a job that may wait where no thread can be made, until a later one brings one.
    package func leave(_ job: @escaping @Sendable () -> Void) -> Bool { add(job, orElse: nil) }

    private func add(_ job: @escaping @Sendable () -> Void, orElse refuse: ((LinuxError) -> Void)?) -> Bool {
        var mustWait = false
        pool.post { pool in
            pool.jobs.append(job)
            // One that was woken a moment ago counts as idle until it has the lock.
            mustWait = pool.waiting > pool.idle
            guard mustWait, pool.busy < Self.width else { return true }
            guard let error = startThread(of: &pool) else { mustWait = false; return false }
            guard pool.busy == 0, let refuse else { return false }
            pool.jobs.removeLast()
            refuse(error)
            return false
        }
        return mustWait
    }

    /// Gives jobs that wait behind hanging ones threads of their own; true while some wait, and this is to be called again.
    package func relieve() -> Bool {
        pool.with { pool in
            let now = KernelClock.monotonic
            for (thread, since) in pool.begun {
                if let since, now - since > Self.patience { pool.begun[thread] = .some(nil) }
            }
            while pool.waiting > pool.idle, pool.busy < Self.width,
                pool.threads < Self.width + Self.mostHanging
            {
                if startThread(of: &pool) != nil { break }
            }
            return pool.waiting > 0
        }
    }

    /// How many jobs wait for a thread.
    package var waitingCount: Int { pool.with { $0.waiting } }

    /// How many jobs wait or are under way.
    package var count: Int { pool.with { $0.waiting + $0.begun.count } }

    /// Nil when it has been started; else threads that are there take the jobs, or a later call tries again.
    private func startThread(of pool: inout Pool) -> LinuxError? {
        pool.lastThread += 1
        let number = pool.lastThread
        do throws(LinuxError) {
            // A child borrows the stack of its thread until it executes.
            try DetachedThread.start(stackSize: 512 << 10) { self.run(number) }
            pool.threads += 1
            return nil
        } catch {
            return error
        }
    }

    private func run(_ number: Int) {
        while let job = take(number) {
            job()
            pool.with { $0.begun[number] = nil }
        }
    }

    /// The next job; nil when there has been none for a while, and the thread is to end.
    private func take(_ number: Int) -> (@Sendable () -> Void)? {
        let until = KernelClock.monotonic + Self.linger
        var hasWaited = false
        return pool.take { pool in
            if hasWaited { pool.idle -= 1 }
            if pool.waiting > 0 {
                let job = pool.jobs[pool.next]
                pool.next += 1
                if pool.next == pool.jobs.count { (pool.jobs, pool.next) = ([], 0) }
                pool.begun[number] = KernelClock.monotonic
                return .take(job)
            }
            // One whose place was taken while it hung is not needed any more.
            if pool.busy > Self.width || KernelClock.monotonic >= until {
                pool.threads -= 1
                return .take(nil)
            }
            pool.idle += 1
            hasWaited = true
            return .waitUntil(until)
        }
    }
}
