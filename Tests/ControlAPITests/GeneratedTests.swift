import Foundation
import InterfaceGenerator
import Testing
import Varlink

@Suite struct `The Swift types of the interfaces` {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Sources/Model/ControlAPI").path

    @Test func `are generated from the descriptions as they are now`() throws {
        let sources = try InterfaceGenerator.sources(in: Self.folder)
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder + "/Generated")
        #expect(Set(files) == Set(sources.keys), "run `make generate`")
        for (name, text) in sources {
            let file = FileManager.default.contents(atPath: "\(Self.folder)/Generated/\(name)")
            let isCurrent = file == Data(text.utf8)
            #expect(isCurrent, "Generated/\(name) is not what its description makes: run `make generate`")
        }
    }

    private static let description = """
        # A lamp. It shines.
        interface org.example.Lamp

        # Whether it shines.
        type State (
          # It does.
          on,
          # Somebody else decides.
          operator
        )

        # A lamp of several.
        type Bulb (
          # Its number.
          number: int,
          # How bright it is.
          power: ?float,
          # What is written on it.
          labels: []string
        )

        # Switches it. Not open to every caller. For definers.
        method Set(
          # To what.
          state: State
        ) -> ()

        # Switches it back. Needs more. Open to
        # every caller.
        method Reset(
          # To
          # what.
          state: State
        ) -> (
          # The bulbs.
          bulbs: [string]Bulb
        )

        # It is broken. Nothing helps.
        error Broken (
          # Since when.
          at: ?int,
          # What it was.
          state: State
        )

        # It is dark.
        error Dark ()
        """

    private func source(_ description: String, after earlier: [InterfaceSource] = []) throws
        -> InterfaceSource
    {
        InterfaceSource(try InterfaceDefinition(description: description), after: earlier)
    }

    @Test(arguments: [
        """
        /// The interface `org.example.Lamp`.
        ///
        /// A lamp. It shines.
        public enum LampInterface {
        """,
        """
            /// Whether it shines.
            public enum State: String, Codable, JSONConvertible, CaseIterable, Hashable, Sendable {
                /// It does.
                case on
                /// Somebody else decides.
                case `operator`
            }
        """,
        """
                public var labels: [String]

                /// A value of these members; one that may be missing is `nil` unless it is given.
                public init(number: Int64, power: Double? = nil, labels: [String]) {
                    self.number = number
        """,
        """
            /// Switches it back.
            ///
            /// Needs more. Open to every caller.
            public enum Reset: Method {
                /// The name, in full `org.example.Lamp.Reset`.
                public static let member = "Reset"

                /// The parameters of a call.
                public typealias Parameters = Set.Parameters

                /// The parameters of a reply.
                public struct Reply: Codable, JSONConvertible, Hashable, Sendable {
                    /// The bulbs.
                    public var bulbs: [String: Bulb]
        """,
        """
                /// The value that `json` says, an object.
                public init(json: JSON) throws(JSON.Mismatch) {
                    var members = try JSONMembers(json)
                    number = try members.required("number")
                    power = try members.optional("power")
                    labels = try members.required("labels")
                }

                /// The value as JSON, an object with its members in their order.
                public var asJSON: JSON {
                    var members = JSONMembersMade(capacity: 3)
                    members.add("number", number)
                    members.add("power", ifThere: power)
                    members.add("labels", labels)
                    return members.json
                }
        """,
        """
                /// The parameters of a reply.
                public typealias Reply = Nothing
        """,
        """
            public static let methods: [any Method.Type] = [Set.self, Reset.self]

            /// The methods that every caller may call, by their full names.
            public static let open: Swift.Set<String> = [Reset.name]

            /// The methods that must be called with `more`, by their full names.
            public static let requiringMore: Swift.Set<String> = [Reset.name]
        }
        """,
        """
            /// It is broken.
            ///
            /// Nothing helps.
            public static func broken(at: Int64? = nil, state: State) -> MethodError {
                var parameters: JSON.Object = [:]
                parameters["at"] = at.map { .int($0) }
                parameters["state"] = .string(state.rawValue)
                return MethodError(ErrorName.broken.rawValue, parameters)
            }
        """,
        """
            public static let dark = MethodError(ErrorName.dark.rawValue)
        """,
    ])
    func `say what the description says`(_ part: String) throws {
        #expect(try source(Self.description).text().contains(part))
    }

    @Test func `share an enumeration that two interfaces describe`() throws {
        let other = """
            # Another one.
            interface org.example.Other

            # Whether it shines.
            type State (on, operator)
            """
        let lamp = try source(Self.description)
        #expect(try source(other, after: [lamp]).text().contains("typealias State = LampInterface.State"))
        #expect(try source(other).text().contains("public enum State"))
    }

    @Test func `have a name for each structure`() throws {
        let nested = """
            interface org.example.Nested
            type Pair (first: (x: int), second: int)
            """
        #expect(throws: InterfaceSource.Fault.self) { try source(nested).text() }
    }
}
