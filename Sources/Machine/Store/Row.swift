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
    /// Whether there are older ones that would fit the query.
    package var hasOlder: Bool
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
    /// How many at most.
    package var limit: Int

    /// No answer has more rows than this.
    static let mostRows = 1 << 20

    /// A query, by its parts.
    package init(names: [String]? = nil, before: Int64? = nil, since: Int64? = nil, limit: Int) {
        self.names = names
        self.before = before
        self.since = since
        self.limit = min(max(0, limit), Self.mostRows)
    }
}
