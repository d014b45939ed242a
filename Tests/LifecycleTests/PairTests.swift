import TestSupport
import Testing

@testable import Lifecycle

/// Callbacks that come as pairs obey `net` (2.4): what is undone in a sleep is not told, and the last thing told is the truth.
@Suite struct `Protected data that comes and goes` {
    private static let gone = Callback.protectedDataWillBecomeUnavailable
    private static let back = Callback.protectedDataDidBecomeAvailable

    /// One history: what the worker is told awake, what happens in its sleep, and what it is told of that when it wakes.
    struct Row: Sendable, CustomTestStringConvertible {
        let awake: [Bool]
        let asleep: [Bool]
        let told: [Callback]

        var testDescription: String { "\(awake) then, asleep, \(asleep)" }
    }

    private static let rows = [
        Row(awake: [false], asleep: [true, false], told: []),
        Row(awake: [false], asleep: [true], told: [back]),
        Row(awake: [false], asleep: [true, false, true], told: [back]),
        Row(awake: [false, true], asleep: [false, true], told: []),
        Row(awake: [false, true], asleep: [false, true, false], told: [gone]),
        Row(awake: [], asleep: [false, true], told: []),
        Row(awake: [], asleep: [false], told: [gone]),
        Row(awake: [], asleep: [true, false, true], told: [back]),
        // The same said twice, as by a supervisor that has taken over.
        Row(awake: [false], asleep: [false], told: []),
        Row(awake: [false], asleep: [true, true], told: [back]),
        Row(awake: [false, true], asleep: [true], told: []),
    ]

    private static func cue(_ isAvailable: Bool) -> Cue { .event(.announced(isAvailable ? back : gone)) }

    @Test(arguments: rows) func `is told as it is in the end`(_ row: Row) {
        var life = Life(.app, .active)
        for isAvailable in row.awake { life.play(Self.cue(isAvailable), .completes()) }
        life.play([
            .wants(.background), .completes(), .completes(), .completes(.refused), .idles(), .event(.frozen),
        ])
        #expect(life.worker.state == .suspended)
        #expect(life.play(row.asleep.map(Self.cue)).seen.isEmpty)
        var seen = life.play(.wants(.active), .event(.thawed)).seen
        for _ in 0..<6 { seen += life.play(.completes()).seen }
        #expect(life.worker.state == .active)
        let told = seen.compactMap { if case .told(let callback) = $0 { callback } else { nil } }
        #expect(told.filter { $0 == Self.gone || $0 == Self.back } == row.told)
    }

    @Test func `is told after what is being told of it`() {
        var life = Life(.app, .active + [Self.cue(false)])
        #expect(life.worker.callbackInFlight?.callback == Self.gone)
        life.play(Self.cue(true), Self.cue(false), Self.cue(true))
        #expect(life.play(.completes()).seen == [.told(Self.back)])
        #expect(life.play(.completes()).seen.isEmpty)
    }

    @Test(arguments: 0..<200) func `is never told falsely, and the last thing told is the truth`(
        _ seed: UInt64
    )
        throws
    {
        var random = SplitMix64(seed: seed)
        var life = Life(.app, .active)
        var isAvailable = Bool.random(using: &random)
        let first = isAvailable
        var told: [Bool] = []
        func hear(_ effects: [Effect]) {
            for case .told(let callback) in effects.seen {
                guard let says = callback.dataAvailability else { continue }
                #expect(says == isAvailable, "seed \(seed): told what is not so")
                #expect(says != told.last ?? first, "seed \(seed): told twice, or nothing new")
                told.append(says)
            }
        }
        for _ in 0..<60 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                isAvailable.toggle()
                hear(life.play(Self.cue(isAvailable)))
            case 2: hear(life.play(.completes()))
            case 3: hear(life.play(.wants([.active, .background].randomElement(using: &random) ?? .active)))
            case 4: hear(life.play(.idles()))
            default:
                // As when the program is killed and its successor restores the snapshot.
                life.worker = try Snapshots.restored(Snapshots.bytes(of: life.worker), .app)
                if life.worker.position == .background(.freezing) { hear(life.play(.event(.frozen))) }
                if case .suspended(let sleep) = life.worker.position, sleep.thawing {
                    hear(life.play(.event(.thawed)))
                }
            }
        }
        hear(life.play(.wants(.active)))
        for _ in 0..<40 {
            if life.worker.position == .background(.freezing) { hear(life.play(.event(.frozen))) }
            if case .suspended(let sleep) = life.worker.position, sleep.thawing {
                hear(life.play(.event(.thawed)))
            }
            hear(life.play(.completes()))
        }
        #expect(life.worker.state == .active && life.worker.callbackInFlight == nil)
        #expect(told.last ?? first == isAvailable, "seed \(seed)")
    }
}

extension WorkerLifecycle {
    fileprivate var position: Position? { process?.position }
}
