internal import ConfigurationSyntax
package import Processing

extension ProcessingNews {
    /// What happened, in a clause.
    package var words: String {
        switch self {
        case .began(let limit):
            "time for its long work" + (limit.map { ", \($0.written()) at most" } ?? "")
        case .completed(let isDone):
            "the callback for its long work is " + (isDone ? "complete" : "given up")
        case .revoked(let reason): "the time for its long work is over: \(reason)"
        case .over(let isDone): isDone ? "its long work is done" : "its long work was cut short"
        }
    }

    /// What it is in a word; nil for what the history does not keep.
    package var word: String? {
        switch self {
        case .began: "processing"
        case .completed: nil
        case .revoked: "processingRevoked"
        case .over(let isDone): isDone ? "processingDone" : "processingCutShort"
        }
    }
}
