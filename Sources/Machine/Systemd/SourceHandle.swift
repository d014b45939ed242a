internal import CSystemd
internal import Glibc

/// Owns one `sd_event_source` and the handler it calls; dropping it disables and releases both.
///
/// It may be dropped by its own handler while that runs: libsystemd keeps the source until the call returns,
/// and `Handler.call` keeps the closure.
@safe struct SourceHandle: ~Copyable {
    let raw: OpaquePointer
    let loop: EventLoop
    private let handler: AnyHandler

    /// Adds a source to `loop` by `add`, which gets the loop, the place for the source, and the handler.
    init(
        on loop: EventLoop, priority: Priority, handler: AnyHandler, operation: String,
        add: (OpaquePointer, UnsafeMutablePointer<OpaquePointer?>, UnsafeMutableRawPointer) -> CInt
    ) throws(SystemdError) {
        loop.checkThread()
        var created: OpaquePointer?
        let userdata = unsafe Unmanaged.passUnretained(handler).toOpaque()
        try checkSystemd(unsafe add(loop.handle, &created, userdata), operation)
        guard let raw = unsafe created else { throw SystemdError(errno: ENOMEM, operation: operation) }
        let result = unsafe sd_event_source_set_priority(raw, priority.rawValue)
        guard result >= 0 else {
            unsafe sd_event_source_disable_unref(raw)
            throw SystemdError(errno: -result, operation: "sd_event_source_set_priority")
        }
        unsafe self.raw = raw
        self.loop = loop
        self.handler = handler
    }

    deinit {
        let source = unsafe AbandonedSource(raw: raw, handler: handler)
        if loop.isLoopThread {
            source.release()
        } else {
            loop.release(source)
        }
    }

    /// Lets the source fire or not.
    func setEnabled(_ enablement: Enablement) throws(SystemdError) {
        loop.checkThread()
        try checkSystemd(
            unsafe sd_event_source_set_enabled(raw, enablement.rawValue), "sd_event_source_set_enabled")
    }

    /// The same for kinds of sources of which nothing in the kernel depends, so that nothing can be refused.
    ///
    /// Once the loop has ended it does nothing: no source fires any more.
    func setEnabledInMemory(_ enablement: Enablement) {
        loop.checkThread()
        expect(unsafe sd_event_source_set_enabled(raw, enablement.rawValue), "sd_event_source_set_enabled")
    }

    var isEnabled: Bool {
        loop.checkThread()
        return unsafe sd_event_source_get_enabled(raw, nil) > 0
    }

    /// Traps on a failure that only a bug of this program can cause; `ESTALE`, of a loop that has ended, is none.
    func expect(_ result: CInt, _ operation: StaticString) {
        precondition(result >= 0 || result == -ESTALE, "\(operation): \(-result)")
    }
}

/// A source that is not held any more, on its way to be released on the loop's thread.
@safe struct AbandonedSource: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: its maker gives up both references; only `release` uses them, on the
    // loop's thread or, when the loop itself is being destroyed, on the only thread left that knows the loop.
    private let raw: OpaquePointer
    private let handler: AnyHandler

    init(raw: OpaquePointer, handler: AnyHandler) {
        unsafe self.raw = raw
        self.handler = handler
    }

    func release() {
        // The source goes first: it knows the handler by its address alone.
        unsafe sd_event_source_disable_unref(raw)
        handler.released()
    }
}

/// What a source calls: an object, whose address goes through C.
class AnyHandler {
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
