package import Lifecycle
package import SupervisorPorts
package import Varlink

/// A listening socket on its way from one supervisor to the next.
package struct ListenerHandover {
    package let descriptor: Int32
    /// Whether its file is ours: not where systemd holds the socket.
    package let ownsFile: Bool

    package init(descriptor: Int32, ownsFile: Bool) {
        self.descriptor = descriptor
        self.ownsFile = ownsFile
    }
}

/// One client, with its calls, on its way from one supervisor to the next.
package struct ConnectionHandover {
    /// A call that waits for answers, or for its turn.
    package struct OpenCall {
        package let call: Call
        package let note: JSON.Object
        package let isBegun: Bool
        fileprivate let place: Int?

        package init(_ call: Call, at place: Int?, note: JSON.Object, isBegun: Bool) {
            self.call = call
            self.note = note
            self.isBegun = isBegun
            self.place = place
        }
    }

    package let descriptor: Int32
    package let snapshot: ServerConnection.Snapshot
    package let calls: [OpenCall]
    /// Whose process it is; nil for whoever comes to a control socket.
    package var worker: WorkerID?

    package init(
        descriptor: Int32, snapshot: ServerConnection.Snapshot, calls: [OpenCall], worker: WorkerID? = nil
    ) {
        self.descriptor = descriptor
        self.snapshot = snapshot
        // A call that wants no answer has no place; where it waits for its turn it is sent again as it was.
        self.calls = calls
        self.worker = worker
    }

    // MARK: bytes

    package func write(to writer: inout SnapshotWriter) {
        writer.write(Int64(descriptor))
        writer.write(worker) { $0.write(UInt64($1.rawValue)) }
        writer.write(snapshot.partial)
        writer.write(snapshot.output)
        writer.write(snapshot.isInputOver)
        writer.write(all: snapshot.answers) { writer, answer in
            writer.write(answer.isMore)
            writer.write(answer.isFinished)
            writer.write(answer.held)
        }
        writer.write(all: calls) { writer, open in
            writer.write(open.place) { $0.write(UInt64($1)) }
            writer.write(open.call.method)
            writer.write(JSON.object(open.call.parameters).text)
            writer.write(open.call.mode == .more)
            writer.write(JSON.object(open.note).text)
            writer.write(open.isBegun)
        }
    }

    package init(reading reader: inout SnapshotReader) throws(SnapshotError) {
        descriptor = try reader.descriptor()
        worker = try reader.optional { (reader) throws(SnapshotError) in try reader.worker() }
        let partial = try reader.content()
        let output = try reader.content()
        let isInputOver = try reader.flag()
        snapshot = ServerConnection.Snapshot(
            partial: partial, output: output,
            answers: try reader.list { (reader) throws(SnapshotError) in
                ServerConnection.Snapshot.Answer(
                    isMore: try reader.flag(), isFinished: try reader.flag(), held: try reader.content())
            }, isInputOver: isInputOver)
        calls = try reader.list { (reader) throws(SnapshotError) in
            let place = try reader.optional { (reader) throws(SnapshotError) in try reader.number() }
            let method = try reader.text()
            let parameters = try reader.object()
            let isMore = try reader.flag()
            let call = Call(
                id: ServerConnection.id(at: place.map { Int(clamping: $0) }), method: method,
                parameters: parameters, mode: place == nil ? .oneway : isMore ? .more : .once)
            return OpenCall(
                call, at: place.map { Int(clamping: $0) }, note: try reader.object(),
                isBegun: try reader.flag())
        }
    }
}
