internal import CSystemd

/// Calls its handler after any other source has fired, before the loop waits again, as sd_event_add_post(3)
/// does.
///
/// It wakes nothing by itself: what must be done once per turn, whatever happened in it, is done here.
@safe package struct PostSource: ~Copyable {
    private let handle: SourceHandle

    /// A source that fires after every turn in which another source did.
    package init(
        on loop: EventLoop, enabled: Enablement = .on, priority: Priority,
        file: StaticString = #fileID, line: UInt = #line,
        handler: @escaping () -> Void
    ) throws(SystemdError) {
        handle = try unsafe SourceHandle(
            on: loop, priority: priority,
            handler: Handler<Void>(loop, CodePlace(file: file, line: line), handler),
            operation: "sd_event_add_post"
        ) { event, source, userdata in
            unsafe sd_event_add_post(
                event, source, { _, userdata in unsafe Handler.call(userdata, ()) }, userdata)
        }
        handle.setEnabledInMemory(enabled)
    }

    /// Lets the source fire, fire once, or not at all; once the loop has ended it does nothing.
    package func setEnabled(_ enablement: Enablement) {
        handle.setEnabledInMemory(enablement)
    }
}
