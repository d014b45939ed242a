import Relaying
import Testing

@Suite struct `Messages of a relay` {
    private static let commands: [RelayCommand] = [
        .route(RelayRoute(to: nil, limit: 1, patience: 2)),
        .route(RelayRoute(to: .ipv4(0x7f00_0001, port: 8080), header: .v1, limit: 7, patience: 1)),
        .route(
            RelayRoute(to: .ipv6(Array(0..<16), port: 1, scope: 3), header: .v2, limit: .max, patience: 0)),
        .route(RelayRoute(to: .unix(Array("/run/a.sock".utf8)), limit: 3, patience: 4)),
        .route(RelayRoute(to: .unix([0] + Array("name".utf8)), limit: 5, patience: 6)), .listen, .take,
        .release, .open, .shut,
        .page(nil), .page(RelayPage(head: [1, 2], body: [3])),
        .drain(milliseconds: nil), .drain(milliseconds: 0), .drain(milliseconds: 5000),
    ]
    private static let reports: [RelayReport] = [
        .ready(unfiltered: nil), .ready(unfiltered: "seccomp: Invalid argument"), .knocked("10.0.0.7:51422"),
        .counts(RelayCounts()), .released(waiting: 3), .gaveUp(2, errno: 111), .failed("no"),
    ]

    @Test func `are read as they were written`() {
        for command in Self.commands {
            #expect(RelayCommand(command.bytes[...]) == command)
            #expect(command.bytes.count < RelayCommand.longest)
        }
        for report in Self.reports { #expect(RelayReport(report.bytes[...]) == report) }
        var counts = RelayCounts()
        (counts.waiting, counts.open, counts.forwarded, counts.pages) = (1, 2, 1 << 40, 3)
        #expect(RelayReport(RelayReport.counts(counts).bytes[...]) == .counts(counts))
    }

    @Test func `are refused where they are cut off`() {
        for command in Self.commands {
            for length in 1..<max(command.bytes.count, 2) {
                let cut = RelayCommand(command.bytes.prefix(length))
                #expect(cut != command || length == command.bytes.count)
            }
        }
        #expect(RelayCommand([]) == nil)
        #expect(RelayReport([]) == nil)
    }

    @Test func `may have fields that this version does not know`() {
        let field: [UInt8] = [200, 0, 0, 0, 2, 9, 9]
        for command in Self.commands { #expect(RelayCommand((command.bytes + field)[...]) == command) }
        for report in Self.reports { #expect(RelayReport((report.bytes + field)[...]) == report) }
        #expect(RelayCommand([99]) == nil)
        #expect(RelayReport([99]) == nil)
    }

    @Test func `that lead to no address are refused`() {
        let elsewhere: [UInt8] = [1, 1, 0, 0, 0, 4, 99, 0, 0, 0]
        #expect(RelayCommand(elsewhere[...]) == nil)
        let unknownHeader: [UInt8] = [1, 2, 0, 0, 0, 1, 9]
        #expect(RelayCommand(unknownHeader[...]) == nil)
    }
}
