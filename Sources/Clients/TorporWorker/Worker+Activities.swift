internal import ControlAPI
internal import Varlink

extension Worker {
    /// Offers an activity that this worker does now: another worker, here or on another machine, can continue it.
    ///
    /// `type` says what kind of work it is, such as `org.example.editing`; `state`, which is encoded as a JSON object of at most 64 KiB, is what
    /// the other worker needs to continue it (``LifecycleDelegate/continueActivity(_:)``). Offered again, it replaces what was said of that type
    /// before. When another worker has taken it, the offer is over and this worker leaves the foreground; it is over with the process, too.
    /// Without a supervisor nothing is offered.
    ///
    /// - Throws: a ``WorkerError`` if there are too many offers, or too often new ones.
    public func offerActivity(
        _ type: String, title: String? = nil, state: some Encodable & Sendable
    ) async throws(WorkerError) {
        let payload = try Self.state(of: state)
        guard let link = try link() else { return }
        link.post { $0.setQuestion(type, nil) }
        _ = try await call(
            WorkerInterface.OfferActivity.self, .init(type: type, title: title, payload: payload))
    }

    /// The same where the state is asked for when the activity is handed over; while callbacks are served.
    ///
    /// Where `state` throws, the activity stays with this worker.
    public func offerActivity<State: Encodable & Sendable>(
        _ type: String, title: String? = nil, askingFor state: @escaping @Sendable () async throws -> State
    ) async throws(WorkerError) {
        guard let link = try link() else { return }
        link.post { conversation in
            conversation.setQuestion(type) { [weak self] number in
                // The thread of the connection waits for no program.
                Task { await self?.answer(number, state) }
            }
        }
        _ = try await call(WorkerInterface.OfferActivity.self, .init(type: type, title: title, asks: true))
    }

    /// Takes back the offer of an activity; all offers where no type is given.
    public func withdrawActivity(_ type: String? = nil) async throws(WorkerError) {
        guard isSupervised else { return }
        _ = try await call(WorkerInterface.WithdrawActivity.self, .init(type: type))
    }

    private func answer(_ number: Int64, _ state: @Sendable () async throws -> some Encodable & Sendable)
        async
    {
        var parameters = WorkerInterface.AnswerActivity.Parameters(number: number)
        do { parameters.payload = try Self.state(of: try await state()) } catch {
            parameters.failure = "\(error)"
        }
        // Ignoring an error: the question is not open any more, and the activity stays here.
        _ = try? await call(WorkerInterface.AnswerActivity.self, parameters)
    }

    private static func state(of state: some Encodable) throws(WorkerError) -> JSON {
        do throws(JSON.Mismatch) {
            let json = try JSON(encoding: state)
            guard json.object != nil else { throw JSON.Mismatch(path: "", expected: "an object") }
            return json
        } catch {
            throw WorkerError(.mismatch, "the state of the activity is not a JSON object: \(error)")
        }
    }
}
