/// A line without options, as most are typed and scripts have it: it says all there is, and nothing needs to be parsed.
///
/// Reflection on a verb's options costs the start of the program more than all else that it does.
package enum ShortLine: Hashable, Sendable {
    /// `torpor --version`.
    case version
    /// `torpor run -- CMD…`: the command has so many words.
    case run(words: Int)
    /// One of ``verbs`` with names of workers, at a socket where one is given, before or behind them.
    case verb(String, names: [String], socket: String?)

    /// The verbs that may be without names, and those that may not.
    private static let verbs: [String: Bool] = [
        "list": true, "status": true, "activate": false, "background": false, "kill": false, "resign": false,
        "restart": false, "resume": false, "suspend": false, "terminate": false,
    ]

    /// The line of these arguments, the verb first; nil where there is more in it.
    package init?(_ arguments: [String]) {
        guard let verb = arguments.first else { return nil }
        if arguments == ["--version"] {
            self = .version
            return
        }
        var rest = arguments.dropFirst()
        if verb == "run" {
            if rest.first == "--" {
                rest = rest.dropFirst()
            } else if rest.first?.hasPrefix("-") ?? true {
                return nil
            }
            guard !rest.isEmpty else { return nil }
            self = .run(words: rest.count)
            return
        }
        guard let mayBeAll = Self.verbs[verb] else { return nil }
        var socket: String?
        if rest.first == "--socket", rest.count > 1 {
            socket = rest.dropFirst().first
            rest = rest.dropFirst(2)
        } else if rest.dropLast().last == "--socket" {
            socket = rest.last
            rest = rest.dropLast(2)
        }
        guard socket?.hasPrefix("-") != true, !rest.contains(where: { $0.hasPrefix("-") }),
            mayBeAll || !rest.isEmpty
        else { return nil }
        self = .verb(verb, names: Array(rest), socket: socket)
    }
}
