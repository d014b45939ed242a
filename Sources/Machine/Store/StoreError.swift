internal import CSQLite
internal import Glibc

/// Why something is not stored, or cannot be read.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What can be done about it.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The disk, or what we may use of it, is full: it goes on when there is room.
        case full
        /// The directory or the file cannot be made, opened or written.
        case unwritable
        /// Another process holds the file.
        case busy
        /// The file is no database, is damaged, or is not one of Torpor's: it is set aside.
        case broken
        /// The disk failed.
        case failed
        /// The store is closed.
        case closed
        /// Too many questions of the asker wait already: it may ask again when they are answered.
        case crowded
    }

    /// What can be done about it.
    package let code: Code
    /// SQLite's extended result code; 0 where it was not SQLite that failed.
    package let result: Int32
    /// One sentence: what was done, and why it did not work.
    package let description: String

    init(_ code: Code, result: Int32 = 0, _ description: String) {
        self.code = code
        self.result = result
        self.description = description
    }

    /// A failure of `operation` with SQLite's extended code `result`, which `reason` puts in words.
    init(result: Int32, reason: String, operation: String) {
        self.init(Code(result: result), result: result, "\(operation): \(reason)")
    }

    /// A failure of a system call on `path` that has left its reason in errno(3).
    static func last(_ call: String, _ path: String) -> StoreError {
        let reason = errno
        let code: Code = reason == ENOSPC || reason == EDQUOT ? .full : .unwritable
        return StoreError(code, "\(call) \(path): \(unsafe String(cString: strerror(reason)))")
    }

    /// A question was not taken.
    static let crowded = StoreError(
        .crowded, "too many queries of the history are pending; try again later")

    /// The store has ended.
    static let closed = StoreError(.closed, "the store is closed")
}

extension StoreError.Code {
    /// What a result code of SQLite means to the store; the low byte is the primary code (sqlite.org/rescode.html).
    fileprivate init(result: Int32) {
        switch result & 0xff {
        case SQLITE_FULL: self = .full
        case SQLITE_BUSY, SQLITE_LOCKED: self = .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: self = .broken
        case SQLITE_CANTOPEN, SQLITE_PERM, SQLITE_READONLY, SQLITE_AUTH: self = .unwritable
        default: self = .failed
        }
    }
}
