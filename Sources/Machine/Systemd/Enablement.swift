internal import CSystemd

/// Whether an event source may fire, as sd_event_source_set_enabled(3) has it.
package enum Enablement: Hashable, Sendable {
    /// It does not fire.
    case off
    /// It fires whenever its condition holds.
    case on
    /// It fires once and is then off.
    case oneshot

    var rawValue: CInt {
        switch self {
        case .off: CInt(SD_EVENT_OFF)
        case .on: CInt(SD_EVENT_ON)
        case .oneshot: CInt(SD_EVENT_ONESHOT)
        }
    }
}
