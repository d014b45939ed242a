internal import ConfigurationSyntax
internal import Lifecycle
internal import Pressure
internal import WorkerFile

/// How much of a simulated machine's memory each holder has: growth is worked out when the book is read.
struct MemoryBook: Sendable {
    /// What one process holds, in bytes.
    struct Holding: Sendable {
        var resident = 0.0
        var swapped = 0.0
        /// By how much it grows in a second, while it runs.
        var growth = 0.0
        var runs = true
    }

    /// What a program outside the workers holds, and where that is going.
    struct MemoryConsumer: Sendable {
        var held = 0.0
        var target = 0.0
        var speed = 0.0
    }

    let total: Double
    let swap: Double
    let compressesSwap: Bool
    /// What others hold that never changes.
    let used: Double
    var holdings: [Holding?]
    var consumer = MemoryConsumer()
    /// What waiting for memory has cost so far.
    private(set) var someStall = 0.0
    private(set) var fullStall = 0.0
    private var now = Instant.zero

    init(_ settings: MachineSettings, workers: Int) {
        total = Double(settings.memory?.bytes ?? 0)
        swap = Double(settings.swap.bytes)
        used = Double(settings.used.bytes)
        compressesSwap = settings.compressesSwap
        holdings = Array(repeating: nil, count: workers)
    }

    var swapped: Double { holdings.reduce(0) { $0 + ($1?.swapped ?? 0) } }

    /// What a new program could have; below zero more is held than there is.
    var available: Double {
        let held = holdings.reduce(0) { $0 + ($1?.resident ?? 0) }
        return total - used - consumer.held - held - (compressesSwap ? swapped / 3 : 0)
    }

    /// Whether anything changes by itself.
    var isMoving: Bool {
        consumer.held != consumer.target || holdings.contains { $0.map { $0.runs && $0.growth > 0 } ?? false }
    }

    /// Lets everything grow until `moment`, and counts what a shortage of before has cost.
    mutating func advance(to moment: Instant) {
        let seconds = Double((moment - now).microseconds) / 1e6
        guard seconds > 0 else { return }
        now = moment
        // Near the end the kernel looks for pages instead of letting programs run: the nearer, the more.
        let left = total > 0 ? available / total : 1
        if left < Self.slowBelow {
            let share = min(1, (Self.slowBelow - left) / Self.slowBelow)
            someStall += seconds * share
            fullStall += seconds * share * share
        }
        for index in holdings.indices {
            guard let holding = holdings[index], holding.runs, holding.growth > 0 else { continue }
            holdings[index]?.resident += holding.growth * seconds
        }
        let step = consumer.speed * seconds
        consumer.held =
            abs(consumer.target - consumer.held) <= step || consumer.speed == 0
            ? consumer.target : consumer.held + (consumer.target > consumer.held ? step : -step)
    }

    /// The share of memory below which the kernel is busy finding more.
    private static let slowBelow = 0.03

    /// Moves what sleepers hold to swap, as far as there is room; returns what that was.
    @discardableResult
    mutating func swapOut(_ index: Int, _ bytes: Double) -> Double {
        guard let holding = holdings[index] else { return 0 }
        let moved = max(0, min(bytes, holding.resident, swap - swapped))
        holdings[index]?.resident -= moved
        holdings[index]?.swapped += moved
        return moved
    }

    /// Brings back from swap what a process needs that runs again.
    mutating func swapIn(_ index: Int) {
        guard let holding = holdings[index] else { return }
        holdings[index]?.resident += holding.swapped
        holdings[index]?.swapped = 0
    }

    /// The figures as /proc would tell them.
    var sample: MemorySample {
        func share(_ stall: Double) -> PressureStall.Share {
            .init(
                average10: 0, average60: 0, average300: 0, total: TimeSpan(microseconds: Int64(stall * 1e6)))
        }
        return MemorySample(
            memory: MachineMemory(
                total: Int64(total), available: Int64(available), swapTotal: Int64(swap),
                swapFree: Int64(swap - swapped)),
            stall: PressureStall(some: share(someStall), full: share(fullStall)),
            compressedSwapPercent: compressesSwap ? 100 : 0)
    }

    /// What a worker holds.
    func memory(of index: Int) -> WorkerMemory? {
        holdings[index].map { WorkerMemory(resident: Int64($0.resident), swapped: Int64($0.swapped)) }
    }
}
