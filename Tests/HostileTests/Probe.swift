import Foundation
import Glibc
import TestSupport
import Testing

/// How long root's pings took meanwhile: of the daemon, and of an echo server beside it that had nothing else to do.
///
/// One ping each 10 ms over a connection that was there before, and each sixteenth over a new one. A wait counts as often as a ping
/// was due while it lasted. What both share, the machine's other work and the attacker's own use of the processors, is in both.
struct Probe: Codable, CustomStringConvertible {
    /// Microseconds.
    struct Side: Codable {
        let count: Int
        let lost: Int
        let p50: Int
        let p99: Int
        let max: Int
    }

    let daemon: Side
    let echo: Side

    /// What an attack may add.
    static let bound = 100_000
    /// What a daemon may have; a sanitizer keeps what is freed for a while, and notes what each byte is.
    static let memory = Sanitizer.current == nil ? 64 << 20 : 640 << 20

    var description: String {
        func text(_ side: Side) -> String {
            "p50 \(side.p50) µs, p99 \(side.p99) µs, max \(side.max) µs, \(side.lost) lost"
        }
        return "daemon \(text(daemon)); echo \(text(echo))"
    }
}

extension Victim {
    /// Measures for so many seconds; `attack` starts what is to happen meanwhile, and gets what it has to keep alive.
    ///
    /// What is over the bound is measured again, up to three times, and the best counts: one stall of the machine is a tenth of so short a
    /// measurement, and what an attack does it does each time.
    func measure(_ seconds: Int, _ attack: () throws -> [Wrapper]) throws -> Probe {
        var best = try measureOnce(seconds, attack)
        for _ in 0..<2 where best.daemon.p99 - best.echo.p99 >= Probe.bound {
            guard let again = try? measureOnce(seconds, attack), again.daemon.lost == 0 else { break }
            if again.daemon.p99 - again.echo.p99 < best.daemon.p99 - best.echo.p99 { best = again }
        }
        return best
    }

    private func measureOnce(_ seconds: Int, _ attack: () throws -> [Wrapper]) throws -> Probe {
        let probe = try Wrapper([], [], line: [attacker, "--for", "60", "probe", socket, "\(seconds)"])
        try probe.output.until("ready")
        let attackers = try attack()
        let line = try probe.output.until("daemon")
        for attacker in attackers { _ = try? attacker.wait(60) }
        let told = attackers.compactMap { try? $0.output.rest().joined(separator: "; ") }
        let result = try JSONDecoder().decode(Probe.self, from: Data(line.utf8))
        print("measured: \(Test.current?.name ?? ""): \(result); \(residentBytes >> 10) kB; \(told)")
        return result
    }

    /// Expects that others were served meanwhile, and that the daemon is no bigger than it may be.
    func expectUnharmed(_ probe: Probe, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(probe.daemon.lost == 0, "\(probe)", sourceLocation: sourceLocation)
        #expect(
            probe.daemon.p99 - probe.echo.p99 < Probe.bound, "\(probe)", sourceLocation: sourceLocation)
        #expect(
            residentBytes > 0 && residentBytes < Probe.memory, "\(residentBytes >> 10) kB",
            sourceLocation: sourceLocation)
    }
}
