package import Lifecycle
internal import Linux
package import Pressure
internal import Systemd

/// Hears facts of the machine's memory, and the expiry of timers.
package protocol PressureEventObserver: AnyObject {
    func give(_ event: PressureEvent)
}

/// The machine's memory, as the policy sees it: what is asked goes in, facts come out.
///
/// There is one that is real (``PressureSources``) and one that is not.
package protocol PressureMachine: AnyObject {
    /// The monotonic clock.
    var now: Instant { get }
    /// Where facts and the expiry of timers go; it is not kept alive for that.
    var observer: (any PressureEventObserver)? { get set }
    /// What of the kernel's accounting works here, and that in a sentence.
    var support: (kind: PressureSupport, sentence: String) { get }

    /// The machine's figures now; nil where they are not known.
    func sample() -> MemorySample?
    /// Hears of exactly these from now on, on the machine and in the group of all workers; where there are any, of `early` on the
    /// machine, and of `own` in the groups of these workers. Returns whether those of the machine can be had.
    func hear(
        of triggers: [PressureTrigger], early: PressureTrigger, own: PressureTrigger, in workers: Set<String>
    ) -> Bool
    /// Tells the expiry of `timer` once at `moment`, or up to `slack` later, instead of any other asked before.
    func arm(_ timer: PressureTimer, at moment: Instant, slack: TimeSpan, generation: UInt32)
    /// Forgets `timer`.
    func disarm(_ timer: PressureTimer)
}

extension PressureSources: PressureMachine {
    /// The monotonic clock.
    package var now: Instant { Instant(microseconds: KernelClock.monotonic) }

    /// What of the kernel's accounting works here, and that in a sentence.
    package var support: (kind: PressureSupport, sentence: String) {
        (capabilities.support, capabilities.sentence)
    }

    /// Hears of these on the machine, and in the group of all workers where there is one; in the groups of single workers where
    /// the kernel keeps their limits.
    package func hear(
        of triggers: [PressureTrigger], early: PressureTrigger, own: PressureTrigger, in workers: Set<String>
    ) -> Bool {
        var wanted: Set<Wanted> = []
        if !triggers.isEmpty, capabilities.support != .none {
            wanted.insert(Wanted(.machine, early, isEarly: true))
        }
        for trigger in triggers where capabilities.support != .none {
            wanted.insert(Wanted(.machine, trigger))
            if capabilities.subtree != nil { wanted.insert(Wanted(.subtree, trigger)) }
        }
        if capabilities.support == .unified {
            wanted.formUnion(workers.map { Wanted(.worker($0), own) })
        }
        return hear(wanted).allSatisfy { $0.place != .machine } && capabilities.support != .none
    }
}
