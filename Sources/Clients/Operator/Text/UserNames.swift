internal import Synchronization

/// The names of users, for callers that the supervisor tells by number (passwd(5)).
///
/// Each user is looked up once: that may ask the network. Only the supervisor's own machine knows its users: those of another one are
/// shown by number.
package final class UserNames: Sendable {
    /// Knows no user but root.
    package static let none = UserNames { _ in nil }

    private let find: @Sendable (UInt32) -> String?
    private let known = Mutex<[Int64: String]>([:])

    /// Names as `find` tells them; nil where a user has none.
    package init(_ find: @escaping @Sendable (UInt32) -> String?) { self.find = find }

    /// The name of the user of that number; `uid 1000` where it has none.
    package func words(_ uid: Int64) -> String {
        if uid == 0 { return "root" }
        return known.withLock { known in
            if let words = known[uid] { return words }
            let name = UInt32(exactly: uid).flatMap(find)?.printable ?? ""
            let words = name.isEmpty ? "uid \(uid)" : name
            known[uid] = words
            return words
        }
    }

    /// A sentence of the supervisor's, with the names of the callers in it: `uid 0, pid 7` becomes `root, pid 7`.
    package func naming(_ sentence: String) -> String {
        var text = ""
        var rest = sentence[...]
        while let found = rest.firstRange(of: "uid ") {
            let isWord = found.lowerBound == sentence.startIndex || !sentence.isWord(before: found)
            let digits = rest[found.upperBound...].prefix { $0.isASCII && $0.isNumber }
            let tail = rest[digits.endIndex...]
            if isWord, let uid = Int64(digits), tail.hasPrefix(", pid ") {
                text += rest[..<found.lowerBound] + words(uid)
                rest = tail
            } else {
                text += rest[..<found.upperBound]
                rest = rest[found.upperBound...]
            }
        }
        return text + rest
    }
}

extension String {
    /// Whether the character before the range belongs to a word.
    fileprivate func isWord(before range: Range<Index>) -> Bool {
        let last = self[index(before: range.lowerBound)]
        return last.isLetter || last.isNumber
    }
}
