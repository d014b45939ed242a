import ControlAPI
import Testing
import TorporWorkerTesting
import Varlink

@testable import TorporWorker

@Suite
struct `Saved state` {
    struct Empty: Codable, Hashable {}

    private func comesBack<Value: Codable & Equatable>(_ value: Value) throws -> Bool {
        let json = try SavedState.json(of: value)
        // An empty object would drop what was saved.
        guard let object = json.object, !object.members.isEmpty else { return false }
        return try SavedState.value(Value.self, of: json) == value
    }

    @Test func `comes back as it was, whatever it encodes itself as`() throws {
        #expect(try comesBack(Position(level: 9, name: "ä")))
        #expect(try comesBack(Empty()))
        #expect(try comesBack(7))
        #expect(try comesBack("text"))
        #expect(try comesBack([1, 2, 3]))
        #expect(try comesBack([String]()))
        #expect(try comesBack([String: Int]()))
        #expect(try comesBack(["a": 1]))
        #expect(try comesBack(["$value": 1]))
        #expect(try comesBack(["$value": ["$value": 1]]))
        #expect(try comesBack(["$value": 1, "b": 2]))
        #expect(try comesBack(Int?.none))
        #expect(try comesBack(NoState()))
    }

    @Test func `that is an object stays what it is`() throws {
        #expect(try SavedState.json(of: Position()) == ["level": 1, "name": "a"])
        #expect(try SavedState.json(of: 7) == ["$value": 7])
    }

    @Test func `that does not fit says where`() {
        #expect(throws: WorkerError.self) { try SavedState.json(of: UInt64.max) }
        let error = #expect(throws: WorkerError.self) {
            try SavedState.value(Position.self, of: ["level": 1])
        }
        #expect(error?.code == .mismatch)
        #expect(error?.description.contains("name") == true)
    }

    @Test func `is saved at any time`() async throws {
        try await withSupervisor { supervisor, worker in
            try await worker.saveState(Position())
            try await worker.discardState()
            #expect(
                await supervisor.hear(2) == [.saved(0, ["level": 1, "name": "a"]), .saved(0, [:])])
        }
    }
}
