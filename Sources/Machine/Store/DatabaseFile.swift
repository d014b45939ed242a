internal import Glibc

/// The file of the database: made, opened, and set aside when it is broken.
struct DatabaseFile: Sendable {
    let path: String
    var schema = Schema.current
    /// The most pages that it may have; nil is as many as there is room for.
    var pageLimit: Int?

    /// Opens it, makes what is missing, and brings it up to date.
    func open() throws(StoreError) -> Connection {
        try make()
        let connection = try Connection(path)
        // A user of sqlite3(1) can make the store wait, at most so long.
        try connection.execute(script: "PRAGMA busy_timeout = 2000; PRAGMA cache_size = -128")
        try schema.apply(to: connection)
        // With a write-ahead log a commit is in the kernel's hands when it returns, and outlives the daemon; whether it waits for
        // the disk as well is said with each transaction.
        try connection.execute(
            script:
                "PRAGMA journal_mode = WAL; PRAGMA journal_size_limit = 4194304; PRAGMA temp_store = MEMORY")
        if let pageLimit { try connection.execute(script: "PRAGMA max_page_count = \(pageLimit)") }
        return connection
    }

    /// Makes the directories that are missing, and the file, which no other user may read.
    private func make() throws(StoreError) {
        var directory = ""
        for part in path.split(separator: "/").dropLast() {
            directory += "/\(part)"
            if unsafe mkdir(directory, 0o755) != 0, errno != EEXIST, unsafe access(directory, F_OK) != 0 {
                throw .last("mkdir", directory)
            }
        }
        // Its companions get its mode from SQLite.
        let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .last("open", path) }
        close(descriptor)
    }

    /// Moves it out of the way, with its companions, to a name with the `time` in it (seconds since 1970); returns that.
    func setAside(at time: Int64) throws(StoreError) -> String {
        let aside = "\(path).broken-\(time)"
        guard unsafe rename(path, aside) == 0 else { throw .last("rename", path) }
        for companion in ["-wal", "-shm"] {
            // Ignoring a failure: a log without its database counts as stale and is removed.
            _ = unsafe rename(path + companion, aside + companion)
        }
        return aside
    }
}
