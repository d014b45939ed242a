package import Idleness
package import Lifecycle
package import Linux
internal import Sockets
internal import Systemd
internal import WorkerIO

/// Finds out what workers are used for, when their idle delays have run out: one dump for all of them, and no more than one in a second.
package final class UseInspector {
    /// What was found of one worker.
    package struct Finding: Sendable {
        /// The sockets of TCP with their traffic in each of its network namespaces.
        package let tables: Result<[[InetSocket]], Unknown>
        package let owner: SocketOwner
        /// Whether a connection to a Unix socket of its own waits to be accepted; false where that was not asked.
        package let leavesUnixWaiting: Bool
        /// When it was looked.
        package let at: Instant
    }

    /// Why sockets cannot be told.
    package enum Unknown: Error, Hashable, Sendable {
        /// The kernel does not tell of any.
        case noSockets
        /// A network namespace of the worker's may not be entered.
        case foreign(LinuxError)

        /// As operators are told.
        package var words: String {
            let (what, how) =
                switch self {
                case .noSockets:
                    (
                        "the sockets of this machine (sock_diag, netlink)",
                        "allow AF_NETLINK sockets, or load the module tcp_diag"
                    )
                case .foreign(let error):
                    (
                        "the sockets of the worker's network namespace (\(error))",
                        "run the supervisor as root with CAP_SYS_ADMIN, or the worker without a network namespace"
                    )
                }
            return "cannot list \(what): the worker is never suspended for idleness; \(how)"
        }
    }

    private struct Question {
        let subject: Subject
        let answer: (Finding) -> Void
    }

    /// The worker that a question is about.
    private struct Subject: Hashable {
        let processes: [Int32]
        let cgroup: UInt64?
        let held: Set<UInt64>
        let withUnix: Bool
    }

    private let tools: WakingTools
    private var waiting: [Question] = []
    private var isLooking = false
    private var lookedAt: Int64?
    private let timer = SourceBox<TimeSource>()

    /// An inspector that has nothing to do.
    package init(with tools: WakingTools) { self.tools = tools }

    /// The least time between two dumps, in microseconds.
    private static let pause: Int64 = 1_000_000

    /// Has `answer` called, later and on the loop, with what is found of a worker with these processes, in this cgroup of its own, for which
    /// the supervisor holds sockets of these inodes; Unix sockets are listed where they are asked for.
    package func inspect(
        _ processes: [Int32], cgroup: UInt64?, held: Set<UInt64> = [], withUnix: Bool = false,
        answer: @escaping (Finding) -> Void
    ) {
        waiting.append(
            Question(
                subject: Subject(processes: processes, cgroup: cgroup, held: held, withUnix: withUnix),
                answer: answer))
        guard waiting.count == 1, !isLooking else { return }
        let now = KernelClock.monotonic
        let due = lookedAt.map { max($0 + Self.pause, now) } ?? now
        if timer.handle == nil {
            timer.handle = try? TimeSource(on: tools.loop, accuracy: 50_000, priority: .clients) {
                [unowned self] _ in look()
            }
        }
        timer.handle?.arm(at: due)
    }

    private func look() {
        let questions = waiting
        waiting = []
        guard !questions.isEmpty else { return }
        isLooking = true
        lookedAt = KernelClock.monotonic
        // One that wakes and sleeps many times in a second has asked each time.
        let subjects = Set(questions.map(\.subject))
        tools.lookups.perform {
            let owners = subjects.map { subject in
                SocketOwner(
                    of: OpenDescriptors.inventory(of: subject.processes), cgroup: subject.cgroup,
                    held: subject.held)
            }
            var looks = Looks()
            let found = zip(subjects, owners).map { subject, owner in
                (
                    subject: subject, owner: owner,
                    isLeft: subject.withUnix
                        && SockDiag.unixSockets(near: subject.processes).leaveWaiting(owner),
                    tables: looks.tables(of: subject.processes)
                )
            }
            return (found, KernelClock.monotonic)
        } then: { [weak self] found, at in
            guard let self else { return }
            isLooking = false
            let findings = Dictionary(
                uniqueKeysWithValues: found.map {
                    (
                        $0.subject,
                        Finding(
                            tables: $0.tables, owner: $0.owner, leavesUnixWaiting: $0.isLeft,
                            at: Instant(microseconds: at))
                    )
                })
            for question in questions {
                if let finding = findings[question.subject] { question.answer(finding) }
            }
            if !waiting.isEmpty { timer.handle?.arm(at: (lookedAt ?? 0) + Self.pause) }
        }
    }
}

/// What was looked up in one look: each network namespace once.
private struct Looks {
    private var own: Result<[InetSocket], UseInspector.Unknown>?
    private var others: [NetworkNamespace: Result<[InetSocket], UseInspector.Unknown>] = [:]

    mutating func tables(of processes: [Int32]) -> Result<[[InetSocket]], UseInspector.Unknown> {
        let (hasOwn, others) = NetworkNamespace.places(of: processes)
        var tables: [[InetSocket]] = []
        do throws(UseInspector.Unknown) {
            if hasOwn { tables.append(try ownTable.get()) }
            for (place, process) in others { tables.append(try table(place, process).get()) }
        } catch {
            return .failure(error)
        }
        return .success(tables)
    }

    private var ownTable: Result<[InetSocket], UseInspector.Unknown> {
        mutating get {
            if let own { return own }
            let found = Result { () throws(LinuxError) in
                var diag = try SockDiag()
                return try diag.dump(.all, withTraffic: true)
            }.mapError { _ in UseInspector.Unknown.noSockets }
            own = found
            return found
        }
    }

    private mutating func table(
        _ place: NetworkNamespace, _ process: Int32
    ) -> Result<[InetSocket], UseInspector.Unknown> {
        if let known = others[place] { return known }
        let found = Result { () throws(LinuxError) in
            var diag = try SockDiag(ofProcess: process)
            return try diag.dump(.all, withTraffic: true)
        }.mapError { UseInspector.Unknown.foreign($0) }
        others[place] = found
        return found
    }
}

extension SockDiag {
    /// The Unix sockets in the network namespaces of these processes, on a thread; none where they cannot be told.
    static func unixSockets(near processes: [Int32]) -> OtherSockets {
        let (hasOwn, others) = NetworkNamespace.places(of: processes)
        var found = OtherSockets()
        func add(_ diag: consuming SockDiag?) {
            guard let sockets = try? diag?.unixSockets() else { return }
            found.add(OtherSockets(unix: sockets, udp: []) { _ in false })
        }
        if hasOwn { add(try? SockDiag()) }
        for process in others.values { add(try? SockDiag(ofProcess: process)) }
        return found
    }
}

extension OpenDescriptors {
    /// How many descriptors of a process are looked at.
    private static let most = 16_384

    /// What these processes have open, on a thread: it reads a line for each descriptor.
    static func inventory(of processes: [Int32]) -> Inventory {
        Inventory(processes.compactMap { read(of: $0, atMost: most) })
    }
}
