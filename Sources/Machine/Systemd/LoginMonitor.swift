internal import CSystemd
internal import Glibc
internal import Linux

/// What login1 tells of the machine and of its sessions (org.freedesktop.login1(5)), over the bus.
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
        /// These are all sessions.
        case sessions([Session])
        /// The session with this id was locked.
        case locked(String)
        /// The session with this id was unlocked.
        case unlocked(String)
        /// The session with this id ended.
        case sessionEnded(String)
        /// The lock that delays sleep and shutdown is held.
        case delays
    }

    /// A session.
    package struct Session: Hashable, Sendable {
        /// Its id.
        package let id: String
        /// The user, as a number.
        package let uid: UInt32
        /// The user, by name.
        package let user: String
    }

    /// Whether there is a system bus here.
    package static var isServed: Bool {
        // As sd_bus_open_system(3) looks for it.
        unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") != nil
            || access("/run/dbus/system_bus_socket", F_OK) == 0
    }

    private var bus: OpaquePointer?
    private let handler: (News) -> Void
    private var inhibitor: OwnedDescriptor?
    /// An answer is on its way.
    private var asked: OpaquePointer?
    /// The list of sessions is on its way.
    private var listing: OpaquePointer?

    /// Listens on the bus at `address`, the system's if that is nil, for the machine and for all sessions, which it asks for.
    package init(
        on loop: EventLoop, address: String? = nil, priority: Priority = .clients,
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
            sd_bus_attach_event(bus, try loop.handle, CInt(priority.rawValue)), "sd_bus_attach_event")
        let manager = "org.freedesktop.login1.Manager"
        let place = "/org/freedesktop/login1"
        try unsafe match(place, manager, "PrepareForSleep") { message, userdata, _ in
            unsafe LoginMonitor.tell(userdata, LoginMonitor.flag(message) ? .sleeps : .woke)
        }
        try unsafe match(place, manager, "PrepareForShutdown") { message, userdata, _ in
            unsafe LoginMonitor.flag(message) ? LoginMonitor.tell(userdata, .shutsDown) : 0
        }
        try unsafe match(nil, "org.freedesktop.login1.Session", "Lock") { message, userdata, _ in
            unsafe LoginMonitor.session(of: message).map { unsafe LoginMonitor.tell(userdata, .locked($0)) }
                ?? 0
        }
        try unsafe match(nil, "org.freedesktop.login1.Session", "Unlock") { message, userdata, _ in
            unsafe LoginMonitor.session(of: message).map { unsafe LoginMonitor.tell(userdata, .unlocked($0)) }
                ?? 0
        }
        try unsafe match(place, manager, "SessionRemoved") { message, userdata, _ in
            unsafe LoginMonitor.text(message).map { unsafe LoginMonitor.tell(userdata, .sessionEnded($0)) }
                ?? 0
        }
        try unsafe match(place, manager, "SessionNew") { _, userdata, _ in
            guard let userdata = unsafe userdata else { return 0 }
            unsafe Unmanaged<LoginMonitor>.fromOpaque(userdata).takeUnretainedValue().listSessions()
            return 0
        }
        listSessions()
    }

    /// Asks for all sessions; one question at a time is enough, and the answer to a later one has what is new.
    private func listSessions() {
        unsafe sd_bus_slot_unref(listing)
        unsafe listing = nil
        let answered: sd_bus_message_handler_t = { message, userdata, _ in
            guard let userdata = unsafe userdata else { return 0 }
            let monitor = unsafe Unmanaged<LoginMonitor>.fromOpaque(userdata).takeUnretainedValue()
            withExtendedLifetime(monitor) { unsafe monitor.takeSessions(message) }
            return 1
        }
        let itself = unsafe Unmanaged.passUnretained(self).toOpaque()
        // Ignoring a failure: without a list the supervisor's own session alone is known.
        _ = unsafe torpor_login_list(bus, &listing, answered, itself)
    }

    private func takeSessions(_ answer: OpaquePointer?) {
        // We are called by it: it ends with this call.
        unsafe sd_bus_slot_unref(listing)
        unsafe listing = nil
        // Where login1 is not there, there are no sessions.
        guard unsafe sd_bus_message_is_method_error(answer, nil) == 0,
            unsafe sd_bus_message_enter_container(answer, CChar(UInt8(ascii: "a")), "(susso)") > 0
        else { return handler(.sessions([])) }
        var sessions: [Session] = []
        var (id, user): (UnsafePointer<CChar>?, UnsafePointer<CChar>?) = (nil, nil)
        var uid: UInt32 = 0
        while unsafe torpor_login_session(answer, &id, &uid, &user) > 0, let id = unsafe id,
            let user = unsafe user
        {
            unsafe sessions.append(
                Session(id: String(cString: id), uid: uid, user: String(cString: user)))
        }
        handler(.sessions(sessions))
    }

    deinit {
        unsafe sd_bus_slot_unref(asked)
        unsafe sd_bus_slot_unref(listing)
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
        _ path: String?, _ interface: String, _ member: String, _ callback: @escaping sd_bus_message_handler_t
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

    private static func text(_ message: OpaquePointer?) -> String? {
        var text: UnsafePointer<CChar>?
        let kind = CChar(UInt8(ascii: "s"))
        guard unsafe sd_bus_message_read_basic(message, kind, &text) > 0, let text = unsafe text else {
            return nil
        }
        return unsafe String(cString: text)
    }

    /// The id of the session that a signal comes from, by its object.
    private static func session(of message: OpaquePointer?) -> String? {
        guard let path = unsafe sd_bus_message_get_path(message) else { return nil }
        var id: UnsafeMutablePointer<CChar>?
        guard unsafe sd_bus_path_decode(path, "/org/freedesktop/login1/session", &id) > 0,
            let found = unsafe id
        else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }
}
