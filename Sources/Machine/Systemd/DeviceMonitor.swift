internal import CSystemd
internal import Glibc

/// What udev tells of a device (sd_device_monitor_start(3)).
package struct DeviceNews: Hashable, Sendable {
    /// What became of it: `add`, `remove`, `change` and others.
    package let action: String
    /// Its subsystem: `block`, `power_supply`.
    package let subsystem: String
    /// Its node below /dev; nil when it has none.
    package let node: String?
    /// Its place in sysfs, which every device has.
    package let path: String
    /// What udev knows of it besides.
    package let properties: [String: String]

    /// What was told.
    package init(
        action: String, subsystem: String, node: String?, path: String, properties: [String: String] = [:]
    ) {
        self.action = action
        self.subsystem = subsystem
        self.node = node
        self.path = path
        self.properties = properties
    }
}

/// Calls its handler for each device that udev has dealt with: one that came can be used then.
///
/// Where no udev runs it hears nothing.
@safe package final class DeviceMonitor {
    /// What is there while udev runs.
    package static let control = "/run/udev/control"

    /// Whether udev runs here, so that there is something to hear.
    package static var isServed: Bool { unsafe access(control, F_OK) == 0 }

    private var monitor: OpaquePointer?
    private let loop: EventLoop
    private let handler: (DeviceNews) -> Void

    /// Listens to all devices of these subsystems; to all there are when none is named.
    package init(
        on loop: EventLoop, subsystems: [String] = [], priority: Priority = .clients,
        handler: @escaping (DeviceNews) -> Void
    ) throws(SystemdError) {
        loop.checkThread()
        self.loop = loop
        self.handler = handler
        try unsafe checkSystemd(sd_device_monitor_new(&monitor), "sd_device_monitor_new")
        for subsystem in subsystems {
            try unsafe checkSystemd(
                sd_device_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil),
                "sd_device_monitor_filter_add_match_subsystem_devtype")
        }
        try unsafe checkSystemd(
            sd_device_monitor_attach_event(monitor, try loop.handle), "sd_device_monitor_attach_event")
        try unsafe checkSystemd(
            sd_device_monitor_start(
                monitor,
                { _, device, userdata in
                    guard let userdata = unsafe userdata, let device = unsafe device else { return 0 }
                    let monitor = unsafe Unmanaged<DeviceMonitor>.fromOpaque(userdata).takeUnretainedValue()
                    withExtendedLifetime(monitor) {
                        if let news = unsafe DeviceNews(device) { monitor.handler(news) }
                    }
                    return 0
                }, Unmanaged.passUnretained(self).toOpaque()), "sd_device_monitor_start")
        if let source = unsafe sd_device_monitor_get_event_source(monitor) {
            try unsafe checkSystemd(
                sd_event_source_set_priority(source, priority.rawValue), "sd_event_source_set_priority")
        }
    }

    deinit {
        // Its source goes with it, and does not call any more.
        unsafe sd_device_monitor_stop(monitor)
        unsafe sd_device_monitor_unref(monitor)
    }
}

extension DeviceNews {
    /// Copies what is known of a device; nil when it has no place.
    fileprivate init?(_ device: OpaquePointer) {
        var text: UnsafePointer<CChar>?
        guard unsafe sd_device_get_syspath(device, &text) >= 0, let path = unsafe text else { return nil }
        self.path = unsafe String(cString: path)
        subsystem = unsafe sd_device_get_subsystem(device, &text) >= 0 ? unsafe Self.string(text) ?? "" : ""
        node = unsafe sd_device_get_devname(device, &text) >= 0 ? unsafe Self.string(text) : nil
        action =
            unsafe sd_device_get_property_value(device, "ACTION", &text) >= 0
            ? unsafe Self.string(text) ?? "" : ""
        var properties: [String: String] = [:]
        for name in [
            "POWER_SUPPLY_NAME", "POWER_SUPPLY_ONLINE", "POWER_SUPPLY_STATUS", "POWER_SUPPLY_CAPACITY",
        ]
        where unsafe sd_device_get_property_value(device, name, &text) >= 0 {
            properties[name] = unsafe Self.string(text)
        }
        self.properties = properties
    }

    private static func string(_ text: UnsafePointer<CChar>?) -> String? {
        guard let text = unsafe text else { return nil }
        return unsafe String(cString: text)
    }
}
