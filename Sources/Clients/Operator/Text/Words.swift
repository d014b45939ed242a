internal import ConfigurationSyntax
package import ControlAPI
internal import Lifecycle
internal import WorkerFile

extension SupervisorInterface.NotRunningReason {
    package var words: String {
        switch self {
        case .neverLaunched: "never launched"
        case .exited: "exited"
        case .evicted: "evicted"
        case .forceQuit: "force-quit"
        case .failed: "failed"
        case .backingOff: "backing off"
        case .badSetting: "bad-setting"
        }
    }
}

extension SupervisorInterface.State {
    /// The colour of a worker in this state, `reason` being why it does not run.
    package func tint(reason: SupervisorInterface.NotRunningReason?, held: Bool) -> Tint? {
        if held { return .attention }
        return switch self {
        case .active: .good
        case .inactive, .background: nil
        case .suspended: .asleep
        case .notRunning:
            switch reason {
            case .failed, .badSetting: .bad
            case .backingOff: .attention
            case .neverLaunched, .exited, .evicted, .forceQuit, nil: .faint
            }
        }
    }
}

extension SupervisorInterface.Caller {
    /// The caller as a clause: `alice, pid 4242`, or `uid 1000, pid 4242` where the user has no name.
    package func words(_ users: UserNames) -> String { "\(users.words(uid)), pid \(pid)" }
}

/// A size as systemd writes it, `3.1G`.
package func size(_ bytes: Int64) -> String { ByteSize(bytes: UInt64(max(bytes, 0))).written }

/// A size in running text, `3.1 GB`.
package func sizeInWords(_ bytes: Int64) -> String {
    let written = size(bytes)
    guard let unit = written.last, unit != "B" else { return written.dropLast() + " B" }
    return written.dropLast() + " \(unit)B"
}

/// A length of time as systemd writes it, as fine as its length makes sensible.
package func span(_ microseconds: Int64) -> String {
    TimeSpan(microseconds: microseconds).legible
}

/// What sleep has freed: `5 asleep, 3.1 GB given back`.
package func sleepSentence(asleep: Int64, givenBack: Int64) -> String {
    givenBack > 0 ? "\(asleep) asleep, \(sizeInWords(givenBack)) reclaimed" : "\(asleep) asleep"
}

/// A number and what is counted.
package func count(_ number: Int, _ thing: String) -> String { "\(number) \(thing)\(number == 1 ? "" : "s")" }

/// Words one after the other, as a list of a sentence: `a, b and c`.
package func enumeration(_ words: [String], _ conjunction: String = "and") -> String {
    guard words.count > 1, let last = words.last else { return words.first ?? "" }
    return words.dropLast().joined(separator: ", ") + " \(conjunction) " + last
}
