import Testing

/// The whole shell on a simulated machine (Tests/ShellWalk), from a few seeds; `make simulate` takes longer walks.
@Suite(.timeLimit(.minutes(60))) struct `Walks of the whole shell` {
    #if DEBUG
    private static let seeds = 8
    #else
    private static let seeds = 60
    #endif

    @Test func `break no promise`() throws {
        let report = try HelperProgram.run(
            "walk", "--seeds", "\(Self.seeds)", "--steps", "5000", "--lines", "60")
        #expect(report.status == 0, "\(report.lines.suffix(80).joined(separator: "\n"))")
    }

    @Test func `are the same from the same seed, to the last step`() throws {
        let walks = try (0..<2).map { _ in try HelperProgram.run("walk", "--seed", "7", "--steps", "3000") }
        #expect(walks[0].status == 0 && walks[0].lines == walks[1].lines)
        #expect(walks[0].lines.first?.contains(", hash ") == true)
    }
}
