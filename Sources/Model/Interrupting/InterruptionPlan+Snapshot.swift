internal import Lifecycle
package import SnapshotCoding

extension InterruptionPlan: SnapshotObject {
    /// Writes or reads it.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: InterruptionPlan?) throws(C.Failure) {
        let current = try c.list("current", 1, value?.current)
        self.init(
            current: current, lastNumber: try c.value("lastNumber", 2, value?.lastNumber, or: 0))
    }
}

extension Interruption: SnapshotObject {
    private enum Code: Int, CodingKey, SnapshotKind {
        case sessionLock = 0, call = 1, request = 2, worker = 3, alert = 4
    }

    private var parts: (code: Code, text: String) {
        switch kind {
        case .sessionLock(let session): (.sessionLock, session)
        case .call(let purpose): (.call, purpose)
        case .request(let purpose): (.request, purpose)
        case .worker(let purpose): (.worker, purpose)
        case .alert(let topic): (.alert, topic)
        }
    }

    /// Writes or reads it.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Interruption?) throws(C.Failure) {
        let number = try c.required("number", 1, value?.number)
        let parts = value?.parts
        let code = try c.required("kind", 2, parts?.code)
        let text = try c.required("text", 3, parts?.text)
        let kind: Kind =
            switch code {
            case .sessionLock: .sessionLock(text)
            case .call: .call(text)
            case .request: .request(text)
            case .worker: .worker(text)
            case .alert: .alert(text)
            }
        let requester = try c.required("requester", 4, value?.requester)
        let since = try c.past("since", 5, value?.since)
        self.init(
            number: number, kind, by: requester, since: since, due: try c.optional("due", 6, value?.due))
    }
}
