import Foundation
import Glibc
import TestSupport
import Testing

/// Exit statuses, and what is said of what cannot be done.
@Suite(.timeLimit(.minutes(60)))
struct ExitTests {
    @Test func `Every exit status of the child is ours`() throws {
        let codes = Array(Int32(0)...255)
        for start in stride(from: 0, to: codes.count, by: 16) {
            let batch = codes[start..<min(start + 16, codes.count)]
            let wrappers = try batch.map { ($0, try Wrapper(script: "exit \($0)")) }
            for (code, wrapper) in wrappers { #expect(try wrapper.wait() == .exited(code)) }
        }
    }

    @Test(arguments: [1, 2, 3, 4, 6, 8, 9, 10, 11, 13, 14, 15, 24, 31, 34, 64] as [Int32])
    func `A child that dies of a signal gives 128 and its number`(_ signal: Int32) throws {
        let wrapper = try Wrapper(script: "ulimit -c 0; kill -\(signal) $$; read x")
        #expect(try wrapper.wait() == .exited(128 + signal))
        #expect(try wrapper.errors.rest() == [])
    }

    @Test(arguments: 6...20)
    func `Where descriptors run out for it, torpor run says so, and its command is not left alone`(
        _ limit: Int
    ) throws {
        let file = "/tmp/torpor-test-\(UUID().uuidString.prefix(8)).pid"
        defer { unlink(file) }
        let command = "sh -c 'echo $$ > \"$1\"; exec sleep 0.5' - \"$1\""
        let wrapper = try Wrapper(
            [], [],
            line: [
                "/bin/sh", "-c", "ulimit -n \(limit); exec \"$0\" run -- \(command)", Wrapper.program, file,
            ])
        let status = try wrapper.wait()
        let told = try wrapper.errors.rest()
        // The command has as few, and says what it cannot do.
        if status == .exited(1) {
            #expect(told.last?.hasPrefix("torpor: ") == true, "\(told)")
            #expect(!told.contains { $0.contains("install libsystemd") }, "\(told)")
        }
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let pid = Int32(text.dropLast())
        else { return }
        #expect(kill(pid, 0) != 0 && errno == ESRCH)
    }

    struct Mistake: CustomTestStringConvertible {
        let arguments: [String]
        let status: Int32
        let mentions: String

        var testDescription: String { arguments.joined(separator: " ") }
    }

    @Test(arguments: [
        Mistake(arguments: ["run"], status: 64, mentions: "no command"),
        Mistake(arguments: ["run", "--"], status: 64, mentions: "no command"),
        Mistake(arguments: ["run", "-v", "--"], status: 64, mentions: "no command"),
        Mistake(arguments: [], status: 64, mentions: "no verb"),
        Mistake(arguments: ["fly"], status: 64, mentions: "fly"),
        Mistake(arguments: ["run", "--bogus", "--", "true"], status: 64, mentions: "'--bogus'"),
        Mistake(arguments: ["run", "-x", "true"], status: 64, mentions: "'-x'"),
        Mistake(arguments: ["run", "--type", "forking", "--", "true"], status: 64, mentions: "forking"),
        Mistake(
            arguments: ["run", "--rewrite", "FOO:TERM", "--", "true"], status: 64,
            mentions: "--rewrite FOO:TERM names no signal before the colon; expected"),
        Mistake(
            arguments: ["run", "--rewrite", "TERM:FOO", "--", "true"], status: 64,
            mentions: "--rewrite TERM:FOO names no signal after the colon; expected"),
        Mistake(
            arguments: ["run", "--rewrite", "KILL:TERM", "--", "true"], status: 64,
            mentions: "cannot be caught"),
        Mistake(
            arguments: ["run", "--rewrite", "TERM", "--", "true"], status: 64, mentions: "is not FROM:TO"),
        Mistake(
            arguments: ["run", "--rewrite", "0:TERM", "--", "true"], status: 64, mentions: "before the colon"),
        Mistake(
            arguments: ["run", "--rewrite", "TERM:65", "--", "true"], status: 64, mentions: "after the colon"),
        Mistake(
            arguments: ["run", "--stop-timeout", "soon", "--", "true"], status: 64,
            mentions: "invalid --stop-timeout soon; expected"),
        Mistake(
            arguments: ["run", "--stop-timeout", "-5", "--", "true"], status: 64, mentions: "stop-timeout"),
        Mistake(arguments: ["run", "--", "/no/such/program"], status: 127, mentions: "/no/such/program"),
        Mistake(
            arguments: ["run", "--", "no-such-program"], status: 127, mentions: "command not found: no-such"),
        Mistake(arguments: ["run", "--", ""], status: 127, mentions: "command not found"),
        Mistake(
            arguments: ["run", "--", "/etc/passwd"], status: 126, mentions: "cannot execute /etc/passwd"),
        Mistake(arguments: ["run", "--", "/etc"], status: 126, mentions: "cannot execute /etc"),
        Mistake(arguments: ["run", "--", "/etc/passwd/x"], status: 127, mentions: "/etc/passwd/x"),
    ])
    func `What cannot be done is said in one line, with the right status`(_ mistake: Mistake) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Wrapper.program)
        process.arguments = mistake.arguments
        // A directory that we may not search would be another answer.
        process.environment = ["PATH": "/usr/bin:/bin"]
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        #expect(output.fileHandleForReading.readDataToEndOfFile().isEmpty)
        process.waitUntilExit()
        #expect(process.terminationStatus == mistake.status)
        #expect(said.hasPrefix("torpor: "))
        #expect(said.contains(mistake.mentions), "it says: \(said)")
        #expect(said.split(separator: "\n").count == 1, "it says: \(said)")
    }

    @Test func `Help goes to stdout and is no failure`() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Wrapper.program)
        process.arguments = ["run", "--help"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(said.contains("--rewrite") && said.contains("--stop-timeout"))
    }

    @Test(arguments: [["--help"], ["--version"], ["help", "list"], ["run", "--help"]])
    func `Help that cannot be written is a failure`(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Wrapper.program)
        process.arguments = arguments
        let errors = Pipe()
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
        process.standardError = errors
        try process.run()
        let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 1)
        #expect(said == "torpor: cannot write to standard output: No space left on device\n")
    }

    @Test func `What stands behind the command is the command's own`() throws {
        let wrapper = try Wrapper(["-v"], ["/bin/echo", "--help", "-v", "--", "x"])
        #expect(try wrapper.output.rest() == ["--help -v -- x"])
        #expect(try wrapper.wait() == .exited(0))
    }

    @Test func `Arguments need not be UTF-8`() throws {
        let wrapper = try Wrapper(starter: [
            "/bin/sh", "-c", "x=$(printf '\\377'); exec \"$0\" run -- printf %s \"$x\"", Wrapper.program,
        ])
        #expect(try wrapper.output.rest() == ["\u{FFFD}"])
        #expect(try wrapper.wait() == .exited(0))
    }

    @Test func `A hundred at once, and two hundred in a row, leave nothing behind`() throws {
        let wrappers = try (0..<100).map { _ in try Wrapper(["/bin/true"]) }
        for wrapper in wrappers { #expect(try wrapper.wait() == .exited(0)) }
        var pids = wrappers.map(\.pid)
        for _ in 0..<200 {
            let wrapper = try Wrapper(["/bin/true"])
            #expect(try wrapper.wait() == .exited(0))
            #expect(try wrapper.errors.rest() == [])
            pids.append(wrapper.pid)
        }
        #expect(Places.left(by: pids) == [])
    }
}
