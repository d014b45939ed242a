internal import Glibc

/// A value that threads share, and the signal by which one wakes another.
@safe package final class SignalledBox<Value>: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: `value` is touched with `mutex` held, and the two pointers never change.
    //
    // A pthread mutex and not `Synchronization.Mutex`: a condition needs one, and the thread sanitizer does not see the
    // other's futex. It would report every access as a race, and could not prove anything about the threads.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    /// A box that holds `value`.
    package init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// What `body` makes of the value, with the lock held.
    package func with<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// Changes the value, and wakes a thread that waits when `body` says so.
    package func post(_ body: (inout Value) -> Bool) {
        if with(body) { unsafe pthread_cond_signal(condition) }
    }

    /// What to do next.
    package enum Step<Result> {
        /// This.
        case take(Result)
        /// Nothing, until there is a signal.
        case wait
        /// Nothing, until there is a signal or this moment of the monotonic clock has come, in microseconds.
        case waitUntil(Int64)
    }

    /// Asks `body` until it takes something, and waits for a signal in between.
    package func take<Result>(_ body: (inout Value) -> Step<Result>) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            switch body(&value) {
            case .take(let result): return result
            case .wait: unsafe pthread_cond_wait(condition, mutex)
            case .waitUntil(let moment):
                var time = timespec(
                    tv_sec: Int(moment / 1_000_000), tv_nsec: Int(moment % 1_000_000) * 1000)
                unsafe pthread_cond_timedwait(condition, mutex, &time)
            }
        }
    }
}
