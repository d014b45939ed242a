internal import CSystemd
internal import Glibc
internal import Linux

/// What login1 tells of the machine and of one session (org.freedesktop.login1(5)), over the bus.
///
/// Nothing here waits for the bus. Where it goes away, or login1 is not there, it hears nothing.
@safe package final class LoginMonitor {
    /// What happened.
    package enum News: Hashable, Sendable {
        /// The machine is about to sleep.
        case sleeps
        /// It has slept.
        case woke
        /// It is about to be switched off.
        case shutsDown
        /// The session was locked.
        case locked
        /// The session was unlocked.
        case unlocked
        /// The lock that delays sleep and shutdown is held.
        case delays
    }

    /// Whether there is a system bus here.
    package static var isServed: Bool { unsafe access("/run/dbus/system_bus_socket", F_OK) == 0 }

    private var bus: OpaquePointer?
    private let handler: (News) -> Void
    private var inhibitor: OwnedDescriptor?
    /// An answer is on its way.
    private var asked: OpaquePointer?

    /// Listens on the bus at `address`, the system's if that is nil, for the machine and for `session`, if there is one.
    package init(
        on loop: EventLoop, address: String? = nil, session: String? = nil, priority: Priority = .clients,
        handler: @escaping (News) -> Void
    ) throws(SystemdError) {
        loop.checkThread()
        self.handler = handler
        if let address {
            try unsafe checkSystemd(sd_bus_new(&bus), "sd_bus_new")
            try unsafe checkSystemd(sd_bus_set_address(bus, address), "sd_bus_set_address")
            try unsafe checkSystemd(sd_bus_set_bus_client(bus, 1), "sd_bus_set_bus_client")
            try unsafe checkSystemd(sd_bus_negotiate_fds(bus, 1), "sd_bus_negotiate_fds")
            try unsafe checkSystemd(sd_bus_start(bus), "sd_bus_start")
        } else {
            try unsafe checkSystemd(sd_bus_open_system(&bus), "sd_bus_open_system")
        }
        try unsafe checkSystemd(
            sd_bus_attach_event(bus, loop.handle, CInt(priority.rawValue)), "sd_bus_attach_event")
        let manager = "org.freedesktop.login1.Manager"
        let place = "/org/freedesktop/login1"
        try unsafe match(place, manager, "PrepareForSleep") { message, userdata, _ in
            unsafe LoginMonitor.tell(userdata, LoginMonitor.flag(message) ? .sleeps : .woke)
        }
        try unsafe match(place, manager, "PrepareForShutdown") { message, userdata, _ in
            unsafe LoginMonitor.flag(message) ? LoginMonitor.tell(userdata, .shutsDown) : 0
        }
        guard let session, let path = Self.path(of: session) else { return }
        try unsafe match(path, "org.freedesktop.login1.Session", "Lock") { _, userdata, _ in
            unsafe LoginMonitor.tell(userdata, .locked)
        }
        try unsafe match(path, "org.freedesktop.login1.Session", "Unlock") { _, userdata, _ in
            unsafe LoginMonitor.tell(userdata, .unlocked)
        }
    }

    deinit {
        unsafe sd_bus_slot_unref(asked)
        unsafe sd_bus_detach_event(bus)
        unsafe sd_bus_close_unref(bus)
    }

    /// The session of this process: the one that it was started in, or the one of its user that has a screen.
    package static var ownSession: String? {
        var name: UnsafeMutablePointer<CChar>?
        if unsafe sd_pid_get_session(0, &name) < 0 {
            // Root's services belong to no screen.
            guard getuid() != 0, unsafe sd_uid_get_display(getuid(), &name) >= 0 else { return nil }
        }
        guard let found = unsafe name else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }

    /// Whether the lock that delays sleep and shutdown is held.
    package var delays: Bool { inhibitor != nil }

    /// Asks for the lock; `delays` is told when it is there, and nothing when it is refused.
    package func delay() throws(SystemdError) {
        guard inhibitor == nil, unsafe asked == nil else { return }
        let answered: sd_bus_message_handler_t = { message, userdata, _ in
            guard let userdata = unsafe userdata else { return 0 }
            let monitor = unsafe Unmanaged<LoginMonitor>.fromOpaque(userdata).takeUnretainedValue()
            unsafe monitor.take(message)
            return 1
        }
        let itself = unsafe Unmanaged.passUnretained(self).toOpaque()
        try unsafe checkSystemd(
            torpor_login_inhibit(
                bus, &asked, answered, itself, "sleep:shutdown", "torpor",
                "workers are being suspended or stopped"),
            "sd_bus_call_method_async")
    }

    /// Releases the lock: as far as this process is concerned the machine may sleep.
    package func release() { inhibitor = nil }

    private func take(_ answer: OpaquePointer?) {
        // We are called by it: it ends with this call.
        unsafe sd_bus_slot_unref(asked)
        unsafe asked = nil
        var number: CInt = -1
        // Ignoring a refusal: a process that may not delay the machine goes on without the lock.
        guard unsafe sd_bus_message_is_method_error(answer, nil) == 0,
            unsafe sd_bus_message_read_basic(answer, CChar(UInt8(ascii: "h")), &number) > 0,
            let copy = try? OwnedDescriptor.copy(of: number)
        else { return }
        inhibitor = consume copy
        handler(.delays)
    }

    private func match(
        _ path: String, _ interface: String, _ member: String, _ callback: @escaping sd_bus_message_handler_t
    ) throws(SystemdError) {
        let itself = unsafe Unmanaged.passUnretained(self).toOpaque()
        try unsafe checkSystemd(
            sd_bus_match_signal_async(
                bus, nil, "org.freedesktop.login1", path, interface, member, callback, nil, itself),
            "sd_bus_match_signal_async")
    }

    private static func tell(_ userdata: UnsafeMutableRawPointer?, _ news: News) -> CInt {
        guard let userdata = unsafe userdata else { return 0 }
        let monitor = unsafe Unmanaged<LoginMonitor>.fromOpaque(userdata).takeUnretainedValue()
        withExtendedLifetime(monitor) { monitor.handler(news) }
        return 0
    }

    private static func flag(_ message: OpaquePointer?) -> Bool {
        var value: CInt = 0
        return unsafe sd_bus_message_read_basic(message, CChar(UInt8(ascii: "b")), &value) > 0 && value != 0
    }

    private static func path(of session: String) -> String? {
        var path: UnsafeMutablePointer<CChar>?
        guard unsafe sd_bus_path_encode("/org/freedesktop/login1/session", session, &path) >= 0,
            let found = unsafe path
        else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }
}
