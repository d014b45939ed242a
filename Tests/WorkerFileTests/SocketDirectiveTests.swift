import Idleness
import Lifecycle
import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

@Suite struct `Sockets of a worker file` {
    private func read(_ lines: String) -> DefinitionReading<WorkerDefinition> {
        let text = "[Worker]\nExecStart=/bin/true\n[Foreground]\n\(lines)\n"
        let file = ConfigurationFile(
            path: "f", bytes: Array(text.utf8), sections: WorkerDefinition.sectionNames)
        return DefinitionReading<WorkerDefinition>([file], named: "web", context: SpecifierContext())
    }

    @Test func `are held in the order of the lines, whatever their kinds`() throws {
        let worker = try #require(
            read("ListenDatagram=53\nListenStream=/run/a.sock\nListenFIFO=/run/f\nListenSequentialPacket=@b")
                .definition)
        #expect(
            worker.foreground.listens == [
                HeldSocket(.datagram, .port(53)), HeldSocket(.stream, .path("/run/a.sock")),
                HeldSocket(.fifo, .path("/run/f")), HeldSocket(.sequentialPacket, .abstract("b")),
            ])
    }

    @Test func `an empty line of one kind takes all of them back, as with systemd`() throws {
        let worker = try #require(read("ListenDatagram=53\nListenStream=80\nListenStream=").definition)
        #expect(worker.foreground.listens.isEmpty)
    }

    @Test func `have the options of systemd`() throws {
        let worker = try #require(
            read(
                """
                ListenStream=80
                Backlog=7
                BindIPv6Only=ipv6-only
                FreeBind=yes
                ReusePort=yes
                NoDelay=yes
                KeepAlive=yes
                DeferAcceptSec=3
                RemoveOnStop=yes
                SocketMode=0600
                DirectoryMode=0700
                """
            ).definition)
        var options = HeldSocket.Options()
        options.backlog = 7
        options.ipv6Only = .only
        (options.freeBind, options.reusePort, options.noDelay, options.keepAlive) = (true, true, true, true)
        options.deferAccept = .seconds(3)
        options.removeOnStop = true
        (options.mode, options.directoryMode) = (0o600, 0o700)
        (options.user, options.group) = (1, 2)
        #expect(
            worker.foreground.heldSockets(user: 1, group: 2) == [HeldSocket(.stream, .port(80), options)])
    }

    @Test(arguments: [
        ("ListenFIFO=80", "f:4: ListenFIFO=: got “80”; expected /PATH (at most 107 bytes)"),
        (
            "ListenSequentialPacket=80",
            "f:4: ListenSequentialPacket=: got “80”; expected /PATH or @NAME (both at most 107 bytes)"
        ),
        (
            "ListenStream=80\nListenStream=0.0.0.0:80",
            "f:5: ListenStream=: 0.0.0.0:80 takes the address of ListenStream=80; expected another address"
        ),
    ])
    func `that cannot be are errors`(_ lines: String, _ says: String) {
        let reading = read(lines)
        #expect(reading.definition == nil)
        #expect(reading.diagnostics.map(\.description) == [says])
    }

    @Test func `are 64 at most`() {
        let most = (1...64).map { "ListenStream=\($0)" }.joined(separator: "\n")
        #expect(read(most).definition != nil)
        #expect(read(most + "\nListenStream=65").definition == nil)
    }

    @Test func `change by the key of their kind`() throws {
        let old = try #require(read("ListenStream=80\nListenDatagram=53").definition)
        let new = try #require(read("ListenStream=80\nListenDatagram=54\nBacklog=1").definition)
        #expect(new.changedKeys(from: old) == ["Foreground.ListenDatagram", "Foreground.Backlog"])
    }
}
