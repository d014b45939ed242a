import Linux
import TestSupport
import Testing

extension Wrapper {
    /// The control socket of `torpor run`, as it says at its start.
    func controlSocket() throws -> String {
        let line = try errors.until("control socket ")
        return String(line.split(separator: " ").last ?? "")
    }

    /// Starts `torpor VERB` for the one worker behind `socket`.
    static func start(_ verb: String, at socket: String) throws -> Wrapper {
        let list = try Wrapper([], [], line: [program, "list", "--socket", socket, "--no-legend"])
        let name = try #require(try list.output.next()?.split(separator: " ").first { $0.count > 1 })
        return try Wrapper([], [], line: [program, verb, "--socket", socket, String(name)])
    }
}
