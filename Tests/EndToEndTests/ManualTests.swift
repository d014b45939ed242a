import Foundation
import Operator
import Testing

/// The manual against the programs that it describes.
@Suite(.timeLimit(.minutes(60))) struct `The manual of the programs` {
    private struct Program: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String

            /// As mdoc(7) writes an option.
            var asWritten: String { kind == "long" ? "Fl -\(name)" : "Fl \(name)" }
        }

        struct Argument: Decodable {
            let kind: String
            let shouldDisplay: Bool
            let names: [Name]?
        }

        struct Command: Decodable {
            let commandName: String
            let shouldDisplay: Bool
            let subcommands: [Command]?
            let arguments: [Argument]?
        }

        let command: Command
    }

    private func command(_ program: String) throws -> Program.Command {
        let path = (Wrapper.program as NSString).deletingLastPathComponent + "/\(program)"
        let run = try Wrapper([], [], line: [path, "--experimental-dump-help"])
        let result = try DaemonUnderTest.result(of: run)
        return try JSONDecoder().decode(Program.self, from: Data(result.output.utf8)).command
    }

    private func page(_ name: String) throws -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: root.appendingPathComponent("packaging/man/\(name)"), encoding: .utf8)
    }

    private func expectAll(_ arguments: [Program.Argument]?, of verb: String, in page: String) {
        for argument in arguments ?? [] where argument.shouldDisplay {
            for name in argument.names ?? [] {
                #expect(page.contains(name.asWritten), "\(verb) --\(name.name)")
            }
        }
    }

    @Test func `describes every verb and every option of torpor`() throws {
        let page = try page("torpor.1")
        let verbs = try command("torpor").subcommands ?? []
        #expect(verbs.count > 20)
        for verb in verbs where verb.shouldDisplay {
            #expect(page.contains(".It Cm \(verb.commandName)"), "\(verb.commandName)")
            expectAll(verb.arguments, of: verb.commandName, in: page)
        }
    }

    @Test func `describes every option of torpord`() throws {
        expectAll(try command("torpord").arguments, of: "torpord", in: try page("torpord.8"))
    }

    @Test func `describes every exit status`() throws {
        let page = try page("torpor.1")
        let list = try #require(page.range(of: ".Sh EXIT STATUS"))
        for status in OperatorExit.allCases {
            #expect(page[list.upperBound...].contains(".It \(status.rawValue)\n"), "\(status)")
        }
    }
}
