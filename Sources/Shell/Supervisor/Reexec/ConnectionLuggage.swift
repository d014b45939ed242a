internal import Lifecycle
internal import Varlink

/// A listening socket on its way from one supervisor to the next.
struct ListenerLuggage {
    let descriptor: Int32
    /// Whether its file is ours: not where systemd holds the socket.
    let ownsFile: Bool
}

/// One client, with its calls, on its way from one supervisor to the next.
struct ConnectionLuggage {
    /// A call that waits for answers, or for its turn.
    struct OpenCall {
        let call: Call
        let note: JSON.Object
        let isBegun: Bool
        fileprivate let place: Int?

        init(_ call: Call, at place: Int?, note: JSON.Object, isBegun: Bool) {
            self.call = call
            self.note = note
            self.isBegun = isBegun
            self.place = place
        }
    }

    let descriptor: Int32
    let standstill: ServerConnection.Standstill
    let calls: [OpenCall]
    /// Whose process it is; nil for whoever comes to a control socket.
    var worker: WorkerID?

    init(descriptor: Int32, standstill: ServerConnection.Standstill, calls: [OpenCall]) {
        self.descriptor = descriptor
        self.standstill = standstill
        // A call that wants no answer has no place; where it waits for its turn it is sent again as it was.
        self.calls = calls
    }

    // MARK: bytes

    func write(to writer: inout SnapshotWriter) {
        writer.write(Int64(descriptor))
        writer.write(worker) { $0.write(UInt64($1.rawValue)) }
        writer.write(standstill.partial)
        writer.write(standstill.output)
        writer.write(standstill.isInputOver)
        writer.write(all: standstill.answers) { writer, answer in
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

    init(reading reader: inout SnapshotReader) throws(SnapshotError) {
        descriptor = try reader.descriptor()
        worker = try reader.optional { (reader) throws(SnapshotError) in try reader.worker() }
        let partial = try reader.content()
        let output = try reader.content()
        let isInputOver = try reader.flag()
        standstill = ServerConnection.Standstill(
            partial: partial, output: output,
            answers: try reader.list { (reader) throws(SnapshotError) in
                ServerConnection.Standstill.Answer(
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

extension SnapshotReader {
    mutating func object() throws(SnapshotError) -> JSON.Object {
        let text = try content()
        guard let json = try? JSON(parsing: text.span), case .object(let object) = json else { throw .broken }
        return object
    }

    mutating func descriptor() throws(SnapshotError) -> Int32 {
        guard let number = Int32(exactly: try signed()), number >= 0 else { throw .broken }
        return number
    }

    mutating func worker() throws(SnapshotError) -> WorkerID {
        guard let number = UInt32(exactly: try number()) else { throw .broken }
        return WorkerID(number)
    }
}
