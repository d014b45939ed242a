internal import ConfigurationSyntax
internal import Lifecycle
internal import Notifications
internal import SupervisorPorts
package import Systemd
internal import Varlink
internal import WorkerFile

/// Devices and power, as udev tells of them.
extension SystemMonitors {
    /// Passes on what became of a device to the workers that subscribe to it.
    package func take(_ news: DeviceNews) {
        if news.subsystem == "power_supply" {
            tell(.powerChanged, payload: power(news))
            supplyChanged?()
        }
        guard let node = news.node, news.action == "add" || news.action == "remove" else { return }
        let isThere = news.action == "add"
        for (worker, subscriptions) in inOrder where subscriptions.concerns(device: node) {
            if subscriptions.topics.contains(.devicesChanged) {
                tell(worker, .devicesChanged, added: isThere ? [node] : [], removed: isThere ? [] : [node])
            }
            // One that has gone is nothing to wake for: it is told when there is something else.
            if isThere, subscriptions.wakesForDevices { receiver?.wake(worker, for: .device, node) }
        }
    }

    /// `{"capacity":80,"name":"BAT0","status":"Discharging"}`, `{"name":"AC","online":true}`; with `lowPower` where there is such a mode.
    private func power(_ news: DeviceNews) -> [UInt8] {
        var members: [(String, JSON)] = []
        let properties = news.properties
        if let name = properties["POWER_SUPPLY_NAME"] { members.append(("name", .string(name))) }
        if let online = properties["POWER_SUPPLY_ONLINE"] { members.append(("online", .bool(online != "0"))) }
        if let status = properties["POWER_SUPPLY_STATUS"] { members.append(("status", .string(status))) }
        if let capacity = properties["POWER_SUPPLY_CAPACITY"].flatMap({ Int64($0) }) {
            members.append(("capacity", .int(capacity)))
        }
        if let isLowPower { members.append(("lowPower", .bool(isLowPower))) }
        return Payload.object(members)
    }
}

extension SystemSubscriptions {
    /// Whether the device whose node is `node` is its business.
    func concerns(device node: String) -> Bool { devices.isEmpty || devices.contains { $0.matches(node) } }
}
