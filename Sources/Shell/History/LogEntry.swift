package import ControlAPI
internal import Places
package import Systemd

/// One line of the log, with its fields.
package struct LogEntry: Hashable, Sendable {
    /// What kind of thing happened: each has a MESSAGE_ID by which it is found (`journalctl MESSAGE_ID=…`).
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A worker changed its state.
        case changed = "e1dea4a23f4b4ca5bc03d8250fef2a09"
        /// A process of a worker ended.
        case ended = "53cadcdea0bb49aca0b6740efd50aa8f"
        /// A launch did not happen.
        case launchFailed = "22813e6ebd4847a8ae4b3ac1b9a42b98"
        /// A worker has launched.
        case launchCompleted = "a63dd24773124a72ade7628c7d8c57c8"
        /// Something went wrong that supervision goes on without.
        case warned = "6549b5cc5b894e37b1424ead7698009d"
        /// Something that was asked is not done.
        case refused = "2e73ecad8fbb4f2b888cd97f7867f7ca"
        /// A fact that means nothing here.
        case surprised = "8cc3965f8269450d9284185f7f796c18"
        /// A message that was not taken.
        case ignored = "7e0b836f646844e4a81c701e7efde875"
        /// A hook failed.
        case hookFailed = "53f3324be7ef4c9099f47e64add0acec"
        /// A line that a hook printed.
        case hookPrinted = "264d78bd0eb241749af7fec193326601"
        /// A callback is complete.
        case callback = "7d0f5b3e9a614f27b8c2e4d6f1a05397"
        /// A worker said how it is.
        case status = "3cd68d49b70a4377bc8270b1be1d6e9d"
        /// The daemon is there.
        case started = "10e29eef18c84f6da9db661e4a4690b6"
        /// A worker that a predecessor has left was taken over.
        case adopted = "5d0c6a8e7f2b4d5c9a41e3b06f8c7d12"
        /// The daemon goes.
        case stopping = "8dea5efcfa2e4671ac5dbd1cee16ffdd"
        /// The definitions were read anew.
        case reloaded = "1c85797638244d0cabc443104940f1c3"
        /// A definition does not hold.
        case invalidDefinition = "2ec94a93b9374d9289424993930f2c8a"
        /// A definition is odd, or asks for what is not done.
        case oddDefinition = "351c7c5881de4ce791a76c2c457a4213"
        /// An event woke a worker, or launched it.
        case woken = "9a4e1c0d6f3b4a7e8c25d17b40e96f38"
        /// A caller opened a URL.
        case opened = "6c1f8b92e5d74c03a9f04d3e71b8526a"
        /// A client asked for a change.
        case asked = "1237f8f9509f4d5785765c906dc9fc87"
        /// How short memory is, and what is done about it.
        case memory = "b0a5d6e2c7f84f0f9c1d2a6b7e3f4958"
        /// What is kept of the past cannot be written, or can again.
        case kept = "4d1f0a7a6d5b4c0e9c3b58f1c2a7e690"
        /// Entries could not be written.
        case lost = "c0e666147eb74d9abba649046d8934d6"

        /// Its id, as sd_id128(3) writes it.
        package var messageID: String { rawValue }
    }

    /// A field besides those that every entry has.
    package typealias Field = Journal.Field

    /// What kind of thing happened.
    package let kind: Kind
    /// How urgent it is.
    package let level: SupervisorInterface.LogLevel
    /// The worker it is about; nil for the daemon itself.
    package let worker: String?
    /// A sentence, without the worker's name.
    package let message: String
    /// What else is known.
    package let fields: [Field]

    /// The longest text of a line, and of a field: what is longer is cut.
    package static let lengthLimit = 2048

    /// An entry, whose texts may come from anywhere: control characters in them are escaped, and they are cut at a bound.
    package init(
        _ kind: Kind, _ level: SupervisorInterface.LogLevel, worker: String? = nil, _ message: String,
        fields: [Field] = []
    ) {
        self.kind = kind
        self.level = level
        self.worker = worker
        self.message = message.printable(limit: Self.lengthLimit)
        self.fields = fields.map { Field($0.name, $0.value.printable(limit: Self.lengthLimit)) }
    }

    /// The line for people: `web: active → inactive (idle)`.
    package var line: String { worker.map { "\($0): \(message)" } ?? message }

    /// All fields, for the journal.
    var journalFields: [Field] {
        var all = [
            Field("MESSAGE", line), Field("PRIORITY", String(level.priority)),
            Field("MESSAGE_ID", kind.messageID), Field("SYSLOG_IDENTIFIER", "torpord"),
        ]
        if let worker { all.append(Field("TORPOR_WORKER", worker)) }
        return all + fields
    }
}

extension SupervisorInterface.LogLevel {
    /// The number of syslog(3): 0 is the most urgent.
    var priority: Int {
        switch self {
        case .emerg: 0
        case .alert: 1
        case .crit: 2
        case .err: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        case .debug: 7
        }
    }
}
