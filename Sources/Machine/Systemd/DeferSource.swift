internal import CSystemd

/// Calls its handler in a turn of the loop soon, without any outside event, as sd_event_add_defer(3) does.
@safe package struct DeferSource: ~Copyable {
    private let handle: SourceHandle

    /// A source that fires in the next turn (`oneshot`), in every turn (`on`), or when it is enabled later
    /// (`off`).
    package init(
        on loop: EventLoop, enabled: Enablement = .oneshot, priority: Priority,
        file: StaticString = #fileID, line: UInt = #line,
        handler: @escaping () -> Void
    ) throws(SystemdError) {
        handle = try unsafe SourceHandle(
            on: loop, priority: priority,
            handler: Handler<Void>(loop, CodePlace(file: file, line: line), handler),
            operation: "sd_event_add_defer"
        ) { event, source, userdata in
            unsafe sd_event_add_defer(
                event, source, { _, userdata in unsafe Handler.call(userdata, ()) }, userdata)
        }
        handle.setEnabledInMemory(enabled)
    }

    /// Lets the source fire once more, in every turn, or not at all; once the loop has ended it does nothing.
    package func setEnabled(_ enablement: Enablement) {
        handle.setEnabledInMemory(enablement)
    }

    package var isEnabled: Bool { handle.isEnabled }
}
