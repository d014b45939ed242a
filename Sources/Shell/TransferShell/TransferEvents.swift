internal import History
internal import Lifecycle
internal import Linux
internal import SupervisorPorts
internal import Transferring
internal import Varlink

/// The ends of transfers as a worker is told of them: `{"transfers": […]}`.
enum TransferEvents {
    /// How many bytes of commands and output they have together at most: an `exec:` hook gets all of it in one variable, and execve(2) takes
    /// none of more than 128 KiB.
    private static let room = 48 << 10

    static func object(of ends: [TransferPlan.Entry], now: Instant, withOutput: Bool) -> JSON.Object {
        var left = room
        let all = ends.map { entry in
            var object = figures(of: entry, now: now)
            let words = entry.transfer.command
            take(&object, "command", words, &left)
            if withOutput, let lines = entry.end?.lines, !lines.isEmpty {
                take(&object, "output", lines, &left)
            }
            return JSON.object(object)
        }
        return ["transfers": .array(all)]
    }

    private static func take(_ object: inout JSON.Object, _ key: String, _ texts: [String], _ left: inout Int)
    {
        // Each byte may become six when it is written.
        let size = texts.reduce(0) { $0 + $1.utf8.count + 3 }
        guard size <= left else { return }
        left -= size
        object[key] = .array(texts.map { .string($0) })
    }

    private static func figures(of entry: TransferPlan.Entry, now: Instant) -> JSON.Object {
        let transfer = entry.transfer
        var object: JSON.Object = [
            "transfer": .int(Int64(transfer.number)), "purpose": .string(transfer.purpose),
            "began": .int(WallClock.microseconds(of: transfer.began, now: now)),
        ]
        guard let end = entry.end else { return object }
        object["outcome"] = .string(end.outcome.rawValue)
        object["ended"] = .int(WallClock.microseconds(of: end.at, now: now))
        switch end.status {
        case .exited(let code): object["exitStatus"] = .int(Int64(code))
        case .killed(let signal):
            object["signal"] = .string(Signal(rawValue: signal)?.description ?? "\(signal)")
        case .notStarted, .unknown: break
        }
        object["done"] = end.progress.done.map { .int(Int64(clamping: $0)) }
        object["total"] = end.progress.total.map { .int(Int64(clamping: $0)) }
        object["percent"] = end.progress.percentage.map { .int(Int64($0)) }
        if !end.progress.text.isEmpty { object["progress"] = .string(end.progress.text) }
        if end.leftovers > 0 { object["leftovers"] = .int(Int64(end.leftovers)) }
        return object
    }

    /// The numbers of the transfers that such an object tells of.
    static func numbers(in object: JSON.Object) -> [UInt32] {
        guard case .array(let all)? = object["transfers"] else { return [] }
        return all.compactMap { entry in
            guard case .object(let one) = entry, case .int(let number)? = one["transfer"] else { return nil }
            return UInt32(exactly: number)
        }
    }
}
