internal import Lifecycle
internal import Linux
internal import Systemd

/// Saved state in files: `NAME.state`, `NAME.restored` while a process has it, `NAME.state.aside` for one that a worker died
/// with.
///
/// Files are written, read and moved on a thread of their own, in the order of the questions; answers come on the loop. Only
/// the second name is made on the loop, like the other directories and files of a launch.
final class StateFiles: StateKeeping {
    private let directory: String
    private let loop: EventLoop
    private let thread = JobThread()
    private let complain: @Sendable (String) -> Void

    /// State in `directory`, which is made when it is needed; `complain` hears, on the loop, what nobody else is told.
    init(in directory: String, on loop: EventLoop, complain: @escaping @Sendable (String) -> Void) {
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

    func hand(to worker: String) -> String? {
        // A second name: the first one goes when it is consumed, and the worker may read it only later.
        let (path, restored) = (path(of: worker), restored(worker))
        do throws(LinuxError) {
            try KeptFile.link(path, as: restored)
            return restored
        } catch {
            complain("saved state of \(worker) cannot be handed back: \(error)")
            return nil
        }
    }

    func takeBack(from worker: String) {
        let restored = restored(worker)
        // Ignoring a failure: the next launch replaces it.
        perform {
            try? KeptFile.remove(restored)
        } then: { _ in
        }
    }

    func save(
        _ bytes: [UInt8], for worker: String, owner: StateOwner?,
        then answer: @escaping @Sendable (String?) -> Void
    ) {
        let path = path(of: worker)
        perform {
            do throws(LinuxError) {
                try Directory.makePrivate(self.directory)
                try KeptFile.write(bytes, to: path, user: owner?.user, group: owner?.group)
                return nil
            } catch {
                return "\(error)"
            }
        } then: {
            answer($0)
        }
    }

    func load(_ worker: String, then answer: @escaping @Sendable ([UInt8]?) -> Void) {
        let path = restored(worker)
        perform {
            try? RegularFile.read(path, limit: Supervisor.largestState)
        } then: {
            answer($0)
        }
    }

    func apply(_ fate: SavedStateFate, to worker: String) {
        let path = path(of: worker)
        perform {
            do throws(LinuxError) {
                switch fate {
                case .consumed, .dropped: try KeptFile.remove(path)
                case .setAside: try KeptFile.move(path, to: path + ".aside")
                }
                return nil
            } catch {
                return "saved state of \(worker): \(error)"
            }
        } then: { [complain] (problem: String?) in
            if let problem { complain(problem) }
        }
    }

    /// Answers when all that was asked before is done.
    func settle(then answer: @escaping @Sendable () -> Void) {
        perform {
        } then: {
            answer()
        }
    }

    private func perform<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, then answer: @escaping @Sendable (Result) -> Void
    ) {
        let loop = loop
        thread.perform {
            let result = work()
            Task(executorPreference: loop) { answer(result) }
        }
    }
}
