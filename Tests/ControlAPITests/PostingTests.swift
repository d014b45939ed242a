import ControlAPI
import TestSupport
import Testing
import Varlink

@Suite struct `A post` {
    private typealias API = SupervisorInterface

    private static let whole = API.Post.Parameters(
        names: ["a*", "b"], topic: "t", payload: ["p": [1, 2.5]], rule: .set, added: ["x"], removed: [],
        wake: true, foreground: false,
        at: 1, everyUsec: 2, transient: false)

    @Test(arguments: [whole, API.Post.Parameters(names: [], topic: "")])
    func `is read by hand as Codable reads it`(_ parameters: SupervisorInterface.Post.Parameters) throws {
        let object = try #require(try JSON(encoding: parameters).object)
        #expect(try API.Post.Parameters(reading: object) == parameters)
    }

    @Test(
        arguments: [
            (["topic": "t"], "names"), (["names": ["a"]], "topic"), (["names": [1], "topic": "t"], "names"),
            (["names": ["a"], "topic": 1], "topic"),
            (["names": ["a"], "topic": "t", "rule": "never"], "rule"),
            (["names": ["a"], "topic": "t", "payload": [1]], "payload"),
            (["names": ["a"], "topic": "t", "at": "now"], "at"),
            (["names": ["a"], "topic": "t", "x": 1], "x"),
        ] as [(JSON.Object, String)])
    func `is refused with the field that does not hold`(_ object: JSON.Object, _ field: String) {
        let mismatch = #expect(throws: JSON.Mismatch.self) { try API.Post.Parameters(reading: object) }
        #expect(mismatch?.path == field)
    }

    @Test func `is answered by hand as Codable answers it`() throws {
        let reply = API.Post.Reply(results: [
            .init(name: "a", sequence: 1, schedule: 2, obstacle: .full, message: "m"), .init(name: "b"),
        ])
        #expect(try JSON(encoding: reply) == .object(reply.json))
    }
}
