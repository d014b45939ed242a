package import Lifecycle

/// What a worker's file says of its transfers.
package struct TransferSettings: Hashable, Sendable {
    /// Whether the end of one wakes or launches the worker (`Modes=transfer`).
    package var wakes = false
    /// How many may run at one time (`TransfersMax=`).
    package var most = 8
    /// How long one may take (`TransferLimitSec=`); nil is for ever.
    package var limit: TimeSpan? = .seconds(7 * 86_400)
    /// How much memory one may use, in bytes (`TransferMemoryMax=`); nil is as much as there is.
    package var memoryMaximum: Int64?
    /// How large a file may be that one writes, in bytes (`TransferFileSizeMax=`); nil is as large as one of the worker.
    package var fileSizeMaximum: UInt64?

    /// The defaults.
    package init() {}
}

/// A command that is to run for a worker as a transfer.
package struct TransferCall: Hashable, Sendable {
    /// Its number.
    package let number: UInt32
    /// The program and its arguments.
    package let command: [String]
    /// The directory it starts in; nil is that of the worker.
    package let directory: String?

    package init(number: UInt32, command: [String], directory: String?) {
        self.number = number
        self.command = command
        self.directory = directory
    }
}
