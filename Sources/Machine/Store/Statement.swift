internal import CSQLite

/// One prepared statement: bound, stepped through, reset, again and again.
@safe final class Statement {
    private let handle: OpaquePointer
    private unowned let connection: Connection
    private var bound: Int32 = 0

    init(_ handle: OpaquePointer, on connection: Connection) {
        unsafe self.handle = handle
        self.connection = connection
    }

    deinit { unsafe sqlite3_finalize(handle) }

    // Errors of a binding show when the statement is run: an index that is not there is a bug of the caller.

    /// Binds the next parameter.
    func bind(_ text: String?) {
        bound += 1
        guard var text else {
            unsafe sqlite3_bind_null(handle, bound)
            return
        }
        text.withUTF8 { bytes in
            // An empty string may have no address, which would be NULL.
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                unsafe torpor_bind_text(handle, bound, "", 0)
                return
            }
            unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                _ = unsafe torpor_bind_text(handle, bound, $0, Int32(clamping: bytes.count))
            }
        }
    }

    /// Binds the next parameter: a text, as UTF-8.
    func bind(_ text: [UInt8]?) {
        bound += 1
        guard let text else {
            unsafe sqlite3_bind_null(handle, bound)
            return
        }
        unsafe text.withUnsafeBufferPointer { bytes in
            // An empty text may have no address, which would be NULL.
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                unsafe torpor_bind_text(handle, bound, "", 0)
                return
            }
            unsafe start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
                _ = unsafe torpor_bind_text(handle, bound, $0, Int32(clamping: bytes.count))
            }
        }
    }

    /// Binds the next parameter.
    func bind(_ number: Int64?) {
        bound += 1
        if let number {
            unsafe sqlite3_bind_int64(handle, bound, number)
        } else {
            unsafe sqlite3_bind_null(handle, bound)
        }
    }

    /// Binds the next parameter.
    func bind(_ number: Double?) {
        bound += 1
        if let number {
            unsafe sqlite3_bind_double(handle, bound, number)
        } else {
            unsafe sqlite3_bind_null(handle, bound)
        }
    }

    /// Runs it to its end and makes it ready to be bound again.
    func run() throws(StoreError) {
        defer { reset() }
        while try step() {}
    }

    /// Goes on to the next row; false after the last one.
    func step() throws(StoreError) -> Bool {
        try connection.check(unsafe sqlite3_step(handle), "using \(connection.path)") == SQLITE_ROW
    }

    /// How many bytes a column of the present row takes; 0 for NULL.
    func length(of column: Int32) -> Int { unsafe Int(sqlite3_column_bytes(handle, column)) }

    /// Makes it ready to be bound again.
    func reset() {
        // Ignoring the result: it repeats what the last step has said.
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
        bound = 0
    }

    /// The text in a column of the row; nil is NULL.
    func text(_ column: Int32) -> String? {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    /// The text in a column of the row, as UTF-8; nil is NULL.
    func bytes(_ column: Int32) -> [UInt8]? {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    /// The whole number in a column of the row; nil is NULL.
    func number(_ column: Int32) -> Int64? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : sqlite3_column_int64(handle, column)
    }

    /// The number in a column of the row; nil is NULL.
    func fraction(_ column: Int32) -> Double? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL
            ? nil : sqlite3_column_double(handle, column)
    }
}
