internal import ConfigurationSyntax
internal import Lifecycle
package import SnapshotCoding

extension GivingPlan: SnapshotObject {
    /// Writes or reads it.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: GivingPlan?) throws(C.Failure) {
        let offers = try c.list("offers", 1, value?.offers)
        let current = try c.optional("current", 2, value?.current)
        self.init(
            offers: offers, current: current,
            lastNumber: try c.value("lastNumber", 3, value?.lastNumber, or: 0))
    }

    /// The same with no more offers than take `most` bytes: for a record that must be short.
    package func shortened(to most: Int) -> GivingPlan {
        var left = most
        let kept = offers.filter { offer in
            guard offer.size <= left else { return false }
            left -= offer.size
            return true
        }
        return GivingPlan(offers: kept, current: current, lastNumber: lastNumber)
    }
}

extension ActivityOffer: SnapshotObject {
    private enum Code: Int, CodingKey, SnapshotKind {
        case connection = 0, notification = 1, file = 2
    }

    private var code: Code {
        switch source {
        case .connection: .connection
        case .notification: .notification
        case .file: .file
        }
    }

    /// Writes or reads it.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: ActivityOffer?) throws(C.Failure) {
        let type = try c.activityType("type", 1, value?.type)
        let title = try c.optional("title", 2, value?.title)
        let state = try c.optional("state", 3, value?.state)
        let asks = try c.flag("asks", 4, value?.asks)
        let source: Source =
            switch try c.required("source", 5, value?.code) {
            case .connection: .connection
            case .notification: .notification
            case .file: .file
            }
        self.init(
            type, title: title, state: state, asks: asks, source,
            since: try c.past("since", 6, value?.since))
    }
}

extension ActivityHandoff: SnapshotObject {
    /// Writes or reads it.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: ActivityHandoff?) throws(C.Failure) {
        let id = try c.required("id", 1, value?.id)
        let number = try c.required("number", 2, value?.number)
        let type = try c.activityType("type", 3, value?.type)
        let title = try c.optional("title", 4, value?.title)
        let requester = try c.required("requester", 5, value?.requester)
        let since = try c.past("since", 6, value?.since)
        let wasForeground = try c.flag("wasForeground", 7, value?.wasForeground)
        let isAsking = try c.flag(
            "isAsking", 8, value.map { if case .asking = $0.stage { true } else { false } })
        let due = try c.required("due", 9, value?.stage.due)
        self.init(
            id: id, number: number, type, title: title, by: requester, since: since,
            wasForeground: wasForeground, isAsking ? .asking(until: due) : .given(until: due))
    }
}

extension SnapshotCoder where Self: ~Copyable {
    /// The type of an activity, as its text.
    fileprivate mutating func activityType(
        _ name: StaticString, _ tag: UInt8, _ value: ActivityType?
    ) throws(Failure) -> ActivityType {
        let text = try required(name, tag, value?.text)
        if let value { return value }
        guard let type = try? ActivityType(parsing: text) else { try stop(name) }
        return type
    }
}
