internal import ControlAPI
internal import Varlink

extension Worker {
    /// Begins a transfer: a command that runs as this worker's user in a place of its own, and goes on when the worker sleeps or ends.
    ///
    /// Its end is told by ``LifecycleDelegate/handleTransferEvents(_:)``, once, to this process or to a later one; with `Modes=transfer` in the
    /// worker's file the worker is woken or launched for that. The command tells its progress by lines `X_TORPOR_PROGRESS=DONE/TOTAL TEXT`.
    /// It has no terminal and no input, and what it prints is kept for its last lines alone.
    ///
    /// - Parameters:
    ///   - command: the program, searched in the worker's `PATH`, and its arguments; nothing in it is expanded.
    ///   - purpose: what it is for, in a word or two; the name of the program by default.
    ///   - directory: where it starts, an absolute path; where the worker does by default.
    ///   - limit: how long it may take; never longer than `TransferLimitSec=` of the worker's file.
    /// - Returns: the number by which it is told and cancelled.
    /// - Throws: a ``WorkerError`` with the code `notNow` if there are too many, `transferNotBegun` if it cannot be started, `disconnected`
    ///   without a supervisor.
    public func beginTransfer(
        _ command: [String], for purpose: String? = nil, in directory: String? = nil, limit: Duration? = nil
    ) async throws(WorkerError) -> Int64 {
        let parameters = WorkerInterface.BeginTransfer.Parameters(
            command: command, purpose: purpose, workingDirectory: directory,
            limitUsec: limit?.wholeMicroseconds)
        return try await call(WorkerInterface.BeginTransfer.self, parameters).number
    }

    /// Has a transfer of this worker end; its end is told as that of any other.
    ///
    /// - Throws: a ``WorkerError`` with the code `noSuchTransfer` if it has ended.
    public func cancelTransfer(_ number: Int64) async throws(WorkerError) {
        _ = try await call(WorkerInterface.CancelTransfer.self, .init(number: number))
    }
}

/// What came of a transfer.
public enum TransferOutcome: String, Hashable, Sendable, CaseIterable {
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
    /// How it ended is not known: what watched over it was killed.
    case lost
}

/// The end of one transfer.
public struct EndedTransfer: Hashable, Sendable {
    /// The number that ``Worker/beginTransfer(_:for:in:limit:)`` has returned.
    public let number: Int64
    /// What it was for.
    public let purpose: String
    /// What came of it; nil for an outcome that this version does not know.
    public let outcome: TransferOutcome?
    /// The exit status of its main process; nil if that did not exit.
    public let exitStatus: Int?
    /// The signal that ended its main process, as `SIGTERM`; nil if none did.
    public let signal: String?
    /// The last lines that it printed, the oldest first.
    public let output: [String]
}

extension TransferEvents {
    /// All that have ended since the worker was told last, the first to end first.
    public var transfers: [EndedTransfer] {
        guard let all = contents.object?["transfers"]?.array else { return [] }
        return all.compactMap { entry in
            guard let number = entry.object?["transfer"]?.int else { return nil }
            let object = entry.object ?? [:]
            return EndedTransfer(
                number: number, purpose: object["purpose"]?.string ?? "",
                outcome: object["outcome"]?.string.flatMap { TransferOutcome(rawValue: $0) },
                exitStatus: object["exitStatus"]?.int.map { Int(clamping: $0) },
                signal: object["signal"]?.string,
                output: object["output"]?.array?.compactMap(\.string) ?? [])
        }
    }
}
