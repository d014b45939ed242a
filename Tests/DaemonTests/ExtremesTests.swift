import ConfigurationSyntax
import Linux
import Pressure
import TestSupport
import Testing
import WorkerFile

@testable import DaemonCore
@testable import Definitions
@testable import History
@testable import Lifecycle
@testable import MemoryPressureShell
@testable import Places
@testable import Supervisor
@testable import SupervisorPorts
@testable import Systemd

/// No number that comes from outside makes us trap, wherever it is written and whatever is computed with it.
@Suite(.timeLimit(.minutes(60))) struct `Numbers at their extremes` {
    /// What a user, or a program, may write where a number is wanted.
    private static let texts = [
        "", "0", "-0", "-1", "1", "+1", "18446744073709551615", "18446744073709551616", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "4294967295", "4294967296", "2147483648", "65536",
        "1e400", "-1e400", "NaN", "inf", "infinity", "9999999999999y", "292471y", "1us", "0.000001us",
        "9223372036854775807us", "9223372036854775808us", "9223372036854s 775807us", "-5s", "16E", "15.9E",
        "8E", "7.999999999999999999999E", "18446744073709551615B", "100%", "100.01%", "999999999%", "0%",
        "0.01%",
        "1000000000000000000%", "10000‱", "0777777777777", "7777", "SIGRTMIN+99999999999", "SIGRTMAX-9999",
        String(repeating: "9", count: 5000), "0." + String(repeating: "9", count: 5000) + "s",
        "0x7fffffffffffffff",
    ]

    private static let requester = Requester.operator(uid: .max, pid: .max)

    /// Goes through a life with what `policy` allows, at moments up to the end of time.
    private static func live(_ policy: Policy, hearing words: [Event] = [], seed: UInt64 = 1) {
        var random = SplitMix64(seed: seed)
        for start in [Instant.zero, Instant(microseconds: 1 << 50), Instant(microseconds: .max - 1)] {
            var life = WorkerLifecycle(policy: policy)
            var now = start
            var events: [Event] = [
                .requested(Request(.active, by: requester)), .launched(pid: .max), .attached(.all), .ready,
                .watchdogPinged, .taskBegan(token: .max), .requested(Request(.background, by: requester)),
                .stalled(TimeSpan(microseconds: .max)), .requested(Request(.suspended, by: requester)),
                .taskEnded(token: .max), .frozen, .stalled(TimeSpan(microseconds: .max)), .thawed,
                .extendTimeout(TimeSpan(microseconds: .max)), .watchdogChanged(TimeSpan(microseconds: .max)),
                .woken(Wake(.fetch, intoForeground: false, bringing: Inbound(id: .max, .fetch))),
                .requested(Request(.active, by: requester)), .reloading, .ready, .cpuLimitExceeded,
                .interrupted,
                .interruptionEnded, .exited(.exited(.max), oomKilled: false), .launched(pid: 2),
                .requested(Request(.notRunning, by: requester)), .exited(.unknown, oomKilled: true),
            ]
            events.insert(contentsOf: words, at: 4)
            for event in events {
                for effect in life.handle(event, at: now) {
                    // What it computes for others to hear is shown, too.
                    if case .record(let record) = effect { #expect(!StatusPrinter.sentence(record).isEmpty) }
                }
                _ = life.backgroundTimeRemaining(at: now)
                for _ in 0..<4 {
                    guard let answer = life.nextAnswer else { break }
                    _ = life.handle(answer, at: now)
                }
                if let armed = life.timers.armed.randomElement(using: &random) {
                    now = max(now, armed.due)
                    _ = life.handle(
                        .expired(armed.timer, generation: armed.generation, traced: false), at: now)
                }
            }
        }
    }

    @Test(arguments: WorkerDefinition.directives.indices)
    func `in a directive of a worker file are refused or lived with`(_ index: Int) throws {
        let directive = WorkerDefinition.directives[index]
        let loader = WorkerLoader(directories: [], source: DiskFileSource())
        var policies: Set<Policy> = []
        for text in Self.texts {
            for type in ["simple", "notify", "app"] {
                // An empty assignment takes the command back.
                let file = """
                    [Worker]
                    ExecStart=/bin/true
                    Type=\(type)
                    [\(directive.section)]
                    \(directive.key)=\(text)
                    [Worker]
                    """
                let source = SourceFile(path: "/etc/torpor/workers/web.worker", bytes: Array(file.utf8))
                guard case .worker(let worker) = loader.read([source], as: try WorkerName("web")),
                    let plan = try? LaunchPlan(worker, in: .fake())
                else { continue }
                let definition = worker.definition
                let configuration = plan.configuration()
                policies.insert(configuration.policy)
                _ = MemorySettings(definition)
                _ = worker.warnings.map(\.description)
                _ = definition.changedKeys(from: WorkerDefinition())
                if let allowance = configuration.cpuAllowance { use(allowance) }
                _ = definition.background.fetchInterval.written()
                _ = definition.memory.max.bytes(ofMemory: .max)
                _ = definition.memory.high.bytes(ofMemory: .max)
            }
        }
        for policy in policies { Self.live(policy) }
    }

    /// Looks at CPU time as it goes by, slowly and at once.
    private func use(_ allowance: CPUAllowance) {
        #expect(allowance.interval > .zero, "it is looked at without end: \(allowance)")
        var use = CPUUse(allowance)
        for (at, used) in [(0, 0), (1, 1), (1 << 40, 5), (.max - 1, 1 << 60), (.max, .max)]
            as [(Int64, Int64)]
        {
            _ = use.isExceeded(with: TimeSpan(microseconds: used), at: Instant(microseconds: at))
        }
    }

    @Test(arguments: DaemonDefinition.directives.indices)
    func `in a directive of torpord.conf are refused or lived with`(_ index: Int) throws {
        let directive = DaemonDefinition.directives[index]
        for text in Self.texts {
            let file = ConfigurationFile(
                path: "/etc/torpor/torpord.conf",
                bytes: Array("[\(directive.section)]\n\(directive.key)=\(text)\n".utf8),
                sections: Set(DaemonDefinition.sections))
            let reading = DefinitionReading<DaemonDefinition>(
                [file], named: "torpord.conf", context: SpecifierContext(place: .init()))
            guard let definition = reading.definition else { continue }
            let settings = PressureSettings(definition)
            _ = settings.earlyTrigger
            Self.live(Policy(WorkerDefinition(), daemon: definition))
            var gauge = PressureGauge()
            for (total, available) in [(0, 0), (1, 1), (Int64.max, 0), (.max, .max)] as [(Int64, Int64)] {
                let memory = MachineMemory(total: total, available: available)
                for at in [0, 1, Int64.max - 1] {
                    gauge.take(
                        MemorySample(memory: memory, stall: nil), settings, at: Instant(microseconds: at))
                    _ = gauge.shortage(settings)
                }
            }
        }
    }

    private static let fields = [
        "WATCHDOG_USEC", "EXTEND_TIMEOUT_USEC", "MAINPID", "MONOTONIC_USEC", "ERRNO", "FDPOLL", "FDSTORE",
        "FDSTOREREMOVE", "FDNAME", "READY", "RELOADING", "STOPPING", "WATCHDOG", "STATUS", "BUSERROR",
        "BARRIER",
        "MAINPIDFDID", "X_TORPOR_COMPLETE", "NOTIFYACCESS", "EXIT_STATUS", "VSOCK",
    ]

    @Test(arguments: fields) func `in a field of a notify message are refused or lived with`(_ field: String)
        throws
    {
        for text in Self.texts {
            let line = "\(field)=\(text)"
            guard let message = try? NotifyMessage(parsing: "READY=1\n\(line)\n\(line)\n".utf8) else {
                continue
            }
            let report = NotifyReport(message)
            #expect(report.watchdogPeriod ?? .zero >= .zero && report.extendTimeout ?? .zero >= .zero)
            for readiness in Policy.Readiness.allCases {
                Self.live(Policy(readiness: readiness), hearing: report.events)
                Self.live(Policy(readiness: readiness), hearing: report.events + report.events, seed: 2)
            }
        }
    }
}

extension WorkerLifecycle {
    /// What a willing process, or the kernel, answers to what was asked last; nil where nothing is asked.
    fileprivate var nextAnswer: Event? {
        guard case .running(let process) = phase else { return nil }
        switch process.position {
        case .suspended(let sleep): return sleep.thawing ? .thawed : nil
        case .background(.freezing): return .frozen
        case .background(.inspecting): return .inspected(nil)
        case .inactive, .active, .background(.awake): break
        }
        return process.slot.map { .completed(id: $0.id, .done) }
    }
}
