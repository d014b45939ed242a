package import Lifecycle

/// How often a worker may be woken in an hour without a request from in front of a screen, and how long it may be awake for that
/// (`WakeBudget=`, 1.4).
package enum WakeAllowance: Hashable, Sendable {
    /// As often as there is something to wake it for.
    case unlimited
    /// At most so many wakes, and no further one when it has been awake for so long.
    case limited(wakes: Int, awake: TimeSpan)

    /// What a worker has whose file says nothing: 60 wakes and 10 minutes.
    package static let usual = WakeAllowance.limited(wakes: 60, awake: .seconds(600))

    /// What is left of it in low-power mode: a quarter, and one wake at least.
    package static let lowPowerDivisor = 4

    /// The same in low-power mode.
    package var reduced: WakeAllowance {
        switch self {
        case .unlimited: .unlimited
        case .limited(let wakes, let awake):
            .limited(
                wakes: max(1, wakes / Self.lowPowerDivisor),
                awake: TimeSpan(microseconds: awake.microseconds / Int64(Self.lowPowerDivisor)))
        }
    }
}

extension LaunchReason {
    /// Whether a wake for this counts against the budget: no person in front of a screen, no client and no operator has asked for it.
    package var isBudgeted: Bool {
        switch self {
        case .silentNotification, .schedule, .fetch, .path, .device: true
        case .operator, .boot, .socket, .url, .notification, .activity, .transfer, .restart, .restore,
            .prelaunch, .failure, .processing:
            false
        }
    }
}
