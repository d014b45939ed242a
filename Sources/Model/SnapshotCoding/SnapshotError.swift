/// Why a snapshot cannot be taken over.
public enum SnapshotError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The member at this path holds what no writer writes, or the snapshot ends in it.
    case damaged(String)
    /// The member at this path is missing.
    case missing(String)
    /// The snapshot is of a format that this version does not read.
    case format(UInt64)

    /// A clause that names the member.
    public var description: String {
        switch self {
        case .damaged(let path): "\(path) is damaged"
        case .missing(let path): "\(path) is missing"
        case .format(let number): "format \(number) is not known"
        }
    }
}
