package import Cgroups
internal import Glibc
internal import Launching
internal import Linux
package import Relaying
internal import Relays
internal import Systemd
internal import WorkerIO

/// A torpor-relay that runs for one worker, as the supervisor sees it.
///
/// It is told what to do from the first moment on: its socket keeps that until it runs. When this value ends, the relay serves the connections
/// that it has, accepts no more, and ends with the last of them.
package final class RelayProcess {
    /// What is needed to start one.
    package struct Setting: Sendable {
        /// The program.
        package var program: String
        /// The group it is born in; nil for the supervisor's own.
        package var group: Cgroup?
        /// How many connections it is to have.
        package var limit: UInt32

        /// A relay by these.
        package init(program: String, group: Cgroup?, limit: UInt32) {
            (self.program, self.group, self.limit) = (program, group, limit)
        }
    }

    /// What became of it.
    package enum News: Hashable, Sendable {
        case report(RelayReport)
        /// It has ended, or was never there, and why that is.
        case ended(String)
    }

    private var control: RelayControl
    private let source = SourceBox<IOSource>()
    private var heard: ((News) -> Void)?
    /// What its socket had no room for: told when it has told something itself.
    private var unsent: [RelayCommand] = []
    /// What came of its launch: nil while that is not known, else why it could not be started, or empty.
    private var launched: String?
    /// It has ended before that was known.
    private var hasEndedEarly = false
    /// Its connections, as it told last.
    package private(set) var counts = RelayCounts()
    /// Whether it connects what waits, as it was told.
    private(set) var isOpen = false
    /// Whether it has a page.
    private(set) var hasPage = false
    let startedAt = KernelClock.monotonic
    /// Whether it is not there any more.
    var hasEnded: Bool { heard == nil }

    /// Starts one on a thread of `threads`; `heard` is called from the loop and never during this call.
    ///
    /// - Throws: that no descriptor or no source is left.
    init(
        _ setting: Setting, on threads: DiskQueue, loop: EventLoop, heard: @escaping (News) -> Void
    ) throws {
        var control = try RelayControl()
        let theirs = control.takeTheirs()
        self.control = consume control
        self.heard = heard
        source.handle = try IOSource(
            on: loop, descriptor: self.control.rawValue, events: .readable, priority: .clients
        ) { [unowned self] _ in listen() }
        guard let theirs else { return }
        let box = Handoff(theirs)
        threads.perform {
            Self.launch(setting, box)
        } then: { [weak self] problem in
            guard let self else { return }
            launched = problem ?? ""
            if hasEndedEarly { end() }
        } refused: { [weak self] error in
            // Its end of the socket is closed with this, and `listen` hears of that.
            _ = try? box.take()
            guard let self else { return }
            launched = "cannot create a thread for its launch: \(error.reason)"
            if hasEndedEarly { end() }
        }
    }

    deinit { source.handle = nil }

    /// Starts it on this thread; why that failed, or nil.
    ///
    /// It gives up its user itself: as nobody it could not be executed where the program is in a directory of root's alone.
    private static func launch(_ setting: Setting, _ box: Handoff<OwnedDescriptor>) -> String? {
        guard let theirs = try? box.take() else { return nil }
        var request = LaunchRequest(
            ByteString(setting.program), [], environment: Environment())
        request.passedDescriptors = [.init(theirs.rawValue)]
        request.announcesDescriptors = false
        request.cgroup = setting.group
        request.wantsPidfd = false
        request.confinement.noNewPrivileges = true
        // It is not more important than the workers.
        request.confinement.oomScoreAdjustment = 0
        // Two for each connection, and the pipes of those on which bytes are under way.
        let wanted = UInt64(setting.limit) * 6 + 64
        let most = min(wanted, UInt64(ThisProcess.descriptorLimit))
        request.confinement.limits = [
            .init(resource: ResourceNumber.descriptors, soft: most, hard: most),
            .init(resource: ResourceNumber.core, soft: 0, hard: 0),
            .init(resource: ResourceNumber.fileSize, soft: 0, hard: 0),
        ]
        do throws(LaunchError) {
            _ = try request.launch()
            return nil
        } catch {
            return "\(error)"
        }
    }

    /// RLIMIT_* as sys/resource.h numbers them.
    private enum ResourceNumber {
        static let fileSize: Int32 = 1
        static let core: Int32 = 4
        static let descriptors: Int32 = 7
    }

    private func listen() {
        while let heard {
            switch control.receive() {
            case .none: return
            case .report(let report):
                flush()
                if case .counts(let counts) = report { self.counts = counts }
                heard(.report(report))
            case .ended:
                source.handle = nil
                hasEndedEarly = launched == nil
                return hasEndedEarly ? () : end()
            }
        }
    }

    private func end() {
        guard let heard else { return }
        self.heard = nil
        let failure = launched ?? ""
        heard(.ended(failure.isEmpty ? "it has ended" : failure))
    }

    /// Waits on this thread until it has ended, at most until `deadline` of the monotonic clock.
    func awaitEnd(until deadline: Int64) {
        while control.receive() != .ended, KernelClock.monotonic < deadline { control.wait(milliseconds: 10) }
    }

    // MARK: telling

    /// Tells it something; what cannot be told any more shows by its end.
    private func tell(_ command: RelayCommand, _ descriptors: [Int32] = []) {
        flush()
        guard unsent.isEmpty else { return unsent.append(command) }
        do throws(LinuxError) {
            try control.send(command, descriptors)
        } catch {
            // Its socket keeps a few messages until it reads them. Ignoring anything else: then it has ended.
            if error.errno == EAGAIN { unsent.append(command) }
        }
    }

    /// Tells it what it could not be told before.
    private func flush() {
        while let command = unsent.first {
            guard (try? control.send(command)) != nil else { return }
            unsent.removeFirst()
        }
    }

    func route(_ route: RelayRoute) { tell(.route(route)) }

    /// Has it accept from these, which stay the caller's.
    func accept(from listeners: [Int32]) {
        for start in stride(from: 0, to: listeners.count, by: RelayControl.mostDescriptors) {
            tell(.listen, Array(listeners[start...].prefix(RelayControl.mostDescriptors)))
        }
    }

    func open() {
        if !isOpen { tell(.open) }
        isOpen = true
    }

    func shut() {
        if isOpen { tell(.shut) }
        isOpen = false
    }

    func show(_ page: RelayPage?) {
        if page != nil || hasPage { tell(.page(page)) }
        hasPage = page != nil
    }

    func drain(milliseconds: UInt32?) { tell(.drain(milliseconds: milliseconds)) }
}
