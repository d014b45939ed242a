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
    /// So many rows are not used: their numbers were not given here, or they are more than are read.
    case oddRows(Int)
    /// So much was given up meanwhile.
    case lost(history: Int, terminations: Int)
}

extension StoreEvent: CustomStringConvertible {
    /// One sentence.
    package var description: String {
        switch self {
        case .unavailable(let error):
            "cannot write the history, keeping it in memory as far as it fits: \(error)"
        case .available: "writing the history works again"
        case .unreadable(let error):
            "cannot read the stored data, refusing persistent posts until it can be read: \(error)"
        case .readable: "the stored data was read"
        case .setAside(let path, let error):
            "the history was not usable: moved it to \(path) and started a new one: \(error)"
        case .oddRows(let count):
            "\(count) rows of the history database are ignored: their numbers are impossible, or there are too many"
        case .lost(let history, let terminations):
            "\(history) history entries and \(terminations) termination records were lost: they could not be written"
        }
    }
}
