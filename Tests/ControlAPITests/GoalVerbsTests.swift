import ControlAPI
import Testing
import Varlink

/// What is written by hand for the verbs that set goals, held against what `Codable` makes of the same types.
@Suite struct `The verbs that set goals` {
    typealias API = SupervisorInterface

    @Test(arguments: [
        API.GoalParameters(names: []), API.GoalParameters(names: ["a", "b*"], wait: true),
        API.GoalParameters(names: ["a"], wait: false, timeoutMs: .max),
    ])
    func `read their parameters as Codable does`(_ parameters: API.GoalParameters) throws {
        let object = try #require(try JSON(encoding: parameters).object)
        #expect(try API.GoalParameters(reading: object) == parameters)
        var withNulls = object
        for key in ["wait", "timeoutMs"] where withNulls[key] == nil { withNulls[key] = .null }
        #expect(try API.GoalParameters(reading: withNulls) == parameters)
    }

    @Test(
        arguments: [
            ("names", [:]), ("names", ["names": 1]), ("names", ["names": ["a", 1]]),
            ("wait", ["names": [], "wait": "yes"]), ("timeoutMs", ["names": [], "timeoutMs": 1.5]),
        ] as [(String, JSON.Object)])
    func `name what does not fit`(_ field: String, _ object: JSON.Object) throws {
        #expect(throws: JSON.Mismatch.self) { try API.GoalParameters(reading: object) }
        do { _ = try API.GoalParameters(reading: object) } catch { #expect(error.path == field) }
    }

    @Test(arguments: [
        [], [API.GoalResult(name: "a\n", state: .active, goal: .suspended, reached: false)],
        [
            API.GoalResult(name: "a", state: .notRunning, goal: .notRunning, reached: true),
            API.GoalResult(
                name: "b", state: .background, goal: .inactive, wanted: .active, reached: false,
                error: "io.x.E",
                message: "m"),
        ],
    ])
    func `write their replies as Codable does`(_ results: [API.GoalResult]) throws {
        let reply = API.GoalReply(results: results)
        for continues in [false, true] {
            let encoded = try EncodedMessage(reply: reply, continues: continues)
            #expect(reply.message(continues: continues) == encoded)
        }
    }
}
