/// Posts of one worker that are due at a time of the wall clock, once or again and again (2.4, "Scheduled posts").
///
/// Pure: the time is an argument. What was missed, because the machine or the supervisor was not there, is posted once, late,
/// however often it was due; what repeats goes on at its own beat.
package struct ScheduleBook: Hashable, Sendable {
    /// How many are kept at most; more are refused.
    package static let capacity = 64
    /// The shortest span from one repeat to the next, in microseconds.
    package static let shortestRepeat: Int64 = 1_000_000

    /// Something that is to be posted.
    package struct Entry: Hashable, Sendable {
        /// Its number.
        package let id: UInt64
        /// What is posted.
        package let post: Post
        /// Whether it wakes a worker that sleeps.
        package let wakes: Bool
        /// When it is due: microseconds since 1970.
        package internal(set) var due: Int64
        /// How long it is from one time to the next, in microseconds; nil is once.
        package let period: Int64?
        /// The caller that has scheduled it; nil where that was the worker itself.
        package let poster: CallerIdentity?

        /// An entry, by its parts.
        package init(
            id: UInt64, _ post: Post, wakes: Bool, due: Int64, every period: Int64? = nil,
            by poster: CallerIdentity? = nil
        ) {
            self.id = id
            self.post = post
            self.wakes = wakes
            self.due = due
            self.period = period
            self.poster = poster
        }

        /// The greatest number that an entry may have: numbers go on from it.
        static let greatestID: UInt64 = 1 << 62

        /// Whether a book takes it: it has a number, and repeats no more often than ``shortestRepeat``.
        var isPlausible: Bool {
            id <= Self.greatestID && period ?? ScheduleBook.shortestRepeat >= ScheduleBook.shortestRepeat
        }

        /// The first beat after `now`; nil where it does not repeat.
        func next(after now: Int64) -> Int64? {
            guard let period, period > 0 else { return nil }
            // Counted from its own beat, so that it does not drift; a beat past the end of time is none. A moment far before 1970 is
            // further away than a number can say: the beat is counted from now then.
            let (past, isBeyond) = now.subtractingReportingOverflow(due)
            let base = isBeyond && now > due ? now : due
            let missed = isBeyond ? 0 : max(0, past) / period
            let (span, isTooLong) = missed.addingReportingOverflow(1).partialValue
                .multipliedReportingOverflow(by: period)
            let (next, isTooLate) = base.addingReportingOverflow(span)
            return isTooLong || isTooLate || next <= now ? nil : next
        }
    }

    /// Why something is not scheduled.
    package enum Refusal: String, Hashable, Sendable, CaseIterable {
        /// Its time has passed.
        case past
        /// There are as many as there may be.
        case full
        /// It would repeat too often.
        case tooOften
    }

    /// What is scheduled, the soonest first.
    package private(set) var entries: [Entry] = []
    private var lastID: UInt64 = 0

    /// An empty book.
    package init() {}

    /// A book of what was kept, whose numbers go on after `last`.
    ///
    /// Of more than ``capacity`` entries the soonest are taken, and one that would repeat too often is left out: a book that is read may say
    /// anything.
    package init(restoring entries: [Entry], after last: UInt64 = 0) {
        let usable = entries.filter { $0.isPlausible }
        self.entries = Array(usable.sorted { ($0.due, $0.id) < ($1.due, $1.id) }.prefix(Self.capacity))
        lastID = min(usable.reduce(last) { max($0, $1.id) }, Entry.greatestID)
    }

    /// When the soonest is due; nil where nothing is scheduled.
    package var next: Int64? { entries.first?.due }

    /// Schedules `post` for the moment `due`, and every `period` from then on.
    package mutating func add(
        _ post: Post, wakes: Bool, at due: Int64, every period: Int64? = nil,
        by poster: CallerIdentity? = nil, now: Int64
    ) -> Result<Entry, RefusalError> {
        if let period, period < Self.shortestRepeat { return .failure(RefusalError(.tooOften)) }
        guard due > now else { return .failure(RefusalError(.past)) }
        guard entries.count < Self.capacity else { return .failure(RefusalError(.full)) }
        lastID += 1
        let entry = Entry(id: lastID, post, wakes: wakes, due: due, every: period, by: poster)
        insert(entry)
        return .success(entry)
    }

    /// Takes one out; nil when there is none of that number.
    @discardableResult
    package mutating func cancel(_ id: UInt64) -> Entry? {
        entries.firstIndex { $0.id == id }.map { entries.remove(at: $0) }
    }

    /// Takes the soonest off if it is due at `now`; one that repeats is entered again for its next time.
    package mutating func takeDue(at now: Int64) -> (entry: Entry, again: Entry?)? {
        guard let first = entries.first, first.due <= now else { return nil }
        entries.removeFirst()
        guard let next = first.next(after: now) else { return (first, nil) }
        var again = first
        again.due = next
        insert(again)
        return (first, again)
    }

    /// The clock was set: what repeats is due within one period again, however far back the clock went.
    ///
    /// What is due once keeps its moment: that is a time of the clock, not a span. Answers what has changed.
    package mutating func clockSet(to now: Int64) -> [Entry] {
        var changed: [Entry] = []
        for entry in entries {
            guard let period = entry.period, period > 0, entry.due > now else { continue }
            // Where the span is more than a number can say, the most that one can.
            let (span, isBeyond) = entry.due.subtractingReportingOverflow(now)
            let ahead = isBeyond ? .max : span
            guard ahead > period else { continue }
            var nearer = entry
            nearer.due -= (ahead - 1) / period * period
            changed.append(nearer)
        }
        for entry in changed {
            cancel(entry.id)
            insert(entry)
        }
        return changed
    }

    private mutating func insert(_ entry: Entry) {
        let index = entries.firstIndex { ($0.due, $0.id) > (entry.due, entry.id) } ?? entries.count
        entries.insert(entry, at: index)
    }

    /// A refusal, as an error.
    package struct RefusalError: Error, Hashable, Sendable {
        /// Why.
        package let reason: Refusal

        init(_ reason: Refusal) { self.reason = reason }
    }
}
