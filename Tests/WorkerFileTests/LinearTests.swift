import Glibc
import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

/// The processor's time that `body` takes on this thread, in seconds, when it is disturbed least.
private func work(_ body: () -> Void) -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    return (0..<3).map { _ in
        let begun = now()
        body()
        return now() - begun
    }.min() ?? 0
}

/// Texts as big as they may be, each of which took minutes to hours when its parser looked back at what it had read before.
@Suite(.timeLimit(.minutes(60))) struct `Texts as big as they may be` {
    private static let most = ConfigurationFile.Bounds().file

    /// `piece` with a number in it, as often as it fits.
    private func text(of size: Int = most, _ piece: (Int) -> String) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size)
        var number = 0
        while true {
            let next = piece(number).utf8
            guard bytes.count + next.count <= size else { return bytes }
            bytes += next
            number += 1
        }
    }

    @Test func `a file of variables, with a hundred thousand of them`() {
        var expected = 0
        let file = EnvironmentFile(
            path: "f",
            bytes: text {
                expected += 1
                return "VARIABLE_\($0)=\(String(repeating: "x", count: 27))\n"
            })
        #expect(file.variables.count == expected - 1 && file.diagnostics.isEmpty && expected > 90_000)
        #expect(file.variables.first?.name == "VARIABLE_0")
    }

    @Test func `a file that has one variable again and again`() {
        let file = EnvironmentFile(
            path: "f", bytes: text { "SAME=\($0) and some more, so that it is long\n" })
        #expect(file.variables.count == 1 && file.diagnostics.isEmpty)
    }

    @Test func `more variables than any process can have are an error`() {
        let file = EnvironmentFile(path: "f", bytes: text { "V\($0)=\n" })
        #expect(file.variables.count == EnvironmentFile.mostVariables)
        #expect(file.diagnostics.map(\.problem) == ["more than 100000 variables"])
    }

    @Test func `mistakes are complained of so often, and the first error always`() {
        let file = EnvironmentFile(
            path: "f", bytes: text(of: 1 << 20) { _ in "no assignment\n" } + Array("A=\0\nB=\0\n".utf8))
        #expect(file.diagnostics.count == EnvironmentFile.mostDiagnostics + 1)
        #expect(file.diagnostics.last?.severity == .error)
    }

    @Test func `a command line of names that no brace ends`() throws {
        for end in ["", ":"] {
            let line = String(decoding: text(of: 1 << 20) { _ in "${" }, as: UTF8.self) + end
            let command = try Command(parsing: "/bin/true \(line) ${A}", in: SpecifierContext())
            #expect(command.argumentVector { _ in "value" } == ["/bin/true", line, "value"])
        }
    }

    @Test(arguments: [
        "Environment=A=1", "EnvironmentFile=/etc/default/app", "StateDirectory=a", "SupplementaryGroups=7",
    ])
    func `a worker file of four times as many lines takes four times the work`(_ line: String) {
        func read(_ size: Int) {
            let bytes =
                Array("[Worker]\nExecStart=/bin/true\n".utf8) + text(of: size) { _ in line + "\n" }
            let file = ConfigurationFile(path: "f", bytes: bytes, sections: WorkerDefinition.sectionNames)
            let reading = DefinitionReading<WorkerDefinition>(
                [file], named: "f", context: SpecifierContext())
            #expect(reading.definition != nil)
        }
        read(1000)
        let one = work { read(256 << 10) }
        let four = work { read(1 << 20) }
        // What is quadratic takes sixteen times the work.
        #expect(four < 10 * one, "\(one) s and \(four) s")
    }

    @Test func `a file of variables of four times as many lines takes four times the work`() {
        func read(_ size: Int) {
            #expect(EnvironmentFile(path: "f", bytes: text(of: size) { "V\($0)=\n" }).diagnostics.isEmpty)
        }
        read(1000)
        let one = work { read(128 << 10) }
        let four = work { read(512 << 10) }
        // What is quadratic takes sixteen times the work.
        #expect(four < 10 * one, "\(one) s and \(four) s")
    }
}
