package import Lifecycle
package import Transferring

/// A transfer that a worker or a caller asks for.
package struct TransferRequest: Hashable, Sendable {
    /// The most bytes of a command.
    package static let longestCommand = 64 << 10
    /// The most words of a command.
    package static let mostWords = 4096
    /// The most characters of a purpose that are kept.
    package static let longestPurpose = 256
    /// The program and its arguments: one at least.
    package let command: [String]
    /// What it is for; nil for the name of the program.
    package let purpose: String?
    /// The directory it starts in, absolute; nil for that of the worker.
    package let directory: String?
    /// How long it may take; nil for as long as its worker's file allows.
    package let limit: TimeSpan?

    package init(command: [String], purpose: String? = nil, directory: String? = nil, limit: TimeSpan? = nil)
    {
        (self.command, self.purpose, self.directory, self.limit) = (command, purpose, directory, limit)
    }
}

/// Why a transfer does not begin.
package enum TransferFailure: Error, Hashable, Sendable {
    /// There are too many.
    case refused(TransferRefusal)
    /// Something on this machine is in the way, in words.
    case system(String)
    /// Something is short on this machine, in words: a later attempt may succeed.
    case short(String)
}
