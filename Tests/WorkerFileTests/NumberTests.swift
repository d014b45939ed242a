import Lifecycle
import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

// The expectations were compared with systemd 252's own functions.
@Suite struct `Numbers` {
    struct Row<Value: Sendable>: Sendable, CustomTestStringConvertible {
        let text: String, value: Value?
        init(_ text: String, _ value: Value?) {
            self.text = text
            self.value = value
        }
        var testDescription: String { String(reflecting: text) }
    }

    @Test(arguments: [
        Row("yes", true), Row("Y", true), Row("TRUE", true), Row("t", true), Row("on", true), Row("1", true),
        Row("no", false), Row("N", false), Row("off", false), Row("f", false), Row("0", false),
        Row("ye", nil), Row("2", nil), Row("", nil), Row("yes ", nil), Row("no no", nil),
    ])
    func `booleans`(_ row: Row<Bool>) {
        #expect((try? Bool(parsing: row.text)) == row.value)
    }

    @Test(arguments: [
        Row("10", 10), Row("010", 8), Row("0x10", 16), Row("0b11", 3), Row("0o17", 15), Row("+5", 5),
        Row("-5", -5),
        Row("0", 0), Row("08", nil), Row("5x", nil), Row("x5", nil), Row("1_0", nil), Row("", nil),
        Row("-", nil),
        Row("+-5", nil), Row("0x", nil), Row("0x-1", nil), Row("9999999999999999999", nil), Row("٣", nil),
    ])
    func `integers`(_ row: Row<Int>) {
        #expect(Int(systemd: row.text) == row.value)
    }

    @Test(arguments: [
        Row("50", 50_000_000), Row("1h 30min", 5_400_000_000), Row("5 6", 11_000_000), Row(".5", 500_000),
        Row("+5", 5_000_000), Row("1h30", 3_630_000_000), Row("5min 3s", 303_000_000),
        Row("1y", 31_557_600_000_000),
        Row("1.5M", 3_944_700_000_000), Row("0.1us", 0), Row("61.5s", 61_500_000), Row("1500ms", 1_500_000),
        Row("2 hours 1 minute", 7_260_000_000), Row("3µs 4μs", 7), Row("1w1d", 691_200_000_000), Row("0", 0),
        Row("1month", 2_629_800_000_000), Row("7m", 420_000_000), Row("12.34 .56", 12_900_000),
        Row("1 x", nil), Row("5 s s", nil), Row("-1", nil), Row("3.sec", nil), Row("3.", nil),
        Row("12.34.56", nil),
        Row("s", nil), Row("", nil), Row(" ", nil), Row("x5s", nil), Row("5xs", nil), Row("5sx", nil),
        Row("5S", nil), Row("99999999999y", nil), Row("9223372036854775808us", nil), Row("infinity", nil),
    ])
    func `time spans`(_ row: Row<Int64>) {
        #expect((try? TimeSpan(parsing: row.text))?.microseconds == row.value)
    }

    @Test(arguments: [
        Row("infinity", TimeLimit.infinity), Row("5", .after(.seconds(5))), Row("infinity 5", nil),
        Row("inf", nil),
    ])
    func `time limits`(_ row: Row<TimeLimit>) {
        #expect((try? TimeLimit(parsing: row.text)) == row.value)
    }

    struct Written: Sendable {
        let microseconds: Int64, accuracy: Int64, text: String
    }

    @Test(arguments: [
        Written(microseconds: 0, accuracy: 1, text: "0"), Written(microseconds: 1, accuracy: 1, text: "1us"),
        Written(microseconds: 1500, accuracy: 1, text: "1.500ms"),
        Written(microseconds: 1500, accuracy: 1000, text: "1ms"),
        Written(microseconds: 61_500_000, accuracy: 1, text: "1min 1.500000s"),
        Written(microseconds: 61_500_000, accuracy: 1_000_000, text: "1min 1s"),
        Written(microseconds: 303_000_000, accuracy: 1, text: "5min 3s"),
        Written(microseconds: 59_999_999, accuracy: 1_000_000, text: "59s"),
        Written(microseconds: 3_888_000_000_000, accuracy: 1, text: "1month 2w 13h 30min"),
        Written(microseconds: -5, accuracy: 1, text: "0"),
    ])
    func `time spans are written as systemd writes them`(_ row: Written) {
        let span = TimeSpan(microseconds: row.microseconds)
        #expect(span.written(accuracy: TimeSpan(microseconds: row.accuracy)) == row.text)
    }

    @Test(arguments: [
        Written(microseconds: 1_654_516_000, accuracy: 0, text: "27min 34s"),
        Written(microseconds: 59_999_400, accuracy: 0, text: "59.999s"),
        Written(microseconds: 60_000_999, accuracy: 0, text: "1min"),
        Written(microseconds: 90_061_000_000, accuracy: 0, text: "1d 1h 1min 1s"),
        Written(microseconds: -1, accuracy: 0, text: "0"),
    ])
    func `time spans are as fine as their length makes sensible`(_ row: Written) {
        #expect(TimeSpan(microseconds: row.microseconds).legible == row.text)
    }

    @Test(arguments: [
        Row("1G", 1 << 30), Row("1G 500M", 1_598_029_824), Row("1.5K", 1536), Row("1 K", 1024),
        Row("1.K", 1024),
        Row("10B", 10), Row("+5", 5), Row("1G5", 1_073_741_829), Row("1.0000000000000000000000001K", 1024),
        Row("15.5E", 17_870_283_321_406_128_128), Row("0", 0),
        Row("1GB", nil), Row("K", nil), Row("5 5", nil), Row(".5G", nil), Row("1M1G", nil), Row("1g", nil),
        Row("0x10", nil), Row("16E", nil), Row("-1", nil), Row("", nil), Row("x1G", nil), Row("1xG", nil),
        Row("1Gx", nil),
        Row("6\u{212A}", nil),
    ])
    func `sizes`(_ row: Row<UInt64>) {
        #expect((try? ByteSize(parsing: row.text))?.bytes == row.value)
    }

    @Test(
        arguments: [
            Row("0B", 0), Row("1023B", 1023), Row("1.0K", 1024), Row("1.5K", 1536), Row("1023.9K", 1_048_575),
            Row("3.1G", 3_355_443_200), Row("15.9E", .max),
        ] as [Row<UInt64>])
    func `sizes are written as systemd writes them`(_ row: Row<UInt64>) throws {
        #expect(ByteSize(bytes: try #require(row.value)).written == row.text)
    }

    @Test(arguments: [
        Row("50%", 5000), Row("12.5%", 1250), Row("12.55%", 1255), Row("100%", 10_000), Row("5‰", 50),
        Row("5‱", 5),
        Row("0%", 0), Row("12.555%", nil), Row("101%", nil), Row("-1%", nil), Row("5.%", nil), Row("5", nil),
        Row("%", nil), Row("5%%", nil), Row("x5%", nil), Row("99999999999999999999%", nil),
    ])
    func `percentages`(_ row: Row<Int>) {
        #expect((try? Share(parsing: row.text))?.permyriad == row.value)
    }

    @Test func `a share of the biggest number does not overflow`() {
        #expect(Share.percent(100).of(.max) == .max)
        #expect(Share.percent(50).of(8 << 30) == 4 << 30)
    }

    @Test(arguments: [
        Row("6G", MemoryLimit.bytes(ByteSize(bytes: 6 << 30))), Row("10%", .share(.percent(10))),
        Row("infinity", .infinity),
        Row("0", nil), Row("0%", nil), Row("-1", nil), Row("6GB", nil),
    ])
    func `memory limits`(_ row: Row<MemoryLimit>) {
        #expect((try? MemoryLimit(parsing: row.text)) == row.value)
    }

    @Test(arguments: [
        Row("10%", CPUThreshold.share(.percent(10))), Row("0.01%", .share(Share(permyriad: 1))),
        Row("10000%", .share(.percent(10_000))), Row("infinity", .infinity),
        Row("0", nil), Row("0%", nil), Row("10", nil), Row("yes", nil), Row("no", nil), Row("10001%", nil),
        Row("-1%", nil), Row("Infinity", nil), Row("", nil),
    ])
    func `thresholds of CPU usage`(_ row: Row<CPUThreshold>) {
        #expect((try? CPUThreshold(parsing: row.text)) == row.value)
    }

    @Test(arguments: [
        Row("100", CPUWeight.weight(100)), Row("idle", .idle), Row("1", .weight(1)),
        Row("10000", .weight(10_000)),
        Row("0", nil), Row("10001", nil), Row("idles", nil), Row("", nil),
    ])
    func `weights`(_ row: Row<CPUWeight>) {
        #expect((try? CPUWeight(parsing: row.text)) == row.value)
    }

    @Test(arguments: [
        Row("022", 0o22), Row("7777", 0o7777), Row("10000", nil), Row("8", nil), Row("+22", nil),
        Row("0o22", nil),
        Row("", nil),
    ])
    func `modes`(_ row: Row<UInt16>) {
        #expect((try? FileMode(parsing: row.text))?.bits == row.value)
    }

    @Test(arguments: [
        Row("SIGTERM", 15), Row("TERM", 15), Row("15", 15), Row("RTMIN", 34), Row("SIGRTMIN+1", 35),
        Row("RTMAX-1", 63),
        Row("RTMIN+30", 64), Row("64", 64), Row("IO", 29), Row("STKFLT", 16),
        Row("sigterm", nil), Row("0", nil), Row("65", nil), Row("RTMIN+31", nil), Row("SIG15", nil),
        Row("RTMIN+ 1", nil), Row("RTMIN+", nil), Row("RTMAX+1", nil), Row("", nil), Row("SIG", nil),
        Row("-1", nil), Row("TERM x", nil), Row("\u{212A}ILL", nil),
    ])
    func `signals`(_ row: Row<Int32>) {
        #expect((try? SignalNumber(parsing: row.text))?.number == row.value)
    }

    @Test func `every signal is read back by its name`() throws {
        for number in Array(1...31) + Array(34...64) as [Int32] {
            let signal = SignalNumber(number: number)
            #expect(try SignalNumber(parsing: signal.description) == signal)
        }
    }

    struct LimitRow: Sendable {
        let resource: ResourceLimit.Resource, text: String
        var limit: ResourceLimit?
    }

    @Test(arguments: [
        LimitRow(resource: .openFiles, text: "1024:2048", limit: .init(soft: 1024, hard: 2048)),
        LimitRow(resource: .openFiles, text: "infinity", limit: .init(soft: nil, hard: nil)),
        LimitRow(resource: .openFiles, text: "0x10", limit: .init(soft: 16, hard: 16)),
        LimitRow(resource: .lockedMemory, text: "1K:1G", limit: .init(soft: 1024, hard: 1 << 30)),
        LimitRow(resource: .cpu, text: "1.5s", limit: .init(soft: 2, hard: 2)),
        LimitRow(resource: .cpu, text: "1ms", limit: .init(soft: 1, hard: 1)),
        LimitRow(resource: .cpu, text: "1min:infinity", limit: .init(soft: 60, hard: nil)),
        LimitRow(resource: .realTimeTime, text: "5", limit: .init(soft: 5, hard: 5)),
        LimitRow(resource: .realTimeTime, text: "1ms", limit: .init(soft: 1000, hard: 1000)),
        LimitRow(resource: .nice, text: "+5", limit: .init(soft: 15, hard: 15)),
        LimitRow(resource: .nice, text: "-20", limit: .init(soft: 40, hard: 40)),
        LimitRow(resource: .nice, text: "41"), LimitRow(resource: .nice, text: "+20"),
        LimitRow(resource: .openFiles, text: "2:1"), LimitRow(resource: .openFiles, text: "infinity:5"),
        LimitRow(resource: .openFiles, text: "1:"), LimitRow(resource: .openFiles, text: ":1"),
        LimitRow(resource: .openFiles, text: "1k"), LimitRow(resource: .openFiles, text: "-1"),
        LimitRow(resource: .openFiles, text: "1:2:3"),
        LimitRow(resource: .openFiles, text: "18446744073709551615"),
    ])
    func `resource limits`(_ row: LimitRow) {
        #expect((try? ResourceLimit(parsing: row.text, for: row.resource)) == row.limit)
    }

    @Test func `exit statuses are codes, names and signals`() throws {
        var set = ExitStatusSet()
        try set.insert(parsing: "TEMPFAIL 250 SIGKILL")
        #expect(set.contains(code: 75) && set.contains(code: 250) && set.contains(signal: 9))
        #expect(!set.contains(code: 9) && !set.contains(code: 256) && !set.contains(signal: 15))
        for bad in ["256", "-1", "x", "1 x", "SIGFOO"] {
            #expect(throws: ValueError.self) { try set.insert(parsing: bad) }
        }
    }
}
