/// Finds the word that was meant.
package enum Spelling {
    /// The one of `words` that `word` is nearest to, where it is a slip of one or two letters; upper and lower case count the same.
    package static func nearest(to word: String, of words: [String]) -> String? {
        guard word.utf8.count <= mostPosts else { return nil }
        let letters = Array(word.lowercased().utf8)
        let ranked = words.map { (word: $0, distance: distance(letters, Array($0.lowercased().utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= (letters.count > 4 ? 2 : 1) ? best.word : nil
    }

    /// Longer words are no slips of the pen, and would cost time.
    private static let mostPosts = 48

    /// How many letters have to be added, dropped or changed (Levenshtein).
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        guard a.count <= mostPosts, b.count <= mostPosts else { return .max }
        var row = Array(0...b.count)
        for (i, letter) in a.enumerated() {
            var corner = row[0]
            row[0] = i + 1
            for (j, other) in b.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, corner + (letter == other ? 0 : 1))
                corner = above
            }
        }
        return row[b.count]
    }
}
