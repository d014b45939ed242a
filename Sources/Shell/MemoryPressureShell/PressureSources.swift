package import Cgroups
package import Lifecycle
internal import Linux
package import Pressure
internal import SupervisorPorts
package import Systemd

/// Where the machine tells of memory pressure: triggers, its figures, and the timers by which those are asked for.
///
/// Nothing is heard that was not asked for; when to look and what to do is for the model to decide (``MemoryPressure``).
package final class PressureSources {
    /// What is there to be heard.
    package let capabilities: MemoryCapabilities
    /// Where facts and the expiry of timers go.
    package weak var observer: (any PressureEventObserver)?
    /// Is called with a sentence, once for each place, about what cannot be heard.
    package var report: (String) -> Void = { _ in }
    /// The group of a worker by its name; nil where it has none.
    package var group: (String) -> Cgroup? = { _ in nil }

    private let loop: EventLoop
    private let machine: PressureFile
    private let memoryInfo: String
    private let swaps: String
    private let bounds: [MemoryBound]
    private var heard: [Wanted: SourceBox<PressureSource>] = [:]
    private var refused: Set<PressurePlace> = []
    private var timers: [PressureTimer: SourceBox<TimeSource>] = [:]

    /// One thing to be woken for.
    package struct Wanted: Hashable, Sendable {
        /// Where.
        package let place: PressurePlace
        /// From which stall on.
        package let trigger: PressureTrigger

        /// Whether it is only a reason to look.
        package let isEarly: Bool

        /// Pressure of this size in this place.
        package init(_ place: PressurePlace, _ trigger: PressureTrigger, isEarly: Bool = false) {
            self.place = place
            self.trigger = trigger
            self.isEarly = isEarly
        }
    }

    /// Sources of which none is open.
    package init(
        on loop: EventLoop, _ capabilities: MemoryCapabilities, machine: PressureFile = .machine,
        memoryInfo: String = "/proc/meminfo", swaps: String = "/proc/swaps",
        bounds: [MemoryBound]? = nil
    ) {
        self.loop = loop
        self.capabilities = capabilities
        self.machine = machine
        self.memoryInfo = memoryInfo
        self.swaps = swaps
        self.bounds = bounds ?? capabilities.bounds
    }

    // MARK: triggers

    /// Hears exactly these from now on; returns what could not be had.
    ///
    /// Each is a descriptor, and for a privileged process a thread of the kernel's: few, and none that is not needed.
    @discardableResult
    package func hear(_ wanted: Set<Wanted>) -> Set<Wanted> {
        for old in heard.keys where !wanted.contains(old) { heard[old] = nil }
        // What was refused is tried again when it is wanted anew.
        refused.formIntersection(wanted.map(\.place))
        var missing: Set<Wanted> = []
        for new in wanted where heard[new] == nil {
            if let box = open(new) { heard[new] = box } else { missing.insert(new) }
        }
        return missing
    }

    /// What is heard now.
    package var isHearing: Set<Wanted> { Set(heard.keys) }

    private func open(_ wanted: Wanted) -> SourceBox<PressureSource>? {
        guard let file = file(of: wanted.place) else { return nil }
        let box = SourceBox<PressureSource>()
        var failure: PressureSourceError?
        for trigger in wanted.trigger.andItsFallbacks {
            do throws(PressureSourceError) {
                box.handle = try PressureSource(on: loop, file, threshold: trigger.text) {
                    [unowned self] news in
                    switch news {
                    case .pressed:
                        observer?.give(
                            .fact(wanted.isEarly ? .stirred : .triggered(wanted.trigger.kind, wanted.place)))
                    case .gone: lost(wanted)
                    }
                }
                return box
            } catch {
                failure = error
                guard case .file(let refusal) = error, refusal.code == .windowRefused else { break }
            }
        }
        if let failure, refused.insert(wanted.place).inserted {
            report("cannot monitor pressure of \(wanted.place.words): \(failure)")
        }
        return nil
    }

    private func lost(_ wanted: Wanted) {
        heard[wanted] = nil
        observer?.give(.fact(.sourceLost(wanted.place)))
    }

    private func file(of place: PressurePlace) -> PressureFile? {
        switch place {
        case .machine: machine
        case .subtree: capabilities.subtree.map(PressureFile.init(of:))
        case .worker(let name): group(name).map(PressureFile.init(of:))
        }
    }

    // MARK: figures

    /// The machine's figures now; nil where /proc does not tell them.
    package func sample() -> MemorySample? {
        guard let memory = MachineMemory.read(memoryInfo)?.within(bounds.memory) else { return nil }
        // Without swap nothing of it lies in memory, and the table need not be read.
        let areas = memory.swapTotal > 0 ? RegularFile.text(swaps).map { SwapAreas(parsing: $0) } : nil
        return MemorySample(
            memory: memory, stall: machine.stall,
            subtree: capabilities.subtree.flatMap { PressureFile(of: $0).stall },
            compressedSwapPercent: areas?.compressedPercent ?? 0)
    }

    // MARK: timers

    /// Tells the expiry of `timer` once at `moment`, or up to `slack` later, so that wake-ups are shared.
    package func arm(_ timer: PressureTimer, at moment: Instant, slack: TimeSpan, generation: UInt32) {
        let box = SourceBox<TimeSource>()
        // Made anew each time, since the slack is another one: it is no file, and costs some memory of libsystemd's.
        box.handle = try? TimeSource(on: loop, accuracy: slack.microseconds) { [unowned self] _ in
            timers[timer] = nil
            observer?.give(.expired(timer, generation: generation))
        }
        box.handle?.arm(at: moment.microseconds)
        timers[timer] = box
    }

    /// Forgets `timer`.
    package func disarm(_ timer: PressureTimer) { timers[timer] = nil }
}

extension PressureTrigger {
    /// It, and where the kernel refuses its window the next longer one that any process may have, with the same share of it.
    var andItsFallbacks: [PressureTrigger] {
        guard !isTakenUnprivileged else { return [self] }
        let percent = Double(stall.microseconds) / Double(window.microseconds) * 100
        let step = Self.unprivilegedStep.microseconds
        let longer = (window.microseconds + step - 1) / step * step
        return [self, PressureTrigger(kind, percent: percent, window: TimeSpan(microseconds: longer))]
    }
}

extension MachineMemory {
    /// What the file at `path` tells, by default this machine's; nil where it tells nothing.
    static func read(_ path: String = "/proc/meminfo") -> MachineMemory? {
        RegularFile.text(path).flatMap { MachineMemory(parsing: $0) }
    }
}

extension RegularFile {
    /// The text of a small file; nil where it cannot be read.
    fileprivate static func text(_ path: String) -> String? {
        (try? read(path, limit: 1 << 16)).map { String(decoding: $0, as: UTF8.self) }
    }
}
