/// Why a notify datagram was dropped whole, its descriptors closed.
package enum NotifyDrop: Error, Hashable, Sendable {
    /// It has more than `NotifyMessage.lengthLimit` bytes.
    case tooLong(bytes: Int)
    /// There is a NUL before its last byte.
    case innerNUL
    /// The kernel did not tell the sender, or it came from outside this process's pid namespace.
    case missingCredentials
    /// Descriptors or credentials were cut off.
    case truncatedControlData
    /// `BARRIER=1` stood beside something else.
    case barrierNotAlone
    /// `BARRIER=1` came with another number of descriptors than one.
    case barrierDescriptors(count: Int)
}

extension NotifyDrop: CustomStringConvertible {
    /// The reason as the end of a sentence about the message.
    package var description: String {
        switch self {
        case .tooLong(let bytes): "has \(bytes) bytes, more than \(NotifyMessage.lengthLimit)"
        case .innerNUL: "contains a NUL"
        case .missingCredentials: "has no sender credentials"
        case .truncatedControlData: "has truncated control data"
        case .barrierNotAlone: "has BARRIER=1 together with other fields"
        case .barrierDescriptors(let count): "has BARRIER=1 with \(count) descriptors instead of one"
        }
    }
}
