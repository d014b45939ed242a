extension InterfaceDefinition {
    /// The path of the first parameter that does not fit `fields`, as `names[2]` or `properties.memoryMax`; `nil` when all fit.
    ///
    /// A field may be missing or `null` where its type says `?`; a name that is not described does not fit, since a misspelt option
    /// that is silently ignored does harm.
    public func firstInvalid(_ parameters: JSON.Object, of fields: [InterfaceField]) -> String? {
        mismatch(parameters, fields, path: "")
    }

    /// The path of the first part of `value` that does not fit `type`, below `path`; `nil` when all fit.
    public func firstInvalid(_ value: JSON, of type: InterfaceType, path: String = "") -> String? {
        switch (type, value) {
        case (.nullable, .null), (.any, _), (.bool, .bool), (.int, .int), (.float, .int), (.float, .double),
            (.string, .string), (.object, .object):
            return nil
        case (.nullable(let type), _): return firstInvalid(value, of: type, path: path)
        case (.named(let name), _):
            // The parser checked that the type is there.
            guard let type = self.type(name) else { return path }
            return firstInvalid(value, of: type, path: path)
        case (.array(let type), .array(let elements)):
            for (index, element) in elements.enumerated() {
                if let path = firstInvalid(element, of: type, path: "\(path)[\(index)]") { return path }
            }
            return nil
        case (.dictionary(let type), .object(let object)):
            for member in object.members {
                let path = join(path, member.key)
                if let path = firstInvalid(member.value, of: type, path: path) { return path }
            }
            return nil
        case (.structure(let fields), .object(let object)): return mismatch(object, fields, path: path)
        case (.enumeration(let values), .string(let value)): return values.contains(value) ? nil : path
        case (.bool, _), (.int, _), (.float, _), (.string, _), (.object, _), (.array, _), (.dictionary, _),
            (.structure, _), (.enumeration, _):
            return path
        }
    }

    private func mismatch(_ object: JSON.Object, _ fields: [InterfaceField], path: String) -> String? {
        for field in fields {
            let path = join(path, field.name)
            if let path = firstInvalid(object[field.name] ?? .null, of: field.type, path: path) {
                return path
            }
        }
        for member in object.members where !fields.contains(where: { $0.name == member.key }) {
            return join(path, member.key)
        }
        return nil
    }

    private func join(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
}
