import Cgroups
import Foundation
import Launching
import Lifecycle
import Linux
import Pressure
import Systemd
import TestSupport
import Testing

@testable import MemoryPressureShell
@testable import Supervisor

extension Capability {
    /// The kernel counts memory pressure of the machine, and lets us set thresholds.
    static let pressureThresholds = Capability("pressureThresholds") {
        do throws(PressureFileError) {
            _ = try PressureFile.machine.open(threshold: "some 200000 2000000")
            return nil
        } catch {
            return "\(error)"
        }
    }
}

/// A process under real memory pressure, which is gone when the value ends.
///
/// It is in a v2 group, which tells of it, and in a v1 group whose limit is smaller than the file that it reads again and again.
final class Squeezed {
    let group: Cgroup
    private let limited: String
    private let file: String
    private let pid: Int32

    private static let script = """
        import os, sys
        limited, path = sys.argv[1:]
        open(limited + "/memory.limit_in_bytes", "w").write(str(24 << 20))
        open(limited + "/cgroup.procs", "w").write(str(os.getpid()))
        with open(path, "wb") as f:
            for _ in range(96): f.write(b"x" * (1 << 20))
            f.flush(); os.fsync(f.fileno())
        while True:
            with open(path, "rb", buffering=0) as f:
                while f.read(1 << 20): pass
        """

    init(file: String) throws {
        let name = "torpor-test-\(UUID().uuidString)"
        guard case .cgroup(let tree) = FreezeMethod.detect(), let groupName = CgroupName(name),
            let legacy = LegacyMemory.mountPoint()
        else { throw CocoaError(.featureUnsupported) }
        group = try tree.base.makeChild(groupName)
        limited = "\(legacy)/\(name)"
        self.file = file
        try FileManager.default.createDirectory(atPath: limited, withIntermediateDirectories: false)
        var request = LaunchRequest(
            "python3", ["-c", ByteString(Self.script), ByteString(limited), ByteString(file)],
            environment: .current)
        request.cgroup = group
        pid = try request.launch().pid
    }

    /// Ends the process and takes its group away.
    func end() throws {
        try group.kill()
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        try group.remove(patience: 10_000_000)
    }

    deinit {
        if group.exists { try? end() }
        // Its page cache may be charged to it a moment longer.
        for _ in 0..<1000 where rmdir(limited) != 0 && errno == EBUSY { usleep(1000) }
        unlink(file)
    }
}

private final class Heard: PressureEventObserver {
    private let body: (PressureEvent) -> Void

    init(_ body: @escaping (PressureEvent) -> Void) { self.body = body }

    func give(_ event: PressureEvent) { body(event) }
}

@Suite(.timeLimit(.minutes(60)), .serialized) struct `Sources of memory pressure` {
    private static let some = PressureTrigger(.some, percent: 4)

    @Test(.requires(.realPressure)) func `tell of real pressure in every window, and of the group's end`()
        async throws
    {
        let facts = try await Bench.run { bench in
            let squeezed = try Squeezed(file: bench.path("file"))
            let sources = PressureSources(on: bench.loop, MemoryCapabilities(.detect()))
            var facts: [PressureFact] = []
            let heard = Heard { if case .fact(let fact) = $0 { facts.append(fact) } }
            sources.observer = heard
            sources.report = { Issue.record("\($0)") }
            sources.group = { $0 == "web" ? squeezed.group : nil }
            let wanted = PressureSources.Wanted(.worker("web"), Self.some)
            #expect(sources.hear([wanted]).isEmpty && sources.isHearing == [wanted])
            var failure: (any Error)?
            var hasEnded = false
            try bench.run {
                if facts.count == 2, !hasEnded {
                    hasEnded = true
                    do { try squeezed.end() } catch { failure = error }
                }
                return facts.last == .sourceLost(.worker("web")) || failure != nil
            }
            if let failure { throw failure }
            #expect(sources.isHearing.isEmpty)
            return facts
        }
        let pressed = PressureFact.triggered(.some, .worker("web"))
        #expect(facts.prefix(2) == [pressed, pressed])
        // More may have come while it was being ended.
        #expect(facts.dropLast().allSatisfy { $0 == pressed })
    }

    @Test(.requires(.pressureThresholds))
    func `take a window that the kernel allows where it refuses another`()
        async throws
    {
        let (missing, complaints) = try await Bench.run { bench in
            let sources = PressureSources(on: bench.loop, MemoryCapabilities(.signals(reason: "a test")))
            var complaints: [String] = []
            sources.report = { complaints.append($0) }
            let odd = try #require(
                PressureTrigger(.full, stall: .milliseconds(70), window: .milliseconds(700)))
            let missing = sources.hear([.init(.machine, odd), .init(.machine, Self.some)])
            #expect(sources.isHearing.count == 2)
            sources.hear([])
            #expect(sources.isHearing.isEmpty)
            return (missing, complaints)
        }
        #expect(missing.isEmpty && complaints.isEmpty)
    }

    @Test func `the window that stands in for another has the same share of it`() throws {
        let odd = try #require(PressureTrigger(.some, stall: .milliseconds(100), window: .seconds(1)))
        #expect(odd.andItsFallbacks.map(\.text) == ["some 100000 1000000", "some 200000 2000000"])
        let long = try #require(PressureTrigger(.full, stall: .seconds(1), window: .seconds(5)))
        #expect(long.andItsFallbacks.map(\.text) == ["full 1000000 5000000", "full 1200000 6000000"])
        #expect(Self.some.andItsFallbacks == [Self.some])
    }

    @Test func `say once of each place that it cannot be heard, and try it again when it is wanted anew`()
        async throws
    {
        let complaints = try await Bench.run { bench in
            // A file, but none that could be waited for.
            write("", to: bench.path("pressure"))
            let sources = PressureSources(
                on: bench.loop, MemoryCapabilities(.signals(reason: "a test")),
                machine: PressureFile(path: bench.path("pressure")))
            var complaints: [String] = []
            sources.report = { complaints.append($0) }
            let machine = PressureSources.Wanted(.machine, Self.some)
            let more = PressureSources.Wanted(.machine, PressureTrigger(.full, percent: 10))
            // A group that does not exist is no reason to complain: it may come.
            let nobody = PressureSources.Wanted(.worker("gone"), Self.some)
            let subtree = PressureSources.Wanted(.subtree, Self.some)
            #expect(sources.hear([machine, more, nobody, subtree]) == [machine, more, nobody, subtree])
            #expect(sources.hear([machine, more]) == [machine, more])
            #expect(complaints.count == 1)
            sources.hear([])
            sources.hear([machine])
            return complaints
        }
        #expect(complaints.count == 2)
        #expect(complaints.allSatisfy { $0.hasPrefix("cannot monitor pressure of the system: ") })
    }

    @Test func `tell the machine's figures, until they cannot be read`() async throws {
        try await Bench.run { bench in
            let here = PressureSources(on: bench.loop, MemoryCapabilities(.signals(reason: "a test")))
            let real = try #require(here.sample())
            #expect(real.memory.total > real.memory.available && real.memory.available > 0)
            write(
                "MemTotal: 8 kB\nMemAvailable: 2 kB\nSwapTotal: 8 kB\nSwapFree: 4 kB\n",
                to: bench.path("meminfo"))
            write("/dev/zram0 partition 8 4 100\n", to: bench.path("swaps"))
            let sources = PressureSources(
                on: bench.loop, MemoryCapabilities(.signals(reason: "a test")),
                machine: PressureFile(path: bench.path("none")), memoryInfo: bench.path("meminfo"),
                swaps: bench.path("swaps"), bounds: [])
            let memory = MachineMemory(
                total: 8 << 10, available: 2 << 10, swapTotal: 8 << 10, swapFree: 4 << 10)
            #expect(sources.sample() == MemorySample(memory: memory, stall: nil, compressedSwapPercent: 100))
            unlink(bench.path("swaps"))
            #expect(sources.sample() == MemorySample(memory: memory, stall: nil))
            unlink(bench.path("meminfo"))
            #expect(sources.sample() == nil)
        }
    }

    @Test func `tell the figures of a group with a limit where those are tighter`() async throws {
        try await Bench.run { bench in
            write("MemTotal: 8000 kB\nMemAvailable: 4000 kB\n", to: bench.path("meminfo"))
            let group = bench.path("group")
            try FileManager.default.createDirectory(atPath: group, withIntermediateDirectories: false)
            let bounds = [MemoryBound(path: group), MemoryBound(path: bench.path("none"))]
            let sources = PressureSources(
                on: bench.loop, MemoryCapabilities(.signals(reason: "a test")),
                machine: PressureFile(path: bench.path("none")), memoryInfo: bench.path("meminfo"),
                bounds: bounds)
            func memory() -> [Int64]? { sources.sample().map { [$0.memory.total, $0.memory.available] } }
            #expect(memory() == [8_192_000, 4_096_000])
            write("100000\n", to: "\(group)/memory.max")
            write("90000\n", to: "\(group)/memory.current")
            write("anon 1\ninactive_file 5000\n", to: "\(group)/memory.stat")
            #expect(memory() == [100_000, 15_000])
            let capabilities = MemoryCapabilities(
                base: nil, hasController: false, machine: nil, group: nil, isLegacy: false, gap: nil,
                bounds: bounds)
            #expect(
                capabilities.sentence.hasSuffix(
                    "; at most 97.6K is available, because of the limit of \(group)"),
                "\(capabilities.sentence)")
            write("max\n", to: "\(group)/memory.max")
            #expect(memory() == [8_192_000, 4_096_000])
        }
    }

    @Test func `tell when a timer has run out, unless it was forgotten or set anew`() async throws {
        let (told, late) = try await Bench.run { bench in
            let sources = PressureSources(on: bench.loop, MemoryCapabilities(.signals(reason: "a test")))
            var told: [PressureEvent] = []
            let heard = Heard { told.append($0) }
            sources.observer = heard
            let start = Instant(microseconds: KernelClock.monotonic)
            sources.arm(.victim, at: start + .milliseconds(1), slack: .milliseconds(1), generation: 1)
            sources.arm(.warning, at: start + .milliseconds(1), slack: .milliseconds(1), generation: 2)
            sources.arm(.sample, at: start + .milliseconds(20), slack: .milliseconds(1), generation: 3)
            sources.arm(.victim, at: start + .milliseconds(10), slack: .milliseconds(1), generation: 4)
            sources.disarm(.warning)
            try bench.run { told.count == 2 }
            return (told, Instant(microseconds: KernelClock.monotonic) - start)
        }
        #expect(told == [.expired(.victim, generation: 4), .expired(.sample, generation: 3)])
        #expect(late >= .milliseconds(20))
    }
}

@Suite struct `The capabilities of memory` {
    private static let stall =
        "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"

    struct Row: Sendable {
        let base: String?
        let hasController: Bool
        let machine: Bool
        let group: Bool
        let isLegacy: Bool
        let support: PressureSupport
        let words: String
    }

    @Test(arguments: [
        Row(
            base: "/c", hasController: true, machine: true, group: true, isLegacy: false, support: .unified,
            words: "limits and statistics of each worker below /c"),
        Row(
            base: "/c", hasController: true, machine: true, group: false, isLegacy: false, support: .unified,
            words: "but pressure of the system only"),
        Row(
            base: "/c", hasController: false, machine: true, group: true, isLegacy: true, support: .hybrid,
            words: "the memory controller is on cgroup v1"),
        Row(
            base: "/c", hasController: false, machine: true, group: true, isLegacy: false, support: .hybrid,
            words: "no memory controller"),
        Row(
            base: nil, hasController: false, machine: true, group: false, isLegacy: true, support: .machine,
            words: "/proc/pressure/memory"),
        Row(
            base: "/c", hasController: false, machine: true, group: false, isLegacy: false, support: .machine,
            words: "pressure of the system only"),
        Row(
            base: "/c", hasController: true, machine: false, group: false, isLegacy: false, support: .none,
            words: "boot with psi=1"),
        Row(
            base: nil, hasController: false, machine: false, group: false, isLegacy: false, support: .none,
            words: "using available memory"),
    ])
    func `are named, with what is missing`(_ row: Row) {
        let found = MemoryCapabilities(
            base: row.base.map(Cgroup.init(path:)), hasController: row.hasController,
            machine: row.machine ? Self.stall : nil, group: row.group ? Self.stall : nil,
            isLegacy: row.isLegacy,
            gap: nil)
        #expect(found.support == row.support)
        #expect(found.sentence.contains(row.words), "\(found.sentence)")
    }
}
