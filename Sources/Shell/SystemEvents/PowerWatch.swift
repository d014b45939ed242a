package import Budgeting
internal import Linux
package import Systemd

/// By what the machine is powered: told when that has changed.
///
/// It is looked at when udev tells of a supply, and from time to time while the machine has a battery, since many tell nothing while their
/// charge falls. A machine without a battery causes no wake-up.
package final class PowerWatch {
    private let loop: EventLoop
    private let places: SystemPlaces
    private let thread = JobThread()
    private let timer = SourceBox<TimeSource>()
    private var isLooking = false
    private var looksAgain = false
    private var last: PowerReading?
    private let changed: (PowerReading) -> Void

    /// Looks for the first time soon; `changed` is told what there is then, and each change.
    package init(on loop: EventLoop, _ places: SystemPlaces, changed: @escaping (PowerReading) -> Void) {
        (self.loop, self.places, self.changed) = (loop, places, changed)
        look()
    }

    /// Looks, where the firmware may take its time.
    package func look() {
        guard !isLooking else {
            looksAgain = true
            return
        }
        isLooking = true
        let directory = places.powerSupplies
        thread.perform(
            {
                PowerReading(
                    PowerSupplyFiles.read(PowerSupply.files, in: directory).compactMap { PowerSupply($0) })
            }, on: loop
        ) { [weak self] in self?.looked($0) }
    }

    private func looked(_ reading: PowerReading) {
        isLooking = false
        arm(reading.hasBattery)
        if reading != last {
            last = reading
            changed(reading)
        }
        if looksAgain {
            looksAgain = false
            look()
        }
    }

    private func arm(_ hasBattery: Bool) {
        guard hasBattery else {
            timer.handle = nil
            return
        }
        if timer.handle == nil {
            // Without a timer the next event of udev is waited for.
            timer.handle = try? TimeSource(
                on: loop, accuracy: places.powerInterval / 6, priority: .clients
            ) { [unowned self] _ in look() }
        }
        timer.handle?.arm(at: KernelClock.monotonic + places.powerInterval)
    }
}
