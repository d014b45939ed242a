public import ControlAPI
internal import Varlink

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What the present process was launched for, and what came with it.
public struct Launch: Hashable, Sendable {
    /// Why.
    public let reason: LaunchReason
    /// Whether into the foreground (inactive first), or into the background.
    public let intoForeground: Bool
    /// Whether saved state is handed back.
    public let restoresState: Bool
    private let contents: JSON

    /// A launch as the supervisor tells of it.
    init(_ launch: WorkerInterface.Launch) {
        reason = launch.reason
        intoForeground = launch.intoForeground
        restoresState = launch.restoresState
        contents = launch.options
    }

    /// The launch's options (`torpor launch --options`); an object of JSON, empty where there are none.
    ///
    /// - Throws: a ``WorkerError`` with the code `mismatch` where they are of another kind.
    public func options<Options: Decodable>(as type: Options.Type = Options.self) throws(WorkerError)
        -> Options
    {
        try contents.read(as: type, "the options of the launch")
    }
}

/// Something that was posted, or several of one topic merged by its rule.
public struct PostedNotification: Hashable, Sendable {
    /// Its topic.
    public let topic: String
    /// Its number; with the topic it tells one that comes twice.
    public let sequence: Int64
    /// How many posts it stands for.
    public let count: Int
    /// When the first of them came.
    public let first: Date
    /// When the last of them came.
    public let last: Date
    /// Members that have come, where the topic is one of a set.
    public let added: [String]
    /// Members that have gone, where the topic is one of a set.
    public let removed: [String]
    /// How many members were left out, since there were too many.
    public let dropped: Int
    private let contents: JSON?

    /// A notification as the supervisor tells of it.
    init(_ notification: WorkerInterface.Notification) {
        topic = notification.topic
        sequence = notification.sequence
        count = Int(clamping: notification.count)
        first = Date(microseconds: notification.first)
        last = Date(microseconds: notification.last)
        added = notification.added ?? []
        removed = notification.removed ?? []
        dropped = Int(clamping: notification.dropped ?? 0)
        contents = notification.payload
    }

    /// Whether something was posted with it.
    public var hasPayload: Bool { contents != nil }

    /// What was posted with it last; nil where nothing was.
    ///
    /// - Throws: a ``WorkerError`` with the code `mismatch` where it is of another kind.
    public func payload<Payload: Decodable>(as type: Payload.Type = Payload.self) throws(WorkerError)
        -> Payload?
    {
        guard let contents else { return nil }
        return try contents.read(as: type, "the payload of \(topic)")
    }
}

/// What was begun elsewhere and is to be continued here.
public struct ContinuedActivity: Hashable, Sendable {
    private let contents: JSON

    init(_ contents: JSON) {
        self.contents = contents
    }

    /// What belongs to it, as it was handed over.
    ///
    /// - Throws: a ``WorkerError`` with the code `mismatch` where it is of another kind.
    public func payload<Payload: Decodable>(as type: Payload.Type = Payload.self) throws(WorkerError)
        -> Payload
    {
        try contents.read(as: type, "the activity")
    }
}

/// What has become of transfers.
public struct TransferEvents: Hashable, Sendable {
    private let contents: JSON

    init(_ contents: JSON) {
        self.contents = contents
    }

    /// What is told of them.
    ///
    /// - Throws: a ``WorkerError`` with the code `mismatch` where it is of another kind.
    public func payload<Payload: Decodable>(as type: Payload.Type = Payload.self) throws(WorkerError)
        -> Payload
    {
        try contents.read(as: type, "the events of the transfers")
    }
}

extension JSON {
    fileprivate func read<Value: Decodable>(
        as type: Value.Type, _ what: String
    ) throws(WorkerError) -> Value {
        do {
            return try decode(type)
        } catch {
            throw WorkerError(.mismatch, "\(what) cannot be read: \(error)")
        }
    }
}

extension Date {
    /// A time of the wall clock, in microseconds since 1970.
    init(microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }

    /// The same; a time that is too far away is the last, or the first, that can be told.
    var microseconds: Int64 {
        let exact = (timeIntervalSince1970 * 1_000_000).rounded()
        return Int64(exactly: exact) ?? (exact < 0 ? .min : .max)
    }
}
