public import Varlink

// What goes in and out of Post, by hand: thousands of them come in a row. A test holds it against what `Codable` makes of the
// same types.

extension SupervisorInterface.Post.Parameters {
    /// What `object` says; it fits the interface's description, since the call was let through.
    ///
    /// - Throws: ``JSON/Mismatch`` with the field where it does not.
    public init(reading object: JSON.Object) throws(JSON.Mismatch) {
        self.init(names: [], topic: "")
        var hasNames = false
        var hasTopic = false
        for member in object.members {
            switch (member.key, member.value) {
            case (_, .null): break
            case ("names", let value): (names, hasNames) = (try value.strings("names"), true)
            case ("topic", .string(let value)): (topic, hasTopic) = (value, true)
            case ("payload", .object): payload = member.value
            case ("rule", .string(let value)):
                guard let known = SupervisorInterface.MergeRule(rawValue: value) else {
                    throw JSON.Mismatch(path: "rule", expected: "a rule")
                }
                rule = known
            case ("added", let value): added = try value.strings("added")
            case ("removed", let value): removed = try value.strings("removed")
            case ("wake", .bool(let value)): wake = value
            case ("foreground", .bool(let value)): foreground = value
            case ("at", .int(let value)): at = value
            case ("everyUsec", .int(let value)): everyUsec = value
            case ("transient", .bool(let value)): transient = value
            case ("alert", .bool(let value)): alert = value
            case ("alertLimitUsec", .int(let value)): alertLimitUsec = value
            default: throw JSON.Mismatch(path: member.key, expected: "of its type")
            }
        }
        guard hasNames else { throw JSON.Mismatch(path: "names", expected: "there") }
        guard hasTopic else { throw JSON.Mismatch(path: "topic", expected: "there") }
    }
}

extension SupervisorInterface.Post.Reply {
    /// The reply as JSON.
    public var json: JSON.Object {
        ["results": .array(results.map { .object($0.json) })]
    }
}

extension SupervisorInterface.PostResult {
    fileprivate var json: JSON.Object {
        var members: [JSON.Object.Member] = [.init(key: "name", value: .string(name))]
        if let sequence { members.append(.init(key: "sequence", value: .int(sequence))) }
        if let schedule { members.append(.init(key: "schedule", value: .int(schedule))) }
        if let alert { members.append(.init(key: "alert", value: .int(alert))) }
        if let obstacle { members.append(.init(key: "obstacle", value: .string(obstacle.rawValue))) }
        if let message { members.append(.init(key: "message", value: .string(message))) }
        return JSON.Object(unique: members)
    }
}

extension JSON {
    fileprivate func strings(_ path: String) throws(JSON.Mismatch) -> [String] {
        guard case .array(let elements) = self else { throw JSON.Mismatch(path: path, expected: "strings") }
        let strings = elements.compactMap(\.string)
        guard strings.count == elements.count else { throw JSON.Mismatch(path: path, expected: "strings") }
        return strings
    }
}
