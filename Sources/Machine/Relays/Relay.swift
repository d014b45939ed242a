internal import CLinux
internal import Glibc
package import Linux
internal import Relaying

/// The loop of a relay: a process that moves bytes between connections and knows nothing else.
///
/// A supervisor tells it over its control socket what to do (``RelayCommand``). When the supervisor is gone, it accepts no more, serves what it
/// has, and ends with its last connection. One thread; nothing in it waits but for events.
package final class Relay {
    let control: OwnedDescriptor
    let events: OwnedDescriptor
    private let signals: OwnedDescriptor
    /// To ask for backlogs, open to the end; negative where the kernel does not tell them.
    let diag: Int32

    var route = RelayRoute(to: nil)
    var pace = RelayPace()
    var page: RelayPage?
    /// What connections are accepted from, and whether accept4(2) would wait there.
    var listeners: [Int32: Bool] = [:]
    var isAccepting = true
    /// Accepts no more, and ends with the last connection.
    var isDraining = false
    var isOver = false

    /// All connections; places that are free are in `free`.
    var table: [Relayed] = []
    var free: [Int] = []
    /// Those that wait for the target, by place and generation; what is gone meanwhile is passed over.
    var queue = WaitingQueue()
    var pipes = PipePool()
    /// Directions for which no pipe was left.
    var starving: [(slot: Int, generation: UInt32, side: RelayedPair.Side)] = []
    /// What is left of pages that did not fit at once.
    var answers: [Int: ArraySlice<UInt8>] = [:]
    /// The target whose backlog was looked at last.
    var lookedAt: RelayAddress?
    /// Since when the target is there, in milliseconds.
    var openedAt: Int64 = 0
    var lastRefusal: Int32 = 0

    var counts = RelayCounts()
    var told = RelayCounts()
    var unsent: [[UInt8]] = []

    /// When something is due, in milliseconds of the monotonic clock; nil for never.
    var dueRetry: Int64?
    var dueTelling: Int64?
    var dueSweep: Int64?
    var dueEnd: Int64?
    var dueAccepting: Int64?

    /// The time of this turn of the loop, in milliseconds.
    var now = Relay.clock

    static var clock: Int64 { KernelClock.monotonic / 1000 }

    /// A relay that is told what to do over `control`, and has given up all privileges.
    ///
    /// As root it becomes `user` and `group`.
    package init(
        control: consuming OwnedDescriptor, user: UInt32, group: UInt32
    ) throws(LinuxError) {
        self.control = control
        events = OwnedDescriptor(adopting: try check(torpor_epoll_create(), "epoll_create1"))
        signals = OwnedDescriptor(adopting: try Self.checked(torpor_relay_signals(), "signalfd"))
        diag = torpor_diag_open()
        try Self.checked(torpor_relay_confine(user, group), "capset")
        let filter = torpor_relay_filter()
        try watch(self.control.rawValue, EventMask.input, .control)
        try watch(signals.rawValue, EventMask.input, .signals)
        tell(.ready(unfiltered: filter == 0 ? nil : errorText(-filter)))
    }

    /// The result of a function of ours that returns -errno.
    @discardableResult
    static func checked(_ result: Int32, _ call: String) throws(LinuxError) -> Int32 {
        guard result >= 0 else { throw LinuxError(errno: -result, call: call) }
        return result
    }

    private func watch(_ descriptor: Int32, _ mask: UInt32, _ what: Watched) throws(LinuxError) {
        try Self.checked(
            torpor_relay_watch(events.rawValue, WatchOperation.add, descriptor, mask, what.number),
            "epoll_ctl")
    }

    /// Runs until there is nothing left to do.
    package func run() {
        var found = [torpor_relay_event](repeating: torpor_relay_event(), count: 256)
        while !isOver {
            let count = unsafe torpor_relay_wait(events.rawValue, &found, Int32(found.count), timeout)
            now = Self.clock
            if count > 0 {
                for event in found[..<Int(count)] { handle(Watched(event.number), event.events) }
            }
            handleDue()
            connectWaiting()
            feedStarving()
            if counts != told || counts.waiting > 0, dueTelling == nil { dueTelling = now + tellingDelay }
            if isDraining, table.count == free.count { end() }
        }
    }

    /// Changes of the counts are told together: soon where something waits for the supervisor, in milliseconds.
    ///
    /// That clients wait is told again and again: the worker is in use for them.
    private var tellingDelay: Int64 {
        if counts == told { return 1000 }
        return isDraining || counts.waiting != told.waiting || told.open == 0 ? 100 : 1000
    }

    private func end() {
        tellCounts()
        isOver = true
    }

    private var timeout: Int32 {
        let dues = [dueRetry, dueTelling, dueSweep, dueEnd, dueAccepting].compactMap { $0 }
        guard let next = dues.min() else { return -1 }
        return Int32(clamping: max(0, next - Self.clock))
    }

    private func handleDue() {
        func isDue(_ due: inout Int64?) -> Bool {
            guard let time = due, time <= now else { return false }
            due = nil
            return true
        }
        if isDue(&dueRetry) { pace.waited() }
        if isDue(&dueAccepting) { resumeAccepting() }
        if isDue(&dueSweep) { sweep() }
        if isDue(&dueTelling) { tellCounts() }
        if isDue(&dueEnd) {
            for slot in table.indices where table[slot].stage != .free { reset(slot) }
        }
    }

    private func handle(_ what: Watched, _ mask: UInt32) {
        switch what {
        case .control: receiveCommands()
        case .signals: drain(milliseconds: nil)
        case .listener(let descriptor): accept(descriptor)
        case .connection(let slot, let generation, let side):
            guard slot < table.count, table[slot].generation == generation else { return }
            switch table[slot].stage {
            case .free: break
            case .waiting: look(slot, mask)
            case .connecting:
                if side == .server { finishConnecting(slot) } else { look(slot, mask) }
            case .open: pass(slot, side, mask)
            case .answering: answer(slot)
            }
        }
    }
}

/// What epoll_ctl(2) does.
enum WatchOperation {
    static let add: Int32 = 1
    static let remove: Int32 = 2
    static let change: Int32 = 3
}

/// What epoll(7) calls events.
enum EventMask {
    static let input: UInt32 = 0x001
    static let output: UInt32 = 0x004
    static let error: UInt32 = 0x008
    static let hangup: UInt32 = 0x010
    static let peerEnd: UInt32 = 0x2000
    static let edge: UInt32 = 1 << 31
    static let gone = error | hangup
}
