package import Records

/// What is kept in a table of its own, with a number, the boot in which it happened, and these columns.
protocol Row: Sendable {
    static var table: String { get }
    /// Its columns, in the order in which they are bound and read.
    static var columns: [String] { get }
    /// The worker it concerns.
    var worker: String { get }
    /// When it happened: microseconds since 1970.
    var at: Int64 { get }
    /// What kind of thing it is and why, in a word each: what a query may ask for; nil where rows have no kinds.
    var words: (kind: String, reason: String)? { get }
    /// Binds one value for each column.
    func bind(to statement: Statement)
    /// Reads one value for each column, the first of which is `column`.
    init(_ statement: Statement, from column: Int32)
}

extension Row {
    /// Adds a row: its number and boot, then the columns.
    static var insertion: String {
        let places = Array(repeating: "?", count: columns.count + 2).joined(separator: ", ")
        return "INSERT INTO \(table)(id, boot, \(columns.joined(separator: ", "))) VALUES(\(places))"
    }

    /// The rows for which `condition` holds, the newest first: number, boot's id, then the columns.
    static func selection(where condition: String) -> String {
        "SELECT \(table).id, boot.uuid, \(columns.joined(separator: ", ")) FROM \(table)"
            + " JOIN boot ON boot.id = \(table).boot WHERE \(condition) ORDER BY \(table).id DESC LIMIT ?"
    }
}

/// Some of what is stored, oldest first.
package struct Page<Content: Sendable>: Sendable {
    package var rows: [Stored<Content>]
    /// Whether there are older ones that would fit the query, or may be.
    package var hasOlder: Bool
    /// The number before which the next query goes on, where it is not that of the first row: so far no row fits.
    package var continuation: Int64?
    /// Why what is on the disk is not among them, when it cannot be read.
    package var problem: StoreError?
}

/// Which rows are wanted: the newest that fit, within bounds.
package struct Query: Hashable, Sendable {
    /// Names of workers, or shell patterns (fnmatch(3)); nil is all.
    package var names: [String]?
    /// Only what has a smaller number than this.
    package var before: Int64?
    /// Only what happened at or after this moment, in microseconds since 1970.
    package var since: Int64?
    /// Only what happened at or before this moment.
    package var until: Int64?
    /// Only rows of these kinds; nil is all.
    ///
    /// For the history alone, as are the reasons.
    package var kinds: [String]?
    /// Only rows with these reasons; nil is all.
    package var reasons: [String]?
    /// How many at most.
    package var limit: Int

    /// No answer has more rows than this.
    static let mostRows = 1 << 20
    /// Among so many of the newest rows those are searched that are rare: what is written meanwhile does not wait for longer.
    var mostSearched: Int64 = 100_000

    /// Whether only few of the rows may fit, however many there are.
    var isSelective: Bool { since != nil || until != nil || kinds != nil || reasons != nil }

    /// A query, by its parts.
    package init(
        names: [String]? = nil, before: Int64? = nil, since: Int64? = nil, until: Int64? = nil,
        kinds: [String]? = nil, reasons: [String]? = nil, limit: Int
    ) {
        self.names = names
        self.before = before
        self.since = since
        self.until = until
        self.kinds = kinds
        self.reasons = reasons
        self.limit = min(max(0, limit), Self.mostRows)
    }

    /// Whether a row fits, as far as its content says.
    func fits(_ entry: some Row) -> Bool {
        guard entry.at >= since ?? .min, entry.at <= until ?? .max else { return false }
        guard let words = entry.words else { return true }
        return kinds?.contains(words.kind) ?? true && reasons?.contains(words.reason) ?? true
    }
}
