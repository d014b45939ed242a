/// What a sentence in the comment of a method says to the supervisor; the raw value is the name of the list of such methods.
///
/// A method with neither of the first two is for operators: a misspelt sentence opens nothing.
enum MethodProperty: String, CaseIterable {
    case open, defining, requiringMore

    /// The sentence, word for word.
    var sentence: String {
        switch self {
        case .open: "Open to every caller."
        case .defining: "For definers only."
        case .requiringMore: "Needs more."
        }
    }

    /// The comment of the list.
    var documentation: String {
        switch self {
        case .open: "The methods that every caller may call, by their full names."
        case .defining:
            """
            The methods that say what runs, and so as which user, by their full names. They are for the definers' group, not \
            for every operator.
            """
        case .requiringMore: "The methods that must be called with `more`, by their full names."
        }
    }
}

extension String {
    /// Whether `sentence` is one of the sentences, whatever the line breaks.
    func hasSentence(_ sentence: String) -> Bool {
        let words = split(whereSeparator: \.isWhitespace)
        let wanted = sentence.split(separator: " ")
        return words.indices.contains { start in
            (start == 0 || words[start - 1].hasSuffix(".")) && words[start...].starts(with: wanted)
        }
    }
}
