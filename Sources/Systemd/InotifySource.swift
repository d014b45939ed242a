internal import CSystemd
internal import Glibc

/// One change of a watched file or directory (inotify(7)).
public struct InotifyEvent: Hashable, Sendable {
    /// What happened.
    public let events: InotifyEvents
    /// The same non-zero number in the two halves of a move.
    public let cookie: UInt32
    /// The entry of the watched directory; empty when it is about the file itself.
    public let name: String

    /// A change as it was told.
    public init(events: InotifyEvents, cookie: UInt32, name: String) {
        self.events = events
        self.cookie = cookie
        self.name = name
    }
}

/// Calls its handler for changes of a file or directory, as sd_event_add_inotify(3) does.
///
/// All sources of one priority share one inotify descriptor. After `overflow` the watcher has to look for
/// itself.
@safe public struct InotifySource: ~Copyable {
    private let handle: SourceHandle

    /// Watches `path` for `events`.
    public init(
        on loop: EventLoop, path: String, events: InotifyEvents, priority: Priority,
        handler: @escaping (InotifyEvent) -> Void
    ) throws(SystemdError) {
        handle = try unsafe SourceHandle(
            on: loop, priority: priority, handler: Handler(handler), operation: "sd_event_add_inotify"
        ) { event, source, userdata in
            unsafe sd_event_add_inotify(
                event, source, path, events.rawValue,
                { _, event, userdata in
                    guard let event = unsafe event else { return 0 }
                    return unsafe Handler.call(userdata, InotifyEvent(event))
                }, userdata)
        }
    }
}

extension InotifyEvent {
    /// Copies the event at `pointer`, whose name follows it in memory.
    fileprivate init(_ pointer: UnsafePointer<inotify_event>) {
        let event = unsafe pointer.pointee
        // The kernel pads the name with NULs.
        let bytes = unsafe UnsafeRawBufferPointer(start: pointer + 1, count: Int(event.len)).prefix {
            $0 != 0
        }
        self.init(
            events: InotifyEvents(rawValue: event.mask), cookie: event.cookie,
            name: unsafe String(decoding: bytes, as: UTF8.self))
    }
}
