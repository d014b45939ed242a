internal import ControlAPI
internal import Lifecycle
internal import Varlink
internal import WorkerFile

/// What operators hand to workers: URLs, and time.
extension OperatorService {
    // MARK: URLs

    func open(
        _ parameters: API.Open.Parameters, by peer: Peer, _ responder: Responder
    ) throws(MethodError) {
        let url = parameters.url
        guard let scheme = URLText(url)?.scheme else { throw .invalidParameter("url") }
        guard let entry = roster.opener(of: scheme) else { throw API.noSuchScheme(scheme: scheme) }
        if daemon?.isShuttingDown ?? false { throw API.shuttingDown }
        let name = entry.name
        let answer: @Sendable (DeliveryOutcome) -> Void = { outcome in
            switch outcome {
            case .taken: responder.reply(API.Open.Reply(worker: name))
            case .failed: responder.fail(API.refused(name: name, why: "it did not take the URL"))
            case .refused(let refusal):
                responder.fail(API.refused(name: name, why: refusal.sentence))
            }
        }
        let id = entry.id
        responder.note = ["worker": .string(name)]
        supervisor.assumeIsolated { $0.open(url, with: id, then: answer) }
    }

    /// Waits on for what becomes of a URL.
    func openOn(
        _ parameters: API.Open.Parameters, _ note: JSON.Object, _ responder: Responder
    ) throws(MethodError) {
        guard let name = note["worker"]?.string, let entry = roster[name] else { throw API.shuttingDown }
        let (id, url) = (entry.id, parameters.url)
        let answer: @Sendable (DeliveryOutcome) -> Void = { outcome in
            switch outcome {
            case .taken: responder.reply(API.Open.Reply(worker: name))
            case .failed: responder.fail(API.refused(name: name, why: "it did not take the URL"))
            case .refused(let refusal): responder.fail(API.refused(name: name, why: refusal.sentence))
            }
        }
        let isThere = supervisor.assumeIsolated { $0.awaitOutcome(of: .url(url), for: id, then: answer) }
        guard isThere else { throw API.refused(name: name, why: "the supervisor was replaced meanwhile") }
    }

    // MARK: holding

    /// Goes on holding.
    func holdOn(
        _ parameters: API.Hold.Parameters, _ note: JSON.Object, by peer: Peer, _ responder: Responder
    ) throws(MethodError) {
        let id = try known(parameters.name).id
        guard let token = note["token"]?.int.flatMap({ UInt32(exactly: $0) }) else {
            return try hold(parameters, by: peer, responder)
        }
        responder.note = note
        let requester = Requester.operator(uid: peer.uid, pid: peer.pid)
        responder.onClose { [weak self] in
            _ = responder
            self?.supervisor.assumeIsolated { $0.endTask(token, of: id, by: requester) }
        }
    }

    func hold(
        _ parameters: API.Hold.Parameters, by peer: Peer, _ responder: Responder
    ) throws(MethodError) {
        let entry = try known(parameters.name)
        let (id, name) = (entry.id, entry.name)
        let requester = Requester.operator(uid: peer.uid, pid: peer.pid)
        let answer: @Sendable (TaskAnswer, UInt32, TimeSpan?, Int) -> Void = {
            [weak self] answer, token, left, limit in
            switch answer {
            case .began:
                responder.note = ["token": .int(Int64(token))]
                responder.onClose { [weak self] in
                    // Kept until then: the call goes on.
                    _ = responder
                    self?.supervisor.assumeIsolated { $0.endTask(token, of: id, by: requester) }
                }
                responder.more(API.Hold.Reply(remainingUsec: left?.microseconds))
            case .tooMany:
                responder.fail(
                    API.refused(name: name, why: "it has \(limit) background tasks, which is the most"))
            case .ending: responder.fail(API.refused(name: name, why: "it is about to end"))
            case .notRunning, .duplicate, .noSuchTask, .ended:
                responder.fail(API.refused(name: name, why: Refusal.notRunning.sentence))
            }
        }
        let purpose = String((parameters.purpose ?? "hold").prefix(256))
        supervisor.assumeIsolated { $0.beginTask(purpose, of: id, by: requester, then: answer) }
    }
}

/// A URL, as far as it has to be understood to find who opens it (RFC 3986).
struct URLText {
    /// The scheme, in lower case.
    let scheme: String

    /// Nil for what is no URL: no scheme before a colon, characters that no URL has, more than 64 KiB.
    init?(_ text: String) {
        guard text.utf8.count <= 64 << 10, let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
        else { return nil }
        let scheme = text[..<colon].lowercased()
        guard let first = scheme.utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
            scheme.utf8.allSatisfy({ byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
            })
        else { return nil }
        self.scheme = scheme
    }
}
