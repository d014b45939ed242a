package import Lifecycle

/// The interruptions of one worker: they nest, and it is interrupted as long as one of them lasts (1.4).
///
/// The model of the worker's life hears of the first and of the end of the last. It decides what follows: an active worker becomes
/// inactive, and one that sleeps is not woken.
package struct InterruptionPlan: Hashable, Sendable {
    /// Those that last, in the order in which they began.
    package private(set) var current: [Interruption] = []
    /// The number of the one that began last.
    package private(set) var lastNumber: UInt32 = 0
    /// How many may last at one time; the locks of sessions do not count.
    package static let most = 64

    /// None.
    package init() {}

    /// Those of a predecessor.
    package init(current: [Interruption], lastNumber: UInt32) {
        self.current = current
        self.lastNumber = max(lastNumber, current.map(\.number).max() ?? 0)
    }

    /// Whether one lasts.
    package var isInterrupted: Bool { !current.isEmpty }

    /// When the time of one is over next; nil where none is limited.
    package var nextDue: Instant? { current.compactMap(\.due).min() }

    /// The sessions whose locks it knows.
    package var lockedSessions: Set<String> { Set(current.compactMap(\.session)) }

    /// Applies `event`, which happened at `now`, and returns what must be done, in order.
    package mutating func handle(_ event: InterruptionEvent, at now: Instant) -> [InterruptionEffect] {
        var effects: [InterruptionEffect] = []
        let wasInterrupted = isInterrupted
        switch event {
        case .began(let kind, let requester, let limit):
            begin(kind, by: requester, limit: limit, at: now, &effects)
        case .ended(let number):
            end(.ended, else: .noSuch(number), &effects) { $0.number == number && $0.isCall }
        case .endedByWorker(let number):
            end(.ended, else: .noSuch(number), &effects) { $0.number == number && $0.isOwn }
        case .endRequested(nil):
            let last = current.last(where: \.isRequest)?.number
            end(.ended, else: .noneRequested, &effects) { $0.number == last }
        case .endRequested(let number?):
            end(.ended, else: .noSuch(number), &effects) { $0.number == number && $0.isRequest }
        case .answered(nil):
            let first = current.first(where: \.isAlert)?.number
            end(.answered, else: .noAlert, &effects) { $0.number == first }
        case .answered(let number?):
            end(.answered, else: .noSuch(number), &effects) { $0.number == number && $0.isAlert }
        case .locked(let sessions):
            end(.unlocked, &effects) { $0.session.map { !sessions.contains($0) } ?? false }
            for session in sessions.subtracting(lockedSessions).sorted() {
                begin(.sessionLock(session), by: .machine, limit: nil, at: now, &effects)
            }
        case .processEnded: end(.processEnded, &effects) { $0.endsWithProcess }
        case .due: end(.limit, &effects) { $0.due.map { $0 <= now } ?? false }
        case .takenOver: end(.callLost, &effects) { $0.isCall }
        }
        if isInterrupted != wasInterrupted {
            effects.append(.tell(isInterrupted ? .interrupted : .interruptionEnded))
        }
        return effects
    }

    private mutating func begin(
        _ kind: Interruption.Kind, by requester: Requester, limit: TimeSpan?, at now: Instant,
        _ effects: inout [InterruptionEffect]
    ) {
        let isBounded = if case .sessionLock = kind { false } else { true }
        if isBounded, current.count(where: { $0.session == nil }) >= Self.most {
            effects.append(.refused(.tooMany(Self.most)))
            return
        }
        lastNumber &+= 1
        let interruption = Interruption(
            number: lastNumber, kind, by: requester, since: now, due: limit.map { now + $0 })
        current.append(interruption)
        effects.append(.began(interruption))
    }

    /// Ends those that match; with `refusal`, that is the answer where none does.
    private mutating func end(
        _ end: Interruption.End, else refusal: InterruptionRefusal? = nil,
        _ effects: inout [InterruptionEffect], _ matches: (Interruption) -> Bool
    ) {
        let over = current.filter(matches)
        if over.isEmpty, let refusal { effects.append(.refused(refusal)) }
        current.removeAll(where: matches)
        effects += over.map { .over($0, end) }
    }
}

extension Interruption {
    /// The session whose lock it is.
    package var session: String? { if case .sessionLock(let session) = kind { session } else { nil } }

    /// Whether it is an alert.
    package var isAlert: Bool { if case .alert = kind { true } else { false } }

    /// Whether any caller may end it.
    fileprivate var isRequest: Bool { if case .request = kind { true } else { false } }

    /// Whether it is the worker's own.
    fileprivate var isOwn: Bool { if case .worker = kind { true } else { false } }

    /// Whether it lasts as long as a call.
    fileprivate var isCall: Bool { if case .call = kind { true } else { false } }
}
