package import Lifecycle

/// A command that runs for a worker in a place of its own: it outlives the worker's sleep, its process and the supervisor (3.1).
package struct Transfer: Hashable, Sendable {
    /// Its number, which no other transfer has since the machine was started.
    package let number: UInt32
    /// The name of the worker.
    package let worker: String
    /// The program and its arguments.
    package let command: [String]
    /// What it is for, in a word or two; the name of the program by default.
    package let purpose: String
    /// The requester: the worker itself, or a caller.
    package let requester: Requester
    /// When it began.
    package let began: Instant
    /// When it is ended at the latest (`TransferLimitSec=`); nil where its time is not limited.
    package let due: Instant?

    package init(
        number: UInt32, worker: String, command: [String], purpose: String, by requester: Requester,
        began: Instant, due: Instant?
    ) {
        self.number = number
        self.worker = worker
        self.command = command
        self.purpose = purpose
        self.requester = requester
        self.began = began
        self.due = due
    }
}

/// How the main process of a transfer ended.
package enum TransferStatus: Hashable, Sendable {
    /// It exited, with this status.
    case exited(Int32)
    /// A signal ended it.
    case killed(signal: Int32)
    /// It could not be started, for the reason among the last lines.
    case notStarted
    /// That is not known: what watched over it was killed.
    case unknown
}

/// Why the supervisor ends a transfer.
package enum TransferStop: String, Hashable, Sendable, CaseIterable {
    /// The worker, or a caller, has cancelled it.
    case cancelled
    /// Its time is over (`TransferLimitSec=`).
    case timeLimit
    /// All workers are shut down.
    case shutdown
}

/// The end of a transfer, as the worker is told of it.
package struct TransferEnd: Hashable, Sendable {
    /// How its main process ended.
    package var status: TransferStatus
    /// When.
    package var at: Instant
    /// Why it was ended, where the supervisor did that.
    package var stop: TransferStop?
    /// Whether the kernel ended it for its memory (`TransferMemoryMax=`).
    package var isOutOfMemory: Bool
    /// What it has told of its progress last.
    package var progress: TransferProgress
    /// The last lines that it printed, the oldest first.
    package var lines: [String]
    /// How many processes it left running, which were ended.
    package var leftovers: UInt32

    package init(
        _ status: TransferStatus, at: Instant, stop: TransferStop? = nil, isOutOfMemory: Bool = false,
        progress: TransferProgress = .init(), lines: [String] = [], leftovers: UInt32 = 0
    ) {
        self.status = status
        self.at = at
        self.stop = stop
        self.isOutOfMemory = isOutOfMemory
        self.progress = progress
        self.lines = lines
        self.leftovers = leftovers
    }

    /// What came of it.
    package var outcome: TransferOutcome {
        if isOutOfMemory { return .memoryLimit }
        // Exit status 0 proves nothing then: a shell whose commands were ended may exit with it.
        switch stop {
        case .cancelled: return .cancelled
        case .timeLimit: return .timeLimit
        case .shutdown: return .shutdown
        case nil: break
        }
        switch status {
        case .exited(0): return .completed
        case .unknown: return .lost
        case .exited, .killed, .notStarted: return .failed
        }
    }
}

/// What came of a transfer, in a word.
package enum TransferOutcome: String, Hashable, Sendable, CaseIterable {
    /// Its main process exited with status 0.
    case completed
    /// It ended otherwise.
    case failed
    /// It was cancelled.
    case cancelled
    /// Its time was over.
    case timeLimit
    /// It needed more memory than it may have.
    case memoryLimit
    /// It was ended with all workers.
    case shutdown
    /// What watched over it was killed: how it ended is not known.
    case lost
}

/// How far a transfer has come, as far as it tells that.
package struct TransferProgress: Hashable, Sendable {
    /// How much is done, in a unit of the command's own, as bytes or files.
    package var done: UInt64?
    /// How much there is in all.
    package var total: UInt64?
    /// The last percentage that it printed, as programs with a meter do.
    package var percent: UInt8?
    /// What it does now, in its own words.
    package var text: String

    package init(done: UInt64? = nil, total: UInt64? = nil, percent: UInt8? = nil, text: String = "") {
        self.done = done
        self.total = total
        self.percent = percent
        self.text = text
    }

    /// Whether nothing is known.
    package var isEmpty: Bool { done == nil && percent == nil && text.isEmpty }

    /// How much of it is done, from 0 to 100; nil where that is not known.
    package var percentage: UInt8? {
        guard let done, let total, total > 0 else { return percent }
        if done >= total { return 100 }
        // The product may be wider than 64 bits; the quotient is below 100.
        return UInt8(truncatingIfNeeded: total.dividingFullWidth(done.multipliedFullWidth(by: 100)).quotient)
    }
}
