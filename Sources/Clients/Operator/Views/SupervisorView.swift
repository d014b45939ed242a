package import ControlAPI

/// What `torpor status` shows without a name: the supervisor itself.
package struct SupervisorView: Codable, Hashable, Sendable {
    package let socket: String
    package let pid: Int64
    package let version: String
    package let logLevel: SupervisorInterface.LogLevel
    /// How many workers it has, by state.
    package let workers: [String: Int]
    package let failedCount: Int
    /// How many have a file that does not hold.
    package let badSettingCount: Int
    package let asleepCount: Int64
    /// What was reclaimed in their sleep.
    package let givenBackBytes: Int64
    /// How short the machine is of memory; nil where the supervisor does not watch that.
    package let pressure: SupervisorInterface.Pressure.Reply?
    /// Low-power mode; nil where the supervisor has none.
    package let lowPower: SupervisorInterface.GetLowPower.Reply?
    /// What it costs; nil where the supervisor does not tell that.
    package let cost: SupervisorInterface.Cost.Reply?
    /// What its place allows.
    package let findings: [SupervisorInterface.Finding]

    /// Asks the supervisor at `socket` for all of it.
    package init(at socket: String, over transport: inout some ControlTransport) throws(Failure) {
        let ping = try transport.call(SupervisorInterface.Ping.self, .init())
        let list = try transport.call(SupervisorInterface.List.self, .init())
        self.socket = socket
        pid = ping.pid
        version = ping.version
        logLevel = try transport.call(SupervisorInterface.GetLogLevel.self, .init()).level
        do throws(Failure) {
            findings = try transport.call(SupervisorInterface.Doctor.self, .init()).findings
        } catch  where error.isNotOffered {
            findings = []
        }
        do throws(Failure) {
            pressure = try transport.call(SupervisorInterface.Pressure.self, .init())
        } catch  where error.isNotOffered {
            pressure = nil
        }
        do throws(Failure) {
            lowPower = try transport.call(SupervisorInterface.GetLowPower.self, .init())
        } catch  where error.isNotOffered {
            lowPower = nil
        }
        do throws(Failure) {
            cost = try transport.call(SupervisorInterface.Cost.self, .init())
        } catch  where error.isNotOffered {
            cost = nil
        }
        workers = Dictionary(list.workers.map { ($0.state.rawValue, 1) }, uniquingKeysWith: +)
        failedCount = list.workers.count { $0.reason == .failed }
        badSettingCount = list.workers.count { $0.reason == .badSetting }
        asleepCount = list.asleepCount
        givenBackBytes = list.givenBackBytes
    }

    /// All of it, as lines.
    package func rendered(_ style: Style, at clock: WallClock) -> String {
        let isWell = failedCount + badSettingCount == 0
        var fields = Fields()
        fields.add("Socket", socket.printable)
        fields.add("Main PID", "\(pid)")
        fields.add("Workers", style.paint(workersInWords, isWell ? nil : .bad))
        // In the notation of the sizes below.
        let given = givenBackBytes > 0 ? ", \(size(givenBackBytes)) reclaimed from them" : ""
        fields.add("Sleep", "\(asleepCount) asleep\(given)")
        if let freezer = findings.first(where: { $0.capability == "freezer" }) {
            fields.add("Freezer", style.paint(freezer.detail.printable, freezer.available ? nil : .attention))
        }
        if let shares = findings.first(where: { $0.capability == "shares" }) {
            fields.add("Shares", style.paint(shares.detail.printable, shares.available ? nil : .attention))
        }
        if let pressure { fields.add("Memory", pressure.lines(style)) }
        if let lowPower {
            fields.add("Low power", style.paint(lowPower.words, lowPower.on ? .attention : nil))
        }
        if let cost {
            fields.add("Cost", cost.words)
            if let pauses = cost.pauses(clock) { fields.add("Pauses", pauses) }
        }
        fields.add("Log level", logLevel.rawValue)
        let gaps = findings.filter { !$0.available }.map(\.capability.printable)
        if !gaps.isEmpty {
            fields.add(
                "Missing", style.paint(gaps.joined(separator: ", "), .attention) + "; see 'torpor doctor'")
        }
        return style.paint(style.dot, isWell ? .good : .bad) + " "
            + style.paint("Torpor \(version.printable)", .strong) + "\n" + fields.rendered(style)
    }

    private var workersInWords: String {
        let order: [SupervisorInterface.State] = [.active, .inactive, .background, .suspended, .notRunning]
        var parts = order.compactMap { state in
            workers[state.rawValue].map { "\($0) \(state.rawValue)" }
        }
        if badSettingCount > 0 { parts.append("\(badSettingCount) of them with an invalid file") }
        if failedCount > 0 { parts.append("\(failedCount) of them failed") }
        let all = workers.values.reduce(0, +)
        return parts.isEmpty ? "none" : "\(all) (\(parts.joined(separator: ", ")))"
    }
}
