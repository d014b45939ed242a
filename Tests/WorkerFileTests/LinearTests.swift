import Testing

@testable import WorkerFile

/// Texts as big as they may be, each of which took minutes to hours when its parser looked back at what it had read before.
@Suite(.timeLimit(.minutes(1))) struct `Texts as big as they may be` {
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

    @Test func `a worker file of nothing but lists`() {
        for line in [
            "Environment=A\(0)=1", "EnvironmentFile=/etc/default/app", "SnapshotRedact=x", "StateDirectory=a",
        ] {
            let bytes = Array("[Worker]\nExecStart=/bin/true\n".utf8) + text(of: 1 << 20) { _ in line + "\n" }
            let file = ConfigurationFile(path: "f", bytes: bytes, sections: WorkerDefinition.sectionNames)
            let reading = DefinitionReading<WorkerDefinition>([file], named: "f", context: SpecifierContext())
            #expect(reading.definition != nil, "\(line)")
        }
    }
}
