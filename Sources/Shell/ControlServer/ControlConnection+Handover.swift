internal import Linux
internal import Systemd
internal import Varlink

/// One server after the other: what a successor needs to go on with a client.
extension ControlConnection {
    /// Reads no more calls, until it, or a successor, goes on.
    package func pause(_ isPaused: Bool) {
        // Ignoring a failure: what is read then is carried out, or goes along.
        try? source.handle?.setEnabled(isPaused ? .off : .on)
    }

    /// All that a successor needs to go on with the client; nil when it is about to end.
    package var handover: ConnectionHandover? {
        readRest()
        write()
        guard stage.takesAnswers, let number = socket?.rawValue, let snapshot = varlink.snapshot
        else {
            return nil
        }
        let open = begun.values.sorted {
            (varlink.place(of: $0.call.id) ?? 0) < (varlink.place(of: $1.call.id) ?? 0)
        }
        let calls = open.compactMap { entry -> ConnectionHandover.OpenCall? in
            guard let place = varlink.place(of: entry.call.id), let responder = entry.responder,
                responder.isOpen
            else { return nil }
            return ConnectionHandover.OpenCall(
                entry.call, at: place, note: responder.note, isBegun: true)
        }
        let posted = batches.flatMap { $0.openCalls }.compactMap { open in
            varlink.place(of: open.call.id).map {
                ConnectionHandover.OpenCall(open.call, at: $0, note: open.note, isBegun: true)
            }
        }
        let unbegun = waiting.map {
            ConnectionHandover.OpenCall($0, at: varlink.place(of: $0.id), note: [:], isBegun: false)
        }
        return ConnectionHandover(
            descriptor: number, snapshot: snapshot, calls: calls + posted + unbegun)
    }

    /// Goes on with the calls of a predecessor, and begins those that it has not.
    package func resume(_ calls: [ConnectionHandover.OpenCall]) {
        for open in calls where open.isBegun { server.resume(open.call, with: open.note, on: self) }
        waiting = calls.filter { !$0.isBegun }.map(\.call)[...]
        if hasWork { server.queueWork(self) }
        server.settleSoon(self)
    }

    /// Makes calls of all that has come, for the process that goes on with them.
    private func readRest() {
        let rest = unread
        while true {
            switch varlink.next(in: rest.span, from: &position) {
            case .message(let range):
                if let call = varlink.accept(rest.span.extracting(range)) { waiting.append(call) }
            case .call(let call): waiting.append(call)
            case .end:
                (unread, position) = ([], 0)
                return
            }
        }
    }
}
