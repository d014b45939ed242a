package import ConfigurationSyntax
package import Continuing
package import Lifecycle
internal import WorkerFile

/// What became of an activity in a simulated world.
package struct HandoffNote: Hashable, Sendable {
    /// What happened.
    package enum What: Hashable, Sendable {
        /// The worker offers an activity.
        case offered(ActivityType)
        /// What the worker, or a caller, asked is not done.
        case refused(HandoffRefusal)
        /// An activity is handed over, or was.
        case news(HandoffNews)
    }

    /// When, from the beginning of the world.
    package let at: Instant
    /// The worker, by its number.
    package let worker: Int
    /// What happened.
    package let what: What
}

/// An activity that a caller carries from one worker of the world to another.
struct CarriedActivity {
    let id: String
    let type: ActivityType
    let giver: Int
    let taker: Int
    /// The delivery to the taker, once there is one.
    var delivery: UInt32?
}

/// Activities in a simulated world: the same plan decides as in the real one.
extension World {
    mutating func offer(_ type: ActivityType, by worker: Int) {
        guard let process = processes[worker], process.runs else { return }
        tellGiving(.offered(type, title: nil, state: "{}", asks: false, .notification), of: worker)
    }

    /// Hands over the activity that a worker offers, to the worker of that name or the first that continues it.
    mutating func handOver(from worker: Int, to name: String?) {
        lastHandoff += 1
        let standing = givingStanding(of: worker)
        let types = givings[worker].types(standing)
        let taker = scenario.workers.indices.first { index in
            guard index != worker, name == nil || scenario.workers[index].name == name else { return false }
            return name != nil
                || !types.filter(scenario.workers[index].definition.activityTypes.contains).isEmpty
        }
        takers["\(lastHandoff)"] = taker
        tellGiving(.began(HandoffRequest(id: "\(lastHandoff)", nil, by: Self.operator), standing), of: worker)
    }

    private func givingStanding(of worker: Int) -> GiverStanding {
        let definition = scenario.workers[worker].definition
        return GiverStanding(
            lives[worker].givingCondition, isForeground: lives[worker].state.isForeground, isConnected: false,
            hookTypes: definition.callbacks.userActivity == nil ? [] : definition.activityTypes)
    }

    /// Applies an event to the activities of a worker, and does what follows.
    mutating func tellGiving(_ event: GivingEvent, of worker: Int) {
        let due = givings[worker].nextDue
        for effect in givings[worker].handle(event, at: now) { follow(effect, of: worker) }
        if let next = givings[worker].nextDue, next != due {
            enter(.over(worker, .handoff(until: next)), at: next)
        }
    }

    private mutating func follow(_ effect: GivingEffect, of worker: Int) {
        switch effect {
        case .offered(let offer): note(.offered(offer.type), worker)
        case .withdrawn: break
        case .began(let handoff): note(.news(.began(handoff)), worker)
        case .ask(let handoff, _):
            // It is woken where it sleeps; its hook takes no time.
            give(.taskBegan(token: Self.handoffTask, by: .other(limit: GivingPlan.askLimit)), to: worker)
            tellGiving(.answered(handoff.number, "{}"), of: worker)
            give(.taskEnded(token: Self.handoffTask), to: worker)
        case .give(let handoff, _): bring(handoff, from: worker)
        case .leave: give(.requested(Request(.suspended, by: .handOver)), to: worker)
        case .comeBack:
            guard lives[worker].goalRequester == .handOver, !lives[worker].goal.isForeground else { return }
            give(.requested(Request(.active, by: .handOver)), to: worker)
        case .over(let handoff, let end): note(.news(.over(handoff, end)), worker)
        case .refused(let refusal): note(.refused(refusal), worker)
        }
    }

    /// The token of the task that keeps a worker awake while it is asked: no program of a scenario has as many.
    private static let handoffTask = UInt32.max

    private mutating func bring(_ handoff: ActivityHandoff, from worker: Int) {
        guard let taker = takers.removeValue(forKey: handoff.id) else {
            return tellGiving(
                .notTaken(handoff.id, why: "no worker continues activities of the type \(handoff.type)"),
                of: worker)
        }
        lastInbound &+= 1
        carried[lastInbound] = CarriedActivity(
            id: handoff.id, type: handoff.type, giver: worker, taker: taker)
        let inbound = Inbound(id: lastInbound, .activity)
        give(.woken(Wake(.activity, intoForeground: true, bringing: inbound)), to: taker)
    }

    /// A delivery of something that was brought.
    mutating func noteDelivery(_ delivery: Delivery) {
        if let inbound = delivery.inbound { carried[inbound.id]?.delivery = delivery.id }
    }

    /// Something that was brought will not be delivered.
    mutating func noteDrop(_ inbound: Inbound) {
        guard let activity = carried.removeValue(forKey: inbound.id) else { return }
        tellGiving(
            .notTaken(activity.id, why: "\(scenario.workers[activity.taker].name) did not get it"),
            of: activity.giver)
    }

    /// What `event` has meant for an activity that a worker has been given, now that its life has handled it.
    mutating func activitiesFollow(_ worker: Int, _ event: Event) {
        guard !carried.isEmpty else { return }
        for (inbound, activity) in carried.sorted(by: { $0.key < $1.key }) where activity.taker == worker {
            guard let delivery = activity.delivery, !lives[worker].awaits(delivery) else { continue }
            carried[inbound] = nil
            let name = scenario.workers[worker].name
            if event == .completed(id: delivery, .done) {
                note(.news(.took(activity.type, from: scenario.workers[activity.giver].name)), worker)
                tellGiving(.taken(activity.id, by: name), of: activity.giver)
            } else {
                tellGiving(.notTaken(activity.id, why: "\(name) did not take it"), of: activity.giver)
            }
        }
    }

    private mutating func note(_ what: HandoffNote.What, _ worker: Int) {
        newHandoffNotes.append(HandoffNote(at: now, worker: worker, what: what))
    }
}
