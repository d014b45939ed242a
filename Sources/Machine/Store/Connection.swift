internal import CSQLite
internal import Glibc

/// One open database, for one thread.
///
/// Statements are prepared once and kept. It is closed when it is dropped.
@safe final class Connection {
    let path: String
    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]
    /// Whether a commit waits for the disk; nil is not known.
    private var waitsForDisk: Bool?

    /// Opens the database at `path`, and makes it where there is none; nothing is read yet.
    init(_ path: String) throws(StoreError) {
        self.path = path
        var opened: OpaquePointer?
        // One thread uses it: no mutex is needed.
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let result = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard let handle = unsafe opened else {
            throw StoreError(result: result, reason: "out of memory", operation: "opening \(path)")
        }
        unsafe self.handle = handle
        // With its handle it closes itself, also when what follows fails.
        unsafe sqlite3_extended_result_codes(handle, 1)
        try check(result, "opening \(path)")
    }

    deinit {
        // Before the handle: a statement left would keep it open.
        statements.removeAll()
        unsafe sqlite3_close_v2(handle)
    }

    /// Carries out a statement that returns no rows.
    func execute(_ sql: String) throws(StoreError) {
        try statement(sql).run()
    }

    /// Carries out several statements, none of which is used again.
    func execute(script: String) throws(StoreError) {
        try check(unsafe sqlite3_exec(handle, script, nil, nil, nil), "using \(path)")
    }

    /// The number that a query gives; 0 where it gives none.
    func number(_ sql: String) throws(StoreError) -> Int64 {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.number(0) ?? 0 : 0
    }

    /// The statement for `sql`, ready to be bound; the same one every time.
    func statement(_ sql: String) throws(StoreError) -> Statement {
        if let known = statements[sql] { return known }
        var prepared: OpaquePointer?
        try check(
            unsafe sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil),
            "preparing a statement on \(path)")
        guard let pointer = unsafe prepared else { throw StoreError(.failed, "an empty statement") }
        let statement = unsafe Statement(pointer, on: self)
        statements[sql] = statement
        return statement
    }

    /// Does all of `body` or, when it fails, nothing of it.
    ///
    /// With `onDisk` it returns when the disk has it (`PRAGMA synchronous = FULL`), else when the kernel has.
    func transaction(onDisk: Bool = false, _ body: () throws(StoreError) -> Void) throws(StoreError) {
        if waitsForDisk != onDisk {
            waitsForDisk = nil
            try execute(script: "PRAGMA synchronous = \(onDisk ? "FULL" : "NORMAL")")
            waitsForDisk = onDisk
        }
        try execute("BEGIN IMMEDIATE")
        do throws(StoreError) {
            try body()
            try execute("COMMIT")
        } catch {
            // Ignoring a failure: a full disk, for one, has ended the transaction already.
            try? execute("ROLLBACK")
            throw error
        }
    }

    /// Overwrites what a commit has left in the log that failed while it waited for the disk: the next to open it would take that for committed.
    func voidCommit() {
        // Ignoring a failure: the log cannot be written, and nothing of the commit is in it then, but for a disk that fails between the two.
        try? transaction { () throws(StoreError) in
            try execute(script: "PRAGMA user_version = \(try number("PRAGMA user_version"))")
        }
    }

    /// How many rows the last statement has added, changed or deleted.
    var changes: Int { unsafe Int(sqlite3_changes(handle)) }

    @discardableResult
    func check(_ result: Int32, _ operation: @autoclosure () -> String) throws(StoreError) -> Int32 {
        switch result {
        case SQLITE_OK, SQLITE_ROW, SQLITE_DONE: return result
        default:
            let code = unsafe sqlite3_extended_errcode(handle)
            var reason = unsafe String(cString: sqlite3_errmsg(handle))
            let number = unsafe sqlite3_system_errno(handle)
            if number != 0 { reason += unsafe ": \(String(cString: strerror(number)))" }
            throw StoreError(
                result: code == SQLITE_OK ? result : code, reason: reason, operation: operation())
        }
    }
}
