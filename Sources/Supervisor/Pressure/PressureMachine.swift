public import Lifecycle
public import Pressure
internal import Systemd

/// The machine's memory, as the policy sees it: what is asked goes in, facts come out.
///
/// There is one that is real (``PressureSources``) and one that is not.
public protocol PressureMachine: AnyObject {
    /// The monotonic clock.
    var now: Instant { get }
    /// Where facts and the expiry of timers go.
    var events: (PressureEvent) -> Void { get set }
    /// What of the kernel's accounting works here, and that in a sentence.
    var support: (kind: PressureSupport, sentence: String) { get }

    /// The machine's figures now; nil where nobody tells them.
    func sample() -> MemorySample?
    /// Hears of these from now on, on the machine and in the group of all workers; of none, hears of nothing.
    func hear(of triggers: [PressureTrigger])
    /// Tells the expiry of `timer` once at `moment`, or up to `slack` later, instead of any other asked before.
    func arm(_ timer: PressureTimer, at moment: Instant, slack: TimeSpan, generation: UInt32)
    /// Forgets `timer`.
    func disarm(_ timer: PressureTimer)
}

extension PressureSources: PressureMachine {
    /// The monotonic clock.
    public var now: Instant { Instant(microseconds: EventLoop.clock) }

    /// What of the kernel's accounting works here, and that in a sentence.
    public var support: (kind: PressureSupport, sentence: String) {
        (surroundings.support, surroundings.sentence)
    }

    /// Hears of these on the machine, and in the group of all workers where there is one.
    public func hear(of triggers: [PressureTrigger]) {
        var wanted: Set<Wanted> = []
        for trigger in triggers where surroundings.support != .none {
            wanted.insert(Wanted(.machine, trigger))
            if surroundings.subtree != nil { wanted.insert(Wanted(.subtree, trigger)) }
        }
        hear(wanted)
    }
}
