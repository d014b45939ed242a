public import Varlink

// What goes in and out of the verbs that set goals, by hand: their calls are the ones that people wait for. A test holds
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
    /// Appends the result as JSON text.
    func write(into bytes: inout [UInt8]) {
        bytes.append(contentsOf: #"{"name":"#.utf8)
        JSON.write(string: name, into: &bytes)
        bytes.append(contentsOf: #","state":""#.utf8)
        bytes.append(contentsOf: state.rawValue.utf8)
        bytes.append(contentsOf: #"","goal":""#.utf8)
        bytes.append(contentsOf: goal.rawValue.utf8)
        if let wanted {
            bytes.append(contentsOf: #"","wanted":""#.utf8)
            bytes.append(contentsOf: wanted.rawValue.utf8)
        }
        bytes.append(contentsOf: (reached ? #"","reached":true"# : #"","reached":false"#).utf8)
        if let error {
            bytes.append(contentsOf: #","error":"#.utf8)
            JSON.write(string: error, into: &bytes)
        }
        if let message {
            bytes.append(contentsOf: #","message":"#.utf8)
            JSON.write(string: message, into: &bytes)
        }
        if let lastOutput {
            bytes.append(contentsOf: #","lastOutput":["#.utf8)
            for (index, line) in lastOutput.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSON.write(string: line, into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
        bytes.append(UInt8(ascii: "}"))
    }
}

extension SupervisorInterface.GoalReply {
    /// The reply as it goes over the wire.
    public func message(continues: Bool = false) -> EncodedMessage {
        EncodedMessage(continues: continues) { bytes in
            bytes.append(contentsOf: #"{"results":["#.utf8)
            for (index, result) in results.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                result.write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
            if let waiting {
                bytes.append(contentsOf: #","waiting":"#.utf8)
                JSON.array(waiting.map(\.json)).write(into: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}

extension SupervisorInterface.GoalWaiting {
    /// The value as it goes over the wire.
    fileprivate var json: JSON {
        var object: JSON.Object = ["name": .string(name), "state": .string(state.rawValue)]
        object["on"] = on.map { .string($0) }
        object["deadline"] = deadline.map {
            [
                "name": .string($0.name), "at": .int($0.at), "remainingUsec": .int($0.remainingUsec),
                "then": .string($0.then),
            ]
        }
        return .object(object)
    }
}
