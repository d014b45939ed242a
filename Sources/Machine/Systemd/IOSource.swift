internal import CSystemd
internal import Glibc
package import Linux

/// Calls its handler while a descriptor is ready, as sd_event_add_io(3) does: level-triggered.
@safe package struct IOSource: ~Copyable {
    private let handle: SourceHandle
    /// The descriptor that is watched.
    package let descriptor: Int32

    /// Watches `descriptor`, which the caller keeps open for as long as the source lives.
    ///
    /// Drop the source before the descriptor is closed: its number may be given to another file at once.
    /// `EPERM` is thrown for a regular file, which is always ready.
    package init(
        on loop: EventLoop, descriptor: Int32, events: IOEvents, priority: Priority,
        file: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (IOEvents) -> Void
    ) throws(SystemdError) {
        self.descriptor = descriptor
        // What epoll(7) refuses is known at once.
        if !loop.isLoaded, !Self.isTaken(descriptor) { try loop.load() }
        handle = try unsafe SourceHandle(
            on: loop, priority: priority, handler: Handler(loop, CodePlace(file: file, line: line), handler),
            operation: "sd_event_add_io"
        ) { event, source, userdata in
            unsafe sd_event_add_io(
                event, source, descriptor, events.rawValue,
                { _, _, events, userdata in
                    unsafe Handler.call(userdata, IOEvents(rawValue: events))
                }, userdata)
        }
    }

    /// Watches `descriptor`, which the source owns and closes when it is dropped.
    package init(
        on loop: EventLoop, owning descriptor: consuming OwnedDescriptor, events: IOEvents,
        priority: Priority,
        file: StaticString = #fileID, line: UInt = #line,
        handler: @escaping (IOEvents) -> Void
    ) throws(SystemdError) {
        try self.init(
            on: loop, descriptor: descriptor.rawValue, events: events, priority: priority, file: file,
            line: line,
            handler: handler)
        own(descriptor)
    }

    /// Whether epoll(7) takes it for sure: pipes, sockets, and what has no file, as signalfd(2).
    private static func isTaken(_ descriptor: Int32) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0
            && [S_IFIFO, S_IFSOCK, 0].contains(status.st_mode & S_IFMT)
    }

    /// Takes over the descriptor that is watched, to close it when the source is dropped.
    func own(_ descriptor: consuming OwnedDescriptor) {
        guard let raw = unsafe handle.known else { return handle.ownLater(descriptor) }
        handle.expect(unsafe sd_event_source_set_io_fd_own(raw, 1), "sd_event_source_set_io_fd_own")
        _ = descriptor.release()
    }

    /// Changes what is watched for; `hangup` and `error` are always.
    package func setEvents(_ events: IOEvents) throws(SystemdError) {
        handle.loop.checkThread()
        try checkSystemd(
            unsafe sd_event_source_set_io_events(try handle.raw(), events.rawValue),
            "sd_event_source_set_io_events"
        )
    }

    /// Lets the source fire (`on`), fire once, or not at all; a source is made `on`.
    package func setEnabled(_ enablement: Enablement) throws(SystemdError) {
        try handle.setEnabled(enablement)
    }

    package var isEnabled: Bool { handle.isEnabled }
}
