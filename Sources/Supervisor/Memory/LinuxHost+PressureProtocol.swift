internal import Lifecycle
internal import Linux
internal import Pressure

/// systemd's memory-pressure protocol, downward: `MEMORY_PRESSURE_WATCH` and `MEMORY_PRESSURE_WRITE`
/// (https://systemd.io/MEMORY_PRESSURE).
extension LinuxHost {
    static let watchVariable = "MEMORY_PRESSURE_WATCH"
    static let writeVariable = "MEMORY_PRESSURE_WRITE"

    /// Puts what the worker needs to hear of memory pressure into `environment`, unless that says something of it already.
    func setPressureProtocol(
        of hosted: HostedWorker, user: UInt32?, in environment: inout Environment
    ) {
        guard environment[Self.watchVariable] == nil else { return }
        let terms = hosted.blueprint.memory
        switch terms.watch {
        case .skip: return
        case .off: environment[Self.watchVariable] = "/dev/null"
        case .auto, .on:
            if let group = hosted.group, PressureFile(of: group).exists, own(group, user) {
                environment[Self.watchVariable] = ByteString(group.pressurePath)
                let trigger = PressureTrigger(.some, stall: terms.threshold, window: .seconds(2))
                let written = (trigger ?? PressureTrigger(.some, percent: 10)).text
                environment[Self.writeVariable] = ByteString(base64(Array(written.utf8) + [0]))
            } else if let door = openWarningDoor() {
                environment[Self.watchVariable] = ByteString(door.path)
            } else if terms.watch == .on {
                facts(
                    hosted.id,
                    .ignored(
                        "ignoring MemoryPressureWatch=: its group has no pressure file, and no directory is ours for a socket"
                    ))
            }
        }
    }

    /// Lets the worker's user set thresholds of its own; false where that may not be done.
    private func own(_ group: Cgroup, _ user: UInt32?) -> Bool {
        guard let user, user != ThisProcess.user else { return true }
        return (try? group.givePressureFile(to: user)) != nil
    }

    /// The door, made when the first worker needs it; nil where no path is ours.
    @discardableResult
    private func openWarningDoor() -> WarningDoor? {
        if let warningDoor { return warningDoor }
        // Who supervises one worker only warns nobody.
        if ownsAllDescendants { return nil }
        if let kept = keeper?.take(StoreName.door) { inheritWarningDoor(kept) }
        if let warningDoor { return warningDoor }
        for place in places.candidates(for: "memory", "pressure") where place.path != nil {
            // We hold the directory's lock.
            guard let listener = try? StreamListener(at: place, mode: WarningDoor.mode, replaces: true) else {
                continue
            }
            keeper?.keep(listener.rawValue, as: StoreName.door, polled: false)
            warningDoor = makeWarningDoor(listener, at: place)
            if let warningDoor { return warningDoor }
        }
        return nil
    }

    /// Goes on with the door of a predecessor.
    func inheritWarningDoor(_ descriptor: Int32) {
        let listener = OwnedDescriptor(inheriting: descriptor)
        guard let place = places.candidates(for: "memory", "pressure").first(where: { $0.path != nil }),
            let taken = try? StreamListener(inheriting: listener.release(), at: place)
        else { return }
        warningDoor = makeWarningDoor(taken, at: place)
    }

    private func makeWarningDoor(
        _ listener: consuming StreamListener, at place: UnixSocketAddress
    ) -> WarningDoor? {
        try? WarningDoor(
            listener, at: place, on: loop, keptBy: keeper,
            owner: { [unowned self] pid in owner(of: pid) },
            name: { [unowned self] id in workers[id]?.blueprint.groupName })
    }

    /// Opens the door again for a worker that a predecessor has left and that may know it, with the connections that were kept.
    func reopenWarningDoor(for hosted: HostedWorker) {
        switch hosted.blueprint.memory.watch {
        case .skip, .off: return
        case .auto, .on: break
        }
        if let group = hosted.group, PressureFile(of: group).exists { return }
        openWarningDoor()?.takeKept(hosted.id, hosted.blueprint.groupName)
    }

    /// Whose a process is; nil for a stranger.
    private func owner(of pid: Int32) -> WorkerID? {
        if let id = byMainProcess[pid] { return id }
        return workers.values.first { owns($0, pid) }?.id
    }

    /// Tells a worker that hears by our socket that memory is short; who has a pressure file of its own is told by the kernel.
    public func warnOfMemory(_ worker: WorkerID) {
        warningDoor?.warn(worker)
    }

    /// Whether it hears by our socket.
    public func hearsOfMemory(_ worker: WorkerID) -> Bool {
        (warningDoor?.guestCount(of: worker) ?? 0) > 0
    }
}

/// Base64 of RFC 4648, with padding.
func base64(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let part = bytes[start..<min(start + 3, bytes.count)]
        let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
        for place in 0..<4 {
            text.append(place <= part.count ? letters[bits >> (18 - 6 * place) & 63] : UInt8(ascii: "="))
        }
    }
    return String(decoding: text, as: UTF8.self)
}
