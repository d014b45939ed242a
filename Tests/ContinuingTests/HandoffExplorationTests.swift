import ConfigurationSyntax
import Lifecycle
import Testing

@testable import Continuing

/// Visits every standing that the two ends of a handoff and the caller between them can have together, with every failure between
/// them, and checks at each step what has been promised.
@Suite struct `Every standing of a handoff` {
    /// A message that is on its way to the second supervisor or back.
    private enum Message: Hashable {
        case call
        case taken
        case notTaken
    }

    /// What the worker of the second supervisor does with the activity.
    private enum Taker: Hashable {
        case idle
        case has
        case took
    }

    private struct Standing: Hashable {
        var giving = GivingPlan()
        var taking = TakingPlan()
        var taker = Taker.idle
        /// Whether the worker has ever taken it.
        var wasTaken = false
        /// How often the worker was given it in the life of one second supervisor.
        var deliveries = 0
        var courier = HandoffCourier()
        /// What is on the connection; nil where it is lost, or nothing is on it.
        var message: Message?
        var isConnected = false
        /// A call whose connection is lost to the caller, and that arrives all the same.
        var hasStray = false
        /// The order of the courier that is still to be carried out.
        var order: HandoffCourier.Order?
        var hasLeft = false
        var wasRestarted = false
        var isCallerAlive = true
        var result: HandoffCourier.Result?
        /// How often the connection was lost: more than twice brings nothing new.
        var losses = 0
    }

    private enum Deed: Hashable, CaseIterable {
        case workerTells, workerDoesNotTell
        case callerActs
        case callArrives, strayArrives, takerTakes, takerRefuses, answerArrives
        case connectionIsLost, secondIsUnreachable
        case timeIsOver
        case processEnds
        case firstIsKilled, secondIsKilled
        case callerIsKilled
    }

    private static func start(asks: Bool) throws -> Standing {
        var standing = Standing()
        let type = try ActivityType(parsing: "a")
        _ = standing.giving.handle(
            .offered(type, title: nil, state: asks ? nil : "{}", asks: asks, .connection), at: .zero)
        let request = HandoffRequest(id: "x", type, by: .supervisor)
        let effects = standing.giving.handle(
            .began(
                request, GiverStanding(.running, isForeground: true, isConnected: true, hookTypes: [])),
            at: .zero)
        follow(effects, &standing)
        return standing
    }

    /// Carries out what the first supervisor decides.
    private static func follow(_ effects: [GivingEffect], _ standing: inout Standing) {
        for effect in effects {
            switch effect {
            case .give where standing.isCallerAlive: tell(.given, &standing)
            case .leave: standing.hasLeft = true
            case .over(_, let end):
                // The call of the caller that waits for the state is answered.
                if standing.order == nil, !standing.isConnected, standing.isCallerAlive {
                    tell(.notGiven(end.words), &standing)
                }
            default: break
            }
        }
    }

    private static func tell(_ event: HandoffCourier.Event, _ standing: inout Standing) {
        guard let order = standing.courier.handle(event) else { return }
        if case .finish(let result) = order {
            standing.result = result
            standing.order = nil
        } else {
            standing.order = order
        }
    }

    /// What follows; nil where the deed cannot happen.
    private static func step(_ standing: Standing, _ deed: Deed) -> Standing? {
        var next = standing
        switch deed {
        case .workerTells:
            guard let current = standing.giving.current, case .asking = current.stage else { return nil }
            follow(next.giving.handle(.answered(current.number, "{}"), at: .zero), &next)
        case .workerDoesNotTell:
            guard let current = standing.giving.current, case .asking = current.stage else { return nil }
            follow(next.giving.handle(.notAnswered(current.number, "no"), at: .zero), &next)
        case .callerActs:
            guard standing.isCallerAlive, let order = standing.order else { return nil }
            next.order = nil
            switch order {
            case .carry, .carryAgain:
                (next.isConnected, next.message) = (true, .call)
            case .tellTaken(let taker):
                let effects = next.giving.handle(.taken("x", by: taker), at: .zero)
                follow(effects, &next)
                let isTold = !effects.contains { if case .refused = $0 { true } else { false } }
                tell(isTold ? .told : .notTold("lost"), &next)
            case .tellNotTaken(let why):
                _ = next.giving.handle(.notTaken("x", why: why), at: .zero)
                tell(.told, &next)
            case .finish: return nil
            }
        case .callArrives:
            guard standing.message == .call else { return nil }
            next.message = nil
            switch next.taking.arrived("x", for: "viewer") {
            case .new: (next.taker, next.deliveries) = (.has, standing.deliveries + 1)
            case .pending: break
            case .taken: next.message = .taken
            case .refused, .full: next.message = .notTaken
            }
        case .strayArrives:
            guard standing.hasStray else { return nil }
            next.hasStray = false
            if next.taking.arrived("x", for: "viewer") == .new {
                (next.taker, next.deliveries) = (.has, standing.deliveries + 1)
            }
        case .takerTakes, .takerRefuses:
            guard standing.taker == .has else { return nil }
            let isTaken = deed == .takerTakes
            next.taker = isTaken ? .took : .idle
            next.wasTaken = standing.wasTaken || isTaken
            next.taking.settle("x", refusal: isTaken ? nil : "no")
            if standing.isConnected { next.message = isTaken ? .taken : .notTaken }
        case .answerArrives:
            guard let message = standing.message, message != .call else { return nil }
            (next.message, next.isConnected) = (nil, false)
            if standing.isCallerAlive {
                tell(message == .taken ? .taken(by: "viewer") : .notTaken("no"), &next)
            }
        case .connectionIsLost:
            guard standing.isConnected, standing.losses < 3 else { return nil }
            next.hasStray = standing.hasStray || standing.message == .call
            (next.isConnected, next.message, next.losses) = (false, nil, standing.losses + 1)
            if standing.isCallerAlive { tell(.silent("lost"), &next) }
        case .secondIsUnreachable:
            switch standing.order {
            case .carry, .carryAgain: break
            case .tellTaken, .tellNotTaken, .finish, nil: return nil
            }
            guard standing.isCallerAlive else { return nil }
            next.order = nil
            tell(.notTaken("refused"), &next)
        case .timeIsOver:
            guard let due = standing.giving.nextDue else { return nil }
            follow(next.giving.handle(.due, at: due), &next)
        case .processEnds:
            guard !standing.giving.isEmpty else { return nil }
            follow(next.giving.handle(.processEnded, at: .zero), &next)
        case .firstIsKilled:
            guard standing.giving.current != nil else { return nil }
            follow(next.giving.handle(.takenOver, at: .zero), &next)
        case .secondIsKilled:
            guard !standing.wasRestarted else { return nil }
            (next.taking, next.wasRestarted) = (TakingPlan(), true)
            if standing.isConnected { return step(next, .connectionIsLost) }
        case .callerIsKilled:
            guard standing.isCallerAlive, standing.result == nil else { return nil }
            (next.isCallerAlive, next.order) = (false, nil)
            // What it has sent arrives all the same.
            next.hasStray = standing.hasStray || standing.message == .call
            (next.isConnected, next.message) = (false, nil)
            follow(next.giving.handle(.callEnded("x"), at: .zero), &next)
        }
        return next
    }

    /// The first promise that is broken; nil when all are kept.
    private static func violation(_ before: Standing, _ deed: Deed, _ after: Standing) -> String? {
        if after.hasLeft, !after.wasTaken { return "left, and not taken" }
        if after.hasLeft, !before.hasLeft, deed != .callerActs { return "left without a word of the caller" }
        if after.hasLeft, !after.giving.offers.isEmpty { return "left, and still offers it" }
        if !after.hasLeft, after.giving.offers.isEmpty, before.giving.offers.isEmpty == false,
            deed != .processEnds
        {
            return "lost"
        }
        if after.deliveries > 1, !after.wasRestarted { return "given twice" }
        switch after.result {
        case .done:
            if !after.hasLeft || !after.wasTaken { return "done, and it is not" }
        case .kept:
            if after.hasLeft { return "kept, and left" }
            if after.wasTaken { return "kept, and taken all the same" }
        case .unknown: if after.hasLeft { return "unknown, and left" }
        case .both: if !after.wasTaken { return "both, and not taken" }
        case nil: break
        }
        return nil
    }

    @Test func `keeps what is promised`() throws {
        for asks in [false, true] {
            var results: Set<HandoffCourier.Result> = []
            var used: Set<Deed> = []
            let first = try Self.start(asks: asks)
            var frontier = [first]
            var seen = Set(frontier)
            while let standing = frontier.popLast() {
                var isAtRest = true
                for deed in Deed.allCases {
                    guard let next = Self.step(standing, deed) else { continue }
                    used.insert(deed)
                    if ![.processEnds, .secondIsKilled, .strayArrives, .callerIsKilled].contains(deed) {
                        isAtRest = false
                    }
                    if let violation = Self.violation(standing, deed, next) {
                        Issue.record("\(violation)\nafter \(deed)\nin \(standing)")
                        return
                    }
                    if let result = next.result { results.insert(result) }
                    if seen.insert(next).inserted { frontier.append(next) }
                }
                // Nothing stays under way for ever.
                if isAtRest,
                    standing.giving.current != nil || (standing.isCallerAlive && standing.result == nil)
                {
                    Issue.record("under way for ever: \(standing)")
                    return
                }
            }
            #expect(used.count == Deed.allCases.count - (asks ? 0 : 2))
            let kinds = Set(results.map { "\($0)".prefix(4) })
            #expect(kinds == ["done", "kept", "unkn", "both"], "\(kinds)")
            print("explored handoffs: \(seen.count) standings, asks \(asks)")
        }
    }
}
