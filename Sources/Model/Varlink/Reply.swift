/// A reply as the message says it, checked for its types.
struct Reply {
    /// The field of a message that makes it no reply.
    struct Fault: Error {
        let field: String
    }

    let parameters: JSON.Object
    let continues: Bool
    let error: MethodError?

    /// Fails with the name of the field that has the wrong type; `null` means not there.
    init(_ message: JSON) throws(Fault) {
        guard case .object = message else { throw Fault(field: "") }
        switch message["parameters"] {
        case nil, .null: parameters = [:]
        case .object(let object): parameters = object
        case .bool, .int, .double, .string, .array, .written: throw Fault(field: "parameters")
        }
        switch message["continues"] {
        case nil, .null: continues = false
        case .bool(let value): continues = value
        case .int, .double, .string, .array, .object, .written: throw Fault(field: "continues")
        }
        switch message["error"] {
        case nil, .null: error = nil
        case .string(let name): error = MethodError(name, parameters)
        case .bool, .int, .double, .array, .object, .written: throw Fault(field: "error")
        }
        guard error == nil || !continues else { throw Fault(field: "continues") }
    }
}
