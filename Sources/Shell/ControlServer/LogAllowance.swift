internal import Lifecycle
internal import SupervisorPorts

/// Which of the log lines that users cause are written: a few at once and a few a minute of each user and of all together; the
/// others are counted (a table of tests shows it).
///
/// It is pure: the caller says what time it is, writes, and asks for the counts when they are due.
struct LogAllowance: Sendable {
    /// Lines that were not written.
    struct Omission: Hashable, Sendable {
        /// The user that caused them; nil where they are those of several users, or of none.
        let uid: UInt32?
        /// How many.
        let count: Int
    }

    private struct Account: Sendable {
        var bucket: TokenBucket
        var omitted = 0
    }

    /// How long lines are counted before the count is told.
    static let interval = TimeSpan.seconds(10)
    /// Users that are told apart; the others share one account.
    static let mostAccounts = 64
    private static let perUser = TokenBucket(holding: 10, refilledIn: .seconds(60))

    private var total = TokenBucket(holding: 60, refilledIn: .seconds(60))
    private var accounts: [UInt32?: Account] = [:]
    /// When the counts are to be told; nil while nothing was omitted.
    private(set) var dueAt: Instant?

    /// Whether a line that this user causes is written; it is counted otherwise.
    ///
    /// A line that no user causes has the account that users share when there are too many.
    mutating func admits(_ uid: UInt32?, at now: Instant) -> Bool {
        if accounts[uid] == nil, accounts.count >= Self.mostAccounts {
            accounts = accounts.filter { !$0.value.bucket.isFull(at: now) || $0.value.omitted > 0 }
        }
        let key = accounts[uid] == nil && accounts.count >= Self.mostAccounts ? nil : uid
        var account = accounts[key] ?? Account(bucket: Self.perUser)
        defer { accounts[key] = account }
        // Its own is asked first: a user without allowance takes nothing of that of all.
        if account.bucket.hasRoom(at: now), total.takeOne(at: now) {
            account.bucket.take(1, at: now)
            return true
        }
        account.omitted += 1
        if dueAt == nil { dueAt = now + Self.interval }
        return false
    }

    /// The counts, when they are due: those of the users with most of them, and the rest in one.
    mutating func omissions(at now: Instant) -> [Omission] {
        guard let due = dueAt, now >= due else { return [] }
        return allOmissions()
    }

    /// The counts, whether they are due or not.
    mutating func allOmissions() -> [Omission] {
        dueAt = nil
        var named: [Omission] = []
        var rest = 0
        for (uid, account) in accounts where account.omitted > 0 {
            accounts[uid]?.omitted = 0
            if uid == nil {
                rest += account.omitted
            } else {
                named.append(Omission(uid: uid, count: account.omitted))
            }
        }
        named.sort { ($0.count, $1.uid ?? 0) > ($1.count, $0.uid ?? 0) }
        rest += named.dropFirst(Self.mostTold).reduce(0) { $0 + $1.count }
        return named.prefix(Self.mostTold) + (rest > 0 ? [Omission(uid: nil, count: rest)] : [])
    }

    /// Users that are told of by themselves.
    private static let mostTold = 4
}
