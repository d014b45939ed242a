internal import ConfigurationSyntax
internal import Lifecycle
internal import Transferring
internal import WorkerFile

/// The transfers of the workers of a world, and which of their ends are on their way.
struct SimulatedTransfers {
    var plan = TransferPlan()
    /// What each worker is being given, by its inbound and, once it has it, its delivery.
    var given: [Int: (inbound: UInt32, delivery: UInt32?)] = [:]
    /// The moment at which something is due that is on the agenda.
    var due: Instant?
}

/// Commands that run beside workers, and are over whatever has become of these.
extension World {
    private static func name(_ worker: Int) -> String { String(worker) }

    /// A transfer of a worker begins, and is over after `span`; where it may have no more, nothing happens.
    mutating func beginTransfer(_ worker: Int, for span: TimeSpan) {
        let background = scenario.workers[worker].definition.background
        let name = Self.name(worker)
        guard transfers.plan.refusal(of: name, most: background.transfersMax) == nil else { return }
        let number = transfers.plan.lastNumber + 1
        let transfer = Transfer(
            number: number, worker: name, command: ["transfer"], purpose: "transfer", by: Self.operator,
            began: now, due: background.transferLimit.span.map { now + $0 })
        tellTransfers(.began(transfer))
        tellTransfers(.started(number))
        enter(.transferEnds(number, .exited(0)), after: span)
    }

    mutating func transferEnds(_ number: UInt32, _ status: TransferStatus) {
        guard transfers.plan.entries[number]?.end == nil else { return }
        tellTransfers(.ended(number, TransferEnd(status, at: now)))
    }

    mutating func transfersAreDue() {
        transfers.due = nil
        tellTransfers(.due)
    }

    private mutating func tellTransfers(_ event: TransferEvent) {
        for effect in transfers.plan.handle(event, at: now) {
            switch effect {
            case .look(let name): Int(name).map { lookForTransfers(of: $0) }
            case .tell(let name, _): Int(name).map { handTransfers(to: $0) }
            // It does as it is told at once.
            case .stop(let number), .kill(let number):
                enter(.transferEnds(number, .killed(signal: 15)), after: .milliseconds(1))
            case .store, .remove, .start, .over, .refused: break
            }
        }
        guard let next = transfers.plan.nextDue, transfers.due.map({ next < $0 }) ?? true else { return }
        transfers.due = next
        enter(.transfersDue(next), at: max(next, now))
    }

    private mutating func handTransfers(to worker: Int) {
        lastInbound &+= 1
        transfers.given[worker] = (lastInbound, nil)
        give(
            .woken(Wake(.transfer, intoForeground: false, bringing: Inbound(id: lastInbound, .transfer))),
            to: worker)
    }

    private mutating func lookForTransfers(of worker: Int) {
        let wakes = scenario.workers[worker].definition.background.modes.contains(.transfer)
        tellTransfers(.reachable(Self.name(worker), lives[worker].hearsOfTransfers(wakes: wakes)))
    }

    /// What came of the ends that a worker is given, and whether it can be told others, after an event of it.
    mutating func transfersFollow(_ worker: Int, _ event: Event, _ effects: [Effect]) {
        let name = Self.name(worker)
        guard transfers.plan.tellings[name] != nil else { return }
        if let given = transfers.given[worker] {
            for effect in effects {
                switch effect {
                case .deliver(let delivery) where delivery.inbound?.id == given.inbound:
                    transfers.given[worker]?.delivery = delivery.id
                case .drop(let inbound, let refusal) where inbound.id == given.inbound:
                    transfers.given[worker] = nil
                    tellTransfers(refusal == .noReceiver ? .taken(name) : .notTaken(name))
                default: break
                }
            }
        }
        if let delivery = transfers.given[worker]?.delivery, !lives[worker].awaits(delivery) {
            transfers.given[worker] = nil
            tellTransfers(event == .completed(id: delivery, .done) ? .taken(name) : .notTaken(name))
        }
        if effects.contains(.launchCompleted) { tellTransfers(.launched(name)) }
        lookForTransfers(of: worker)
    }
}
