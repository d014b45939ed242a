internal import Budgeting
internal import Lifecycle
internal import Linux
package import Processing
package import Systemd

/// Looks at the machine as far as it matters for long work: its power, the use of its sessions, the pressure on its resources.
///
/// It looks when it is asked, and causes no wake-up otherwise; on its own it tells only that a look is worth while.
package final class MachineGlance {
    private let loop: EventLoop
    private let places: SystemPlaces
    private let thread = JobThread()
    private let turned: () -> Void
    private var sessions: LoginIdleness?
    /// A question to login1 is given up after this: then nothing is known of sessions.
    private let patience = SourceBox<TimeSource>()
    private static let longestWait: Int64 = 5_000_000
    private var waiting: ((MachineReading) -> Void)?
    private var use: MachineReading.Use?
    private var files: (power: PowerReading, pressure: [PressedResource: PressureAverages])?

    /// `turned` is told when the use of the machine's sessions has begun or ended.
    package init(on loop: EventLoop, _ places: SystemPlaces, turned: @escaping () -> Void) {
        (self.loop, self.places, self.turned) = (loop, places, turned)
    }

    /// Looks, and tells later what there is; a look that is under way is told to `answer` instead.
    package func look(_ answer: @escaping (MachineReading) -> Void) {
        let isUnderWay = waiting != nil
        waiting = answer
        guard !isUnderWay else { return }
        (use, files) = (nil, nil)
        let places = self.places
        thread.perform(
            {
                let supplies = PowerSupplyFiles.read(PowerSupply.files, in: places.powerSupplies)
                var pressure: [PressedResource: PressureAverages] = [:]
                for resource in PressedResource.allCases {
                    // Ignoring a failure: a kernel without them has no pressure that is known of.
                    guard
                        let bytes = try? RegularFile.read(
                            "\(places.pressure)/\(resource.rawValue)", limit: 4096)
                    else { continue }
                    pressure[resource] = PressureAverages(String(decoding: bytes, as: UTF8.self))
                }
                return (PowerReading(supplies.compactMap { PowerSupply($0) }), pressure)
            }, on: loop
        ) { [weak self] in
            self?.files = $0
            self?.settle()
        }
        askSessions()
    }

    /// Listens to no bus any more, until the next look.
    package func rest() {
        guard waiting == nil else { return }
        sessions = nil
        patience.handle = nil
    }

    private func askSessions() {
        if sessions == nil, places.bus != nil || LoginMonitor.isServed {
            // Without a bus nothing is known of sessions.
            sessions = try? LoginIdleness(on: loop, address: places.bus) { [unowned self] in turned() }
        }
        guard let sessions else { return know(.unknown) }
        if patience.handle == nil {
            patience.handle = try? TimeSource(on: loop, priority: .clients) { [unowned self] _ in
                self.sessions = nil
                know(.unknown)
            }
        }
        patience.handle?.arm(at: KernelClock.monotonic + Self.longestWait)
        sessions.ask { [unowned self] use in
            switch use {
            case .unknown:
                // A bus that is gone is connected to anew with the next look.
                know(.unknown)
            case .used: know(.used)
            case .unusedSince(let moment): know(.unusedSince(Instant(microseconds: moment)))
            }
        }
    }

    private func know(_ use: MachineReading.Use) {
        patience.handle?.disarm()
        self.use = use
        settle()
    }

    private func settle() {
        guard let use, let files, let answer = waiting else { return }
        waiting = nil
        if use == .unknown { sessions = nil }
        answer(MachineReading(power: files.power, use: use, pressure: files.pressure))
    }
}
