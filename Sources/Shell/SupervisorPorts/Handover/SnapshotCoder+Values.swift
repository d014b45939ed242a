package import SnapshotCoding
package import Varlink

extension SnapshotCoder where Self: ~Copyable {
    /// A JSON object that is missing where it has no members.
    package mutating func jsonObject(
        _ name: StaticString, _ tag: UInt8, _ value: JSON.Object?
    ) throws(Failure) -> JSON.Object {
        let text = value.flatMap { $0.members.isEmpty ? nil : Array(JSON.object($0).text.utf8) }
        guard let read = try json(name, tag, text) else { return [:] }
        if let value { return value }
        guard let object = (try? JSON(parsing: read.span))?.object else { try stop(name) }
        return object
    }

    /// A descriptor that is always there.
    package mutating func descriptor(
        _ name: StaticString, _ tag: UInt8, _ value: Int32?
    ) throws(Failure) -> Int32 {
        guard let number = try optionalDescriptor(name, tag, value) else { try missing(name) }
        return number
    }

    /// A descriptor that may be missing.
    package mutating func optionalDescriptor(
        _ name: StaticString, _ tag: UInt8, _ value: Int32?
    ) throws(Failure) -> Int32? {
        let number = try optional(name, tag, value)
        if let number, number < 0 { try refuse(name) }
        return number
    }
}
