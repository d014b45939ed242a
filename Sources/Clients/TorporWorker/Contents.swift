public import ControlAPI
internal import Varlink

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The launch of the current process, with its options.
public struct Launch: Hashable, Sendable {
    /// The launch reason.
    public let reason: LaunchReason
    /// Whether the launch is into the foreground (inactive first) or into the background.
    public let intoForeground: Bool
    /// Whether saved state is restored.
    public let restoresState: Bool
    private let contents: JSON

    /// Decodes a launch sent by the supervisor.
    init(_ launch: WorkerInterface.Launch) {
        reason = launch.reason
        intoForeground = launch.intoForeground
        restoresState = launch.restoresState
        contents = launch.options
    }

    /// The options of the launch, decoded from a JSON object that is empty if there are none.
    ///
    /// - Throws: a ``WorkerError`` with the code `mismatch` if they cannot be decoded as `type`.
    public func options<Options: Decodable>(as type: Options.Type = Options.self) throws(WorkerError)
        -> Options
    {
        try contents.read(as: type, "the launch options")
    }
}

/// The program behind a request, as the supervisor knows it from the kernel.
public struct SourceApplication: Hashable, Sendable {
    /// The user it runs as.
    public let uid: UInt32
    /// Its process, which may have ended.
    public let pid: Int32
    /// The path of its program, or its name where the path cannot be read; nil if neither is known.
    public let program: String?

    init?(_ contents: JSON) {
        guard let uid = contents["uid"]?.int.flatMap(UInt32.init(exactly:)),
            let pid = contents["pid"]?.int.flatMap(Int32.init(exactly:))
        else { return nil }
        self.uid = uid
        self.pid = pid
        program = contents["program"]?.string
    }
}

/// A posted notification, or several of one topic merged by its rule.
public struct PostedNotification: Hashable, Sendable {
    /// The topic.
    public let topic: String
    /// The sequence number; together with the topic it identifies a notification that is delivered twice.
    public let sequence: Int64
    /// The number of merged posts.
    public let count: Int
    /// The time of the first post.
    public let first: Date
    /// The time of the last post.
    public let last: Date
    /// The added members, if the topic is a set.
    public let added: [String]
    /// The removed members, if the topic is a set.
    public let removed: [String]
    /// The number of members that were dropped because there were too many.
    public let dropped: Int
    private let contents: JSON?

    /// Decodes a notification sent by the supervisor.
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

    /// Whether the notification has a payload.
    public var hasPayload: Bool { contents != nil }

    /// The payload of the last post; nil if there is none.
    ///
    /// - Throws: a ``WorkerError`` with the code `mismatch` if it cannot be decoded as `type`.
    public func payload<Payload: Decodable>(as type: Payload.Type = Payload.self) throws(WorkerError)
        -> Payload?
    {
        guard let contents else { return nil }
        return try contents.read(as: type, "the payload of \(topic)")
    }
}

/// An activity that was begun elsewhere and is to be continued here.
public struct ContinuedActivity: Hashable, Sendable {
    private let contents: JSON

    init(_ contents: JSON) {
        self.contents = contents
    }

    /// The type of the activity, such as `org.example.editing`.
    public var type: String { contents.object?["type"]?.string ?? "" }

    /// What the activity is about, for people; nil if that was not said.
    public var title: String? { contents.object?["title"]?.string }

    /// The worker that had the activity, as `NAME` or `NAME@HOST`; nil if that is unknown.
    public var from: String? { contents.object?["from"]?.string }

    /// The state of the activity, as the worker that had it has told it.
    ///
    /// - Throws: a ``WorkerError`` with the code `mismatch` if it cannot be decoded as `type`.
    public func payload<Payload: Decodable>(as type: Payload.Type = Payload.self) throws(WorkerError)
        -> Payload
    {
        try (contents.object?["payload"] ?? [:]).read(as: type, "the activity")
    }
}

/// The results of transfers.
public struct TransferEvents: Hashable, Sendable {
    let contents: JSON

    init(_ contents: JSON) {
        self.contents = contents
    }

    /// The payload of the events.
    ///
    /// - Throws: a ``WorkerError`` with the code `mismatch` if it cannot be decoded as `type`.
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
            throw WorkerError(.mismatch, "cannot decode \(what): \(error)")
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
