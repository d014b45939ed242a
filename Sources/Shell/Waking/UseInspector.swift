package import Idleness
package import Lifecycle
internal import Linux
internal import Sockets
internal import Systemd
internal import WorkerIO

/// Finds out what workers are used for, when their idle delays have run out: one dump for all of them, and no more than one in a second.
package final class UseInspector {
    /// What was found of one worker.
    package struct Finding: Sendable {
        /// All sockets of TCP with their traffic; nil where they cannot be told.
        package let sockets: [InetSocket]?
        package let owner: SocketOwner
        /// When it was looked.
        package let at: Instant
    }

    private struct Question {
        let processes: [Int32]
        let cgroup: UInt64?
        let answer: (Finding) -> Void
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
    /// How many descriptors of a worker are looked at.
    private static let most = 16_384

    /// Has `answer` called, later and on the loop, with what is found of a worker with these processes, in this cgroup of its own.
    package func inspect(
        _ processes: [Int32], cgroup: UInt64?, answer: @escaping (Finding) -> Void
    ) {
        waiting.append(Question(processes: processes, cgroup: cgroup, answer: answer))
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
        let subjects = questions.map { (processes: $0.processes, cgroup: $0.cgroup) }
        tools.lookups.perform {
            let owners = subjects.map { subject in
                let found = subject.processes.compactMap { OpenDescriptors.read(of: $0, atMost: Self.most) }
                return SocketOwner(of: Inventory(found), cgroup: subject.cgroup)
            }
            guard var diag = try? SockDiag() else { return (owners, nil as [InetSocket]?, Int64(0)) }
            let sockets = try? diag.dump(.inUse, withTraffic: true)
            return (owners, sockets, KernelClock.monotonic)
        } then: { [weak self] owners, sockets, at in
            guard let self else { return }
            isLooking = false
            for (question, owner) in zip(questions, owners) {
                question.answer(Finding(sockets: sockets, owner: owner, at: Instant(microseconds: at)))
            }
            if !waiting.isEmpty { timer.handle?.arm(at: (lookedAt ?? 0) + Self.pause) }
        }
    }
}
