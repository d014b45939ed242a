import Foundation
import Testing

@testable import Lifecycle
@testable import Metering

@Suite struct `The text of the metrics` {
    private let now = Instant(microseconds: 100_000_000)

    private func snapshot(_ workers: [MetricsSnapshot.Worker]) -> MetricsSnapshot {
        MetricsSnapshot(
            version: "1.0", now: now, workers: workers, callbacks: [:],
            cost: .init(cpu: 1_500_000, startedAt: 1_700_000_000_250_000))
    }

    /// Each worker holds and has used the same.
    private func read(_ snapshot: MetricsSnapshot) -> MetricsSnapshot.Readings {
        var readings = MetricsSnapshot.Readings(workers: snapshot.workers.count)
        readings.memory = snapshot.workers.map { _ in 77 }
        readings.cpu = snapshot.workers.map { _ in 2_000_001 }
        readings.openDescriptors = 1
        return readings
    }

    private func text(_ snapshot: MetricsSnapshot, _ format: MetricsFormat = .openmetrics) -> [String] {
        String(decoding: MetricsText(snapshot, format).ended(with: read(snapshot)), as: UTF8.self).split(
            separator: "\n"
        ).map(String.init)
    }

    private func moved(_ from: State, _ to: State, _ cause: Transition.Cause, at second: Int64) -> Transition
    {
        Transition(
            from: from, to: to, cause: cause, notTold: [], suspendedFor: nil,
            at: Instant(microseconds: second * 1_000_000))
    }

    /// One that was launched at 10 s, slept from 20 s on, and sleeps still.
    private var sleeper: WorkerMeters {
        var meters = WorkerMeters(since: .zero)
        meters.changed(by: moved(.notRunning, .inactive, .launched(.socket), at: 10))
        meters.changed(by: moved(.inactive, .active, .goal(.wakeSource), at: 10))
        meters.changed(by: moved(.active, .inactive, .goal(.idle), at: 19))
        meters.changed(by: moved(.inactive, .background, .goal(.idle), at: 19))
        meters.changed(by: moved(.background, .suspended, .goal(.idle), at: 20))
        meters.woken(by: .socket)
        meters.gave(back: 4096)
        return meters
    }

    @Test func `has each family once, with its kind before its samples, and ends`() {
        var all = snapshot([.init(name: "web", meters: sleeper, queueLength: 3)])
        var histogram = DurationHistogram()
        histogram.count(.milliseconds(7))
        histogram.count(.seconds(31))
        all.callbacks[.didEnterBackground] = histogram
        all.memory = .init(level: "warning", available: 5)
        let lines = text(all)
        #expect(lines.last == "# EOF")
        let families = lines.filter { $0.hasPrefix("# TYPE ") }
        #expect(Set(families).count == families.count)
        // Each sample belongs to the family that was begun last.
        var family = ""
        for line in lines.dropLast() {
            if line.hasPrefix("# TYPE ") { family = String(line.split(separator: " ")[2]) }
            guard !line.hasPrefix("#") else { continue }
            #expect(line.hasPrefix(family), "\(line) after \(family)")
        }
        for expected in [
            #"torpor_build_info{version="1.0"} 1"#, #"torpor_workers{state="suspended"} 1"#,
            #"torpor_workers{state="active"} 0"#,
            #"torpor_memory_pressure{torpor_memory_pressure="warning"} 1"#,
            "torpor_memory_available_bytes 5",
            #"torpor_worker_state{worker="web",torpor_worker_state="suspended"} 1"#,
            #"torpor_worker_changes_total{worker="web",state="inactive"} 2"#,
            #"torpor_worker_state_seconds_total{worker="web",state="suspended"} 80"#,
            #"torpor_worker_state_seconds_total{worker="web",state="active"} 9"#,
            #"torpor_worker_launches_total{worker="web",reason="socket"} 1"#,
            #"torpor_worker_wakes_total{worker="web",reason="socket"} 1"#,
            #"torpor_worker_given_back_bytes_total{worker="web"} 4096"#,
            #"torpor_worker_queue_length{worker="web"} 3"#, #"torpor_worker_memory_bytes{worker="web"} 77"#,
            #"torpor_worker_cpu_seconds_total{worker="web"} 2.000001"#,
            #"torpor_callback_duration_seconds_bucket{callback="didEnterBackground",le="0.005"} 0"#,
            #"torpor_callback_duration_seconds_bucket{callback="didEnterBackground",le="0.01"} 1"#,
            #"torpor_callback_duration_seconds_bucket{callback="didEnterBackground",le="30.0"} 1"#,
            #"torpor_callback_duration_seconds_bucket{callback="didEnterBackground",le="+Inf"} 2"#,
            #"torpor_callback_duration_seconds_sum{callback="didEnterBackground"} 31.007"#,
            #"torpor_callback_duration_seconds_count{callback="didEnterBackground"} 2"#,
            "process_cpu_seconds_total 1.5", "process_start_time_seconds 1700000000.25",
        ] {
            #expect(lines.contains(expected), "\(expected)")
        }
        // What has never happened has no sample.
        #expect(!lines.contains { $0.hasPrefix("torpor_worker_ends_total") })
    }

    @Test func `has the names and kinds of the older format where that is asked for`() {
        let lines = text(snapshot([.init(name: "web", meters: sleeper)]), .prometheus)
        #expect(!lines.contains { $0.hasPrefix("# UNIT") || $0 == "# EOF" })
        for expected in [
            "# TYPE torpor_build_info gauge", "# TYPE torpor_worker_state gauge",
            "# TYPE torpor_worker_wakes_total counter", "# TYPE torpor_callback_duration_seconds histogram",
            #"torpor_worker_wakes_total{worker="web",reason="socket"} 1"#,
        ] {
            #expect(lines.contains(expected), "\(expected)")
        }
    }

    @Test func `escapes what a label's value cannot hold`() {
        let label = ExpositionWriter(.openmetrics, capacity: 0).label("worker", "a\\b\"c\nd\u{1b}é")
        #expect(String(decoding: label, as: UTF8.self) == #"worker="a\\b\"c\nd?é""#)
    }

    @Test(arguments: MetricsFormat.allCases)
    func `is a message of Varlink without being written anew`(format: MetricsFormat) throws {
        let names = ["web", "a\\b\"c\nd\u{1b}é", ""]
        var all = snapshot(names.map { .init(name: $0, meters: sleeper, queueLength: 3) })
        var histogram = DurationHistogram()
        histogram.count(.milliseconds(7))
        all.callbacks[.didEnterBackground] = histogram
        all.memory = .init(level: "warning", available: 5)
        let message = MetricsText(all, format, as: .message).ended(with: read(all))
        #expect(message.last == 0 && message.count { $0 == 0 } == 1)
        let json = try JSONSerialization.jsonObject(with: Data(message.dropLast())) as? [String: Any]
        let parameters = try #require(json?["parameters"] as? [String: Any])
        #expect(json?.count == 1 && parameters.count == 1)
        #expect(
            parameters["text"] as? String
                == String(
                    decoding: MetricsText(all, format).ended(with: read(all)), as: UTF8.self))
    }

    @Test func `has every metric that the dashboard shows`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../packaging/grafana/torpor.json")
        let dashboard = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        func expressions(_ value: Any) -> [String] {
            switch value {
            case let object as [String: Any]:
                (object["expr"] as? String).map { [$0] } ?? object.values.flatMap(expressions)
            case let array as [Any]: array.flatMap(expressions)
            default: []
            }
        }
        var all = snapshot([.init(name: "web", meters: sleeper)])
        all.memory = .init(level: "normal", available: 1)
        all.cost.resident = 1
        all.cost.mostDescriptors = 1
        var known: Set<String> = []
        for line in text(all, .prometheus) where line.hasPrefix("# TYPE ") {
            let words = line.split(separator: " ").map(String.init)
            known.insert(words[2])
            if words[3] == "histogram" {
                known.formUnion(["_bucket", "_sum", "_count"].map { words[2] + $0 })
            }
        }
        let shown = expressions(dashboard).flatMap { expression in
            expression.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
                .filter { $0.hasPrefix("torpor_") || $0.hasPrefix("process_") }
        }
        #expect(!shown.isEmpty)
        // The stateset's label has the name of its family.
        for name in Set(shown) { #expect(known.contains(name), "\(name)") }
    }

    @Test func `names so many workers and no more, and loses nothing of the others`() {
        var all = snapshot(
            (0..<7).map { .init(name: "w\($0)", meters: sleeper, queueLength: $0) })
        all.mostWorkers = 5
        let lines = text(all)
        #expect(lines.contains(#"torpor_worker_queue_length{worker="(others)"} 11"#))
        #expect(lines.contains(#"torpor_worker_memory_bytes{worker="(others)"} 154"#))
        #expect(
            lines.contains(#"torpor_worker_state_seconds_total{worker="(others)",state="suspended"} 160"#))
        #expect(lines.contains(#"torpor_worker_changes_total{worker="(others)",state="inactive"} 4"#))
        #expect(lines.contains(#"torpor_workers{state="suspended"} 7"#))
        #expect(!lines.contains { $0.contains("w5") || $0.contains("w6") })
    }

    @Test func `counts a state that a predecessor has left as no change`() {
        var meters = WorkerMeters(since: .zero)
        meters.takeOver(.suspended, at: now)
        #expect(meters.state == .suspended && meters.entries(into: .suspended) == 0)
        #expect(meters.time(in: .suspended, at: now + .seconds(3)) == .seconds(3))
        #expect(meters.time(in: .notRunning, at: now + .seconds(3)) == .zero)
    }

    @Test func `puts a duration at its bound under it`() {
        for (place, bound) in DurationHistogram.bounds.enumerated() {
            var histogram = DurationHistogram()
            histogram.count(TimeSpan(microseconds: bound.microseconds))
            histogram.count(TimeSpan(microseconds: bound.microseconds + 1))
            #expect(histogram.cumulated[place] == 1 && histogram.cumulated[place + 1] == 2)
            #expect(histogram.total == 2)
        }
        var histogram = DurationHistogram()
        histogram.count(TimeSpan(microseconds: -5))
        #expect(histogram.cumulated.first == 1 && histogram.sum == 0)
    }
}
