package import SnapshotCoding
package import SupervisorPorts
package import Varlink

/// A listening socket on its way from one supervisor to the next.
package struct ListenerHandover {
    package let descriptor: Int32
    /// Whether its file belongs to the server: not where systemd holds the socket.
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
    /// The worker of the process; nil for a client of a control socket.
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
}

// MARK: fields

extension ConnectionHandover: SnapshotObject {
    /// What is due to one call, and what of it cannot leave yet.
    fileprivate struct Answer {
        let answer: ServerConnection.Snapshot.Answer
    }

    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: ConnectionHandover?) throws(C.Failure) {
        descriptor = try c.descriptor("descriptor", 1, value?.descriptor)
        worker = try c.optional("worker", 2, value?.worker?.rawValue).map { WorkerID($0) }
        let partial = try c.value("partial", 3, value?.snapshot.partial, or: [])
        let output = try c.value("output", 4, value?.snapshot.output, or: [])
        let answers = try c.list("answers", 5, value?.snapshot.answers.map { Answer(answer: $0) })
        snapshot = ServerConnection.Snapshot(
            partial: partial, output: output, answers: answers.map(\.answer),
            isInputOver: try c.flag("isInputOver", 6, value?.snapshot.isInputOver))
        calls = try c.list("calls", 7, value?.calls)
    }
}

extension ConnectionHandover.Answer: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: ConnectionHandover.Answer?) throws(C.Failure) {
        answer = ServerConnection.Snapshot.Answer(
            isMore: try c.flag("isMore", 1, value?.answer.isMore),
            isFinished: try c.flag("isFinished", 2, value?.answer.isFinished),
            held: try c.value("held", 3, value?.answer.held, or: []))
    }
}

extension ConnectionHandover.OpenCall: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(
        _ c: inout C, _ value: ConnectionHandover.OpenCall?
    ) throws(C.Failure) {
        place = try c.optional("place", 1, value?.place)
        if let place, place < 0 { try c.refuse("place") }
        let method = try c.required("method", 2, value?.call.method)
        let parameters = try c.jsonObject("parameters", 3, value?.call.parameters)
        let isMore = try c.flag("isMore", 4, value.map { $0.call.mode == .more })
        call = Call(
            id: ServerConnection.id(at: place), method: method, parameters: parameters,
            mode: place == nil ? .oneway : isMore ? .more : .once)
        note = try c.jsonObject("note", 5, value?.note)
        isBegun = try c.flag("isBegun", 6, value?.isBegun)
    }
}

extension ListenerHandover: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: ListenerHandover?) throws(C.Failure) {
        descriptor = try c.descriptor("descriptor", 1, value?.descriptor)
        ownsFile = try c.flag("ownsFile", 2, value?.ownsFile)
    }
}
