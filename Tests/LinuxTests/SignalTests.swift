import Testing

@testable import Linux

@Suite struct `Signals` {
    struct Reading: Sendable {
        let text: String
        let number: Int32?
    }

    @Test(arguments: [
        Reading(text: "SIGTERM", number: 15), Reading(text: "TERM", number: 15),
        Reading(text: "term", number: 15),
        Reading(text: "sigHup", number: 1), Reading(text: "15", number: 15), Reading(text: "64", number: 64),
        Reading(text: "RTMIN", number: 34), Reading(text: "SIGRTMIN+3", number: 37),
        Reading(text: "RTMAX", number: 64), Reading(text: "SIGRTMAX-1", number: 63),
        Reading(text: "RTMIN+30", number: 64), Reading(text: "RTMAX-30", number: 34),
        Reading(text: "CLD", number: 17), Reading(text: "SIGPOLL", number: 29),
        Reading(text: "IOT", number: 6),
        Reading(text: "", number: nil), Reading(text: "SIG", number: nil), Reading(text: "0", number: nil),
        Reading(text: "65", number: nil), Reading(text: "-1", number: nil), Reading(text: "+9", number: nil),
        Reading(text: "9 ", number: nil), Reading(text: "SIG9", number: nil),
        Reading(text: "RTMIN+31", number: nil),
        Reading(text: "RTMIN+", number: nil), Reading(text: "RTMIN-1", number: nil),
        Reading(text: "RTMAX+1", number: nil), Reading(text: "RTMIN+-1", number: nil),
        Reading(text: "NOPE", number: nil), Reading(text: "99999999999999999999", number: nil),
        Reading(text: "SIGSIGTERM", number: nil), Reading(text: "TERM\0", number: nil),
    ])
    func `are read by name, number and distance from either end`(_ reading: Reading) {
        #expect(Signal(reading.text)?.rawValue == reading.number)
    }

    @Test func `are written so that they are read back`() throws {
        for number in Int32(1)...64 {
            let signal = try #require(Signal(rawValue: number))
            #expect(Signal(signal.description) == signal)
        }
        #expect(Signal(rawValue: 9)?.description == "SIGKILL")
        #expect(Signal(rawValue: 34)?.description == "SIGRTMIN")
        #expect(Signal(rawValue: 64)?.description == "SIGRTMIN+30")
        #expect(Signal(rawValue: 33)?.description == "33")
    }

    @Test func `can be caught, all but four`() {
        #expect(Signal.catchable.count == 60)
        #expect(!Signal.catchable.contains(.kill))
        #expect(!Signal.catchable.contains(.stop))
    }

    @Test(arguments: [0, -1, Int32.min])
    func `never go to what kill would take for everyone`(_ pid: Int32) {
        #expect(throws: LinuxError.self) { try Signal.terminate.send(toProcess: pid) }
        #expect(throws: LinuxError.self) { try Signal.terminate.send(toGroup: pid) }
        #expect(throws: LinuxError.self) { try Signal.terminate.send(toGroup: 1) }
    }

    @Test func `to nobody say so`() {
        let error = #expect(throws: LinuxError.self) { try Signal.terminate.send(toProcess: Int32.max) }
        #expect(error?.description == "kill process 2147483647: No such process")
    }
}
