package import Lifecycle
package import Varlink

extension SnapshotReader {
    package mutating func object() throws(SnapshotError) -> JSON.Object {
        let text = try content()
        guard let json = try? JSON(parsing: text.span), case .object(let object) = json else { throw .broken }
        return object
    }

    package mutating func descriptor() throws(SnapshotError) -> Int32 {
        guard let number = Int32(exactly: try signed()), number >= 0 else { throw .broken }
        return number
    }

    package mutating func worker() throws(SnapshotError) -> WorkerID {
        guard let number = UInt32(exactly: try number()) else { throw .broken }
        return WorkerID(number)
    }
}
