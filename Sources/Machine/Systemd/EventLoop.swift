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
    // Proof of `@unchecked Sendable`: `event` and `wakeSource` are used on `thread` alone, which every
    // member checks first, or in `deinit`, which has no rival; so are `outstanding`, `earlyExit`, `failure`, `batch`, `timers`, `pauses` and
    // `doing`; `loopQueue` has a lock; all else is immutable.
    private var event: OpaquePointer?
    /// The sources that libsystemd is to be given when it is loaded, in order.
    private var outstanding: [OutstandingSource] = []
    /// The code of an exit that was asked for before that.
    private var earlyExit: Int32?
    /// Why libsystemd could not be given all of them: a loop without some of its sources is not run.
    private var failure: SystemdError?
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
    ///
    /// With `loadsLater` libsystemd is given its sources by ``run()``, or by the first call that needs an answer of it: what was launched
    /// until then runs while it is loaded. What fails about a source is thrown there.
    package init(loadsLater: Bool = false) throws(SystemdError) {
        do throws(LinuxError) {
            wakeup = try Wakeup()
        } catch {
            throw SystemdError(errno: error.errno, operation: error.call)
        }
        self.thread = pthread_self()
        if !loadsLater { try load() }
    }

    /// Waits a moment for what a thread leaves.
    ///
    /// A child that has not executed its program shares this process's memory, whose map the loading of a library changes: both would wait for
    /// each other.
    private func awaitCall() {
        var call = pollfd(fd: wakeup.rawValue, events: Int16(POLLIN), revents: 0)
        // Ignoring the answer: it was for speed.
        unsafe _ = poll(&call, 1, Self.patience)
    }

    /// How long a loop that is loaded later waits for a first call before that, in milliseconds.
    private static let patience: Int32 = 10

    /// Whether libsystemd has its sources.
    var isLoaded: Bool { unsafe event != nil }

    /// Makes the loop of libsystemd with all sources that there are; where it is there, nothing.
    func load() throws(SystemdError) {
        if let failure { throw failure }
        guard unsafe event == nil else { return }
        do { try giveSources() } catch {
            failure = error
            throw error
        }
        if let earlyExit { exit(earlyExit) }
    }

    private func giveSources() throws(SystemdError) {
        var created: OpaquePointer?
        try unsafe checkSystemd(sd_event_new(&created), "sd_event_new")
        guard let created = unsafe created else {
            throw SystemdError(errno: ENOMEM, operation: "sd_event_new")
        }
        unsafe event = created
        try unsafe checkSystemd(
            sd_event_add_io(
                created, &wakeSource, wakeup.rawValue, UInt32(EPOLLIN.rawValue),
                { _, _, _, userdata in
                    guard let userdata = unsafe userdata else { return 0 }
                    unsafe Unmanaged<EventLoop>.fromOpaque(userdata).takeUnretainedValue().drain()
                    return 0
                }, Unmanaged.passUnretained(self).toOpaque()), "sd_event_add_io")
        try unsafe checkSystemd(
            sd_event_source_set_priority(wakeSource, Priority.clients.rawValue),
            "sd_event_source_set_priority")
        while !outstanding.isEmpty {
            let source = outstanding.removeFirst()
            do { try unsafe source.add(to: created) } catch {
                // What libsystemd has is closed by its handle, what it did not take with those that are left.
                if unsafe source.handler.raw == nil { outstanding.insert(source, at: 0) }
                throw error
            }
        }
    }

    /// The loop of libsystemd, which is loaded where it is not.
    var handle: OpaquePointer {
        get throws(SystemdError) {
            try load()
            guard let event = unsafe event else {
                throw SystemdError(errno: ENOMEM, operation: "sd_event_new")
            }
            return unsafe event
        }
    }

    /// Gives libsystemd a source: now, or when it is loaded.
    func add(_ source: OutstandingSource) throws(SystemdError) {
        guard let event = unsafe event else { return outstanding.append(source) }
        try unsafe source.add(to: event)
    }

    /// Has `change` made to the source of `handler` when libsystemd is given it.
    func change(_ handler: AnyHandler, _ change: OutstandingSource.Change) {
        guard let index = outstanding.firstIndex(where: { $0.handler === handler }) else { return }
        outstanding[index].changes.append(change)
    }

    /// Closes `descriptor` with the source of `handler`, which libsystemd has not been given.
    func own(_ descriptor: Int32, _ handler: AnyHandler) {
        guard let index = outstanding.firstIndex(where: { $0.handler === handler }) else { return }
        outstanding[index].descriptor = descriptor
    }

    /// Forgets the source of `handler`, which libsystemd was never given.
    func forget(_ handler: AnyHandler) {
        guard let index = outstanding.firstIndex(where: { $0.handler === handler }) else { return }
        outstanding.remove(at: index).closeDescriptor()
    }

    deinit {
        takeEntries()
        batch.releaseSources(of: nil)
        for source in outstanding { source.closeDescriptor() }
        guard let event = unsafe event else { return }
        unsafe sd_event_source_disable_unref(wakeSource)
        unsafe sd_event_unref(event)
    }

    /// Serves the sources and the calls until `exit(_:)`, and returns the code given there.
    ///
    /// A loop runs once: afterwards no source fires and no call is made any more.
    package func run() throws(SystemdError) -> Int32 {
        checkThread()
        if unsafe event == nil, earlyExit == nil { awaitCall() }
        return try unsafe checkSystemd(sd_event_loop(try handle), "sd_event_loop")
    }

    /// Serves the sources and the calls that are ready, as many as the loop serves at once, without waiting for others.
    ///
    /// Answers whether there was anything. For a program that decides itself when time passes; `run()` is not used besides.
    package func turn() throws(SystemdError) -> Bool {
        checkThread()
        return try unsafe checkSystemd(sd_event_run(try handle, 0), "sd_event_run") > 0
    }

    /// Ends `run()` with `code` (which must not be negative), after the exit sources have fired.
    ///
    /// What was already ready is not served any more. Once the loop has ended it does nothing.
    package func exit(_ code: Int32) {
        checkThread()
        precondition(code >= 0, "an exit code is not negative")
        guard let event = unsafe event else { return earlyExit = code }
        let result = unsafe sd_event_exit(event, code)
        precondition(result >= 0 || result == -ESTALE, "sd_event_exit: \(-result)")
    }

    /// The monotonic time, in microseconds, at which the loop last woke: the same for all that is served
    /// together.
    ///
    /// Before the first wake-up it is the time of the call.
    package var now: Int64 {
        checkThread()
        guard let event = unsafe event else { return KernelClock.monotonic }
        var microseconds: UInt64 = 0
        let result = unsafe sd_event_now(event, CLOCK_MONOTONIC, &microseconds)
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
        batch.releaseSources(of: self)
    }

    /// Runs what is in the queue now; what is added meanwhile waits for the next turn, so that no call starves
    /// a source.
    private func drain() {
        // Before the queue is emptied: a thread that finds it empty afterwards signals again.
        wakeup.clear()
        takeEntries()
        batch.makeCalls(on: self)
        batch.releaseSources(of: self)
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
