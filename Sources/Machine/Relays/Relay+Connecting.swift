internal import CLinux
internal import Glibc
internal import Linux
internal import Relaying

// Connections to the target, at the pace of its backlog.
extension Relay {
    func connectWaiting() {
        while let entry = queue.first {
            guard entry.slot < table.count, table[entry.slot].generation == entry.generation,
                table[entry.slot].stage == .waiting
            else {
                queue.removeFirst()
                continue
            }
            guard pace.isOpen else { return }
            guard let (source, target) = way(of: table[entry.slot].client) else {
                close(entry.slot)
                continue
            }
            if target != lookedAt, target.isInternet {
                lookedAt = target
                pace.looked(backlog(of: target))
            }
            switch pace.decision {
            case .hold: return
            case .wait(let milliseconds):
                dueRetry = dueRetry ?? now + Int64(milliseconds)
                return
            case .look: pace.looked(backlog(of: target))
            case .begin:
                queue.removeFirst()
                begin(entry, from: source, to: target)
            }
        }
    }

    /// From and to which address the connection of a client goes on; nil where the client is gone.
    ///
    /// To a loopback address a client of the network is connected from the address that it used itself: many programs trust what comes
    /// from 127.0.0.1 (section 5 of the spec's `5-waking`).
    private func way(of client: Int32) -> (source: RelayAddress?, target: RelayAddress)? {
        guard let target = route.target else {
            guard let used = address(of: client, isPeer: false) else { return nil }
            return (used.with(port: 0), used)
        }
        guard target.isLoopback, let used = address(of: client, isPeer: false)?.unmapped, used.isInternet,
            !used.isLoopback
        else { return (nil, target) }
        switch (used, target) {
        case (.ipv4, .ipv4), (.ipv6, .ipv6): return (used.with(port: 0), target)
        default: return (nil, target)
        }
    }

    private func backlog(of target: RelayAddress) -> RelayPace.Look {
        guard target.isInternet else { return .elsewhere }
        guard diag >= 0 else { return .unknown }
        let bytes = target.unmapped.kernelBytes
        var (length, limit): (UInt32, UInt32) = (0, 0)
        let result = unsafe torpor_relay_queue(
            diag, bytes, UInt32(bytes.count), &length, &limit)
        switch result {
        case 0: return .queue(length: length, limit: limit)
        case -ENOENT: return .elsewhere
        default: return .unknown
        }
    }

    private func begin(_ entry: WaitingQueue.Entry, from source: RelayAddress?, to target: RelayAddress) {
        pace.began()
        let from = source?.kernelBytes ?? []
        let to = target.kernelBytes
        let server = unsafe torpor_relay_connect(from, UInt32(from.count), to, UInt32(to.count))
        guard server >= 0 else { return refused(entry, by: -server) }
        table[entry.slot].stage = .connecting
        table[entry.slot].server = server
        wait(entry.slot, .server, EventMask.output)
    }

    /// The target refuses: it waits on.
    private func refused(_ entry: WaitingQueue.Entry, by error: Int32) {
        lastRefusal = error
        pace.refused()
        queue.restore(entry)
    }

    func finishConnecting(_ slot: Int) {
        let error = -torpor_relay_outcome(table[slot].server)
        guard error == 0 else {
            Glibc.close(table[slot].server)
            table[slot].server = -1
            table[slot].serverEvents = Relayed.unwatched
            table[slot].stage = .waiting
            return refused(.init(slot: slot, generation: table[slot].generation), by: error)
        }
        pace.connected()
        counts.waiting -= 1
        counts.open += 1
        counts.forwarded += 1
        table[slot].stage = .open
        if let header = route.header {
            let client = table[slot].client
            let bytes = header.bytes(
                from: address(of: client, isPeer: true), to: address(of: client, isPeer: false))
            let sent = unsafe torpor_relay_send(table[slot].server, bytes, bytes.count)
            // A fresh connection takes it whole.
            guard sent == bytes.count else { return reset(slot) }
        }
        refresh(slot)
    }
}
