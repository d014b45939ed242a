internal import CSystemd
internal import Glibc
internal import Linux

/// Owns one `sd_event_source` and the handler it calls; dropping it disables and releases both.
///
/// It may be dropped by its own handler while that runs: libsystemd keeps the source until the call returns,
/// and `Handler.call` keeps the closure.
@safe struct SourceHandle: ~Copyable {
    let loop: EventLoop
    private let handler: AnyHandler

    /// Adds a source to `loop` by `add`, which gets the loop, the place for the source, and the handler.
    init(
        on loop: EventLoop, priority: Priority, handler: AnyHandler, operation: String,
        add: @escaping OutstandingSource.Addition
    ) throws(SystemdError) {
        loop.checkThread()
        try unsafe loop.add(OutstandingSource(handler, priority, operation, add))
        self.loop = loop
        self.handler = handler
    }

    deinit {
        let source = AbandonedSource(handler)
        if loop.isLoopThread {
            source.release(by: loop)
        } else {
            loop.release(source)
        }
    }

    /// The source of libsystemd's; nil until that is loaded.
    var known: OpaquePointer? { unsafe handler.raw }

    /// The source of libsystemd's, which is loaded where it is not.
    func raw() throws(SystemdError) -> OpaquePointer {
        try loop.load()
        guard let raw = unsafe handler.raw else {
            throw SystemdError(errno: ESTALE, operation: "sd_event_new")
        }
        return unsafe raw
    }

    /// Has `change` made when libsystemd is given the source.
    func later(_ operation: StaticString, _ change: @escaping (OpaquePointer) -> CInt) {
        loop.change(handler, unsafe OutstandingSource.Change(operation: operation, make: change))
    }

    /// Has libsystemd, which is not loaded yet, own the descriptor from when it is given the source.
    func ownLater(_ descriptor: consuming OwnedDescriptor) { loop.own(descriptor.release(), handler) }

    /// Lets the source fire or not.
    func setEnabled(_ enablement: Enablement) throws(SystemdError) {
        loop.checkThread()
        try checkSystemd(
            unsafe sd_event_source_set_enabled(try raw(), enablement.rawValue), "sd_event_source_set_enabled")
    }

    /// The same for kinds of sources of which nothing in the kernel depends, so that nothing can be refused.
    ///
    /// Once the loop has ended it does nothing: no source fires any more.
    func setEnabledInMemory(_ enablement: Enablement) {
        loop.checkThread()
        guard let raw = unsafe known else {
            return unsafe later("sd_event_source_set_enabled") {
                unsafe sd_event_source_set_enabled($0, enablement.rawValue)
            }
        }
        expect(unsafe sd_event_source_set_enabled(raw, enablement.rawValue), "sd_event_source_set_enabled")
    }

    /// Sets the moment of one of time, in microseconds.
    func setTime(_ moment: Int64) {
        guard let raw = unsafe known else {
            return unsafe later("sd_event_source_set_time") {
                unsafe sd_event_source_set_time($0, UInt64(clamping: moment))
            }
        }
        expect(unsafe sd_event_source_set_time(raw, UInt64(clamping: moment)), "sd_event_source_set_time")
    }

    var isEnabled: Bool {
        loop.checkThread()
        guard let raw = unsafe try? raw() else { return false }
        return unsafe sd_event_source_get_enabled(raw, nil) > 0
    }

    /// Traps on a failure that only a bug of this program can cause; `ESTALE`, of a loop that has ended, is none.
    func expect(_ result: CInt, _ operation: StaticString) {
        precondition(result >= 0 || result == -ESTALE, "\(operation): \(-result)")
    }
}

/// A source on its way to libsystemd.
@safe struct OutstandingSource {
    /// Adds it to a loop of libsystemd: gets that, the place for the source, and the handler.
    typealias Addition = (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>, UnsafeMutableRawPointer) ->
        CInt

    /// What is to be done to it when it is there.
    @safe struct Change {
        let operation: StaticString
        let make: (OpaquePointer) -> CInt
    }

    let handler: AnyHandler
    private let priority: Priority
    private let operation: String
    private let addition: Addition
    /// In order.
    var changes: [Change] = []
    /// The descriptor that is closed with it.
    var descriptor: Int32?

    init(_ handler: AnyHandler, _ priority: Priority, _ operation: String, _ add: @escaping Addition) {
        self.handler = handler
        self.priority = priority
        self.operation = operation
        unsafe addition = add
    }

    /// Gives it to libsystemd.
    func add(to event: OpaquePointer) throws(SystemdError) {
        var created: OpaquePointer?
        let userdata = unsafe Unmanaged.passUnretained(handler).toOpaque()
        try checkSystemd(unsafe addition(event, &created, userdata), operation)
        guard let raw = unsafe created else { throw SystemdError(errno: ENOMEM, operation: operation) }
        let result = unsafe sd_event_source_set_priority(raw, priority.rawValue)
        guard result >= 0 else {
            unsafe sd_event_source_disable_unref(raw)
            throw SystemdError(errno: -result, operation: "sd_event_source_set_priority")
        }
        unsafe handler.raw = raw
        if descriptor != nil {
            try checkSystemd(unsafe sd_event_source_set_io_fd_own(raw, 1), "sd_event_source_set_io_fd_own")
        }
        for change in changes { try checkSystemd(unsafe change.make(raw), "\(change.operation)") }
    }

    /// Closes the descriptor of one that libsystemd was not given.
    func closeDescriptor() { if let descriptor { close(descriptor) } }
}

/// A source that is not held any more, on its way to be released on the loop's thread.
@safe struct AbandonedSource: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: its maker gives up its reference; only `release` uses it, on the
    // loop's thread or, when the loop itself is being destroyed, on the only thread left that knows the loop.
    private let handler: AnyHandler

    init(_ handler: AnyHandler) { self.handler = handler }

    /// Releases it; `loop` is nil when the loop itself is being destroyed.
    func release(by loop: EventLoop?) {
        // The source goes first: it knows the handler by its address alone.
        if let raw = unsafe handler.raw {
            unsafe sd_event_source_disable_unref(raw)
            unsafe handler.raw = nil
        } else {
            loop?.forget(handler)
        }
        handler.released()
    }
}

/// What a source calls: an object, whose address goes through C.
@safe class AnyHandler {
    /// Its source of libsystemd's; nil before that is given it, and after it.
    var raw: OpaquePointer?
    /// The loop, which outlives its sources; what is abandoned when it ends is not called any more.
    unowned let loop: EventLoop
    /// Where in the source it is given.
    let givenAt: CodePlace

    init(_ loop: EventLoop, _ place: CodePlace) {
        self.loop = loop
        self.givenAt = place
    }

    /// Called on the loop's thread when the source is gone.
    func released() {}
}

/// A handler that is told a fact each time.
final class Handler<Fact>: AnyHandler {
    private let body: (Fact) -> Void

    init(_ loop: EventLoop, _ place: CodePlace, _ body: @escaping (Fact) -> Void) {
        self.body = body
        super.init(loop, place)
    }

    /// Calls the handler behind `userdata`, kept alive even if it drops its own source; 0 for libsystemd.
    static func call(_ userdata: UnsafeMutableRawPointer?, _ fact: Fact) -> CInt {
        guard let userdata = unsafe userdata else { return 0 }
        let handler = unsafe Unmanaged<Handler>.fromOpaque(userdata).takeUnretainedValue()
        withExtendedLifetime(handler) { handler.loop.serve(handler.givenAt) { handler.body(fact) } }
        return 0
    }
}
