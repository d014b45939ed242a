package import Varlink

/// What posts say, in the one form in which equal values are equal bytes: keys in order, no space.
package enum Payload {
    package static func object(_ members: [(String, JSON)]) -> [UInt8] {
        var object = JSON.Object()
        for (key, value) in members.sorted(by: { $0.0 < $1.0 }) { object[key] = value }
        var bytes: [UInt8] = []
        JSON.object(object).write(into: &bytes)
        return bytes
    }
}
