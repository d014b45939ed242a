/// What one datagram of the notify protocol says (sd_notify(3)), read by the rules of the receiver.
///
/// A field that cannot be understood is left out, and `rejected` says why; the rest of the message counts all
/// the same. Nothing here tells the sender, or whether the sender may say so.
package struct NotifyMessage: Hashable, Sendable {
    /// What READY, RELOADING and STOPPING say together.
    package enum Phase: Hashable, Sendable {
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
    package enum Watchdog: Hashable, Sendable {
        /// `WATCHDOG=1`: still alive.
        case alive
        /// `WATCHDOG=trigger`: treat it as if the watchdog had run out.
        case trigger
    }

    /// What is to be done with the descriptor store.
    package enum Storage: Hashable, Sendable {
        /// `FDSTORE=1`: keep the descriptors of this message; `FDPOLL=0` keeps them after a hangup too.
        case store(name: String, polled: Bool)
        /// `FDSTOREREMOVE=1`: close all of this name.
        case remove(name: String)
    }

    /// A field that we do not know.
    package struct Field: Hashable, Sendable {
        /// What stands before the first equals sign.
        package let name: String
        /// What stands after it.
        package let value: String

        /// A field `name=value`.
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A field that was left out.
    package struct Rejected: Hashable, Sendable {
        /// The line, cut to `lineLimit` characters; what is not UTF-8 in it is replaced.
        package let line: String
        /// Why, as the end of a sentence about it.
        package let reason: String

        /// The most characters of a line that are kept.
        package static let lineLimit = 64

        /// A line that was left out because of `reason`.
        package init(line: String, reason: String) {
            self.line = String(line.prefix(Self.lineLimit))
            self.reason = reason
        }
    }

    /// The change of phase, if there is one.
    package internal(set) var phase: Phase?
    /// `STATUS=`: a sentence for people, empty to take the last one back; the code that shows it escapes it.
    package internal(set) var status: String?
    /// `ERRNO=`: why it failed, 0 to 4095.
    package internal(set) var errno: Int32?
    /// `BUSERROR=`: why it failed, as a D-Bus error name.
    package internal(set) var busError: String?
    /// `WATCHDOG=`: a sign of life, or the opposite.
    package internal(set) var watchdog: Watchdog?
    /// `WATCHDOG_USEC=`: the watchdog's period from now on in microseconds, 0 for none.
    package internal(set) var watchdogPeriod: Int64?
    /// `EXTEND_TIMEOUT_USEC=`: how long from now the deadline in force may last, in microseconds.
    package internal(set) var extendTimeout: Int64?
    /// `MAINPID=`: the process that is the worker's main one.
    package internal(set) var mainPID: Int32?
    /// `MONOTONIC_USEC=`: the moment on `CLOCK_MONOTONIC` at which the reload began, in microseconds.
    package internal(set) var monotonic: Int64?
    /// `FDSTORE=1` or `FDSTOREREMOVE=1`, which wins.
    package internal(set) var storage: Storage?
    /// `X_TORPOR_COMPLETE=1`: the callback in flight is complete.
    package internal(set) var isCallbackComplete = false
    /// `X_TORPOR_IN_USE=`: whether the worker is in use, as it knows itself.
    package internal(set) var isInUse: Bool?
    /// `X_TORPOR_USER_ACTIVITY=`: the type and the state of an activity; empty where there is none any more.
    package internal(set) var userActivity: String?
    /// `BARRIER=1`: the sender waits until its descriptor is closed.
    package internal(set) var isBarrier = false
    /// How many lines there were, understood or not.
    package internal(set) var lineCount = 0
    /// Fields that we do not know, in order, at most `keptLimit`.
    package internal(set) var unknown: [Field] = []
    /// What was left out and why, in order, at most `keptLimit`.
    package internal(set) var rejected: [Rejected] = []

    /// The longest datagram that is read, in bytes; a longer one is dropped whole.
    package static let lengthLimit = 4096
    /// The most entries in `unknown`, and in `rejected`.
    package static let keptLimit = 32
    /// The longest span that a message asks for, in microseconds; what is longer counts as this, infinity
    /// (2⁶⁴ − 1) too.
    ///
    /// Added to a moment of the monotonic clock it does not overflow.
    package static let longest = Int64.max / 2
    /// The name of stored descriptors to which none was given.
    package static let defaultDescriptorName = "stored"

    /// Whether descriptors may be stored under `name`: at most 255 bytes of ASCII without control characters
    /// or colon.
    package static func isDescriptorName(_ name: String) -> Bool {
        name.utf8.count <= 255
            && name.utf8.allSatisfy { (0x20..<0x7f).contains($0) && $0 != UInt8(ascii: ":") }
    }

    init() {}
}
