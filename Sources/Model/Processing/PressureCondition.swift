/// A condition for the pressure on a resource, as systemd's `ConditionMemoryPressure=` has it: the share of a time that runnable tasks
/// have waited for it, which is below a limit.
package enum PressureCondition: Hashable, Sendable {
    /// Whatever the pressure.
    case any
    /// At most so many hundredths of a percent, over this time.
    case atMost(hundredths: Int, over: Window)

    /// The times over which the kernel keeps averages.
    package enum Window: String, Hashable, Sendable, CaseIterable {
        case tenSeconds = "10s"
        case minute = "1min"
        case fiveMinutes = "5min"
    }

    /// Whether these averages meet it; a machine that does not know them has no pressure that is known of.
    package func isMet(by averages: PressureAverages?) -> Bool {
        guard case .atMost(let most, let window) = self, let averages else { return true }
        return averages[window] <= most
    }
}

/// What the kernel says of the pressure on a resource: the shares of the last times, in hundredths of a percent.
package struct PressureAverages: Hashable, Sendable {
    package var tenSeconds: Int
    package var minute: Int
    package var fiveMinutes: Int

    /// The averages, by their parts.
    package init(tenSeconds: Int, minute: Int, fiveMinutes: Int) {
        (self.tenSeconds, self.minute, self.fiveMinutes) = (tenSeconds, minute, fiveMinutes)
    }

    /// The same share over all times.
    package init(hundredths: Int) {
        self.init(tenSeconds: hundredths, minute: hundredths, fiveMinutes: hundredths)
    }

    /// The share over one of the times.
    package subscript(window: PressureCondition.Window) -> Int {
        switch window {
        case .tenSeconds: tenSeconds
        case .minute: minute
        case .fiveMinutes: fiveMinutes
        }
    }

    /// Reads the first line of a file of `/proc/pressure`, `some avg10=0.12 avg60=0.00 avg300=1.50 total=1`; nil where it is none.
    package init?(_ text: String) {
        var found: [String: Int] = [:]
        for line in text.split(separator: "\n").prefix(4) {
            let words = line.split(separator: " ")
            guard words.first == "some" else { continue }
            for word in words.dropFirst().prefix(8) {
                let parts = word.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { continue }
                found[String(parts[0])] = Self.hundredths(parts[1])
            }
            break
        }
        guard let ten = found["avg10"], let minute = found["avg60"], let five = found["avg300"] else {
            return nil
        }
        self.init(tenSeconds: ten, minute: minute, fiveMinutes: five)
    }

    /// `12.34` as 1234; nil for what is no number of that kind.
    private static func hundredths(_ text: Substring) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let whole = UInt16(first), whole <= 100 else { return nil }
        guard parts.count == 2 else { return Int(whole) * 100 }
        guard parts[1].utf8.count == 2, let fraction = UInt8(parts[1]), fraction < 100 else { return nil }
        return Int(whole) * 100 + Int(fraction)
    }
}

/// A resource whose pressure is a condition.
package enum PressedResource: String, Hashable, Sendable, CaseIterable {
    case cpu
    case memory
    case io

    /// The directive with the condition.
    package var directive: String {
        switch self {
        case .cpu: "ConditionCPUPressure"
        case .memory: "ConditionMemoryPressure"
        case .io: "ConditionIOPressure"
        }
    }
}
