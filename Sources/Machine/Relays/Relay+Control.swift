internal import CLinux
internal import Glibc
internal import Linux
internal import Relaying

// What the supervisor tells, and what it is told.
extension Relay {
    func receiveCommands() {
        var room = [UInt8](repeating: 0, count: RelayCommand.longest)
        // The rest waits for the next turn.
        for _ in 0..<16 {
            var message = torpor_datagram()
            let result = unsafe torpor_datagram_receive(control.rawValue, &room, room.count, &message)
            if result == -EAGAIN { break }
            guard result == 0, message.length > 0 else { return loseSupervisor() }
            let count = message.descriptor_count
            let descriptors = unsafe withUnsafeBytes(of: message.descriptors) {
                unsafe Array($0.assumingMemoryBound(to: Int32.self).prefix(count))
            }
            guard !message.control_truncated, message.length <= room.count,
                let command = RelayCommand(room[..<message.length])
            else {
                descriptors.forEach { Glibc.close($0) }
                tell(.failed("a message was not understood, or its descriptors could not be taken"))
                continue
            }
            follow(command, descriptors)
        }
        flush()
    }

    private func follow(_ command: RelayCommand, _ descriptors: [Int32]) {
        switch command {
        case .listen: return descriptors.forEach(listen)
        case .take: return descriptors.forEach(take)
        // They came along with nothing that takes them.
        default: descriptors.forEach { Glibc.close($0) }
        }
        switch command {
        case .route(let route):
            self.route = route
            lookedAt = nil
        case .release: release()
        case .open: openGate()
        case .shut: pace.shut()
        case .page(let page): show(page)
        case .drain(let milliseconds): drain(milliseconds: milliseconds)
        case .listen, .take: break
        }
    }

    /// The supervisor has ended, or has let go: what waits is given its chance, and nothing more is accepted.
    private func loseSupervisor() {
        _ = torpor_relay_watch(events.rawValue, WatchOperation.remove, control.rawValue, 0, 0)
        unsent = []
        if !pace.isOpen { openGate() }
        drain(milliseconds: nil)
    }

    func openGate() {
        pace.open()
        lookedAt = nil
        openedAt = now
        if counts.waiting > 0, dueSweep == nil { dueSweep = now + Self.sweepInterval }
    }

    func drain(milliseconds: UInt32?) {
        isDraining = true
        closeListeners()
        if let milliseconds { dueEnd = now + Int64(milliseconds) }
        guard !pace.isOpen else { return }
        // What they wait for does not come.
        for slot in table.indices where table[slot].stage == .waiting { reset(slot) }
    }

    // MARK: telling

    func tell(_ report: RelayReport) {
        // A supervisor that reads nothing for so long loses what it was told last.
        if unsent.count < 64 { unsent.append(report.bytes) }
        flush()
    }

    func tellCounts() {
        told = counts
        tell(.counts(counts))
    }

    private func flush() {
        while let bytes = unsent.first {
            let result = unsafe torpor_relay_tell(control.rawValue, bytes, bytes.count, nil, 0)
            if result == -EAGAIN {
                // With the next counts.
                dueTelling = dueTelling ?? now + 100
                return
            }
            unsent.removeFirst()
        }
    }
}
