import ControlAPI
import Testing
import Varlink

/// What is taken as options of a launch.
@Suite struct `Options of a launch` {
    @Test(
        arguments: [
            ("{}", nil), (#"{"mode":"night","deep":{"a":[1,2.5,null]}}"#, nil),
            ("", LaunchOptions.Problem.notJSON), ("{", .notJSON), ("{}x", .notJSON), ("mode=night", .notJSON),
            ("[]", .notObject), ("1", .notObject), ("null", .notObject), (#""x""#, .notObject),
            (#"{"a":""# + String(repeating: "x", count: 40_000) + #""}"#, .tooLong),
            (#"{"a":""# + String(repeating: "x", count: (32 << 10) - 8) + #""}"#, nil),
            (#"{"a":""# + String(repeating: "x", count: (32 << 10) - 7) + #""}"#, .tooLong),
        ] as [(String, LaunchOptions.Problem?)])
    func `are an object of bounded length`(text: String, problem: LaunchOptions.Problem?) {
        do throws(LaunchOptions.Problem) {
            let options = try LaunchOptions(parsing: text)
            #expect(problem == nil, "\(text.prefix(40))")
            #expect(options.text == text)
        } catch {
            #expect(error == problem, "\(text.prefix(40))")
        }
    }

    @Test func `are measured as they are passed on`() {
        // A control character takes six bytes.
        let long = JSON.object(["a": .string(String(repeating: "\u{1}", count: 6_000))])
        #expect(throws: LaunchOptions.Problem.tooLong) { try LaunchOptions(long) }
    }
}
