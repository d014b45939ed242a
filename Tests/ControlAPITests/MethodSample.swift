import ControlAPI
import Varlink

/// A method with parameters and replies that its description allows: with every field, for each value of its enumerations, and with
/// as few fields as possible.
struct MethodSample: Sendable {
    let member: String
    let parameters: [JSON], replies: [JSON]
    /// The same after they were read as the Swift types and written again.
    let readParameters: [JSON], readReplies: [JSON]
    /// Where a value that is read or written without `Codable` differs from the one with it.
    let differences: [String]

    /// The methods of the operators' interface.
    static func ofOperators() throws -> [MethodSample] {
        try SupervisorInterface.methods.map { try sample($0) }
    }

    /// The methods of the workers' interface.
    static func ofWorkers() throws -> [MethodSample] {
        try WorkerInterface.methods.map { try sample($0) }
    }

    private static func sample<M: SupervisorInterface.Method>(_ method: M.Type) throws -> MethodSample {
        try MethodSample(M.member, M.Parameters.self, M.Reply.self, of: SupervisorInterface.definition)
    }

    private static func sample<M: WorkerInterface.Method>(_ method: M.Type) throws -> MethodSample {
        try MethodSample(M.member, M.Parameters.self, M.Reply.self, of: WorkerInterface.definition)
    }

    private init<
        Parameters: Codable & JSONConvertible & Equatable, Reply: Codable & JSONConvertible & Equatable
    >(
        _ member: String, _: Parameters.Type, _: Reply.Type, of definition: InterfaceDefinition
    ) throws {
        self.member = member
        let method = definition.method(member)
        parameters = definition.samples(of: method?.input ?? [])
        replies = definition.samples(of: method?.output ?? [])
        readParameters = try parameters.map { try JSON(encoding: $0.decode(Parameters.self)) }
        readReplies = try replies.map { try JSON(encoding: $0.decode(Reply.self)) }
        differences =
            Self.differences(parameters, as: Parameters.self) + Self.differences(replies, as: Reply.self)
    }

    /// Where the two ways differ for `all`, and for the bare and the first whole one with one part after another missing or of another type.
    private static func differences<Value: Codable & JSONConvertible & Equatable>(
        _ all: [JSON], as type: Value.Type
    ) -> [String] {
        (all + all.prefix(2).flatMap(\.spoilt)).compactMap { json in
            let one = Result { () throws(JSON.Mismatch) in try json.decode(type) }
            let other = Result { () throws(JSON.Mismatch) in try Value(json: json) }
            switch (one, other) {
            case (.success(let one), .success(let other)):
                let isSame = one == other && (try? JSON(encoding: one)) == other.asJSON
                return isSame ? nil : "\(json)"
            case (.failure(let one), .failure(let other)):
                // Of a word that is none of an enumeration the standard library speaks in its own words.
                let isOfEnumeration = one.expected.hasPrefix("Cannot initialize")
                return one.path == other.path && (isOfEnumeration || one.expected == other.expected)
                    ? nil : "\(one) \(other)"
            case (.success, .failure(let other)): return "\(json): \(other)"
            case (.failure(let one), .success): return "\(json): \(one)"
            }
        }
    }
}

extension JSON {
    /// The same with each part in turn, at any depth, missing, null, or of another type.
    fileprivate var spoilt: [JSON] {
        switch self {
        case .null, .bool, .int, .double, .string, .written: return [.null, [1], ["a": "b"], "none", 7, true]
        case .array(let elements):
            return [.null, "none"]
                + elements.indices.flatMap { index in
                    elements[index].spoilt.map { part in
                        var elements = elements
                        elements[index] = part
                        return JSON.array(elements)
                    }
                }
        case .object(let object):
            return [.null, "none", []]
                + object.members.flatMap { member in
                    ([nil] + member.value.spoilt.map { $0 }).map { (part: JSON?) in
                        var object = object
                        object[member.key] = part
                        return JSON.object(object)
                    }
                }
        }
    }
}

extension InterfaceDefinition {
    /// Values of a structure of `fields`: the bare one, then whole ones, until each value of an enumeration was in one.
    fileprivate func samples(of fields: [InterfaceField]) -> [JSON] {
        let variants = entries.compactMap { entry in
            if case .type(.enumeration(let values)) = entry.member { values.count } else { nil }
        }
        return (-1..<(variants.max() ?? 1)).map { sample(.structure(fields), $0) }
    }

    /// A value of `type`: the bare one for -1, whole ones for larger numbers.
    private func sample(_ type: InterfaceType, _ variant: Int) -> JSON {
        let isBare = variant < 0
        switch type {
        case .bool: return .bool(!isBare)
        case .int: return .int(isBare ? 0 : 5_000_000_000 + Int64(variant))
        case .float: return .double(isBare ? 0.5 : -1.25)
        case .string: return .string(isBare ? "" : "a “b” \"\(variant)\"\n")
        case .object, .any: return isBare ? [:] : ["member": [1, "two"]]
        case .array(let element):
            return .array(isBare ? [] : [sample(element, variant), sample(element, -1)])
        case .dictionary(let value): return .object(isBare ? [:] : ["key": sample(value, variant)])
        case .nullable(let type): return isBare ? .null : sample(type, variant)
        case .named(let name): return self.type(name).map { sample($0, variant) } ?? .null
        case .structure(let fields):
            var object: JSON.Object = [:]
            for field in fields {
                let value = sample(field.type, variant)
                if value != .null { object[field.name] = value }
            }
            return .object(object)
        case .enumeration(let values): return .string(values[max(0, variant) % values.count].name)
        }
    }
}
