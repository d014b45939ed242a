/// The order in which event sources that are ready at the same time are served.
///
/// The order is design, not tuning: a notification that waits is read before its
/// sender is reaped, an exit is known before a deadline is judged, and no client delays supervision. A source
/// is served only when none of a more urgent priority is ready.
package struct Priority: Hashable, Comparable, Sendable {
    /// The value given to sd_event_source_set_priority(3): smaller is served first.
    package let rawValue: Int64

    /// A priority between or beyond the named ones.
    package init(rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// Messages of workers: read while their sender can still be told.
    package static let notifications = Priority(rawValue: -30)
    /// Ends, stops and continuations of processes, and signals to this process.
    package static let exits = Priority(rawValue: -20)
    /// Timers.
    package static let deadlines = Priority(rawValue: -10)
    /// Operators, workers' own sockets, and the jobs of actors on the loop.
    package static let clients = Priority(rawValue: 0)
    /// What may wait until nothing else is ready.
    package static let idle = Priority(rawValue: 100)

    /// Whether `a` is served before `b`.
    package static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
}
