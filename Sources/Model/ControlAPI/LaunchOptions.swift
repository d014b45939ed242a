package import Varlink

/// What an operator gives a worker with a launch (1.6): an object that the supervisor passes on and does not read.
package struct LaunchOptions: Hashable, Sendable {
    /// The object.
    package let object: JSON.Object

    /// Its text, as the worker finds it.
    package var text: String { JSON.object(object).text }

    /// The most bytes of the text.
    ///
    /// They are passed in a variable, of which execve(2) takes 128 KiB, and kept as long as the process.
    package static let longest = 32 << 10

    /// What is expected, in words.
    package static let expectation = "a JSON object of at most 32 KiB, such as {\"key\": 1}"

    /// Why a launch with options is refused of a worker that has a process.
    package static let refusal = "it already runs, and options are passed only with a launch"

    /// Why something is not options of a launch.
    package enum Problem: Error, Hashable, Sendable {
        /// It is no JSON text.
        case notJSON
        /// It is JSON, and no object.
        case notObject
        /// It is longer than ``LaunchOptions/longest``.
        case tooLong

        /// The same as a clause that follows what it is about.
        package var words: String {
            switch self {
            case .notJSON: "is not valid JSON; expected an object such as '{\"key\": 1}'"
            case .notObject: "is not a JSON object; expected one such as '{\"key\": 1}'"
            case .tooLong: "is longer than 32 KiB"
            }
        }
    }

    /// Reads a text.
    package init(parsing text: String) throws(Problem) {
        // Before it is read: a long text takes long.
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        guard let json = try? JSON(parsing: Array(text.utf8).span) else { throw .notJSON }
        try self.init(json)
    }

    /// Takes a value.
    package init(_ json: JSON) throws(Problem) {
        guard let object = json.object else { throw .notObject }
        self.object = object
        guard text.utf8.count <= Self.longest else { throw .tooLong }
    }
}
