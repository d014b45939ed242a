extension String {
    /// What a parser of options says, in one line: the values that may be given instead, which it lists in lines of their own, come last.
    package var inOneLine: String {
        let lines = split(separator: "\n").map { $0.drop { $0 == " " } }
        let choices = lines.filter { $0.hasPrefix("- ") }.map { $0.dropFirst(2) }
        let sentences = lines.filter { !$0.hasPrefix("- ") }.joined(separator: " ")
        return choices.isEmpty ? sentences : "\(sentences) \(choices.joined(separator: ", "))"
    }
}
