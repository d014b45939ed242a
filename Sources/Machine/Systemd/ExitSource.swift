internal import CSystemd

/// Calls its handler once when the loop has been told to exit, before `run()` returns (sd_event_add_exit(3)).
///
/// Exit sources fire in the order of their priorities; no source of another kind fires any more.
@safe package struct ExitSource: ~Copyable {
    private let handle: SourceHandle

    /// A source that fires at the end of the loop.
    package init(
        on loop: EventLoop, priority: Priority, file: StaticString = #fileID, line: UInt = #line,
        handler: @escaping () -> Void
    ) throws(SystemdError) {
        handle = try unsafe SourceHandle(
            on: loop, priority: priority,
            handler: Handler<Void>(loop, CodePlace(file: file, line: line), handler),
            operation: "sd_event_add_exit"
        ) { event, source, userdata in
            unsafe sd_event_add_exit(
                event, source, { _, userdata in unsafe Handler.call(userdata, ()) }, userdata)
        }
    }
}
