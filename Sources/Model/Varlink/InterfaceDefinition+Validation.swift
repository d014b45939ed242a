extension InterfaceDefinition {
    /// The path of the first parameter that does not match `fields`, such as `names[2]` or `properties.memoryMax`; `nil` if all match.
    ///
    /// A field may be missing or `null` if its type has `?`; an unknown name does not match, since silently ignoring a misspelt
    /// option does harm.
    public func firstInvalid(_ parameters: JSON.Object, of fields: [InterfaceField]) -> String? {
        for field in fields {
            if let rest = firstInvalid(parameters[field.name] ?? .null, of: field.type) {
                return join(field.name, rest)
            }
        }
        for member in parameters.members where !fields.contains(where: { $0.name == member.key }) {
            return member.key
        }
        return nil
    }

    /// The path of the first part of `value` that does not fit `type`, empty for all of it; `nil` when all fits.
    ///
    /// It is put together on the way back from what does not fit: nearly everything does.
    private func firstInvalid(_ value: JSON, of type: InterfaceType) -> String? {
        switch (type, value) {
        case (.nullable, .null), (.any, _), (.bool, .bool), (.int, .int), (.float, .int), (.float, .double),
            (.string, .string), (.object, .object), (.object, .written):
            return nil
        case (.nullable(let type), _): return firstInvalid(value, of: type)
        case (.named(let name), _):
            // The parser checked that the type is there.
            guard let type = self.type(name) else { return "" }
            return firstInvalid(value, of: type)
        case (.array(let type), .array(let elements)):
            for (index, element) in elements.enumerated() {
                if let rest = firstInvalid(element, of: type) { return join("[\(index)]", rest) }
            }
            return nil
        case (.dictionary(let type), .object(let object)):
            for member in object.members {
                if let rest = firstInvalid(member.value, of: type) { return join(member.key, rest) }
            }
            return nil
        case (.structure(let fields), .object(let object)): return firstInvalid(object, of: fields)
        case (.enumeration(let values), .string(let value)):
            return values.contains { $0.name == value } ? nil : ""
        case (.bool, _), (.int, _), (.float, _), (.string, _), (.object, _), (.array, _), (.dictionary, _),
            (.structure, _), (.enumeration, _):
            return ""
        }
    }

    private func join(_ name: String, _ rest: String) -> String {
        rest.isEmpty || rest.utf8.first == UInt8(ascii: "[") ? name + rest : "\(name).\(rest)"
    }
}
