package import Lifecycle

/// Everything that is measured, at one moment; its parts are shared with what goes on counting until that changes them.
package struct MetricsSnapshot: Sendable {
    /// One worker.
    package struct Worker: Sendable {
        package var name: String
        package var meters: WorkerMeters
        /// Notifications that wait for it.
        package var queueLength: Int

        package init(name: String, meters: WorkerMeters, queueLength: Int = 0) {
            (self.name, self.meters, self.queueLength) = (name, meters, queueLength)
        }
    }

    /// What has to be read of files, which may take as long as the rest of the text.
    package struct Readings: Sendable {
        /// What the group of each worker holds of memory now, in bytes, in the order of the workers; nil where that is not known.
        package var memory: [Int64?]
        /// The processor time of its processes, in microseconds.
        package var cpu: [Int64?]
        /// How many descriptors of the supervisor are open.
        package var openDescriptors: Int?

        /// Nothing is known of so many workers.
        package init(workers count: Int) {
            memory = Array(repeating: nil, count: count)
            cpu = memory
        }
    }

    /// What the supervisor itself costs.
    package struct Cost: Sendable {
        /// Its processor time, in microseconds.
        package var cpu: Int64
        /// Its resident memory, in bytes.
        package var resident: Int64?
        package var mostDescriptors: Int?
        /// When it started: microseconds since 1970.
        package var startedAt: Int64
        /// The longest pause of its event loop in the last ten to twenty minutes, in microseconds; nil where there was none.
        package var pause: Int64?

        package init(
            cpu: Int64, resident: Int64? = nil, mostDescriptors: Int? = nil, startedAt: Int64,
            pause: Int64? = nil
        ) {
            (self.cpu, self.resident, self.startedAt) = (cpu, resident, startedAt)
            self.mostDescriptors = mostDescriptors
            self.pause = pause
        }
    }

    /// How short the machine is of memory.
    package struct Memory: Sendable {
        /// The level: normal, warning or critical.
        package var level: String
        /// What is available, in bytes.
        package var available: Int64?

        package init(level: String, available: Int64? = nil) {
            (self.level, self.available) = (level, available)
        }
    }

    package var version: String
    /// When it was taken, by the clock of the meters.
    package var now: Instant
    /// By their names.
    package var workers: [Worker]
    /// How long callbacks took until they were complete, by callback.
    package var callbacks: [Callback: DurationHistogram]
    package var cost: Cost
    package var memory: Memory?
    /// How many workers have series of their own; the others are summed up as one.
    package var mostWorkers = 1000

    package init(
        version: String, now: Instant, workers: [Worker], callbacks: [Callback: DurationHistogram],
        cost: Cost,
        memory: Memory? = nil
    ) {
        (self.version, self.now, self.workers) = (version, now, workers)
        (self.callbacks, self.cost, self.memory) = (callbacks, cost, memory)
    }
}
