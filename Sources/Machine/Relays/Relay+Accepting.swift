internal import CLinux
internal import Glibc
internal import Linux
internal import Relaying

// Connections that come, and those that wait.
extension Relay {
    /// How many are accepted until others have their turn.
    private static let turn = 32
    /// How often those are looked for that have waited too long, in milliseconds.
    static let sweepInterval: Int64 = 250

    func listen(_ descriptor: Int32) {
        let waits = torpor_relay_waits(descriptor)
        guard torpor_relay_listens(descriptor) == 1, waits >= 0, !isDraining else {
            Glibc.close(descriptor)
            return tell(.failed("a descriptor does not listen, or came too late"))
        }
        listeners[descriptor] = waits == 1
        if isAccepting { watchListener(descriptor) }
    }

    private func watchListener(_ descriptor: Int32) {
        let number = Watched.listener(descriptor).number
        _ = torpor_relay_watch(events.rawValue, WatchOperation.add, descriptor, EventMask.input, number)
    }

    private func unwatchListener(_ descriptor: Int32) {
        _ = torpor_relay_watch(events.rawValue, WatchOperation.remove, descriptor, 0, 0)
    }

    func closeListeners() {
        for descriptor in listeners.keys {
            // The supervisor has the same listener, so that closing this one does not take it out.
            unwatchListener(descriptor)
            Glibc.close(descriptor)
        }
        listeners = [:]
    }

    /// Accepts what waits there, and closes the listeners.
    func release() {
        for descriptor in listeners.keys {
            while hasRoom, acceptOne(descriptor) {}
        }
        closeListeners()
        tell(.released(waiting: counts.waiting))
    }

    /// Whether a further connection may be had.
    private var hasRoom: Bool { table.count - free.count < Int(route.limit) }

    func accept(_ descriptor: Int32) {
        guard listeners[descriptor] != nil, isAccepting else { return }
        for _ in 0..<Self.turn {
            guard hasRoom else { return stopAccepting(until: nil) }
            guard acceptOne(descriptor) else { return }
        }
    }

    /// Accepts one connection; false where none waits, or none can be had now.
    private func acceptOne(_ descriptor: Int32) -> Bool {
        let result = torpor_relay_accept(descriptor, listeners[descriptor] == true ? 1 : 0)
        switch -result {
        case EAGAIN: return false
        // It has gone meanwhile, and errors of its network are its own (accept(2)).
        case ECONNABORTED, ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH, EOPNOTSUPP,
            ENETUNREACH:
            return true
        case let error where error > 0:
            // No descriptor or no memory: others may give some back.
            stopAccepting(until: now + 100)
            return false
        default:
            begin(result)
            return true
        }
    }

    private func stopAccepting(until time: Int64?) {
        if isAccepting { listeners.keys.forEach(unwatchListener) }
        isAccepting = false
        dueAccepting = time
    }

    func resumeAccepting() {
        guard !isAccepting, hasRoom else { return }
        isAccepting = true
        listeners.keys.forEach(watchListener)
    }

    /// Takes a connection that the supervisor has accepted.
    func take(_ descriptor: Int32) {
        guard torpor_relay_never_wait(descriptor) == 0, torpor_relay_listens(descriptor) == 0, hasRoom,
            !isDraining
        else {
            Glibc.close(descriptor)
            return tell(.failed("a connection cannot be taken"))
        }
        begin(descriptor)
    }

    private func begin(_ client: Int32) {
        // Connected from here, a Unix client would seem to be this process.
        if route.target == nil, address(of: client, isPeer: false)?.isInternet != true {
            Glibc.close(client)
            return
        }
        let slot: Int
        if let place = free.popLast() {
            slot = place
        } else {
            slot = table.count
            table.append(Relayed())
        }
        let generation = table[slot].generation
        table[slot] = Relayed()
        table[slot].generation = generation
        table[slot].stage = .waiting
        table[slot].client = client
        table[slot].since = now
        counts.waiting += 1
        queue.append(.init(slot: slot, generation: generation))
        // Browsers come and go in front of a page.
        if queue.count > 2 * Int(counts.waiting) + 1024 {
            queue.keep { table[$0.slot].generation == $0.generation && table[$0.slot].stage == .waiting }
        }
        // Where it can be connected at once, that it is gone shows then.
        if !pace.isOpen {
            if counts.waiting == 1, let peer = address(of: client, isPeer: true) {
                tell(.knocked(peer.description))
            }
            watchWaiting(slot)
            if page != nil { look(slot, EventMask.input) }
        } else if dueSweep == nil {
            dueSweep = now + Self.sweepInterval
        }
    }

    /// Has a connection that waits told of what it sends, and of its end, each time once.
    private func watchWaiting(_ slot: Int) {
        wait(slot, .client, EventMask.input | EventMask.peerEnd | EventMask.edge)
    }

    /// Looks at a connection that waits, or is being connected: whether it is gone, and whether it is a browser.
    func look(_ slot: Int, _ mask: UInt32) {
        guard table[slot].stage == .waiting else {
            if mask & EventMask.gone != 0 { close(slot) }
            return
        }
        let wantsPage = page != nil && !table[slot].isOther
        guard wantsPage || mask & (EventMask.gone | EventMask.peerEnd) != 0 else { return }
        var bytes = [UInt8](repeating: 0, count: wantsPage ? RequestHead.limit : 1)
        let count = unsafe torpor_relay_receive(table[slot].client, &bytes, bytes.count, 1)
        // It has sent nothing and has ended, or its connection is broken: a client that has gone, or a probe.
        if count == 0 || count < 0 && count != -Int(EAGAIN) { return close(slot) }
        guard wantsPage, count > 0 else { return }
        switch RequestHead(bytes[..<count]) {
        case .incomplete: break
        case .other: table[slot].isOther = true
        case .page(let length, let isHead): beginAnswer(slot, length, isHead: isHead)
        }
    }

    /// Gives those up for which the target is not there for too long.
    func sweep() {
        guard pace.isOpen else { return }
        var (lost, left) = (UInt32(0), false)
        for slot in table.indices where table[slot].stage == .waiting || table[slot].stage == .connecting {
            if now - max(table[slot].since, openedAt) >= Int64(route.patience) {
                reset(slot)
                lost += 1
            } else {
                left = true
            }
        }
        if left { dueSweep = now + Self.sweepInterval }
        if lost > 0 { tell(.gaveUp(lost, errno: lastRefusal == 0 ? ETIMEDOUT : lastRefusal)) }
    }

    func address(of descriptor: Int32, isPeer: Bool) -> RelayAddress? {
        var bytes = [UInt8](repeating: 0, count: Int(TORPOR_RELAY_ADDRESS))
        let length = unsafe torpor_relay_address(descriptor, isPeer ? 1 : 0, &bytes)
        return length < 0 ? nil : RelayAddress(kernelBytes: bytes[..<Int(length)])
    }
}
