package import Lifecycle

/// What one worker has used of its wakes in the present hour, and what is kept until the next one (1.4).
///
/// The hour begins with the first wake that counts. A worker that is awake already is not woken, so nothing is counted for what comes
/// then. Its time awake counts from such a wake until it rests or is wanted in the foreground. A wake past the budget is kept, merged with
/// the others of its reason, and released when the hour is over or the allowance grows; what the worker finds by itself as soon as it is
/// awake for another reason is no longer kept then.
package struct WakeBudget: Hashable, Sendable {
    /// A wake that waits for the next hour: all wakes of one reason.
    package struct Kept: Hashable, Sendable {
        /// The reason.
        package let reason: LaunchReason
        /// What the last of them was about: the topic, the path, the device.
        package let detail: String?
        /// How many they are.
        package let count: Int
        /// When the first of them came.
        package let since: Instant

        /// Wakes of one reason, by their parts.
        package init(_ reason: LaunchReason, _ detail: String?, count: Int = 1, since: Instant) {
            (self.reason, self.detail, self.count, self.since) = (reason, detail, count, since)
        }
    }

    /// How the worker stands, as far as it matters here.
    package enum Standing: Hashable, Sendable, CaseIterable {
        /// It sleeps or does not run.
        case resting
        /// It is being thawed or launched.
        case waking
        /// It runs in the background.
        case background
        /// It runs in the foreground: that was asked for.
        case foreground
        /// An operator has ended it by force: nothing wakes it.
        case forceQuit
    }

    /// The time after which all of it is there again.
    package static let period = TimeSpan.seconds(3600)
    /// The most bytes of a detail that are kept.
    private static let longestDetail = 256

    /// When the present hour began; nil where nothing has been used.
    package private(set) var began: Instant?
    /// How many wakes were used.
    package private(set) var wakes = 0
    /// How long it was awake for wakes that are over.
    package private(set) var spent = TimeSpan.zero
    /// Since when it has been awake for one.
    package private(set) var awakeSince: Instant?
    /// A wake was let through, and the worker is on its way.
    package private(set) var isOnItsWay = false
    /// What is kept, in the order in which it came first.
    package private(set) var kept: [Kept] = []

    /// Nothing used.
    package init() {}

    /// What a predecessor has noted.
    package init(
        began: Instant?, wakes: Int, spent: TimeSpan, awakeSince: Instant?, isOnItsWay: Bool, kept: [Kept]
    ) {
        (self.began, self.wakes, self.spent) = (began, max(0, wakes), max(.zero, spent))
        (self.awakeSince, self.isOnItsWay, self.kept) = (awakeSince, isOnItsWay, kept)
    }

    /// Whether there is nothing to note of it.
    package var isBlank: Bool { self == WakeBudget() }

    /// When all of it is there again; nil where nothing has been used.
    package var fullAgain: Instant? { began.map { $0 + Self.period } }

    /// How long the worker has been awake in the present hour for wakes that count.
    package func awake(at now: Instant) -> TimeSpan {
        spent + (awakeSince.map { max(.zero, now - $0) } ?? .zero)
    }

    /// Whether a further wake would be past the budget at `now`.
    package func isExhausted(_ allowance: WakeAllowance, at now: Instant) -> Bool {
        guard case .limited(let most, let longest) = allowance else { return false }
        if let fullAgain, fullAgain <= now { return false }
        return wakes >= most || awake(at: now) >= longest
    }

    /// When what is kept is to be looked at again; nil where nothing is kept.
    package var nextDue: Instant? { kept.isEmpty ? nil : fullAgain }

    /// Asks whether a worker that stands so may be woken; where not, the wake is kept.
    ///
    /// A reason that does not count passes.
    package mutating func mayWake(
        _ reason: LaunchReason, _ detail: String? = nil, _ standing: Standing, _ allowance: WakeAllowance,
        at now: Instant
    ) -> Bool {
        guard reason.isBudgeted, standing == .resting else { return true }
        beginNextHour(at: now)
        guard isExhausted(allowance, at: now) else {
            began = began ?? now
            wakes += 1
            isOnItsWay = true
            return true
        }
        keep(reason, detail, at: now)
        return false
    }

    /// Keeps a wake of a worker that must not be launched yet (``FirstUnlock``): nothing is counted.
    package mutating func hold(_ reason: LaunchReason, _ detail: String? = nil, at now: Instant) {
        keep(reason, detail, at: now)
    }

    /// Merges a wake with the others of its reason.
    private mutating func keep(_ reason: LaunchReason, _ detail: String?, at now: Instant) {
        let detail = detail.map { text in
            text.utf8.count > Self.longestDetail ? String(text.prefix(Self.longestDetail / 4)) : text
        }
        if let index = kept.firstIndex(where: { $0.reason == reason }) {
            let before = kept[index]
            let count = before.count == .max ? before.count : before.count + 1
            kept[index] = Kept(reason, detail ?? before.detail, count: count, since: before.since)
        } else {
            kept.append(Kept(reason, detail, since: now))
        }
    }

    /// The worker stands so now: told after each event that it has handled.
    package mutating func stands(_ standing: Standing, at now: Instant) {
        switch standing {
        case .waking: break
        case .background:
            if isOnItsWay, awakeSince == nil { awakeSince = now }
            isOnItsWay = false
            findByItself()
        case .foreground:
            endAwake(at: now)
            findByItself()
        case .resting: endAwake(at: now)
        case .forceQuit:
            endAwake(at: now)
            kept = []
        }
    }

    /// Ends the time awake that counts.
    private mutating func endAwake(at now: Instant) {
        isOnItsWay = false
        guard awakeSince != nil else { return }
        // What lay before the present hour does not count in it.
        beginNextHour(at: now)
        spent = awake(at: now)
        awakeSince = nil
    }

    /// A worker that is awake takes what waits for it, and sees what has changed; a fetch is an errand of its own.
    private mutating func findByItself() {
        kept.removeAll { $0.reason != .fetch }
    }

    /// Takes what is kept, in order, where it may wake the worker at `now`: the hour is over, or the allowance has grown.
    ///
    /// Each is then asked for anew: the first of them is counted. Not to be called while the worker is held back (``FirstUnlock``).
    package mutating func takeDue(_ allowance: WakeAllowance, at now: Instant) -> [Kept] {
        beginNextHour(at: now)
        guard !kept.isEmpty, !isExhausted(allowance, at: now) else { return [] }
        defer { kept = [] }
        return kept
    }

    /// Begins the next hour where the present one is over: with the next wake, or at once where the worker is still awake.
    private mutating func beginNextHour(at now: Instant) {
        guard let fullAgain, fullAgain <= now else { return }
        (wakes, spent) = (0, .zero)
        guard let since = awakeSince else {
            began = nil
            return
        }
        let passed = (now - fullAgain).microseconds / Self.period.microseconds
        let begin = fullAgain + TimeSpan(microseconds: passed * Self.period.microseconds)
        began = begin
        awakeSince = max(since, begin)
    }

    /// The machine has slept for so long, in which no clock here ran: the hour went on, and the worker was not awake.
    package mutating func machineSlept(_ span: TimeSpan) {
        began = began.map { max(.zero, $0 + (.zero - span)) }
    }
}

extension WorkerLifecycle {
    /// How the worker stands, as far as its budget of wakes is concerned.
    package var budgetStanding: WakeBudget.Standing {
        switch state {
        case _ where isEnding: goal != .notRunning ? .waking : barred ? .forceQuit : .resting
        case .active, .inactive: .foreground
        case .background: .background
        case .suspended: isBetweenSleeps && !isHeld ? .waking : .resting
        case .notRunning:
            currentLaunch != nil ? .waking : restReason == .forceQuit || barred ? .forceQuit : .resting
        }
    }
}
