/// One thing that happened to a worker, as the history keeps it.
package struct HistoryEntry: Hashable, Sendable {
    /// What kind of thing it is.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Its state changed.
        case changed
        /// Its launch was complete.
        case launched
        /// A launch did not happen.
        case launchFailed
        /// Its process ended.
        case ended
        /// Something went wrong that supervision went on without.
        case warned
        /// An event woke or launched it.
        case woken
        /// A caller opened a URL with it.
        case opened
        /// A wake was kept until its budget of wakes is full again, or what was kept is let through.
        case kept
        /// It was given time for its long work, or that is over.
        case processed
        /// The supervisor began or ended, or took a worker over.
        case supervisor
        /// Memory was short, or is no longer, and what was done about it.
        case memory
        /// Entries that could not be written in time, and are not here.
        case lost
    }

    /// The worker; empty where it concerns them all.
    package var worker: String
    /// What kind of thing it is.
    package var kind: Kind
    /// When: microseconds since 1970.
    package var at: Int64
    package var from: String?
    package var to: String?
    /// Why, in a word.
    package var reason: String
    /// The user of the caller that made the request, if any.
    package var uid: Int64?
    /// The process that asked.
    package var pid: Int64?
    /// How long it had been asleep, in microseconds, on the way out of sleep.
    package var suspendedFor: Int64?
    /// The callbacks that it was not given, separated by blanks; nil is none.
    package var notTold: String?
    /// What there is to say besides.
    package var message: String?

    /// An entry, by its parts; what may be missing is missing when left out.
    package init(
        worker: String, kind: Kind, at: Int64, from: String? = nil, to: String? = nil, reason: String,
        uid: Int64? = nil, pid: Int64? = nil, suspendedFor: Int64? = nil, notTold: String? = nil,
        message: String? = nil
    ) {
        self.worker = worker
        self.kind = kind
        self.at = at
        self.from = from
        self.to = to
        self.reason = reason
        self.uid = uid
        self.pid = pid
        self.suspendedFor = suspendedFor
        self.notTold = notTold
        self.message = message
    }
}
