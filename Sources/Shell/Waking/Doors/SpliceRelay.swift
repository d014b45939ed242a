internal import Glibc
internal import Launching
internal import Linux
internal import Relaying
internal import Relays
package import Systemd
internal import WorkerIO

/// A `torpor-relay` that serves one worker after its eviction (torpor-relay(8)).
///
/// It is let go with this value: what was opened it serves to the end, and then it ends. It outlives the supervisor.
package final class SpliceRelay: DoorRelay {
    private var control: RelayControl?
    /// What it has not been told yet.
    private var unsent: [(command: RelayCommand, descriptors: [Int32])] = []
    private let retry = SourceBox<TimeSource>()
    private let loop: EventLoop
    private let tell: (String) -> Void

    /// How soon what it could not be told is told again, in microseconds.
    private static let interval: Int64 = 2000

    /// Where its program is: beside that of the supervisor, or where the package has it; nil where it is nowhere.
    package static let program: String? = {
        let own = ThisProcess.program.flatMap { path in path.lastIndex(of: "/").map { path[..<$0] } } ?? ""
        return ["\(own)/torpor-relay", installed].first { access($0, X_OK) == 0 }
    }()
    /// Where the package has it.
    package static let installed = "/usr/lib/torpor/torpor-relay"

    /// Starts one; `tell` hears of a problem.
    package init?(_ program: String, on loop: EventLoop, tell: @escaping (String) -> Void) {
        (self.loop, self.tell) = (loop, tell)
        guard var control = try? RelayControl(), let theirs = control.takeTheirs() else { return nil }
        self.control = consume control
        let end = Handoff(theirs)
        let failed = LoopConfined({ [weak self] (problem: String) in self?.fail(problem) }, on: loop)
        let isStarted: Void? = try? DetachedThread.start {
            do {
                // Its end is closed here when it has it, or when there is none.
                let theirs = try end.take()
                var request = LaunchRequest(ByteString(program), [], environment: Environment())
                request.passedDescriptors = [.init(theirs.rawValue)]
                request.announcesDescriptors = false
                request.wantsPidfd = false
                // The reaper of all children sees to its end.
                _ = try request.launch(ticket: LaunchTicket())
            } catch {
                let problem = "\(error)"
                loop.call { failed.value(problem) }
            }
        }
        guard isStarted != nil else { return nil }
        send(.route(RelayRoute(to: nil)))
    }

    deinit {
        for entry in unsent { DescriptorCloser.close(entry.descriptors) }
    }

    package func take(_ connections: [Int32]) {
        var rest = connections[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(RelayControl.mostDescriptors))
            rest = rest.dropFirst(part.count)
            send(.take, part)
        }
    }

    package func open() { send(.open) }

    package func dismiss() { send(.drain(milliseconds: nil)) }

    private func send(_ command: RelayCommand, _ descriptors: [Int32] = []) {
        unsent.append((command, descriptors))
        flush()
    }

    private func flush() {
        while let (command, descriptors) = unsent.first {
            guard let problem = tellRelay(command, descriptors) else {
                // It has its own of them.
                DescriptorCloser.close(descriptors)
                unsent.removeFirst()
                continue
            }
            guard problem.errno == EAGAIN else { return fail("\(problem)") }
            if retry.handle == nil {
                // Until all is told it is kept, by its own timer.
                retry.handle = try? TimeSource(on: loop) { [self] _ in flush() }
            }
            retry.handle?.arm(at: KernelClock.monotonic + Self.interval)
            return
        }
        retry.handle = nil
    }

    private func tellRelay(_ command: RelayCommand, _ descriptors: [Int32]) -> LinuxError? {
        do throws(LinuxError) {
            try control?.send(command, descriptors)
            return nil
        } catch {
            return error
        }
    }

    private func fail(_ problem: String) {
        guard control != nil else { return }
        let count = unsent.reduce(0) { $0 + $1.descriptors.count }
        for entry in unsent { DescriptorCloser.close(entry.descriptors) }
        unsent = []
        control = nil
        retry.handle = nil
        tell(
            "connections that waited for the worker were closed (\(count) or more): torpor-relay: \(problem)")
    }
}
