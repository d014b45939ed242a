internal import CLinux
internal import Glibc
internal import Linux
internal import Relaying

// Bytes that pass, and the ends of connections.
extension Relay {
    /// How often a direction is read until others have their turn: 256 KiB.
    private static let turns = 4

    /// Something has happened at `side` of a connection that is open.
    func pass(_ slot: Int, _ side: RelayedPair.Side, _ mask: UInt32) {
        let isGone = mask & EventMask.gone != 0
        if table[slot].pair[from: side].next == .read { move(slot, from: side) }
        if mask & EventMask.output != 0 || isGone, table[slot].pair[from: side.other].next == .write {
            move(slot, from: side.other)
        }
        // It is told of for as long as it is waited for there.
        if isGone, table[slot].pair.interest(side) == RelayedPair.Interest() {
            if table[slot].pair[from: side].isOver {
                table[slot].pair.gone(side)
            } else {
                unwatch(slot, side)
            }
        }
        settle(slot)
    }

    private func settle(_ slot: Int) {
        switch table[slot].pair.verdict {
        case .goesOn: refresh(slot)
        case .close: close(slot)
        case .reset: reset(slot)
        }
    }

    /// Moves what `side` sends, until one of the two has to be waited for.
    private func move(_ slot: Int, from side: RelayedPair.Side) {
        var flow = table[slot].pair[from: side]
        let (source, target) = (table[slot].socket(side), table[slot].socket(side.other))
        // Where it is not waited for any more, all that it has sent is read now.
        var turns = table[slot][events: side] == Relayed.unwatched ? Int.max : Self.turns
        var pipe = table[slot][pipe: side]
        loop: while true {
            switch flow.next {
            case .read:
                guard turns > 0 else { break loop }
                if pipe == nil { pipe = pipes.take() }
                guard let pipe else {
                    starving.append((slot, table[slot].generation, side))
                    break loop
                }
                let count = torpor_relay_splice(source, pipe.input, PipePool.capacity)
                let outcome = Self.outcome(count, isRead: true)
                flow.read(outcome)
                if outcome == .wouldWait { break loop }
                // As a rule that was all.
                if turns != Int.max { turns = count < PipePool.capacity ? 0 : turns - 1 }
            case .write:
                guard let pipe else { break loop }
                let outcome = Self.outcome(
                    torpor_relay_splice(pipe.output, target, Int(flow.held)), isRead: false)
                flow.wrote(outcome)
                if outcome == .wouldWait { break loop }
            case .end: flow.ended(torpor_relay_end(target) < 0 ? .failed : .moved(0))
            case .rest: break loop
            }
        }
        if flow.held == 0, let taken = pipe {
            // What was refused is in it still.
            pipes.give(taken, isEmpty: flow.state != .unwanted && flow.state != .failed)
            pipe = nil
        }
        table[slot].pair[from: side] = flow
        table[slot][pipe: side] = pipe
    }

    private static func outcome(_ result: Int, isRead: Bool) -> RelayFlow.Outcome {
        if result > 0 { return .moved(UInt32(result)) }
        if result == 0 { return isRead ? .ended : .failed }
        return result == -Int(EAGAIN) ? .wouldWait : .failed
    }

    /// Pipes were given back, or may be had again.
    func feedStarving() {
        guard !starving.isEmpty else { return }
        let those = starving
        starving = []
        for (slot, generation, side) in those {
            guard slot < table.count, table[slot].generation == generation, table[slot].stage == .open else {
                continue
            }
            if table[slot].pair[from: side].next == .read { move(slot, from: side) }
            settle(slot)
        }
        if !starving.isEmpty { dueRetry = dueRetry ?? now + 10 }
    }

    // MARK: what is waited for

    /// Waits for what the connection needs next.
    func refresh(_ slot: Int) {
        for side in RelayedPair.Side.allCases {
            let interest = table[slot].pair.interest(side)
            let isStarving = !starving.isEmpty && starving.contains { $0.slot == slot && $0.side == side }
            var mask: UInt32 = 0
            if interest.input, !isStarving { mask |= EventMask.input }
            if interest.output { mask |= EventMask.output }
            if table[slot][events: side] == Relayed.unwatched, mask == 0 { continue }
            wait(slot, side, mask)
        }
    }

    func wait(_ slot: Int, _ side: RelayedPair.Side, _ mask: UInt32) {
        let before = table[slot][events: side]
        guard before != mask else { return }
        let number = Watched.connection(slot: slot, generation: table[slot].generation, side).number
        let operation = before == Relayed.unwatched ? WatchOperation.add : WatchOperation.change
        // Ignoring a failure: without memory it is told of nothing, and its peer gives it up.
        _ = torpor_relay_watch(events.rawValue, operation, table[slot].socket(side), mask, number)
        table[slot][events: side] = mask
    }

    private func unwatch(_ slot: Int, _ side: RelayedPair.Side) {
        guard table[slot][events: side] != Relayed.unwatched else { return }
        _ = torpor_relay_watch(events.rawValue, WatchOperation.remove, table[slot].socket(side), 0, 0)
        table[slot][events: side] = Relayed.unwatched
    }

    // MARK: the end

    /// Ends a connection: what was written is still sent.
    func close(_ slot: Int) { end(slot) { Glibc.close($0) } }

    /// Ends a connection as broken: what was not sent is dropped.
    func reset(_ slot: Int) { end(slot) { torpor_relay_reset($0) } }

    private func end(_ slot: Int, by close: (Int32) -> Void) {
        switch table[slot].stage {
        case .free: return
        case .waiting: counts.waiting -= 1
        case .connecting:
            counts.waiting -= 1
            pace.forgot()
        case .open: counts.open -= 1
        case .answering: answers[slot] = nil
        }
        for side in RelayedPair.Side.allCases {
            // Of a connection that was handed over, the supervisor may have a descriptor still: closing ours would not take it out.
            unwatch(slot, side)
            let socket = table[slot].socket(side)
            if socket >= 0 { close(socket) }
            if let pipe = table[slot][pipe: side] { pipes.give(pipe, isEmpty: false) }
        }
        let generation = Watched.next(table[slot].generation)
        table[slot] = Relayed()
        table[slot].generation = generation
        free.append(slot)
        if !isAccepting, dueAccepting == nil { resumeAccepting() }
    }
}
