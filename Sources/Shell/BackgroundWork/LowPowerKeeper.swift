package import Budgeting
internal import Linux
package import SystemEvents
package import Systemd

/// Low-power mode of the daemon: as the batteries are, or as an operator has chosen (``LowPowerMode``).
///
/// It outlives the daemon, whatever its end, in a file of the runtime directory, and so until the machine ends.
package final class LowPowerKeeper {
    /// The mode as it is.
    package private(set) var mode: LowPowerMode
    /// Where it is kept for a successor; nil keeps it nowhere.
    private let path: String?
    private var watch: PowerWatch?
    /// Is told when it is on now, or off.
    package var turned: () -> Void = {}
    /// Is told that the supplies of power were looked at, and have changed.
    package var powerChanged: () -> Void = {}
    /// Is told, in a sentence, that it cannot be kept.
    package var complain: (String) -> Void = { _ in }

    /// As a predecessor has left it below `directory`; nil is one that ends with this process.
    package init(in directory: String? = nil, threshold: Int) {
        path = directory.map { "\($0)/low-power" }
        // Ignoring a failure: there is none, as a rule, and what is no text of ours says nothing.
        let text = path.flatMap { try? RegularFile.read($0, limit: 64) }
            .map { String(decoding: $0, as: UTF8.self) }
        mode = text.flatMap { LowPowerMode($0, threshold: threshold) } ?? LowPowerMode(threshold: threshold)
    }

    /// Begins to look at the supplies of power.
    package func start(on loop: EventLoop, _ system: SystemMonitors, _ places: SystemPlaces) {
        let watch = PowerWatch(on: loop, places) { [unowned self] in
            handle(.read($0))
            powerChanged()
        }
        self.watch = watch
        system.supplyChanged = { [weak watch] in watch?.look() }
    }

    /// Something has happened; what follows is told and kept.
    package func handle(_ event: LowPowerMode.Event) {
        let before = mode.text
        let isTurned = mode.handle(event)
        if mode.text != before { keep() }
        if isTurned { turned() }
    }

    private func keep() {
        guard let path else { return }
        do throws(LinuxError) {
            if mode.isUsual {
                try AtomicFile.remove(path)
            } else {
                // The next boot has a choice of its own: no disk is waited for.
                try AtomicFile.write(Array(mode.text.utf8), to: path, outlivesMachine: false)
            }
        } catch {
            complain("low-power mode cannot be kept for the next daemon: \(error)")
        }
    }
}
