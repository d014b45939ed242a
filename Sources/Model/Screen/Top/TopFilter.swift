internal import ControlAPI

/// Which rows are shown: those that have every word of a text, in whatever case, in the name, the state, the group or the description.
package struct TopFilter: Hashable, Sendable {
    package private(set) var text = ""
    private var words: [(word: String, isWanted: Bool)] = []

    /// The longest text, in characters.
    private static let most = 80

    /// All rows.
    package init() {}

    package init(_ text: String) { set(text) }

    /// Words with `!` before them are those that a row must not have.
    package mutating func set(_ text: String) {
        self.text = String(text.prefix(Self.most))
        words = self.text.lowercased().split(separator: " ").compactMap { word in
            let isWanted = word.first != "!"
            let word = isWanted ? word : word.dropFirst()
            return word.isEmpty ? nil : (String(word), isWanted)
        }
    }

    package var isEmpty: Bool { words.isEmpty }

    func includes(_ worker: TopWorker) -> Bool {
        guard !words.isEmpty else { return true }
        let place = [
            worker.name, worker.standing, worker.state.rawValue, worker.group ?? "", worker.description,
        ]
        .joined(separator: "\n").lowercased()
        return words.allSatisfy { place.contains($0.word) == $0.isWanted }
    }

    package static func == (one: TopFilter, other: TopFilter) -> Bool { one.text == other.text }
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension String {
    /// Whether `other` is a part of it.
    fileprivate func contains(_ other: String) -> Bool {
        let (whole, part) = (Array(utf8), Array(other.utf8))
        guard part.count <= whole.count, let first = part.first else { return part.isEmpty }
        for start in 0...(whole.count - part.count) where whole[start] == first {
            if whole[start..<start + part.count].elementsEqual(part) { return true }
        }
        return false
    }
}
