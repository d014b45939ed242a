package import Lifecycle
package import SnapshotCoding

/// What a supervisor leaves of one transfer for the next one, until its worker has taken its end.
package struct TransferRecord: Hashable, Sendable {
    /// The format that is written, and the only one that is read.
    package static let format: UInt64 = 1
    package let entry: TransferPlan.Entry

    package init(_ entry: TransferPlan.Entry) { self.entry = entry }

    /// Reads what ``bytes`` were before `now`; nothing in them is believed.
    package init(reading bytes: [UInt8], now: Instant) throws(SnapshotError) {
        var reader = RecordReader(bytes[...], latest: now.microseconds)
        let format = try reader.format()
        guard format == Self.format else { throw .format(format) }
        try self.init(&reader, nil)
        try reader.end()
    }

    /// The record, as it is written.
    package var bytes: [UInt8] {
        var writer = RecordWriter()
        writer.begin(format: Self.format)
        _ = Self(&writer, self)
        writer.end()
        return writer.bytes
    }
}

extension TransferRecord: SnapshotObject {
    private enum Stage: Int, CodingKey, SnapshotKind {
        case starting = 0, running = 1, stopping = 2, killed = 3, ended = 4
    }

    private var parts: (stage: Stage, stop: TransferStop?, due: Instant?, end: TransferEnd?) {
        switch entry.stage {
        case .starting(let stop): (.starting, stop, nil, nil)
        case .running: (.running, nil, nil, nil)
        case .stopping(let stop, let due): (.stopping, stop, due, nil)
        case .killed(let stop): (.killed, stop, nil, nil)
        case .ended(let end): (.ended, nil, nil, end)
        }
    }

    /// Writes or reads it.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: TransferRecord?) throws(C.Failure) {
        let parts = value?.parts
        let transfer = value?.entry.transfer
        let number = try c.required("number", 1, transfer?.number)
        let worker = try c.required("worker", 2, transfer?.worker)
        let command = try c.list("command", 3, transfer?.command)
        let purpose = try c.value("purpose", 4, transfer?.purpose, or: "")
        let requester = try c.required("requester", 5, transfer?.requester)
        let began = try c.past("began", 6, transfer?.began)
        let due = try c.optional("due", 7, transfer?.due)
        let stage = try c.required("stage", 8, parts?.stage)
        let stop = try c.optional("stop", 9, parts?.stop)
        let killedAt = try c.optional("killedAt", 10, parts?.due)
        let end = try c.optional("end", 11, parts?.end)
        let known: TransferPlan.Stage
        switch stage {
        case .starting: known = .starting(stop)
        case .running: known = .running
        case .stopping: known = .stopping(stop ?? .cancelled, due: killedAt ?? began)
        case .killed: known = .killed(stop ?? .cancelled)
        case .ended:
            guard let end else { try c.missing("end") }
            known = .ended(end)
        }
        entry = TransferPlan.Entry(
            Transfer(
                number: number, worker: worker, command: command, purpose: purpose, by: requester,
                began: began, due: due), known)
    }
}

extension TransferStop: SnapshotKind {
    /// The number by which it is written.
    package var snapshotNumber: UInt8 {
        switch self {
        case .cancelled: 0
        case .timeLimit: 1
        case .shutdown: 2
        }
    }
}

extension TransferEnd: SnapshotObject {
    private enum Kind: Int, CodingKey, SnapshotKind {
        case exited = 0, killed = 1, notStarted = 2, unknown = 3
    }

    private var parts: (kind: Kind, number: Int32?) {
        switch status {
        case .exited(let code): (.exited, code)
        case .killed(let signal): (.killed, signal)
        case .notStarted: (.notStarted, nil)
        case .unknown: (.unknown, nil)
        }
    }

    /// Writes or reads it.
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: TransferEnd?) throws(C.Failure) {
        let parts = value?.parts
        let kind = try c.required("kind", 1, parts?.kind)
        let number = try c.optional("number", 2, parts?.number)
        let status: TransferStatus =
            switch kind {
            case .exited: .exited(number ?? 0)
            case .killed: .killed(signal: number ?? 0)
            case .notStarted: .notStarted
            case .unknown: .unknown
            }
        let at = try c.past("at", 3, value?.at)
        let stop = try c.optional("stop", 4, value?.stop)
        let isOutOfMemory = try c.flag("outOfMemory", 5, value?.isOutOfMemory)
        let progress = TransferProgress(
            done: try c.optional("done", 6, value?.progress.done),
            total: try c.optional("total", 7, value?.progress.total),
            percent: try c.optional("percent", 8, value?.progress.percent),
            text: try c.value("text", 9, value?.progress.text, or: ""))
        let lines = try c.list("lines", 10, value?.lines)
        let leftovers = try c.value("leftovers", 11, value?.leftovers, or: 0)
        self.init(
            status, at: at, stop: stop, isOutOfMemory: isOutOfMemory, progress: progress, lines: lines,
            leftovers: leftovers)
    }
}
