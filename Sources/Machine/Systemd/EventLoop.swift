internal import CSystemd
internal import Glibc
internal import Linux

/// One thread and one `sd_event` (sd_event_new(3)): what waits for the kernel.
///
/// Handlers of sources and what `call(_:)` leaves run on the thread that made the loop; so does everything that belongs to it, which
/// is plain classes that need no lock. The loop makes no thread of its own.
///
/// A handler that captures the owner of its source makes a circle: dropping the source breaks it. A call that is still queued when
/// the loop ends is never made.
///
/// Everything but `call(_:)` and the dropping of a source belongs to the loop's thread, and traps elsewhere.
@safe package final class EventLoop: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: `handle` and `wakeSource` are used on `thread` alone, which every
    // member checks first, or in `deinit`, which has no rival; so are `batch`, `timers`, `pauses` and `doing`; `loopQueue` has a
    // lock; all else is immutable.
    let handle: OpaquePointer
    private let thread: pthread_t
    private let wakeup: Wakeup
    private var wakeSource: OpaquePointer?
    private let loopQueue = SignalledBox(LoopEntries())
    private var batch = LoopEntries()
    let timers = TimerQueue()
    /// The longest times in which nothing else was served; on the loop's thread.
    package var pauses = LoopPauses()
    /// What the handler that is being served does, where that is more than its place tells; forgotten when it ends.
    package var doing: String?

    /// A loop that belongs to the calling thread.
    package init() throws(SystemdError) {
        var created: OpaquePointer?
        try unsafe checkSystemd(sd_event_new(&created), "sd_event_new")
        guard let handle = unsafe created else {
            throw SystemdError(errno: ENOMEM, operation: "sd_event_new")
        }
        do throws(LinuxError) {
            wakeup = try Wakeup()
        } catch {
            unsafe sd_event_unref(handle)
            throw SystemdError(errno: error.errno, operation: error.call)
        }
        unsafe self.handle = handle
        self.thread = pthread_self()
        try unsafe checkSystemd(
            sd_event_add_io(
                handle, &wakeSource, wakeup.rawValue, UInt32(EPOLLIN.rawValue),
                { _, _, _, userdata in
                    guard let userdata = unsafe userdata else { return 0 }
                    unsafe Unmanaged<EventLoop>.fromOpaque(userdata).takeUnretainedValue().drain()
                    return 0
                }, Unmanaged.passUnretained(self).toOpaque()), "sd_event_add_io")
        try unsafe checkSystemd(
            sd_event_source_set_priority(wakeSource, Priority.clients.rawValue),
            "sd_event_source_set_priority")
    }

    deinit {
        takeEntries()
        batch.releaseSources()
        unsafe sd_event_source_disable_unref(wakeSource)
        unsafe sd_event_unref(handle)
    }

    /// Serves the sources and the calls until `exit(_:)`, and returns the code given there.
    ///
    /// A loop runs once: afterwards no source fires and no call is made any more.
    package func run() throws(SystemdError) -> Int32 {
        checkThread()
        return try unsafe checkSystemd(sd_event_loop(handle), "sd_event_loop")
    }

    /// Serves the sources and the calls that are ready, as many as the loop serves at once, without waiting for others.
    ///
    /// Answers whether there was anything. For a program that decides itself when time passes; `run()` is not used besides.
    package func turn() throws(SystemdError) -> Bool {
        checkThread()
        return try unsafe checkSystemd(sd_event_run(handle, 0), "sd_event_run") > 0
    }

    /// Ends `run()` with `code` (which must not be negative), after the exit sources have fired.
    ///
    /// What was already ready is not served any more. Once the loop has ended it does nothing.
    package func exit(_ code: Int32) {
        checkThread()
        precondition(code >= 0, "an exit code is not negative")
        let result = unsafe sd_event_exit(handle, code)
        precondition(result >= 0 || result == -ESTALE, "sd_event_exit: \(-result)")
    }

    /// The monotonic time, in microseconds, at which the loop last woke: the same for all that is served
    /// together.
    ///
    /// Before the first wake-up it is the time of the call.
    package var now: Int64 {
        checkThread()
        var microseconds: UInt64 = 0
        let result = unsafe sd_event_now(handle, CLOCK_MONOTONIC, &microseconds)
        precondition(result >= 0, "sd_event_now: \(-result)")
        return Int64(clamping: microseconds)
    }

    /// Releases a source whose handle was dropped elsewhere, on the loop's thread.
    ///
    /// The last reference to its owner may be dropped by any thread.
    func release(_ source: AbandonedSource) {
        post { $0.abandoned.append(source) }
    }

    /// Has `body` called on the loop's thread in a turn of its own; from any thread, in order for each of them.
    ///
    /// It is how work that must not be done on the loop comes back to it. Once the loop has ended it is never called.
    package func call(
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () -> Void
    ) {
        post { $0.calls.append(LoopCall(place: CodePlace(file: file, line: line), body: body)) }
    }

    /// Adds to the queue and wakes the loop, unless that has been done already.
    ///
    /// The loop is woken before the queue is unlocked: once a call can run, it may drop the last reference to
    /// the loop, whose descriptor must not be used any more then.
    private func post(_ write: (inout LoopEntries) -> Void) {
        loopQueue.with { entries in
            let wasEmpty = entries.isEmpty
            write(&entries)
            if wasEmpty { wakeup.signal() }
        }
    }

    /// Makes what is in the queue the batch, whose room is used for what comes next.
    private func takeEntries() { loopQueue.with { swap(&$0, &batch) } }

    /// Drops the calls that are still queued, of a loop that is not run any more: one that refers to the loop keeps it.
    package func dropCalls() {
        checkThread()
        wakeup.clear()
        takeEntries()
        batch.calls = []
        batch.releaseSources()
    }

    /// Runs what is in the queue now; what is added meanwhile waits for the next turn, so that no call starves
    /// a source.
    private func drain() {
        // Before the queue is emptied: a thread that finds it empty afterwards signals again.
        wakeup.clear()
        takeEntries()
        batch.makeCalls(on: self)
        batch.releaseSources()
    }
}

extension EventLoop {
    /// Traps when the calling thread is not the loop's.
    package func checkThread() {
        precondition(isLoopThread, "not on the thread of the event loop")
    }

    /// Whether the calling thread is the loop's: what runs there has the loop to itself.
    package var isLoopThread: Bool { pthread_equal(thread, pthread_self()) != 0 }
}
