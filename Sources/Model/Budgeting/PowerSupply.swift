/// One supply of power as the kernel lists it in /sys/class/power_supply.
package struct PowerSupply: Hashable, Sendable {
    /// What it is.
    package enum Kind: Hashable, Sendable {
        /// A battery of the machine, or an uninterruptible power supply.
        case battery
        /// An adapter.
        case mains
    }

    package let kind: Kind
    /// Whether it gives power: a battery that discharges, an adapter that is plugged in.
    package let isInUse: Bool
    /// The charge of a battery, in percent; nil where that is not known.
    package let charge: Int?

    /// A supply, by its parts.
    package init(_ kind: Kind, isInUse: Bool, charge: Int? = nil) {
        (self.kind, self.isInUse, self.charge) = (kind, isInUse, charge)
    }

    /// The files of a supply that are read.
    package static let files = ["type", "scope", "present", "online", "status", "capacity"]

    /// Reads what the kernel says of a supply: the content of its ``files``, by their names.
    ///
    /// Nil for a battery that is not there, or that is a device's and not the machine's (a mouse), and for what is neither a battery nor
    /// an adapter: a port for USB gives power that the status of the batteries tells of.
    package init?(_ files: [String: String]) {
        func word(_ name: String) -> String? {
            files[name].map { text in
                String(text.drop { $0.isWhitespace }.prefix { !$0.isNewline }.prefix(64))
            }
        }
        guard word("scope") != "Device", word("present") != "0" else { return nil }
        switch word("type") {
        case "Battery", "UPS":
            let charge = word("capacity").flatMap { Int($0) }.map { min(max($0, 0), 100) }
            self.init(.battery, isInUse: word("status") == "Discharging", charge: charge)
        case "Mains": self.init(.mains, isInUse: word("online") == "1")
        default: return nil
        }
    }
}

/// By what the machine is powered.
package struct PowerReading: Hashable, Sendable {
    /// Whether it has a battery at all.
    package let hasBattery: Bool
    /// Whether it lives on its batteries.
    package let isOnBattery: Bool
    /// The mean charge of its batteries, in percent; nil where no battery tells.
    package let charge: Int?

    /// A reading, by its parts.
    package init(hasBattery: Bool, isOnBattery: Bool, charge: Int?) {
        (self.hasBattery, self.isOnBattery, self.charge) = (hasBattery, isOnBattery, charge)
    }

    /// What these supplies come to: a machine is on battery where a battery discharges and no adapter is plugged in.
    package init(_ supplies: [PowerSupply]) {
        let batteries = supplies.filter { $0.kind == .battery }
        let charges = batteries.compactMap(\.charge)
        hasBattery = !batteries.isEmpty
        isOnBattery =
            batteries.contains(where: \.isInUse) && !supplies.contains { $0.kind == .mains && $0.isInUse }
        charge = charges.isEmpty ? nil : charges.reduce(0, +) / charges.count
    }

    /// A machine without batteries.
    package static let mains = PowerReading(hasBattery: false, isOnBattery: false, charge: nil)
}
