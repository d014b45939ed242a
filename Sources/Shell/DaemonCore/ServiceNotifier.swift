internal import Linux
internal import Systemd

/// What the service manager above hears of the daemon (sd_notify(3)): that it is ready, how its workers stand, that it lives, and
/// how long it needs.
///
/// The manager is never waited for: what it does not take now is offered again, what it cannot take is dropped and told once.
final class ServiceNotifier {
    private let sender: NotifySender
    /// The watchdog's, at half its period and after all else that is ready: a loop that does not get its work done says nothing.
    private let pulse = SourceBox<TimeSource>()
    private let summaries = SourceBox<TimeSource>()
    private let extensions = SourceBox<TimeSource>()
    private let retries = SourceBox<TimeSource>()
    private var period: Int64 = 0
    /// What the manager's view of the daemon depends on, and it has not taken yet.
    private var unsent: [[NotifyField]] = []
    private var lastSummary = ""
    private var summaryAllowedAt: Int64 = 0
    private var isStillWaiting: () -> Bool = { false }
    private var hasComplained = false

    /// How the workers stand, in a line.
    var summary: () -> String = { "" }
    /// Is called once, with the reason, when the manager cannot be notified.
    var problem: (String) -> Void = { _ in }

    /// Between two lines of how the workers stand; between two requests for more time, and how much that is; until what was
    /// not taken is offered again.
    private static let summaryInterval: Int64 = 1_000_000
    private static let extensionInterval: Int64 = 5_000_000
    private static let extensionSpan: Int64 = 15_000_000
    private static let retryInterval: Int64 = 100_000
    private static let unsentLimit = 16

    /// Nil when no service manager listens.
    init?(_ passed: PassedEnvironment, on loop: EventLoop) {
        guard let text = passed.notifySocket, let address = try? UnixSocketAddress(text),
            let sender = try? NotifySender(to: address)
        else { return nil }
        self.sender = sender
        do {
            summaries.handle = try TimeSource(on: loop, priority: .clients) { [unowned self] _ in
                tellSummary()
            }
            extensions.handle = try TimeSource(on: loop, priority: .clients) { [unowned self] _ in extend() }
            retries.handle = try TimeSource(on: loop, priority: .clients) { [unowned self] _ in retry() }
            guard let period = passed.watchdogPeriod else { return }
            self.period = period
            // A little late is not too late, and may save waking up twice.
            pulse.handle = try TimeSource(on: loop, accuracy: max(1, period / 16), priority: .clients) {
                [unowned self] _ in beat()
            }
        } catch {
            return nil
        }
    }

    /// Shows signs of life from now on, where they are wanted.
    func start() { beat() }

    /// Tells a change of the daemon's own phase, with how the workers stand.
    func tell(_ fields: [NotifyField]) {
        let now = KernelClock.monotonic
        lastSummary = summary()
        summaryAllowedAt = now + Self.summaryInterval
        let hasStatus = fields.contains { if case .status = $0 { true } else { false } }
        unsent.append(hasStatus ? fields : fields + [.status(lastSummary)])
        if unsent.count > Self.unsentLimit { unsent.removeFirst() }
        retry()
    }

    /// A worker has another state: told soon, and at most once a second.
    func workerChanged() {
        if summaries.handle?.isArmed ?? true { return }
        summaries.handle?.arm(at: max(KernelClock.monotonic, summaryAllowedAt))
    }

    /// Keeps the deadline in force from passing for as long as `isWaiting` says.
    func extendDeadline(while isWaiting: @escaping () -> Bool) {
        isStillWaiting = isWaiting
        extend()
    }

    private func extend() {
        guard isStillWaiting() else { return }
        offer([.extendTimeout(Self.extensionSpan)])
        extensions.handle?.arm(at: KernelClock.monotonic + Self.extensionInterval)
    }

    private func beat() {
        guard period > 0 else { return }
        offer([.watchdog(.alive)])
        pulse.handle?.arm(at: KernelClock.monotonic + period / 2)
    }

    private func tellSummary() {
        let line = summary()
        summaryAllowedAt = KernelClock.monotonic + Self.summaryInterval
        guard line != lastSummary else { return }
        if offer([.status(line)]) { lastSummary = line } else { summaries.handle?.arm(at: summaryAllowedAt) }
    }

    private func retry() {
        while let next = unsent.first {
            guard offer(next) else {
                retries.handle?.arm(at: KernelClock.monotonic + Self.retryInterval)
                return
            }
            unsent.removeFirst()
        }
    }

    /// Sends it, with copies of `descriptors`, unless the manager's queue is full.
    @discardableResult func offer(_ fields: [NotifyField], _ descriptors: [Int32] = []) -> Bool {
        do throws(LinuxError) {
            return try sender.send(fields, descriptors: descriptors) == .sent
        } catch {
            if !hasComplained { problem("cannot notify the service manager, ignoring: \(error)") }
            hasComplained = true
            return true
        }
    }
}
