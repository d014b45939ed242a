internal import Lifecycle

/// The text of a snapshot, in two steps: what is known is written while what files tell is still being read.
package struct MetricsText: Sendable {
    private let snapshot: MetricsSnapshot
    private let workers: [MetricsSnapshot.Labelled]
    private let end: StaticString
    private var out: ExpositionWriter

    /// What the text is.
    package enum Form: Sendable {
        /// UTF-8, for itself.
        case plain
        /// The message of a Varlink reply whose parameter `text` is that text, with its NUL.
        ///
        /// It is written as JSON at once: the text is long, and each copy of it would take as long as the rest.
        case message
    }

    /// Begins the text of a snapshot.
    ///
    /// Samples that have been zero ever since are left out where there is one for each of many reasons. Workers beyond `mostWorkers`, the
    /// last by their names, are counted together as the worker `(others)`.
    package init(_ snapshot: MetricsSnapshot, _ format: MetricsFormat = .openmetrics, as form: Form = .plain)
    {
        self.snapshot = snapshot
        switch form {
        case .plain:
            (out, end) = (ExpositionWriter(format, capacity: snapshot.capacity), "")
        case .message:
            out = ExpositionWriter(
                format, as: .jsonString, start: "{\"parameters\":{\"text\":\"", capacity: snapshot.capacity)
            end = "\"}}\0"
        }
        workers = snapshot.write(&out)
    }

    /// The whole text.
    package consuming func ended(with readings: MetricsSnapshot.Readings) -> [UInt8] {
        snapshot.write(&out, readings, of: workers)
        out.end(end)
        return out.bytes
    }
}

extension MetricsSnapshot {
    /// More bytes than a text of these workers mostly has.
    fileprivate var capacity: Int { 4096 + min(workers.count, mostWorkers + 1) * 1024 }

    /// Writes what is known, and answers the workers that have samples.
    fileprivate func write(_ out: inout ExpositionWriter) -> [Labelled] {
        let (own, rest) = (workers.prefix(mostWorkers), workers.dropFirst(mostWorkers))
        var labelled = own.map { Labelled($0, out) }
        if !rest.isEmpty { labelled.append(Labelled(sumOf: rest, at: now, out)) }
        write(&out, supervisor: labelled)
        write(&out, states: labelled)
        write(&out, events: labelled)
        write(&out, figures: labelled)
        writeCallbacks(&out)
        return labelled
    }

    /// Writes what was read of files.
    fileprivate func write(_ out: inout ExpositionWriter, _ readings: Readings, of all: [Labelled]) {
        out.family("torpor_worker_memory_bytes", .gauge, unit: "bytes", "Memory that a worker holds.")
        let held = out.series("torpor_worker_memory_bytes")
        for (one, memory) in zip(all, readings.memory.prefix(mostWorkers)) {
            if let memory { out.sample(held, one.label, memory) }
        }
        let others = readings.memory.dropFirst(mostWorkers).compactMap(\.self)
        if let sum = all.last, sum.isSum, !others.isEmpty {
            out.sample(held, sum.label, others.reduce(0, &+))
        }
        out.family(
            "torpor_worker_cpu_seconds", .counter, unit: "seconds",
            "Processor time of a worker since it was launched.")
        let used = out.series("torpor_worker_cpu_seconds", "_total")
        for (one, cpu) in zip(all, readings.cpu.prefix(mostWorkers)) {
            if let cpu { out.sample(used, one.label, microseconds: cpu) }
        }
        writeCost(&out, openDescriptors: readings.openDescriptors)
    }

    /// The name of the sum of workers that have no series of their own; no worker can have it.
    package static var restName: String { "(others)" }

    /// A worker, with the label of its name as it stands in each of its samples.
    ///
    /// An object: each family goes through all of them, and a copy of what one holds takes longer than its samples.
    fileprivate final class Labelled: Sendable {
        let worker: Worker
        let label: [UInt8]
        let isSum: Bool

        init(_ worker: Worker, _ out: ExpositionWriter) {
            (self.worker, isSum) = (worker, false)
            label = out.label("worker", worker.name)
        }

        init(sumOf workers: ArraySlice<Worker>, at now: Instant, _ out: ExpositionWriter) {
            var sum = Worker(name: MetricsSnapshot.restName, meters: WorkerMeters(since: now))
            for worker in workers {
                sum.meters.add(worker.meters, at: now)
                sum.queueLength += worker.queueLength
            }
            (worker, isSum) = (sum, true)
            label = out.label("worker", sum.name)
        }
    }

    /// The samples of a counter with one for each of many reasons.
    private struct Counts<Reason: CaseIterable & Hashable & RawRepresentable<String>> {
        private let series: [(reason: Reason, series: ExpositionWriter.Series)]
        private let places: [Reason: Int]

        init(_ name: StaticString, _ label: StaticString, _ out: ExpositionWriter) {
            series = Reason.allCases.map {
                ($0, out.series(name, "_total", out.label(label, $0.rawValue)))
            }
            places = Dictionary(uniqueKeysWithValues: series.enumerated().map { ($1.reason, $0) })
        }

        /// Writes those that there are, in the order of the reasons.
        func write(_ counts: [Reason: UInt32], _ label: [UInt8], _ out: inout ExpositionWriter) {
            // Most workers have one: looking for all the others would take longer than the rest.
            if counts.count < 2 {
                for (reason, count) in counts {
                    if let place = places[reason] { out.sample(series[place].series, label, Int64(count)) }
                }
                return
            }
            for (reason, series) in series {
                if let count = counts[reason] { out.sample(series, label, Int64(count)) }
            }
        }
    }

    // MARK: families

    private func write(_ out: inout ExpositionWriter, supervisor all: [Labelled]) {
        out.family("torpor_build", .info, "The supervisor's version.")
        out.sample("torpor_build", "_info", out.label("version", version), 1)
        out.family("torpor_workers", .gauge, "Workers in each state.")
        var counts: [State: Int64] = [:]
        for one in all where !one.isSum { counts[one.worker.meters.state, default: 0] += 1 }
        for worker in workers.dropFirst(mostWorkers) { counts[worker.meters.state, default: 0] += 1 }
        for state in State.allCases {
            out.sample("torpor_workers", "", out.label("state", state.rawValue), counts[state] ?? 0)
        }
        guard let memory else { return }
        out.family("torpor_memory_pressure", .stateset, "How short the machine is of memory.")
        for level in ["normal", "warning", "critical"] {
            out.sample(
                "torpor_memory_pressure", "", out.label("torpor_memory_pressure", level),
                level == memory.level ? 1 : 0)
        }
        guard let available = memory.available else { return }
        out.family(
            "torpor_memory_available_bytes", .gauge, unit: "bytes", "Memory that is available to the workers."
        )
        out.sample("torpor_memory_available_bytes", "", [], available)
    }

    private func write(_ out: inout ExpositionWriter, states all: [Labelled]) {
        out.family("torpor_worker_state", .stateset, "The state of a worker.")
        let present = out.stateSet("torpor_worker_state", State.allCases.map(\.rawValue))
        for one in all where !one.isSum {
            let state = one.worker.meters.state
            out.samples(present, one.label, present: State.allCases.firstIndex(of: state))
        }
        out.family("torpor_worker_changes", .counter, "Changes of a worker into a state.")
        let changes = State.allCases.map {
            ($0, out.series("torpor_worker_changes", "_total", out.label("state", $0.rawValue)))
        }
        for one in all {
            // One copy for all states: what it holds is counted with each.
            let meters = one.worker.meters
            for (state, series) in changes {
                let count = meters.entries(into: state)
                if count > 0 { out.sample(series, one.label, Int64(count)) }
            }
        }
        out.family(
            "torpor_worker_state_seconds", .counter, unit: "seconds",
            "Time that a worker has been in a state.")
        let times = State.allCases.map {
            ($0, out.series("torpor_worker_state_seconds", "_total", out.label("state", $0.rawValue)))
        }
        for one in all {
            let meters = one.worker.meters
            for (state, series) in times {
                let time = meters.time(in: state, at: now).microseconds
                if time > 0 { out.sample(series, one.label, microseconds: time) }
            }
        }
    }

    private func write(_ out: inout ExpositionWriter, events all: [Labelled]) {
        out.family("torpor_worker_launches", .counter, "Launches of a worker, by what they were for.")
        let launches = Counts<LaunchReason>("torpor_worker_launches", "reason", out)
        for one in all { launches.write(one.worker.meters.launches, one.label, &out) }
        out.family("torpor_worker_wakes", .counter, "Events that have woken or launched a worker.")
        let wakes = Counts<LaunchReason>("torpor_worker_wakes", "reason", out)
        for one in all { wakes.write(one.worker.meters.wakes, one.label, &out) }
        out.family("torpor_worker_ends", .counter, "Ends of a worker's processes, by cause.")
        let ends = Counts<TerminationRecord.Cause>("torpor_worker_ends", "cause", out)
        for one in all { ends.write(one.worker.meters.ends, one.label, &out) }
        out.family("torpor_worker_warnings", .counter, "Warnings about a worker.")
        for one in all where one.worker.meters.warnings > 0 {
            out.sample("torpor_worker_warnings", "_total", one.label, Int64(one.worker.meters.warnings))
        }
    }

    private func write(_ out: inout ExpositionWriter, figures all: [Labelled]) {
        out.family(
            "torpor_worker_given_back_bytes", .counter, unit: "bytes",
            "Memory that a worker's sleep and its evictions have given back.")
        for one in all where one.worker.meters.givenBack > 0 {
            out.sample("torpor_worker_given_back_bytes", "_total", one.label, one.worker.meters.givenBack)
        }
        out.family("torpor_worker_queue_length", .gauge, "Notifications that wait for a worker.")
        let lengths = out.series("torpor_worker_queue_length")
        for one in all { out.sample(lengths, one.label, Int64(one.worker.queueLength)) }
    }

    private func writeCallbacks(_ out: inout ExpositionWriter) {
        out.family(
            "torpor_callback_duration_seconds", .histogram, unit: "seconds",
            "Time from the delivery of a callback to its completion.")
        for callback in Callback.allCases {
            guard let histogram = callbacks[callback], histogram.total > 0 else { continue }
            let label = out.label("callback", callback.rawValue)
            let counts = histogram.cumulated
            for (bound, count) in zip(DurationHistogram.bounds.map(\.text) + ["+Inf"], counts) {
                out.sample(
                    "torpor_callback_duration_seconds", "_bucket",
                    label + [UInt8(ascii: ",")] + out.label("le", bound), Int64(clamping: count))
            }
            out.sample("torpor_callback_duration_seconds", "_sum", label, microseconds: histogram.sum)
            out.sample(
                "torpor_callback_duration_seconds", "_count", label, Int64(clamping: histogram.total))
        }
    }

    /// By the names that every process has for them.
    private func writeCost(_ out: inout ExpositionWriter, openDescriptors: Int?) {
        out.family(
            "process_cpu_seconds", .counter, unit: "seconds", "Processor time of the supervisor itself.")
        out.sample("process_cpu_seconds", "_total", [], microseconds: cost.cpu)
        out.family(
            "process_start_time_seconds", .gauge, unit: "seconds",
            "When the supervisor started, in seconds since 1970.")
        out.sample("process_start_time_seconds", "", [], microseconds: cost.startedAt)
        if let pause = cost.pause {
            out.family(
                "torpor_loop_pause_seconds", .gauge, unit: "seconds",
                "Longest time of the last 10 to 20 minutes for which one event kept the supervisor from all others."
            )
            out.sample("torpor_loop_pause_seconds", "", [], microseconds: pause)
        }
        if let resident = cost.resident {
            out.family(
                "process_resident_memory_bytes", .gauge, unit: "bytes",
                "Resident memory of the supervisor itself.")
            out.sample("process_resident_memory_bytes", "", [], resident)
        }
        if let open = openDescriptors {
            out.family("process_open_fds", .gauge, "Open descriptors of the supervisor.")
            out.sample("process_open_fds", "", [], Int64(open))
        }
        if let most = cost.mostDescriptors {
            out.family("process_max_fds", .gauge, "The most descriptors that the supervisor may have open.")
            out.sample("process_max_fds", "", [], Int64(most))
        }
    }
}
