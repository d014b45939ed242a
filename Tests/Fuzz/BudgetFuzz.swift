// The fuzz target for supplies of power, for the pressure on resources, and for what a predecessor has left of budgets and low-power mode.
import Budgeting
import Lifecycle
import Processing
import SnapshotCoding

/// One input: the files of a supply as `NAME=CONTENT` lines, the text of low-power mode, and a record, all at once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzBudget(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let text = String(decoding: bytes, as: UTF8.self)
    var files: [String: String] = [:]
    for line in text.split(separator: "\n") {
        let parts = line.split(separator: "=", maxSplits: 1)
        if parts.count == 2 { files[String(parts[0])] = String(parts[1]) }
    }
    let reading = PowerReading([PowerSupply(files)].compactMap(\.self))
    precondition(reading.charge.map { (0...100).contains($0) } ?? true, "no percentage")
    precondition(reading.hasBattery || !reading.isOnBattery, "on a battery that is not there")
    if let mode = LowPowerMode(text, threshold: 20) {
        precondition(LowPowerMode(mode.text, threshold: 20) == mode, "written otherwise than read")
    }
    if let pressure = PressureAverages(text) {
        for share in [pressure.tenSeconds, pressure.minute, pressure.fiveMinutes] {
            precondition((0...10_100).contains(share), "no share")
        }
    }
    let now = Instant.zero + .seconds(100_000)
    var standings = RecordReader(bytes[...], latest: now.microseconds)
    if let standing = try? ProcessingStanding(&standings, nil) {
        precondition(standing.began.map { $0 <= now } ?? true, "began in the future")
    }
    var reader = RecordReader(bytes[...], latest: now.microseconds)
    if let budget = try? WakeBudget(&reader, nil) {
        precondition(budget.wakes >= 0 && budget.awake(at: now) >= .zero, "less than nothing was used")
        var next = budget
        _ = next.mayWake(.path, "a", .resting, .usual, at: now)
        _ = next.takeDue(.usual, at: now)
        next.stands(.foreground, at: now)
        precondition(next.kept.allSatisfy { $0.reason == .fetch }, "kept although it is awake")
    }
    return 0
}
