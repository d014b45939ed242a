import ControlAPI
import Glibc
import Linux
import Varlink

/// A connection to the supervisor: calls go out at once, events are taken when they have come.
final class Wire {
    private let socket: StreamSocket
    private var varlink = ClientConnection()
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)
    private var answers: [ClientConnection.CallID: Result<JSON.Object, MethodError>] = [:]
    private(set) var isOver = false

    init(_ path: String) throws(LinuxError) {
        socket = try StreamSocket(connectingTo: UnixSocketAddress(path))
    }

    var descriptor: Int32 { socket.rawValue }

    /// Sends a call; waits until the socket has taken it.
    @discardableResult
    func send(
        _ member: String, _ parameters: JSON.Object = [:], mode: CallMode = .once
    ) -> ClientConnection.CallID {
        let id = varlink.call("io.torpor.Worker." + member, parameters, mode: mode)
        while varlink.outputPending > 0, !isOver {
            do {
                try varlink.sendOutput { (bytes) throws(LinuxError) in try socket.write(bytes) }
                if varlink.outputPending > 0 { _ = try socket.wait(writing: true, timeout: nil) }
            } catch {
                isOver = true
            }
        }
        return id
    }

    /// What has come.
    func events() -> [ClientConnection.Event] {
        guard !isOver else { return [] }
        do {
            guard let count = try socket.read(into: &buffer) else { return [] }
            isOver = count == 0
            let chunk = buffer
            return count == 0 ? varlink.inputEnded() : varlink.receive(chunk.span.extracting(..<count))
        } catch {
            isOver = true
            return varlink.inputEnded()
        }
    }

    /// Sends a call and waits for its answer, nil when the connection ends before.
    func call(_ member: String, _ parameters: JSON.Object = [:]) -> Result<JSON.Object, MethodError>? {
        let id = send(member, parameters)
        return answer(to: id)
    }

    /// Waits for the answer to a call that was sent.
    func answer(to id: ClientConnection.CallID) -> Result<JSON.Object, MethodError>? {
        while true {
            if let answer = answers.removeValue(forKey: id) { return answer }
            guard !isOver else { return nil }
            _ = try? socket.wait(writing: false, timeout: nil)
            for event in events() {
                switch event {
                case .reply(let call, let parameters, _): answers[call] = .success(parameters)
                case .failed(let call, let error): answers[call] = .failure(error)
                case .closed(.refused(let error), _): answers[id] = .failure(error)
                case .closed: break
                }
            }
        }
    }

    /// Sends SaveState with `count` bytes without ever holding them; answers how many bytes went out.
    func saveState(bytes count: Int) -> Int {
        var sent = 0
        func write(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                do {
                    let taken = try socket.write(Array(rest).span)
                    sent += taken
                    rest = rest.dropFirst(taken)
                    if !rest.isEmpty { _ = try socket.wait(writing: true, timeout: nil) }
                } catch {
                    return false
                }
            }
            return true
        }
        let head = #"{"method":"io.torpor.Worker.SaveState","parameters":{"state":{"text":""#
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 64 << 10)
        var isTaken = write(Array(head.utf8))
        var left = count
        while isTaken, left > 0 {
            isTaken = write(Array(chunk.prefix(left)))
            left -= min(left, chunk.count)
        }
        if isTaken { _ = write(Array(#""}}}"#.utf8) + [0]) }
        return sent
    }

    /// The next message as text, whatever it is; nil at the end.
    func rawAnswer() -> String? {
        var bytes: [UInt8] = []
        while true {
            _ = try? socket.wait(writing: false, timeout: nil)
            do {
                guard let count = try socket.read(into: &buffer) else { continue }
                guard count > 0 else { return nil }
                bytes += buffer.prefix(count)
            } catch {
                return nil
            }
            if let end = bytes.firstIndex(of: 0) { return String(decoding: bytes[..<end], as: UTF8.self) }
        }
    }
}
