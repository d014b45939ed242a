import ConfigurationSyntax
import Testing
import WorkerFile

/// `StateVersion=`: what is read, and what becomes of saved state.
@Suite struct `The version of saved state` {
    @Test(
        arguments: [
            ("3", "3", false), ("2.1-rc1", "2.1-rc1", false), ("2:strict", "2", true), ("strict", nil, true),
            ("a_b+c~d", "a_b+c~d", false),
        ] as [(String, String?, Bool)])
    func `is read`(text: String, name: String?, isStrict: Bool) throws {
        let version = try StateVersion(parsing: text)
        #expect(version.name == name && version.isStrict == isStrict)
        #expect(version.description == text)
    }

    @Test(arguments: [
        "", ":strict", "strict:strict", "2:lax", "a b", "a/b", "ä", String(repeating: "1", count: 129), "1\n",
    ])
    func `is refused`(text: String) {
        #expect(throws: ValueError.self) { try StateVersion(parsing: text) }
    }

    @Test func `decides what becomes of state`() throws {
        let (usual, strict) = (StateVersion.usual, try StateVersion(parsing: "strict"))
        for version in [usual, strict] {
            #expect(version.verdict(on: "1", for: "1") == .same)
            #expect(version.verdict(on: nil, for: nil) == .same)
        }
        #expect(usual.verdict(on: "1", for: "2") == .other("1"))
        #expect(usual.verdict(on: nil, for: "2") == .other(nil))
        #expect(usual.verdict(on: "1", for: nil) == .other("1"))
        #expect(strict.verdict(on: "1", for: "2") == .dropped("1"))
        #expect(strict.verdict(on: nil, for: "2") == .dropped(nil))
        #expect(strict.verdict(on: "1", for: nil) == .dropped("1"))
    }
}
