package import ConfigurationSyntax
package import Lifecycle

/// The activities of one worker that others can continue, and the handoff of one of them.
///
/// Pure. The worker keeps the activity until another one has said that it has taken it; only then it leaves the foreground. Every
/// other end, and every silence, leaves the activity where it is.
package struct GivingPlan: Hashable, Sendable {
    /// What it offers, in the order in which that was first offered; what its file offers is not among it.
    package private(set) var offers: [ActivityOffer] = []
    /// The handoff that is under way.
    package private(set) var current: ActivityHandoff?
    /// The number of the handoff that began last.
    package private(set) var lastNumber: UInt32 = 0
    /// How often it may still offer before it has waited, and when that was counted.
    private var allowance = Self.burst
    private var counted = Instant.zero

    /// How many activities a worker may offer at one time.
    package static let most = 16
    /// The most bytes that all of them may take.
    package static let largest = 256 << 10
    /// How often a worker may offer at once, and in how much time one more.
    package static let burst = 64
    package static let interval = TimeSpan.milliseconds(100)
    /// How long a worker has to tell the state.
    package static let askLimit = TimeSpan.seconds(30)
    /// How long the way to the other worker may take, with its launch.
    package static let carryLimit = TimeSpan.seconds(300)

    /// None.
    package init() {}

    /// Those of a predecessor.
    package init(offers: [ActivityOffer], current: ActivityHandoff?, lastNumber: UInt32) {
        self.offers = offers
        self.current = current
        self.lastNumber = max(lastNumber, current?.number ?? 0)
    }

    /// Whether there is nothing to remember.
    package var isEmpty: Bool { offers.isEmpty && current == nil }

    /// When the time of the handoff is over; nil where none is under way.
    package var nextDue: Instant? { current?.stage.due }

    /// What is offered of that type; nil where that is not.
    package func offer(of type: ActivityType) -> ActivityOffer? { offers.first { $0.type == type } }

    /// All types that are offered now by a worker that stands like this, those of its file last.
    package func types(_ standing: GiverStanding) -> [ActivityType] {
        guard standing.condition != .notRunning else { return [] }
        let offered = offers.map(\.type)
        return offered + standing.hookTypes.filter { !offered.contains($0) }
    }

    /// Applies `event`, which happened at `now`, and returns what must be done, in order.
    package mutating func handle(_ event: GivingEvent, at now: Instant) -> [GivingEffect] {
        switch event {
        case .offered(let type, let title, let state, let asks, let source):
            return offer(type, title, state, asks, source, at: now)
        case .withdrawn(let type, let source):
            return withdraw { $0.source == source && (type == nil || $0.type == type) }
        case .began(let request, let standing):
            return begin(request, standing, at: now)
        case .answered(let number, let state):
            guard var handoff = current, handoff.number == number, case .asking = handoff.stage else {
                return [.refused(.noSuchHandoff)]
            }
            handoff.stage = .given(until: now + Self.carryLimit)
            current = handoff
            return [.give(handoff, state: state)]
        case .notAnswered(let number, let why):
            guard let handoff = current, handoff.number == number, case .asking = handoff.stage else {
                return [.refused(.noSuchHandoff)]
            }
            return keep(.notTold(why))
        case .taken(let id, let taker):
            guard let handoff = current, handoff.id == id, case .given = handoff.stage else {
                return [.refused(.noSuchHandoff)]
            }
            current = nil
            return withdraw { $0.type == handoff.type } + [.leave, .over(handoff, .taken(by: taker))]
        case .notTaken(let id, let why):
            guard let handoff = current, handoff.id == id else { return [.refused(.noSuchHandoff)] }
            return keep(.notTaken(why))
        case .callEnded(let id): return current?.id == id ? keep(.callLost) : []
        case .takenOver: return keep(.callLost)
        case .disconnected: return disconnect()
        case .processEnded:
            let over = current.map { [GivingEffect.over($0, .processEnded)] } ?? []
            current = nil
            return over + withdraw { _ in true }
        case .due:
            guard let stage = current?.stage, stage.due <= now else { return [] }
            switch stage {
            case .asking: return keep(.askingOverran)
            case .given: return keep(.carryingOverran)
            }
        }
    }

    // MARK: offers

    private mutating func offer(
        _ type: ActivityType, _ title: String?, _ state: String?, _ asks: Bool,
        _ source: ActivityOffer.Source, at now: Instant
    ) -> [GivingEffect] {
        guard takeAllowance(at: now) else { return [.refused(.tooOften)] }
        let index = offers.firstIndex { $0.type == type }
        guard index != nil || offers.count < Self.most else { return [.refused(.tooMany(Self.most))] }
        let offer = ActivityOffer(
            type, title: title, state: state, asks: asks, source,
            since: index.map { offers[$0].since } ?? now)
        let others = offers.reduce(0) { $0 + ($1.type == type ? 0 : $1.size) }
        guard others + offer.size <= Self.largest else { return [.refused(.tooLarge(Self.largest))] }
        if let index {
            offers[index] = offer
            return []
        }
        offers.append(offer)
        return [.offered(offer)]
    }

    /// Counts one more offer; false where there were too many.
    private mutating func takeAllowance(at now: Instant) -> Bool {
        let span = Self.interval.microseconds
        let more = max(0, (now - counted).microseconds) / span
        if more > 0 {
            allowance = Int(min(Int64(Self.burst), Int64(allowance) + more))
            counted = allowance == Self.burst ? now : counted + TimeSpan(microseconds: more * span)
        }
        guard allowance > 0 else { return false }
        allowance -= 1
        return true
    }

    private mutating func withdraw(_ matches: (ActivityOffer) -> Bool) -> [GivingEffect] {
        let gone = offers.filter(matches)
        offers.removeAll(where: matches)
        return gone.map { .withdrawn($0.type) }
    }

    private mutating func disconnect() -> [GivingEffect] {
        var effects: [GivingEffect] = []
        if let handoff = current, case .asking = handoff.stage, offer(of: handoff.type)?.asks ?? false {
            effects += keep(.notTold("its connection was closed"))
        }
        // One that told its state is as good as before; of one that would be asked nothing is left.
        return effects + withdraw { $0.source == .connection && $0.state == nil }
    }

    // MARK: the handoff

    private mutating func begin(
        _ request: HandoffRequest, _ standing: GiverStanding, at now: Instant
    ) -> [GivingEffect] {
        if let current { return [.refused(.busy(current.type))] }
        guard standing.condition == .running else { return [.refused(.notNow(standing.condition))] }
        let types = types(standing)
        guard let type = request.type ?? (types.count == 1 ? types.first : nil) else {
            return [.refused(types.isEmpty ? .noneOffered : .severalOffered(types))]
        }
        guard types.contains(type) else { return [.refused(.notOffered(type))] }
        let offer = offer(of: type)
        let way: GivingEffect.Way?
        let state: String
        switch (request.state, offer) {
        case (let given?, _): (way, state) = (nil, given)
        case (nil, let offer?) where offer.asks && standing.isConnected: (way, state) = (.connection, "")
        case (nil, _) where standing.hookTypes.contains(type): (way, state) = (.hook, "")
        case (nil, let offer?):
            guard let known = offer.state ?? (offer.asks ? nil : "{}") else {
                return [.refused(.notConnected)]
            }
            (way, state) = (nil, known)
        case (nil, nil): return [.refused(.notOffered(type))]
        }
        lastNumber &+= 1
        let stage: ActivityHandoff.Stage =
            way == nil ? .given(until: now + Self.carryLimit) : .asking(until: now + Self.askLimit)
        let handoff = ActivityHandoff(
            id: request.id, number: lastNumber, type, title: offer?.title, by: request.requester, since: now,
            wasForeground: standing.isForeground, stage)
        current = handoff
        return [.began(handoff), way.map { .ask(handoff, $0) } ?? .give(handoff, state: state)]
    }

    /// The worker keeps the activity that is being handed on, if one is.
    private mutating func keep(_ end: HandoffEnd) -> [GivingEffect] {
        guard let handoff = current else { return [] }
        current = nil
        return (handoff.wasForeground ? [.comeBack] : []) + [.over(handoff, end)]
    }
}
