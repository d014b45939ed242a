package import Lifecycle

/// All foreground groups, and the worker's place in its own: the supervisor and the simulation ask the same.
///
/// What it returns is to be given to the workers in that order, before anything else that waits.
package struct ForegroundGroups<Member: Hashable & Sendable>: Sendable {
    package typealias Order = ForegroundGroup<Member>.Order

    private struct Membership {
        let group: String
        /// How it stood when its group was told last; nil where it has not been told of this process.
        var told: ForegroundEligibility?
    }

    private var groups: [String: ForegroundGroup<Member>] = [:]
    private var memberships: [Member: Membership] = [:]

    /// No groups.
    package init() {}

    /// Whether no worker belongs to a group.
    package var isEmpty: Bool { memberships.isEmpty }

    /// Puts a worker into the group of that name, or with nil into none; what follows from that, where it was in another before.
    package mutating func join(
        _ member: Member, _ group: String?, _ eligibility: @autoclosure () -> ForegroundEligibility
    ) -> [Order] {
        guard memberships[member]?.group != group else { return [] }
        var orders = leave(member)
        guard let group else { return orders }
        memberships[member] = Membership(group: group)
        orders += settle(member, eligibility())
        return orders
    }

    /// Takes a worker out of its group; what follows from that.
    package mutating func leave(_ member: Member) -> [Order] {
        guard let name = memberships.removeValue(forKey: member)?.group, var group = groups[name] else {
            return []
        }
        let orders = group.remove(member)
        groups[name] = group.isEmpty ? nil : group
        return orders
    }

    /// Takes in how a worker stands now, `after` an event of it; what follows from that, which is nothing where it stands as before and the
    /// event does not ask for the foreground.
    package mutating func settle(
        _ member: Member, _ eligibility: @autoclosure () -> ForegroundEligibility, after event: Event? = nil
    ) -> [Order] {
        guard let membership = memberships[member] else { return [] }
        let eligibility = eligibility()
        guard membership.told != eligibility else {
            guard event?.asksForForeground ?? false else { return [] }
            return groups[membership.group]?.ask(member) ?? []
        }
        memberships[member]?.told = eligibility
        return groups[membership.group, default: .init()].update(member, eligibility)
    }

    /// Has the next ``settle(_:_:)`` tell how the worker stands, whatever it was told before.
    package mutating func tellAgain(_ member: Member) { memberships[member]?.told = nil }

    /// The worker that holds the foreground of `member`'s group; nil where none does, or `member` itself.
    package func holder(before member: Member) -> Member? {
        guard let name = memberships[member]?.group, let holder = groups[name]?.holder, holder != member
        else { return nil }
        return holder
    }

    /// The worker for which `member` is asked to leave: the successor of a holder; the holder, of one that waits.
    package func rival(of member: Member) -> Member? {
        holder(before: member) ?? memberships[member].flatMap { groups[$0.group]?.successor }
    }
}
