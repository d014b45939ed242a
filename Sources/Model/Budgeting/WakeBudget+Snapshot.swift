internal import Lifecycle
package import SnapshotCoding

extension WakeBudget: SnapshotObject {
    /// Writes or reads it; what happened did so in the past.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: WakeBudget?) throws(C.Failure) {
        let began = try c.optional("began", 1, value?.began)
        try c.checkPast("began", began?.microseconds)
        let wakes = try c.value("wakes", 2, value.map { UInt32(clamping: $0.wakes) }, or: 0)
        let spent = try c.value("spent", 3, value?.spent, or: .zero)
        let awakeSince = try c.optional("awakeSince", 4, value?.awakeSince)
        try c.checkPast("awakeSince", awakeSince?.microseconds)
        let isOnItsWay = try c.flag("isOnItsWay", 5, value?.isOnItsWay)
        let kept = try c.list("kept", 6, value?.kept)
        self.init(
            began: began, wakes: Int(wakes), spent: spent, awakeSince: awakeSince, isOnItsWay: isOnItsWay,
            kept: kept)
    }
}

extension WakeBudget.Kept: SnapshotObject {
    /// Writes or reads it.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: WakeBudget.Kept?) throws(C.Failure) {
        let reason = try c.required("reason", 1, value?.reason)
        let detail = try c.optional("detail", 2, value?.detail)
        let count = try c.value("count", 3, value.map { UInt32(clamping: $0.count) }, or: 1)
        self.init(reason, detail, count: Int(count), since: try c.past("since", 4, value?.since))
    }
}
