internal import CSystemd
internal import Linux

/// What login1 says of the use of the machine: IdleHint and IdleSinceHintMonotonic of org.freedesktop.login1(5), over the bus.
///
/// Nothing here waits for the bus. Where it goes away, or login1 is not there, every answer is ``Use/unknown``.
@safe package final class LoginIdleness {
    /// Whether the machine's sessions are used.
    package enum Use: Hashable, Sendable {
        /// login1 does not say.
        case unknown
        /// One of them is.
        case used
        /// None has been used since then, in microseconds of the monotonic clock.
        case unusedSince(Int64)
    }

    private var bus: OpaquePointer?
    private var question: OpaquePointer?
    private var answered: ((Use) -> Void)?
    private let changed: () -> Void

    /// Connects to the bus at `address`, the system's if that is nil; `changed` is told when the use has begun or ended, as far as login1
    /// tells that by itself.
    package init(
        on loop: EventLoop, address: String? = nil, priority: Priority = .clients,
        changed: @escaping () -> Void
    ) throws(SystemdError) {
        loop.checkThread()
        self.changed = changed
        if let address {
            try unsafe checkSystemd(sd_bus_new(&bus), "sd_bus_new")
            try unsafe checkSystemd(sd_bus_set_address(bus, address), "sd_bus_set_address")
            try unsafe checkSystemd(sd_bus_set_bus_client(bus, 1), "sd_bus_set_bus_client")
            try unsafe checkSystemd(sd_bus_start(bus), "sd_bus_start")
        } else {
            try unsafe checkSystemd(sd_bus_open_system(&bus), "sd_bus_open_system")
        }
        try unsafe checkSystemd(
            sd_bus_attach_event(bus, try loop.handle, CInt(priority.rawValue)), "sd_bus_attach_event")
        let told: sd_bus_message_handler_t = { message, userdata, _ in
            guard let userdata = unsafe userdata else { return 0 }
            let itself = unsafe Unmanaged<LoginIdleness>.fromOpaque(userdata).takeUnretainedValue()
            withExtendedLifetime(itself) { itself.changed() }
            return 0
        }
        try unsafe checkSystemd(
            sd_bus_match_signal_async(
                bus, nil, "org.freedesktop.login1", "/org/freedesktop/login1",
                "org.freedesktop.DBus.Properties", "PropertiesChanged", told, nil,
                Unmanaged.passUnretained(self).toOpaque()),
            "sd_bus_match_signal_async")
    }

    deinit {
        unsafe sd_bus_slot_unref(question)
        unsafe sd_bus_detach_event(bus)
        unsafe sd_bus_close_unref(bus)
    }

    /// Asks, and hears the answer later; a question that is under way is given up without one.
    package func ask(_ answer: @escaping (Use) -> Void) {
        answered = answer
        unsafe ask(for: "IdleHint") { message, userdata, _ in
            unsafe LoginIdleness.hear(userdata) { itself in
                switch unsafe LoginIdleness.value(of: message, "b", as: CInt.self) {
                case nil: itself.end(.unknown)
                case 0: itself.end(.used)
                default: itself.askSince()
                }
            }
        }
    }

    private func askSince() {
        unsafe ask(for: "IdleSinceHintMonotonic") { message, userdata, _ in
            unsafe LoginIdleness.hear(userdata) { itself in
                let since = unsafe LoginIdleness.value(of: message, "t", as: UInt64.self)
                itself.end(since.map { .unusedSince(Int64(clamping: $0)) } ?? .unknown)
            }
        }
    }

    private func ask(for property: String, _ handler: @escaping sd_bus_message_handler_t) {
        unsafe sd_bus_slot_unref(question)
        unsafe question = nil
        let itself = unsafe Unmanaged.passUnretained(self).toOpaque()
        guard unsafe torpor_login_property(bus, &question, handler, itself, property) >= 0 else {
            return end(.unknown)
        }
    }

    private func end(_ use: Use) {
        let answered = self.answered
        self.answered = nil
        answered?(use)
    }

    private static func hear(
        _ userdata: UnsafeMutableRawPointer?, _ body: (LoginIdleness) -> Void
    ) -> CInt {
        guard let userdata = unsafe userdata else { return 0 }
        let itself = unsafe Unmanaged<LoginIdleness>.fromOpaque(userdata).takeUnretainedValue()
        withExtendedLifetime(itself) {
            // We are called by it: it ends with this call.
            unsafe sd_bus_slot_unref(itself.question)
            unsafe itself.question = nil
            body(itself)
        }
        return 1
    }

    /// The value of a property of a basic type; nil where there is none of that type.
    private static func value<Value: FixedWidthInteger>(
        of message: OpaquePointer?, _ type: String, as: Value.Type
    ) -> Value? {
        var value: Value = 0
        guard let kind = type.utf8.first,
            unsafe sd_bus_message_is_method_error(message, nil) == 0,
            unsafe sd_bus_message_enter_container(message, CChar(UInt8(ascii: "v")), type) > 0,
            unsafe sd_bus_message_read_basic(message, CChar(kind), &value) > 0
        else { return nil }
        return value
    }
}
