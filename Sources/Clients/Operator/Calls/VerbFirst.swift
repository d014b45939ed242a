/// The arguments of `torpor`, with the options that stand before the verb put behind it: they mean the same there.
package struct VerbFirst: Hashable, Sendable {
    /// The verb; nil where the first word is an option that no verb has, or there is none.
    package let verb: String?
    /// All arguments, the verb first.
    package let arguments: [String]

    /// Options of all verbs whose value is the next word.
    private static let valued: Set<String> = ["--socket", "--host", "-H", "--json", "--timeout"]
    private static let flags: Set<String> = [
        "--system", "--user", "-j", "--no-legend", "--no-pager", "-q", "--quiet",
    ]

    /// The order of `given`, the arguments behind the program's name.
    package init(_ given: [String]) {
        var index = 0
        while index < given.count, given[index].hasPrefix("-") {
            let word = given[index]
            if Self.valued.contains(word) {
                index += 2
            } else if Self.flags.contains(word) || Self.valued.contains(where: { word.hasPrefix($0 + "=") }) {
                index += 1
            } else {
                break
            }
        }
        guard index < given.count, !given[index].hasPrefix("-") else {
            verb = nil
            // What is missing is the verb, and nothing is wrong with these.
            arguments = Array(given.dropFirst(index))
            return
        }
        verb = given[index]
        // Help has none of them.
        let options = verb == "help" ? [] : given[..<index]
        arguments = [given[index]] + options + given[(index + 1)...]
    }
}
