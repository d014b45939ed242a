import Systemd
import TestSupport
import Testing

@Suite struct `Notify message` {
    /// A message and what it must be read as.
    struct Reading: CustomTestStringConvertible {
        let text: String
        var phase: NotifyMessage.Phase?
        var rejected = 0
        var testDescription: String { text.debugDescription }
    }

    static let phases: [Reading] = [
        Reading(text: ""),
        Reading(text: "\n\n\n"),
        Reading(text: "READY=1", phase: .ready),
        Reading(text: "READY=1\n", phase: .ready),
        Reading(text: "\nSTATUS=up\n\nREADY=1\n", phase: .ready),
        Reading(text: "READY=1\0", phase: .ready),
        Reading(text: "READY=1\r\nSTATUS=up\r\n", phase: .ready),
        Reading(text: "RELOADING=1\nMONOTONIC_USEC=17", phase: .reloading),
        Reading(text: "STOPPING=1", phase: .stopping),
        Reading(text: "READY=1\nRELOADING=1", phase: .reloaded),
        Reading(text: "RELOADING=1\nREADY=1", phase: .reloaded),
        Reading(text: "STOPPING=1\nREADY=1", phase: .stopping),
        Reading(text: "READY=1\nSTOPPING=1", phase: .stopping),
        Reading(text: "RELOADING=1\nSTOPPING=1\nREADY=1", phase: .stopping),
        Reading(text: "READY=1\nREADY=1", phase: .ready),
        Reading(text: "READY=0", rejected: 1),
        Reading(text: "READY=11", rejected: 1),
        Reading(text: "READY=1 ", rejected: 1),
        Reading(text: " READY=1"),
        Reading(text: "ready=1"),
        Reading(text: "XREADY=1"),
        Reading(text: "READY", rejected: 1),
        Reading(text: "READY=", rejected: 1),
        Reading(text: "=1", rejected: 1),
        Reading(text: "STATUS=READY=1"),
        Reading(text: "READY=0\nREADY=1", phase: .ready, rejected: 1),
        Reading(text: "garbage\nREADY=1\n%&/()", phase: .ready, rejected: 2),
    ]

    @Test(arguments: phases) func `says which phase it means`(reading: Reading) throws {
        let message = try NotifyMessage(parsing: reading.text.utf8)
        #expect(message.phase == reading.phase)
        #expect(message.rejected.count == reading.rejected)
    }

    /// A numeric field's text and the value that it must give, nil for none.
    struct Number: CustomTestStringConvertible {
        let text: String
        var value: Int64?
        var testDescription: String { text.debugDescription }
    }

    static let numbers: [Number] = [
        Number(text: "0", value: 0),
        Number(text: "1", value: 1),
        Number(text: "30000000", value: 30_000_000),
        Number(text: "9223372036854775807", value: NotifyMessage.longest),
        Number(text: "18446744073709551615", value: NotifyMessage.longest),
        Number(text: "18446744073709551616"),
        Number(text: "99999999999999999999999999"),
        Number(text: ""),
        Number(text: "-1"),
        Number(text: "+1"),
        Number(text: " 1"),
        Number(text: "1 "),
        Number(text: "01"),
        Number(text: "0x10"),
        Number(text: "1.5"),
        Number(text: "1s"),
        Number(text: "infinity"),
        Number(text: "١"),
    ]

    @Test(arguments: numbers) func `takes spans as plain numbers or not at all`(number: Number) throws {
        let message = try NotifyMessage(
            parsing:
                "EXTEND_TIMEOUT_USEC=\(number.text)\nWATCHDOG_USEC=\(number.text)\nMONOTONIC_USEC=\(number.text)"
                .utf8)
        #expect(message.extendTimeout == number.value)
        #expect(message.watchdogPeriod == number.value)
        #expect(message.monotonic == number.value)
        #expect(message.rejected.count == (number.value == nil ? 3 : 0))
    }

    @Test func `never asks for a span that overflows the clock`() {
        let (_, overflow) = NotifyMessage.longest.addingReportingOverflow(Int64.max / 4)
        #expect(!overflow)
    }

    @Test(
        arguments: [
            ("1", 1), ("2147483647", 2_147_483_647), ("0", nil), ("-1", nil), ("2147483648", nil),
            ("12 ", nil),
        ] as [(String, Int32?)])
    func `takes a main process that can be one`(text: String, pid: Int32?) throws {
        let message = try NotifyMessage(parsing: "MAINPID=\(text)".utf8)
        #expect(message.mainPID == pid)
        #expect(message.rejected.isEmpty == (pid != nil))
    }

    @Test(
        arguments: [("0", 0), ("2", 2), ("4095", 4095), ("4096", nil), ("ENOENT", nil)] as [(String, Int32?)])
    func `takes an errno that can be one`(text: String, number: Int32?) throws {
        #expect(try NotifyMessage(parsing: "ERRNO=\(text)".utf8).errno == number)
    }

    @Test(arguments: [("1", true), ("0", false), ("2", nil), ("yes", nil), ("", nil)] as [(String, Bool?)])
    func `takes whether a worker is in use`(text: String, isInUse: Bool?) throws {
        let message = try NotifyMessage(parsing: "X_TORPOR_IN_USE=\(text)".utf8)
        #expect(message.isInUse == isInUse && message.rejected.isEmpty == (isInUse != nil))
    }

    @Test func `reads every field it knows`() throws {
        let message = try NotifyMessage(
            parsing: """
                STATUS=a=b: ü
                BUSERROR=org.example.Failed
                WATCHDOG=trigger
                X_TORPOR_COMPLETE=1
                FDSTORE=1
                FDNAME=db socket
                FDPOLL=0
                X_MINE=1=2
                """.utf8)
        #expect(message.status == "a=b: ü")
        #expect(message.busError == "org.example.Failed")
        #expect(message.watchdog == .trigger)
        #expect(message.isCallbackComplete)
        #expect(message.storage == .store(name: "db socket", polled: false))
        #expect(message.unknown == [NotifyMessage.Field(name: "X_MINE", value: "1=2")])
        #expect(message.rejected.isEmpty)
        #expect(message.lineCount == 8)
        #expect(!message.isBarrier)
    }

    @Test func `an empty status takes the last one back`() throws {
        #expect(try NotifyMessage(parsing: "STATUS=".utf8).status?.isEmpty == true)
        #expect(try NotifyMessage(parsing: "READY=1".utf8).status == nil)
    }

    @Test func `of a value given twice the first counts`() throws {
        let message = try NotifyMessage(parsing: "STATUS=a\nSTATUS=b\nMAINPID=x\nMAINPID=7".utf8)
        #expect(message.status == "a")
        #expect(message.mainPID == 7)
        #expect(message.rejected.map(\.line) == ["STATUS=b", "MAINPID=x"])
    }

    @Test(
        arguments: [
            ("WATCHDOG=1", .alive), ("WATCHDOG=trigger", .trigger), ("WATCHDOG=0", nil),
            ("WATCHDOG=Trigger", nil),
        ] as [(String, NotifyMessage.Watchdog?)])
    func `tells a watchdog's life from its trigger`(text: String, watchdog: NotifyMessage.Watchdog?) throws {
        #expect(try NotifyMessage(parsing: text.utf8).watchdog == watchdog)
    }

    @Test(
        arguments: [
            ("FDSTORE=1", .store(name: "stored", polled: true)),
            ("FDSTORE=1\nFDNAME=", .store(name: "", polled: true)),
            ("FDNAME=x\nFDSTORE=1", .store(name: "x", polled: true)),
            ("FDSTORE=1\nFDNAME=a:b", .store(name: "stored", polled: true)),
            ("FDSTORE=1\nFDNAME=tab\t", .store(name: "stored", polled: true)),
            ("FDSTORE=1\nFDNAME=ü", .store(name: "stored", polled: true)),
            ("FDSTORE=1\nFDPOLL=1", .store(name: "stored", polled: true)),
            ("FDSTORE=1\nFDPOLL=0", .store(name: "stored", polled: false)),
            ("FDSTOREREMOVE=1\nFDNAME=x", .remove(name: "x")),
            ("FDSTOREREMOVE=1\nFDSTORE=1\nFDNAME=x", .remove(name: "x")),
            ("FDSTOREREMOVE=1", nil),
            ("FDSTOREREMOVE=1\nFDNAME=a:b", nil),
            ("FDSTORE=2", nil),
            ("FDNAME=x", nil),
        ] as [(String, NotifyMessage.Storage?)])
    func `says what to do with the store`(text: String, storage: NotifyMessage.Storage?) throws {
        #expect(try NotifyMessage(parsing: text.utf8).storage == storage)
    }

    @Test func `names for descriptors are short plain ASCII`() {
        #expect(NotifyMessage.isDescriptorName(String(repeating: "x", count: 255)))
        #expect(!NotifyMessage.isDescriptorName(String(repeating: "x", count: 256)))
        #expect(NotifyMessage.isDescriptorName(" ~"))
        #expect(!NotifyMessage.isDescriptorName("\u{7f}"))
    }

    @Test func `is dropped beyond 4096 bytes and not before`() throws {
        let longest = "READY=1\nSTATUS=" + String(repeating: "s", count: 4096 - 15)
        #expect(try NotifyMessage(parsing: longest.utf8).phase == .ready)
        #expect(throws: NotifyDrop.tooLong(bytes: 4097)) { try NotifyMessage(parsing: (longest + "s").utf8) }
    }

    @Test(arguments: ["\0READY=1", "READY=1\0\0", "READY=1\0STATUS=x", "STATUS=\0\nREADY=1"])
    func `is dropped for a NUL before its last byte`(text: String) {
        #expect(throws: NotifyDrop.innerNUL) { try NotifyMessage(parsing: text.utf8) }
    }

    @Test func `leaves out what is not UTF-8 and nothing else`() throws {
        let message = try NotifyMessage(
            parsing: Array("STATUS=".utf8) + [0xff, 0xfe] + Array("\nREADY=1".utf8))
        #expect(message.phase == .ready)
        #expect(message.status == nil)
        #expect(message.rejected.map(\.reason) == ["is not UTF-8"])
    }

    @Test func `keeps a bounded number of strange fields and complaints`() throws {
        let message = try NotifyMessage(
            parsing: (String(repeating: "A=\n", count: 500) + String(repeating: "?\n", count: 500)).utf8)
        #expect(message.unknown.count == NotifyMessage.keptLimit)
        #expect(message.rejected.count == NotifyMessage.keptLimit)
        let long = try NotifyMessage(parsing: String(repeating: "x", count: 4000).utf8)
        #expect(long.rejected.map(\.line.count) == [NotifyMessage.Rejected.lineLimit])
    }

    @Test func `random bytes are read or dropped, and never trap`() {
        var generator = SplitMix64(seed: 4)
        let pieces = [
            "READY=1", "FDNAME=", "MAINPID=", "=", "\n", "\r", "\0", "ü", "BARRIER=1", "99999999999999999999",
        ]
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<12, using: &generator) {
                if Bool.random(using: &generator) {
                    bytes += Array((pieces.randomElement(using: &generator) ?? "").utf8)
                } else {
                    bytes.append(UInt8.random(in: 0...255, using: &generator))
                }
            }
            guard let message = try? NotifyMessage(parsing: bytes) else { continue }
            #expect(message.lineCount <= bytes.count)
        }
    }
}
