import Testing

@testable import Linux

@Suite struct `Memory pressure` {
    @Test func `is read from the kernel's text, whatever surrounds it`() {
        let some = "some avg10=1.25 avg60=0.50 avg300=0.00 total=12\n"
        let full = "full avg10=0.00 avg60=0.00 avg300=0.00 total=3\n"
        let stall = MemoryStall(parsing: some + full)
        #expect(stall?.some == 1.25 && stall?.full == 0)
        #expect(MemoryStall(parsing: "new avg10=7\n" + some + full) == stall)
        for text in ["", "some\nfull\n", some, full, "some avg10=x\n" + full, "\n \n"] {
            #expect(MemoryStall(parsing: text) == nil)
        }
    }
}
