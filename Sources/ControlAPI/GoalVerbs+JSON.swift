public import Varlink

// What goes in and out of the verbs that set goals, by hand: their calls are the ones that somebody waits for. A test holds
// it against what `Codable` makes of the same types.

extension SupervisorInterface.GoalParameters {
    /// What `object` says; it fits the interface's description, since the call was let through.
    ///
    /// - Throws: ``JSON/Mismatch`` with the field where it does not.
    public init(reading object: JSON.Object) throws(JSON.Mismatch) {
        var names: [String]?
        var wait: Bool?
        var timeout: Int64?
        for member in object.members {
            switch (member.key, member.value) {
            case ("names", .array(let elements)):
                names = elements.compactMap(\.string)
                if names?.count != elements.count { throw JSON.Mismatch(path: "names", expected: "strings") }
            case ("wait", .bool(let value)): wait = value
            case ("timeoutMs", .int(let value)): timeout = value
            case ("wait", .null), ("timeoutMs", .null): break
            case ("names", _), ("wait", _), ("timeoutMs", _):
                throw JSON.Mismatch(path: member.key, expected: "of its type")
            default: break
            }
        }
        guard let names else { throw JSON.Mismatch(path: "names", expected: "there") }
        self.init(names: names, wait: wait, timeoutMs: timeout)
    }
}

extension SupervisorInterface.GoalResult {
    /// The result as JSON.
    public var json: JSON.Object {
        var members: [JSON.Object.Member] = [
            .init(key: "name", value: .string(name)), .init(key: "state", value: .string(state.rawValue)),
            .init(key: "goal", value: .string(goal.rawValue)), .init(key: "reached", value: .bool(reached)),
        ]
        if let error { members.append(.init(key: "error", value: .string(error))) }
        if let message { members.append(.init(key: "message", value: .string(message))) }
        return JSON.Object(unique: members)
    }
}

extension SupervisorInterface.GoalReply {
    /// The reply as JSON.
    public var json: JSON.Object { ["results": .array(results.map { .object($0.json) })] }
}
