internal import Lifecycle
internal import Linux
internal import SupervisorPorts
internal import Systemd

/// Saved state in files: `NAME.state`, `NAME.version` with the version that saved it, `NAME.restored` while a process has it,
/// `NAME.state.aside` for one that a worker died with.
///
/// Files are written, read and moved on a thread of their own, of each worker in the order of the questions; answers come on the loop. Only
/// the second name is made on the loop, like the other directories and files of a launch. Of each worker one state is under way
/// and one waits (``StateLane``), so that a slow disk and a hasty worker together cost no more than that.
final class StateFiles: StateStore {
    private let directory: String
    private let loop: EventLoop
    private let thread = JobThread()
    private let complain: (String) -> Void
    private typealias Lane = StateLane<(String?) -> Void>
    private var lanes: [String: Lane] = [:]
    private var waitingBytes = 0
    /// How many bytes may wait of all workers, besides the states that are under way.
    private static let mostWaiting = 16 << 20

    /// State in `directory`, which is made when it is needed; `complain` hears, on the loop, what no caller is told.
    init(in directory: String, on loop: EventLoop, complain: @escaping (String) -> Void) {
        self.directory = directory
        self.loop = loop
        self.complain = complain
    }

    /// The workers of which state is kept; for the start, before the loop runs.
    var names: [String] {
        let suffix = ".state"
        // No directory is no state.
        return ((try? Directory.names(in: directory)) ?? []).filter { $0.hasSuffix(suffix) }.map {
            String($0.dropLast(suffix.count))
        }
    }

    private func path(of worker: String) -> String { "\(directory)/\(worker).state" }

    private func restored(_ worker: String) -> String { "\(directory)/\(worker).restored" }

    private func version(of worker: String) -> String { "\(directory)/\(worker).version" }

    func hand(to worker: String) -> HandedState? {
        // A second name: the first one goes when it is consumed, and the worker may read it only later.
        let (path, restored) = (path(of: worker), restored(worker))
        do throws(LinuxError) {
            try AtomicFile.link(path, as: restored)
            return HandedState(file: restored, versionFile: version(of: worker))
        } catch {
            complain("cannot restore the saved state of \(worker): \(error)")
            return nil
        }
    }

    func takeBack(from worker: String) {
        let restored = restored(worker)
        // Ignoring a failure: the next launch replaces it.
        perform {
            try? AtomicFile.remove(restored)
        } then: { _ in
        } refused: { _ in
        }
    }

    func save(
        _ bytes: [UInt8], for worker: String, owner: StateOwner?, version: String?,
        then answer: @escaping (String?) -> Void
    ) {
        let step = Lane.Step.save(bytes, owner, version: version)
        let lane = lanes[worker] ?? Lane()
        let more = lane.waitingBytes(with: step) - lane.waitingBytes
        guard waitingBytes + more <= Self.mostWaiting else {
            return answer("states of other workers are still being written; try again later")
        }
        add(step, to: worker, then: answer)
    }

    func load(_ worker: String, then answer: @escaping ([UInt8]?) -> Void) {
        let path = restored(worker)
        perform {
            try? RegularFile.read(path, limit: SavedState.largest)
        } then: {
            answer($0)
        }
    }

    func forget(_ worker: String, then answer: @escaping (String?) -> Void) {
        add(.forget, to: worker, then: answer)
    }

    func apply(_ fate: SavedStateFate, to worker: String) { add(.apply(fate), to: worker, then: nil) }

    /// Answers when all that was asked before is done.
    func settle(then answer: @escaping () -> Void) {
        let gate = Gate(then: answer)
        for worker in Array(lanes.keys) {
            if lanes[worker]?.follow({ _ in gate.pass() }) == true { gate.count += 1 }
        }
        perform {
        } then: {
            gate.pass()
        } refused: { _ in
            gate.pass()
        }
    }

    // MARK: one step after the other

    private func add(
        _ step: Lane.Step, to worker: String, then answer: ((String?) -> Void)?
    ) {
        change(worker) { $0.add(step, answer) }
        begin(worker)
    }

    /// Changes what waits of a worker, and keeps count of the bytes.
    private func change<Result>(_ worker: String, _ body: (inout Lane) -> Result) -> Result {
        var lane = lanes.removeValue(forKey: worker) ?? Lane()
        waitingBytes -= lane.waitingBytes
        let result = body(&lane)
        waitingBytes += lane.waitingBytes
        if lane.isBusy || !lane.waiting.isEmpty { lanes[worker] = lane }
        return result
    }

    private func begin(_ worker: String) {
        guard let job = change(worker, { $0.next() }) else { return }
        let (path, version, directory) = (path(of: worker), version(of: worker), directory)
        let step = job.step
        let ended: (String?) -> Void = { [self] problem in
            if case .apply = step, let problem { complain("saved state of \(worker): \(problem)") }
            let (followers, isOverruled) = change(worker) { $0.finished() }
            let dropped = "it was discarded, since the worker was stopped or relaunched in the meantime"
            for answer in job.overruled { answer(dropped) }
            for answer in job.answers { answer(problem ?? (isOverruled && step.isSave ? dropped : nil)) }
            for answer in followers { answer(problem) }
            begin(worker)
        }
        let work = { @Sendable in Self.carryOut(step, on: path, version, in: directory) }
        // What becomes of a state with the end of its process waits for a thread: a state that is to be gone would come back. A caller
        // that waits is told.
        if case .apply = step { return perform(work, then: ended) }
        perform(work, then: ended) { ended("no thread can be created for it: \($0.reason)") }
    }

    /// The version is there only while the state is that it belongs to: it is removed before that is replaced, and written after it.
    private static func carryOut(
        _ step: Lane.Step, on path: String, _ version: String, in directory: String
    ) -> String? {
        do throws(LinuxError) {
            switch step {
            case .save(let bytes, let owner, let name):
                try Directory.makePrivate(directory)
                try AtomicFile.remove(version)
                try AtomicFile.write(bytes, to: path, user: owner?.user, group: owner?.group)
                if let name { try AtomicFile.write(Array(name.utf8), to: version) }
            case .forget, .apply(.consumed), .apply(.dropped):
                try AtomicFile.remove(path)
                try AtomicFile.remove(version)
            case .apply(.setAside):
                try AtomicFile.move(path, to: path + ".aside")
                try AtomicFile.move(version, to: version + ".aside")
            }
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func perform<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, then answer: @escaping (Result) -> Void,
        refused: ((LinuxError) -> Void)? = nil
    ) {
        guard let refused else { return thread.perform(work, on: loop, then: answer) }
        thread.perform(work, on: loop, then: answer, refused: refused)
    }
}

/// Answers once several things have happened.
private final class Gate {
    var count = 1
    private let answer: () -> Void

    init(then answer: @escaping () -> Void) { self.answer = answer }

    func pass() {
        count -= 1
        if count == 0 { answer() }
    }
}
