import Glibc
import Lifecycle

/// The life as it is drawn: time runs down, each state has a lane, what happened stands beside it.
final class Timeline {
    private static let lanes: [State] = [.notRunning, .inactive, .active, .background, .suspended]
    private static let centres: [State: Int] = {
        var left = 0
        var centres: [State: Int] = [:]
        for lane in lanes {
            centres[lane] = left + lane.rawValue.count / 2
            left += lane.rawValue.count + 2
        }
        return centres
    }()
    private static let width = lanes.reduce(0) { $0 + $1.rawValue.count + 2 }

    private let began: Instant
    private let isColoured: Bool
    private(set) var state = State.notRunning
    private var since: Instant
    private var cpuAtChange = TimeSpan.zero
    private var spent: [State: (time: TimeSpan, cpu: TimeSpan)] = [:]

    init(at now: Instant) {
        began = now
        since = now
        isColoured = isatty(1) == 1 && (getenv("NO_COLOR").map { $0.pointee == 0 } ?? true)
    }

    /// Draws what stands above it all.
    func head(_ title: String, _ facts: [String]) {
        write("\n  \(styled(title, "1"))\n")
        for fact in facts { write("  \(styled(fact, "2"))\n") }
        let names = Self.lanes.map { styled($0.rawValue, Self.colour(of: $0)) }.joined(separator: "  ")
        write("\n    time   \(names)\n")
    }

    /// A change of state.
    func change(to new: State, _ text: String, at now: Instant, cpu: TimeSpan) {
        account(until: now, cpu: cpu)
        let (from, to) = (Self.centre(of: state), Self.centre(of: new))
        state = new
        let line =
            from < to
            ? "╰" + String(repeating: "─", count: to - from - 1) + "●"
            : "●" + String(repeating: "─", count: from - to - 1) + "╯"
        row(lane: line, at: min(from, to), text, now)
    }

    /// Something that happened in a state.
    func note(_ text: String, at now: Instant, isMark: Bool = false) {
        let line = isMark ? "●" : state == .suspended ? "┊" : state == .notRunning ? "·" : "│"
        row(lane: line, at: Self.centre(of: state), text, now)
    }

    /// Where the time and the processor went.
    func sum(at now: Instant) {
        let all = spent.values.reduce(TimeSpan.zero) { $0 + $1.time }.microseconds
        write("\n")
        for lane in Self.lanes {
            guard let (time, cpu) = spent[lane], lane != .notRunning else { continue }
            let length = Int(40 * time.microseconds / max(all, 1))
            let name = lane.rawValue + String(repeating: " ", count: 12 - lane.rawValue.count)
            let bar = String(repeating: lane == .suspended ? "░" : "█", count: max(length, 1))
            let rest = String(repeating: " ", count: 41 - max(length, 1))
            write(
                "  \(name)\(styled(bar, Self.colour(of: lane)))\(rest)\(time.text), CPU \(cpu.text)\n")
        }
        write("\n")
    }

    private func account(until now: Instant, cpu: TimeSpan) {
        let before = spent[state] ?? (.zero, .zero)
        spent[state] = (before.time + (now - since), before.cpu + (cpu - cpuAtChange))
        since = now
        cpuAtChange = cpu
    }

    private func row(lane: String, at column: Int, _ text: String, _ now: Instant) {
        let time = (now - began).seconds
        let padding = String(repeating: " ", count: max(0, 7 - time.count))
        let right = String(repeating: " ", count: max(1, Self.width - column - lane.count))
        write(
            "  \(styled(padding + time, "2"))  \(String(repeating: " ", count: column))"
                + "\(styled(lane, Self.colour(of: state)))\(right)\(text)\n")
    }

    private static func centre(of state: State) -> Int { centres[state] ?? 0 }

    private static func colour(of state: State) -> String {
        switch state {
        case .notRunning: "2"
        case .inactive: "33"
        case .active: "1;32"
        case .background: "36"
        case .suspended: "34"
        }
    }

    private func styled(_ text: String, _ style: String) -> String {
        isColoured ? "\u{1b}[\(style)m\(text)\u{1b}[0m" : text
    }

    private func write(_ text: String) {
        Self.write(text, to: 1)
    }

    /// Says in one line why there was no happy end.
    static func complain(_ text: String) {
        write("demo: \(text)\n", to: 2)
    }

    /// Writes it all; an output that is closed is no error.
    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
