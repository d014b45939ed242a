/// What one datagram of the notify protocol says (sd_notify(3)), read by the rules of our receiver.
///
/// A field that cannot be understood is left out, and `rejected` says why; the rest of the message counts all
/// the same. Nothing here tells who sent it, or whether the sender may say so.
public struct NotifyMessage: Hashable, Sendable {
    /// What READY, RELOADING and STOPPING say together.
    public enum Phase: Hashable, Sendable {
        /// `READY=1`: the start is complete, or the reload that was told before.
        case ready
        /// `RELOADING=1` alone: a reload has begun.
        case reloading
        /// `RELOADING=1` and `READY=1` in one message: a whole reload, begun and complete.
        case reloaded
        /// `STOPPING=1`, whatever stands beside it.
        case stopping
    }

    /// What `WATCHDOG=` says.
    public enum Watchdog: Hashable, Sendable {
        /// `WATCHDOG=1`: still alive.
        case alive
        /// `WATCHDOG=trigger`: treat it as if the watchdog had run out.
        case trigger
    }

    /// What is to be done with the descriptor store.
    public enum Storage: Hashable, Sendable {
        /// `FDSTORE=1`: keep the descriptors of this message; `FDPOLL=0` keeps them after a hangup too.
        case store(name: String, polled: Bool)
        /// `FDSTOREREMOVE=1`: close all of this name.
        case remove(name: String)
    }

    /// A field that we do not know.
    public struct Field: Hashable, Sendable {
        /// What stands before the first equals sign.
        public let name: String
        /// What stands after it.
        public let value: String

        /// A field `name=value`.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A field that was left out.
    public struct Rejected: Hashable, Sendable {
        /// The line, cut to `lineLimit` characters; what is not UTF-8 in it is replaced.
        public let line: String
        /// Why, as the end of a sentence about it.
        public let reason: String

        /// The most characters of a line that are kept.
        public static let lineLimit = 64

        /// A line that was left out because of `reason`.
        public init(line: String, reason: String) {
            self.line = String(line.prefix(Self.lineLimit))
            self.reason = reason
        }
    }

    /// The change of phase, if there is one.
    public internal(set) var phase: Phase?
    /// `STATUS=`: a sentence for people, empty to take the last one back; whoever shows it escapes it.
    public internal(set) var status: String?
    /// `ERRNO=`: why it failed, 0 to 4095.
    public internal(set) var errno: Int32?
    /// `BUSERROR=`: why it failed, as a D-Bus error name.
    public internal(set) var busError: String?
    /// `WATCHDOG=`: a sign of life, or the opposite.
    public internal(set) var watchdog: Watchdog?
    /// `WATCHDOG_USEC=`: the watchdog's period from now on in microseconds, 0 for none.
    public internal(set) var watchdogPeriod: Int64?
    /// `EXTEND_TIMEOUT_USEC=`: how long from now the deadline in force may last, in microseconds.
    public internal(set) var extendTimeout: Int64?
    /// `MAINPID=`: the process that is the worker's main one.
    public internal(set) var mainPID: Int32?
    /// `MONOTONIC_USEC=`: the moment on `CLOCK_MONOTONIC` at which the reload began, in microseconds.
    public internal(set) var monotonic: Int64?
    /// `FDSTORE=1` or `FDSTOREREMOVE=1`, which wins.
    public internal(set) var storage: Storage?
    /// `X_TORPOR_COMPLETE=1`: the callback in flight is complete.
    public internal(set) var isCallbackComplete = false
    /// `BARRIER=1`: the sender waits until its descriptor is closed.
    public internal(set) var isBarrier = false
    /// How many lines there were, understood or not.
    public internal(set) var lineCount = 0
    /// Fields that we do not know, in order, at most `keptLimit`.
    public internal(set) var unknown: [Field] = []
    /// What was left out and why, in order, at most `keptLimit`.
    public internal(set) var rejected: [Rejected] = []

    /// The longest datagram that is read, in bytes; a longer one is dropped whole.
    public static let lengthLimit = 4096
    /// The most entries in `unknown`, and in `rejected`.
    public static let keptLimit = 32
    /// The longest span that a message asks for, in microseconds; what is longer counts as this, infinity
    /// (2⁶⁴ − 1) too.
    ///
    /// Added to a moment of the monotonic clock it does not overflow.
    public static let longest = Int64.max / 2
    /// The name of stored descriptors to which none was given.
    public static let defaultDescriptorName = "stored"

    /// Whether descriptors may be stored under `name`: at most 255 bytes of ASCII without control characters
    /// or colon.
    public static func isDescriptorName(_ name: String) -> Bool {
        name.utf8.count <= 255
            && name.utf8.allSatisfy { (0x20..<0x7f).contains($0) && $0 != UInt8(ascii: ":") }
    }

    init() {}
}
