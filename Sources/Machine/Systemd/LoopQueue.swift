internal import Glibc

/// What other threads have left for the loop's: calls, and sources whose handles were dropped elsewhere.
@safe final class LoopQueue: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: `entries` is touched with `mutex` held, and `mutex` never changes.
    //
    // A pthread mutex and not `Synchronization.Mutex`, whose futex the thread sanitizer does not see: it
    // would report every access as a race, and could not prove anything about the loop.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private var entries = LoopEntries()

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Adds to what is there, and calls `wake` if nothing was.
    func add(_ write: (inout LoopEntries) -> Void, wake: () -> Void) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        let wasEmpty = entries.isEmpty
        write(&entries)
        if wasEmpty { wake() }
    }

    /// Gives what is there for `empty`, whose room is used for what comes next.
    func exchange(_ empty: inout LoopEntries) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        swap(&entries, &empty)
    }
}

/// What has been left in one turn of the loop.
struct LoopEntries {
    var calls: [@Sendable () -> Void] = []
    var abandoned: [AbandonedSource] = []

    var isEmpty: Bool { calls.isEmpty && abandoned.isEmpty }

    /// Makes the calls, in the order in which they were left.
    mutating func makeCalls() {
        // Most turns have none: an empty array keeps no room.
        guard !calls.isEmpty else { return }
        for call in calls { call() }
        calls = []
    }

    mutating func releaseSources() {
        for source in abandoned { source.release() }
        abandoned.removeAll()
    }
}
