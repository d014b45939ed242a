/// What a store has to report: each is one line in a log.
package enum StoreEvent: Hashable, Sendable {
    /// Nothing can be written for now; it is tried again, and said once.
    case unavailable(StoreError)
    /// It can be written again.
    case available
    /// What was kept before cannot be read for now, and nothing can be added to it; it is tried again, and said once.
    case unreadable(StoreError)
    /// It has been read after all.
    case readable
    /// The file was not usable and is now called `path`; a new one has been begun.
    case setAside(path: String, because: StoreError)
    /// So many rows are not used: their numbers are none of ours, or they are more than are read.
    case oddRows(Int)
    /// So much was given up meanwhile.
    case lost(history: Int, terminations: Int)
}

extension StoreEvent: CustomStringConvertible {
    /// One sentence.
    package var description: String {
        switch self {
        case .unavailable(let error):
            "the history cannot be written, and is kept in memory as far as it fits: \(error)"
        case .available: "the history is being written again"
        case .unreadable(let error):
            "what was kept before cannot be read, and posts that are to outlive the supervisor are refused until it can: \(error)"
        case .readable: "what was kept before has been read"
        case .setAside(let path, let error):
            "the history was not usable and has been set aside as \(path), a new one is begun: \(error)"
        case .oddRows(let count):
            "\(count) rows of the database of the history are left out: their numbers are impossible, or there are more than any interface lets in"
        case .lost(let history, let terminations):
            "\(history) entries of the history and \(terminations) termination records are lost: they could not be written"
        }
    }
}
