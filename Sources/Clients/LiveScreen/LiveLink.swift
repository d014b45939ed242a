internal import ControlAPI
internal import ControlClient
internal import Operator
internal import Varlink

/// The connections to a supervisor: one that watches, one for questions, and one for each verb that is under way.
final class LiveLink {
    typealias API = SupervisorInterface

    /// What becomes of a call: its reply, or why there is none.
    typealias Answer = (Result<JSON.Object, Failure>) -> Void

    private final class Line {
        let connection: PolledConnection
        var answers: [ClientConnection.CallID: (method: String, answer: Answer)] = [:]

        init(_ connection: PolledConnection) { self.connection = connection }
    }

    private let connect: () throws(Failure) -> PolledConnection
    private var watching: Line?
    private var asking: Line?
    private var acting: [Line] = []

    /// Commands that led to a supervisor and are to end.
    private var retired: [BridgeProcess] = []

    /// So many verbs are under way at once.
    static let mostActing = 8

    /// A way to make connections; none is made yet.
    init(_ connect: @escaping () throws(Failure) -> PolledConnection) { self.connect = connect }

    /// Whether there is a supervisor.
    var isConnected: Bool { watching != nil && asking != nil }

    /// How many verbs are under way.
    var actingCount: Int { acting.count }

    /// Connects, and begins to watch the workers of these names; nil is all.
    func open(_ names: [String]?, _ hear: @escaping Answer) throws(Failure) {
        close()
        let (watching, asking) = (Line(try connect()), Line(try connect()))
        (self.watching, self.asking) = (watching, asking)
        call(API.Watch.self, .init(names: names), on: watching, mode: .more, hear)
    }

    /// Lets go of all that is under way: nothing more is heard of it.
    func close() {
        for line in [watching, asking].compactMap(\.self) + acting { retire(line) }
        (watching, asking, acting) = (nil, nil, [])
    }

    private func retire(_ line: Line) {
        guard let bridge = line.connection.bridge else { return }
        bridge.end()
        retired.append(bridge)
    }

    /// Waits for no command that has been ended, but lets go of those that have (waitpid(2)).
    func reap() { retired.removeAll { $0.status(within: 0) != nil } }

    /// Asks something that is answered at once.
    func ask<M: API.Method>(_ method: M.Type, _ parameters: M.Parameters, _ answer: @escaping Answer) {
        guard let asking else { return }
        call(method, parameters, on: asking, mode: .once, answer)
    }

    /// Calls something that may take long, on a connection of its own.
    func act<M: API.Method>(
        _ method: M.Type, _ parameters: M.Parameters, _ answer: @escaping Answer
    ) throws(Failure) {
        guard acting.count < Self.mostActing else {
            throw Failure(.tryAgain, "\(Self.mostActing) verbs are under way: wait for one of them")
        }
        let line = Line(try connect())
        acting.append(line)
        call(method, parameters, on: line, mode: .once, answer)
    }

    private func call<M: API.Method>(
        _ method: M.Type, _ parameters: M.Parameters, on line: Line, mode: CallMode,
        _ answer: @escaping Answer
    ) {
        do throws(JSON.Mismatch) {
            let id = try line.connection.call(method, parameters, mode: mode)
            line.answers[id] = (M.name, answer)
        } catch {
            answer(.failure(Failure(.usage, "\(M.member): cannot encode the parameters: \(error)")))
        }
    }

    /// What to wait for.
    var descriptors: [(number: Int32, wantsToWrite: Bool)] {
        ([watching, asking].compactMap(\.self) + acting).map {
            ($0.connection.descriptor, $0.connection.wantsToWrite)
        }
    }

    /// Sends and receives what can be; false where the supervisor is gone.
    func advance() -> Bool {
        var isThere = true
        for line in [watching, asking].compactMap(\.self) where !advance(line) { isThere = false }
        for line in acting where !advance(line) || line.answers.isEmpty {
            retire(line)
            acting.removeAll { $0 === line }
        }
        return isThere
    }

    private func advance(_ line: Line) -> Bool {
        for event in line.connection.advance() {
            switch event {
            case .reply(let id, let object, let continues):
                let answer = line.answers[id]?.answer
                if !continues { line.answers[id] = nil }
                answer?(.success(object))
            case .failed(let id, let error):
                guard let (method, answer) = line.answers.removeValue(forKey: id) else { break }
                answer(.failure(Failure(error, calling: method)))
            case .closed(let reason, let unanswered):
                let failure =
                    if case .refused(let error) = reason { Failure(error, calling: "") } else {
                        Failure(.unavailable, "the supervisor closed the connection")
                    }
                for id in unanswered { line.answers.removeValue(forKey: id)?.answer(.failure(failure)) }
                return false
            }
        }
        return true
    }
}
