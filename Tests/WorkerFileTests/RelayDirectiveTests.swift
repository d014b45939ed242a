import Lifecycle
import Relaying
import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

@Suite struct `Forwarding in a worker file` {
    private func read(_ lines: String) -> DefinitionReading<WorkerDefinition> {
        let text = "[Worker]\nExecStart=/bin/true\n[Foreground]\n\(lines)\n"
        let file = ConfigurationFile(
            path: "f", bytes: Array(text.utf8), sections: WorkerDefinition.sectionNames)
        return DefinitionReading<WorkerDefinition>([file], named: "web", context: SpecifierContext())
    }

    @Test func `is read, and has defaults`() throws {
        let plain = try #require(read("ListenStream=80").definition?.foreground.relaying)
        #expect(plain == WorkerDefinition.Relaying() && !plain.isNeeded)
        #expect(plain.placeholderAfter == .seconds(2) && plain.limit == 1024)
        let worker = read(
            """
            ListenStream=80
            ForwardTo=8081
            ProxyProtocol=v2
            ForwardMaxConnections=7
            Placeholder=/srv/wait.html
            PlaceholderAfterSec=500ms
            """)
        #expect(worker.diagnostics.isEmpty, "\(worker.diagnostics)")
        let relaying = try #require(worker.definition?.foreground.relaying)
        #expect(relaying.target?.relayTarget == .ipv4(0x7f00_0001, port: 8081))
        #expect(relaying.header.header == .v2 && relaying.limit == 7)
        #expect(relaying.placeholder == .file(try AbsolutePath(parsing: "/srv/wait.html")))
        #expect(relaying.placeholderAfter == .milliseconds(500))
    }

    @Test(
        arguments: [
            ("8081", .ipv4(0x7f00_0001, port: 8081)), ("10.0.0.1:80", .ipv4(0x0a00_0001, port: 80)),
            ("[::1]:80", .ipv6([UInt8](repeating: 0, count: 15) + [1], port: 80)),
            ("/run/a.sock", .unix(Array("/run/a.sock".utf8))), ("@a", .unix([0, 0x61])),
        ] as [(String, RelayAddress)])
    func `leads to an address`(_ text: String, _ address: RelayAddress) throws {
        let relaying = read("ListenStream=90\nForwardTo=\(text)").definition?.foreground.relaying
        #expect(relaying?.target?.relayTarget == address)
    }

    @Test(arguments: [
        "ForwardTo=localhost:80", "ForwardTo=a", "ProxyProtocol=v3", "ProxyProtocol=yes",
        "Placeholder=page.html",
        "Placeholder=/a/../b", "PlaceholderAfterSec=-1", "ForwardMaxConnections=0",
        // It would come back to where it came from.
        "ForwardTo=127.0.0.1:80", "ForwardTo=80",
    ])
    func `is refused`(_ line: String) {
        #expect(read("ListenStream=80\n\(line)").definition == nil)
    }

    @Test(arguments: [
        ("ForwardTo=8081", "ForwardTo"), ("ListenDatagram=80\nForwardTo=8081", "ForwardTo"),
        ("ListenStream=80\nProxyProtocol=v1", "ProxyProtocol"),
        ("ListenStream=80\nForwardMaxConnections=3", "ForwardMaxConnections"),
        ("Placeholder=yes", "Placeholder"), ("ListenStream=/run/a.sock\nPlaceholder=yes", "Placeholder"),
        ("ListenStream=80\nPlaceholderAfterSec=1", "PlaceholderAfterSec"),
    ])
    func `that forwards or shows nothing is told of`(_ lines: String, _ key: String) {
        let reading = read(lines)
        #expect(reading.definition != nil)
        #expect(reading.diagnostics.map(\.key) == [key])
        #expect(reading.diagnostics.first?.severity == .advice)
    }

    @Test(arguments: [
        "ListenStream=80\nForwardTo=8081", "ListenStream=80\nPlaceholder=yes",
        "ListenStream=/run/a.sock\nForwardTo=8081\nPlaceholder=yes", "Placeholder=no",
    ])
    func `that does something is right`(_ lines: String) {
        #expect(read(lines).diagnostics.isEmpty)
    }
}
