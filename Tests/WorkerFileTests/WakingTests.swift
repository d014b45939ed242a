import Idleness
import Lifecycle
import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

@Suite struct `Waking and idleness in a worker file` {
    private func read(_ lines: String) -> DefinitionReading<WorkerDefinition> {
        let text = "[Worker]\nExecStart=/bin/true\n[Foreground]\n\(lines)\n"
        let file = ConfigurationFile(
            path: "f", bytes: Array(text.utf8), sections: WorkerDefinition.sectionNames)
        return DefinitionReading([file], named: "f", context: SpecifierContext())
    }

    @Test func `a file that says nothing has the rules of the model`() {
        let foreground = WorkerDefinition().foreground
        #expect(foreground.useRules == UseRules())
        #expect(foreground.wakeRules == WakeRules())
    }

    @Test func `each directive is one rule`() throws {
        let reading = read(
            """
            IdleSec=10min
            IdleWhen=unconnected
            IdleCPU=2.5%
            IdlePendingSec=90
            Idle=observe
            Wake=listen
            WakeOn=request
            WakeOn=data timer
            WakeFrom=10.0.0.0/8 localhost
            WakeFrom=2001:db8::/32
            WakeNotFrom=10.0.0.5
            WakeLingerSec=500ms
            """)
        let foreground = try #require(reading.definition, "\(reading.diagnostics)").foreground
        #expect(reading.diagnostics.isEmpty)

        var use = UseRules()
        use.connections = .open
        use.cpu = 2.5
        use.pending = .seconds(90)
        use.acts = false
        #expect(foreground.useRules == use)

        var wake = WakeRules()
        wake.watching = .listen
        wake.kinds = [.request, .data, .timer]
        wake.from = [
            IPNetwork(ipv4: 0x0a00_0000, prefix: 8), IPNetwork(ipv4: 0x7f00_0000, prefix: 8),
            IPNetwork(IPAddress(high: 0, low: 1), prefix: 128),
            IPNetwork(IPAddress(high: 0x2001_0db8 << 32, low: 0), prefix: 32),
        ]
        wake.notFrom = [IPNetwork(ipv4: 0x0a00_0005, prefix: 32)]
        wake.linger = .milliseconds(500)
        #expect(foreground.wakeRules == wake)
    }

    @Test func `what is without end never counts, or counts for ever`() throws {
        let foreground = try #require(read("IdleSec=1\nIdleCPU=infinity\nIdlePendingSec=infinity").definition)
            .foreground
        #expect(foreground.useRules.cpu == nil)
        #expect(foreground.useRules.pending == TimeSpan(microseconds: .max))
    }

    @Test func `an empty assignment brings the default back`() throws {
        let reading = read(
            """
            WakeOn=request
            WakeOn=
            WakeFrom=10.0.0.1
            WakeFrom=
            WakeNotFrom=10.0.0.1
            WakeNotFrom=
            Wake=no
            Wake=
            WakeLingerSec=5
            WakeLingerSec=
            IdleCPU=5%
            IdleCPU=
            """)
        let foreground = try #require(reading.definition, "\(reading.diagnostics)").foreground
        #expect(foreground.wakeRules == WakeRules() && foreground.useRules == UseRules())
        #expect(reading.diagnostics.isEmpty)
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let line: String, says: String
        var testDescription: String { line }
    }

    @Test(arguments: [
        Bad(line: "Wake=always", says: "Wake=: got “always”; expected auto, listen, held or no"),
        Bad(
            line: "WakeOn=connection knock",
            says: "WakeOn=: got “knock”; expected connection, data, datagram, input, request or timer"),
        Bad(
            line: "WakeFrom=home",
            says:
                "WakeFrom=: got “home”; expected an address or a network such as 10.0.0.5, 10.0.0.0/8 or 2001:db8::/32, or any, localhost, link-local or multicast"
        ),
        Bad(
            line: "WakeFrom=10.0.0.0/33",
            says: "WakeFrom=: got “10.0.0.0/33”; expected a prefix length from 0 to 32 after 10.0.0.0/"),
        Bad(
            line: "WakeFrom=10.0.0.x",
            says:
                "WakeFrom=: got “10.0.0.x”; expected an address or a network such as 10.0.0.5, 10.0.0.0/8 or "
                + "2001:db8::/32, or any, localhost, link-local or multicast"),
        Bad(
            line: "WakeNotFrom=::1 fe80::1%eth0",
            says: "WakeNotFrom=: got “fe80::1%eth0”; expected no zone after the address"),
        Bad(
            line: "WakeLingerSec=infinity",
            says: "WakeLingerSec=: got “infinity”; expected a time span such as 90, 1h 30min or 500ms"),
        Bad(line: "IdleWhen=never", says: "IdleWhen=: got “never”; expected quiet or unconnected"),
        Bad(
            line: "IdleCPU=0%",
            says:
                "IdleCPU=: got “0%”; expected a percentage of one CPU above 0% and up to 10000%, or infinity"),
        Bad(
            line: "IdlePendingSec=soon",
            says:
                "IdlePendingSec=: got “soon”; expected a time span such as 90, 1h 30min or 500ms, or infinity"
        ),
        Bad(line: "Idle=yes", says: "Idle=: got “yes”; expected act or observe"),
    ])
    func `a bad value is an error that says what was expected`(_ row: Bad) {
        let reading = read(row.line)
        #expect(reading.definition == nil)
        #expect(reading.diagnostics.map(\.description) == ["f:4: \(row.says)"])
    }

    @Test(arguments: [
        Bad(
            line: "Wake=listen\nWakeOn=data input",
            says:
                "f:5: WakeOn=: Wake=listen watches listening sockets only, and no connection wakes the worker; expected connection or request as well"
        ),
        Bad(
            line: "ListenDatagram=127.0.0.1:53\nWakeOn=connection",
            says:
                "f:5: WakeOn=: nothing that comes to ListenDatagram= launches or wakes the worker; expected datagram as well"
        ),
        Bad(
            line: "ListenStream=80\nWakeOn=data",
            says:
                "f:5: WakeOn=: nothing that comes to ListenStream= launches or wakes the worker; expected connection or request as well"
        ),
        Bad(
            line: "WakeFrom=10.1.0.0/16 ::1\nWakeNotFrom=10.0.0.0/8 localhost",
            says:
                "f:5: WakeNotFrom=: every address of WakeFrom= is excluded; expected networks that leave some of them"
        ),
    ])
    func `rules that no peer can meet are a warning, and the definition counts`(_ row: Bad) {
        let reading = read(row.line)
        #expect(reading.definition != nil)
        #expect(reading.diagnostics.map(\.description) == [row.says])
        #expect(reading.diagnostics.allSatisfy { $0.severity == .warning })
    }

    @Test(arguments: [
        "WakeFrom=10.0.0.0/8\nWakeNotFrom=10.1.0.0/16", "WakeFrom=any\nWakeNotFrom=localhost",
        "WakeNotFrom=any", "Wake=listen\nWakeOn=request", "WakeOn=timer",
        "ListenStream=80\nListenDatagram=80\nWakeOn=request datagram", "ListenStream=80\nWake=no",
        "WakeOn=connection request",
    ])
    func `rules that a peer can meet are none`(_ lines: String) {
        #expect(read(lines).diagnostics.isEmpty)
    }

    @Test(arguments: ["WakeFrom", "WakeNotFrom"])
    func `more networks than each peer can be compared with are an error`(_ key: String) {
        let most = (0..<512).map { "\(key)=10.0.\($0 / 256).\($0 % 256)" }.joined(separator: "\n")
        #expect(read(most).definition != nil)
        let reading = read(most + "\n\(key)=::1")
        #expect(reading.definition == nil)
        #expect(
            reading.diagnostics.map(\.description) == [
                "f:516: \(key)=: more than 512 networks; expected shorter prefixes that cover several of them"
            ])
    }

    @Test func `a directive that has no effect says so, and what is missing`() {
        #expect(
            read("IdleWhen=unconnected").diagnostics.map(\.description) == [
                "f:4: IdleWhen=: has no effect; expected IdleSec= as well"
            ])
        #expect(
            read("Wake=no\nWakeOn=data").diagnostics.map(\.description) == [
                "f:5: WakeOn=: has no effect with Wake=no; expected Wake=auto or Wake=listen"
            ])
        #expect(
            read("Wake=held").diagnostics.map(\.description) == [
                "f:4: Wake=: the supervisor holds no socket for the worker; expected ListenStream= as well"
            ])
    }

    @Test func `a change of one directive is told by its key`() throws {
        let old = try #require(read("WakeFrom=10.0.0.0/8").definition)
        let new = try #require(read("WakeFrom=10.0.0.7/8\nWakeOn=request\nIdle=observe").definition)
        #expect(new.changedKeys(from: old) == ["Foreground.Idle", "Foreground.WakeOn"])
    }
}
