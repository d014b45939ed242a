/// What a notification is about: `settingsChanged`, `cache.invalidate` (2.4).
package struct Topic: Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The name.
    package let name: String
    /// The system event it stands for; nil for a custom topic.
    package let system: SystemTopic?

    /// Reads a name: a lowercase letter, then letters, digits, `.`, `-` and `_`, at most 128; nil for anything else.
    package init?(_ name: String) {
        guard let first = name.utf8.first, Self.isLowercase(first), name.utf8.count <= 128,
            name.utf8.allSatisfy({ Self.isLowercase($0) || Self.isOther($0) })
        else { return nil }
        self.name = name
        system = SystemTopic.named(name)
    }

    /// The topic of a system event.
    package init(_ topic: SystemTopic) {
        name = topic.rawValue
        system = topic
    }

    /// By name: all else follows from that.
    package static func == (a: Topic, b: Topic) -> Bool { a.name == b.name }

    /// By name.
    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The name.
    package var description: String { name }

    /// By name; nothing else depends on it.
    package static func < (a: Topic, b: Topic) -> Bool { a.name < b.name }

    private static func isLowercase(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isOther(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
            UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

/// Topics that the supervisor itself posts to.
///
/// They die with the process: a new one reads the present state itself.
package enum SystemTopic: String, Hashable, Sendable, CaseIterable {
    /// The clock was set, midnight passed, the zone or its offset changed.
    case significantTimeChange
    /// The system's locale file changed.
    case localeChanged
    /// A watched settings file changed.
    case settingsChanged
    /// A watched credential file changed.
    case accountChanged
    /// A link, an address or a route changed.
    case networkChanged
    /// Mains or battery changed.
    case powerChanged
    /// The terminal's size changed.
    case screenChanged
    /// Devices came or went.
    case devicesChanged
    /// Watched paths came or went.
    case pathsChanged
    /// Protected data became available, or not.
    case protectedDataChanged
    /// Signals that were sent to `torpor run` while its child slept.
    case signalReceived

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })
    private static let lengths = allCases.map(\.rawValue.utf8.count)
    private static let shortest = lengths.min() ?? 0

    /// The topic of this name: sooner than by comparing it with each.
    static func named(_ name: String) -> SystemTopic? {
        name.utf8.count < shortest ? nil : byName[name]
    }

    /// How what is posted to it merges.
    package var rule: MergeRule {
        switch self {
        case .significantTimeChange, .localeChanged, .powerChanged, .screenChanged: .latest
        case .settingsChanged, .accountChanged, .signalReceived: .count
        case .networkChanged, .protectedDataChanged: .net
        case .devicesChanged, .pathsChanged: .set
        }
    }
}

/// How several posts to one topic become one entry while the worker cannot run (2.4).
package enum MergeRule: String, Hashable, Sendable, CaseIterable {
    /// The newest payload replaces the older.
    case latest
    /// The newest against the value that the worker knows: equal again, and the entry vanishes.
    case net
    /// Members that were added and removed; added and removed again, and they vanish.
    case set
    /// One entry with a count.
    case count
    /// None merged: kept in order, bounded; past the bound the oldest fold into a count of dropped ones.
    case each
}
