package import Cgroups
package import Lifecycle
package import Linux
package import Systemd

/// What a group says of itself, by a descriptor that stays open and polls exceptional (kernfs) when that changes.
///
/// Closing an inotify waits for a grace period of the kernel, some 15 ms: too long for one short worker. This costs a
/// descriptor instead.
package final class GroupEvents {
    private let source = SourceBox<IOSource>()

    package init(of group: Cgroup, on loop: EventLoop, handler: @escaping () -> Void) throws {
        let file = try group.openEvents()
        let descriptor = file.rawValue
        // Read once: it tells of changes since the last time.
        _ = Cgroup.readEvents(descriptor)
        source.handle = try IOSource(on: loop, owning: file, events: .urgent, priority: .exits) {
            [unowned self] _ in
            // A group that is gone is an exception for ever.
            if Cgroup.readEvents(descriptor) == nil { self.source.handle = nil }
            handler()
        }
    }
}

/// The pidfd of a main process that may not be our child.
package final class MainProcessWatch {
    private let pidfd: Pidfd
    private let source = SourceBox<IOSource>()

    package init(_ pidfd: consuming Pidfd, on loop: EventLoop, handler: @escaping () -> Void) throws {
        self.pidfd = pidfd
        source.handle = try IOSource(
            on: loop, descriptor: self.pidfd.descriptor, events: .readable, priority: .exits
        ) { _ in handler() }
    }

    deinit {
        // Before its descriptor is closed.
        source.handle = nil
    }

    /// Its descriptor, borrowed.
    package var descriptor: Int32 { pidfd.descriptor }

    /// Sends it `signal`.
    package func send(_ signal: Signal) throws(LinuxError) { try pidfd.send(signal) }

    /// Hears nothing more.
    package func pause() { source.handle = nil }

    /// How it ended, where the kernel keeps that for processes other than its parent.
    package var status: ExitStatus? {
        switch try? pidfd.exitInfo() {
        case .exited(let code): .exited(code)
        case .killed(let signal, let coreDumped): .killed(signal: signal.rawValue, coreDumped: coreDumped)
        case .stopped, .continued, nil: nil
        }
    }
}
