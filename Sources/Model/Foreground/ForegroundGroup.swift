package import Lifecycle

/// The state of a worker relevant to its foreground group.
package struct ForegroundEligibility: Hashable, Sendable {
    /// Whether its goal is in the foreground.
    package var wants: Bool
    /// Whether it is inactive or active, on the way there, or being launched into that.
    package var isInForeground: Bool
    /// Whether it runs in the background, is launched, and has no callback in flight, so that it could enter at once.
    package var isReady: Bool
    /// Whether it is being launched into the foreground: what was there of it before has ended.
    package var isComing: Bool
    /// Whether it is active: of one group there is one such member at most, but for those that were when they joined.
    package var isActive: Bool
    /// Whether its goal is elsewhere, so that it leaves the foreground without being asked to.
    package var leaves: Bool

    /// An eligibility, by its parts.
    package init(
        wants: Bool, isInForeground: Bool, isReady: Bool, isComing: Bool = false, isActive: Bool = false,
        leaves: Bool = false
    ) {
        self.wants = wants
        self.isInForeground = isInForeground
        self.isReady = isReady
        self.isComing = isComing
        self.isActive = isActive
        self.leaves = leaves
    }
}

extension WorkerLifecycle {
    /// Its eligibility in its foreground group.
    package var foregroundEligibility: ForegroundEligibility {
        let isComing = state == .notRunning && currentLaunch?.intoForeground ?? false
        let inFlight = callbackInFlight?.callback
        return ForegroundEligibility(
            wants: goal.isForeground && !isEnding,
            // Once it has been told that it enters, it will, whatever it is wanted for meanwhile.
            isInForeground: state.isForeground || isComing || inFlight == .willEnterForeground,
            isReady: state == .background && !isLaunching && !isEnding && inFlight == nil,
            isComing: isComing, isActive: state == .active, leaves: !goal.isForeground)
    }
}

extension Event {
    /// Whether it asks for the foreground: a worker that waits for it already has asked last then.
    package var asksForForeground: Bool {
        switch self {
        case .requested(let request): request.goal.isForeground
        case .woken(let wake): wake.intoForeground
        default: false
        }
    }
}

/// Workers of which at most one is in the foreground.
///
/// Pure. It is told how each member stands after every event and answers what others are to hear of it. The holder of the
/// foreground keeps it until a member that wants it is ready for it in the background; only then is the holder asked to leave,
/// and only when it has left does the other enter. So a member that fails to get ready is never noticed. What is asked for last counts:
/// those that asked before the holder did give up.
package struct ForegroundGroup<Member: Hashable & Sendable>: Sendable {
    /// What is to be done, in this order.
    package enum Order: Hashable, Sendable {
        /// Notify this member whether another one holds the foreground.
        case setTaken(Member, Bool)
        /// Ask this member to leave, or to wait no longer.
        case leave(Member)

        /// The member that it is for, and what that member is given.
        package var event: (Member, Event) {
            switch self {
            case .setTaken(let member, let isTaken): (member, .foregroundTaken(isTaken))
            case .leave(let member): (member, .requested(Request(.suspended, by: .handOver)))
            }
        }
    }

    /// The holder of the foreground: it is there, or no other member keeps it from going there.
    package private(set) var holder: Member?
    private var isLeaving = false
    /// The other members that want it, the latest request last.
    private var waiting: [Member] = []
    private var members: [Member: ForegroundEligibility] = [:]
    /// When each member has asked last, as a place in the order of all that was asked.
    private var asked: [Member: Int] = [:]
    private var lastAsk = 0

    /// The member for which the holder is asked to leave: the first that is ready for the foreground, the latest request first.
    package var successor: Member? { waiting.last { members[$0]?.isReady ?? false } }

    /// A group without members.
    package init() {}

    /// Whether the group is empty.
    package var isEmpty: Bool { members.isEmpty }

    /// Takes in how `member` stands now; a member that is new gets to know whether the foreground is taken.
    package mutating func update(_ member: Member, _ eligibility: ForegroundEligibility) -> [Order] {
        var orders: [Order] = []
        let before = members.updateValue(eligibility, forKey: member)
        // One that joins has asked before, when is not known. What is launched again, to end what was to leave, has not asked again.
        let isRelaunched = member == holder && isLeaving && eligibility.isComing
        if eligibility.wants, let before, !before.wants, !isRelaunched { noteAsk(of: member) }
        if giveWay(&orders) { return orders }
        if before == nil, holder != nil { orders.append(.setTaken(member, true)) }
        settle(member, eligibility, &orders)
        return orders
    }

    private mutating func noteAsk(of member: Member) {
        lastAsk += 1
        asked[member] = lastAsk
    }

    /// Has those give up that asked before the holder, which stays.
    private mutating func withdrawOlder(_ orders: inout [Order]) {
        guard let holder, !isLeaving, members[holder]?.wants ?? false else { return }
        let older = waiting.filter { asked[$0, default: 0] < asked[holder, default: 0] }
        waiting.removeAll { older.contains($0) }
        orders += older.map { .leave($0) }
    }

    /// Makes one the holder that was active when it joined and has not left, where the holder is not active; false where there is none.
    ///
    /// The holder must not become active beside that one: it was granted the foreground before the other joined, or was told to leave and has
    /// not.
    private mutating func giveWay(_ orders: inout [Order]) -> Bool {
        guard let former = holder, let standing = members[former], !standing.isActive,
            let active = others(than: former).first(where: { members[$0]?.isActive ?? false }),
            let eligibility = members[active]
        else { return false }
        if standing.wants, !waiting.contains(former) { waiting.append(former) }
        hold(active, eligibility, &orders)
        return true
    }

    /// Takes in that `member`, which stands as it did, is asked for once more, and has asked last.
    ///
    /// Where it waits, the holder is to leave for it, also one that has returned while it was leaving; where it is the holder, those that
    /// wait give up.
    package mutating func ask(_ member: Member) -> [Order] {
        guard members[member] != nil else { return [] }
        noteAsk(of: member)
        var orders: [Order] = []
        if let place = waiting.firstIndex(of: member) { waiting.append(waiting.remove(at: place)) }
        askHolder(&orders)
        return orders
    }

    /// Removes a member and releases the foreground if it held it.
    package mutating func remove(_ member: Member) -> [Order] {
        guard members.removeValue(forKey: member) != nil else { return [] }
        asked[member] = nil
        var orders: [Order] = [.setTaken(member, false)]
        waiting.removeAll { $0 == member }
        if holder == member { passOn(&orders) }
        return orders
    }

    private mutating func settle(
        _ member: Member, _ eligibility: ForegroundEligibility, _ orders: inout [Order]
    ) {
        if member == holder {
            if !eligibility.wants { waiting.removeAll { $0 == member } }
            if isLeaving, eligibility.wants {
                // It wants it anew before it has left: it has asked last and stays, until another one gets ready for it.
                if eligibility.isInForeground {
                    isLeaving = false
                    // What is launched again has not asked again: the process that was to leave has ended by itself.
                    return eligibility.isComing ? askHolder(&orders) : withdrawOlder(&orders)
                }
                // After it has left it comes after the member that it made room for.
                if !waiting.contains(member) { waiting.append(member) }
            }
            if !eligibility.isInForeground, isLeaving || !eligibility.wants { return passOn(&orders) }
        } else {
            waiting.removeAll { $0 == member && !eligibility.wants }
            if eligibility.wants, !waiting.contains(member) { waiting.append(member) }
            if holder == nil, eligibility.isInForeground { return hold(member, eligibility, &orders) }
        }
        if holder == nil, !waiting.isEmpty { return passOn(&orders) }
        askHolder(&orders)
    }

    /// A member that is in the foreground holds it, and keeps the others out until it has left: one that was taken over may be leaving.
    private mutating func hold(
        _ member: Member, _ eligibility: ForegroundEligibility, _ orders: inout [Order]
    ) {
        holder = member
        isLeaving = !eligibility.wants
        waiting.removeAll { $0 == member }
        for other in others(than: member) { orders.append(.setTaken(other, true)) }
        if eligibility.wants { orders.append(.setTaken(member, false)) }
        askHolder(&orders)
    }

    /// The next holder: the first that is ready, the latest request first; else the one that has asked last.
    ///
    /// One that has just left comes after the others that are ready.
    private mutating func passOn(_ orders: inout [Order]) {
        let former = holder
        // One that was there when it joined comes first: it was told to leave, and has not left.
        for other in others(than: former) {
            if let eligibility = members[other], eligibility.isInForeground {
                return hold(other, eligibility, &orders)
            }
        }
        let next = waiting.last { $0 != former && members[$0]?.isReady ?? false } ?? waiting.last
        holder = next
        isLeaving = false
        waiting.removeAll { $0 == next }
        if let next {
            // The others first: at no moment are two free to go.
            if let former, members[former] != nil, former != next { orders.append(.setTaken(former, true)) }
            if former == nil { for other in others(than: next) { orders.append(.setTaken(other, true)) } }
            orders.append(.setTaken(next, false))
            askHolder(&orders)
        } else if let former {
            for other in others(than: former) { orders.append(.setTaken(other, false)) }
        }
    }

    /// Has the holder leave as soon as another member is ready; one that leaves already goes where it is wanted.
    private mutating func askHolder(_ orders: inout [Order]) {
        withdrawOlder(&orders)
        guard let holder, !isLeaving, successor != nil else {
            return
        }
        isLeaving = true
        if !(members[holder]?.leaves ?? false) { orders.append(.leave(holder)) }
    }

    /// In an order that is always the same.
    private func others(than member: Member?) -> [Member] {
        members.keys.filter { $0 != member }.sorted { "\($0)" < "\($1)" }
    }
}
