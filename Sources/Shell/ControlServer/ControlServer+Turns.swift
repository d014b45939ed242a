internal import Lifecycle
internal import Linux
internal import Systemd

/// Connections with calls to carry out, each in its turn.
extension ControlServer {
    /// Flushes `connection` later, in a turn of its own.
    package func settleSoon(_ connection: ControlConnection) {
        guard !connection.isUnsettled else { return }
        connection.isUnsettled = true
        unsettled.append(connection)
        settling.handle?.setEnabled(.oneshot)
    }

    func settle() {
        let batch = unsettled
        unsettled = []
        for connection in batch {
            connection.isUnsettled = false
            connection.flush()
        }
    }

    /// Whether calls of `connection` are carried out as they come: those of operators and of workers, while none of their way
    /// waits.
    package func servesAtOnce(_ connection: ControlConnection) -> Bool {
        !connection.peer.isForeign && work[connection.lane]?.isEmpty ?? true
            && clients.mayWork(connection.peer.account, at: Instant(microseconds: loop.now))
    }

    /// Gives `connection` a turn, behind those of other accounts; it has calls to carry out.
    package func queueWork(_ connection: ControlConnection) {
        guard !connection.awaitsTurn else { return }
        connection.awaitsTurn = true
        work[connection.lane, default: FairQueue()].append(connection, of: connection.peer.account)
        turns.handle?.setEnabled(.oneshot)
    }

    /// Gives turns: to operators first, then to others, each for a while; everything else that the loop has to do comes between.
    func takeTurns() {
        for lane in [ControlLane.operators, .others] { takeTurns(lane, limits.turn(of: lane)) }
        // Those that may not go on yet are woken by what they wait for: the passing of time, or answers that leave.
        let now = Instant(microseconds: KernelClock.monotonic)
        if ControlLane.allCases.contains(where: {
            work[$0]?.accounts.contains { clients.mayWork($0, at: now) } ?? false
        }) {
            turns.handle?.setEnabled(.oneshot)
        } else if let next = work[.others]?.accounts.compactMap({ clients.worksFrom($0) }).filter({ $0 > now }
        )
        .min() {
            refills.handle?.arm(at: next.microseconds)
        }
    }

    func takeTurns(_ lane: ControlLane, _ limits: TurnLimits) {
        let end = Instant(microseconds: KernelClock.monotonic) + limits.turn
        var now = Instant(microseconds: KernelClock.monotonic)
        while now < end {
            let may: (Peer.Account) -> Bool = { [clients] in clients.mayWork($0, at: now) }
            guard let (account, connection) = work[lane]?.popFirst(where: may) else { return }
            connection.awaitsTurn = false
            connection.settle()
            let after = Instant(microseconds: KernelClock.monotonic)
            clients.worked(account, for: after - now, at: after)
            now = after
        }
    }
}
