package import Idleness
package import Linux

/// Reads the segment counters of network namespaces each interval, and tells when a sample there would find something.
///
/// It has a thread of its own while it is armed: most of what a look costs are caches that have grown cold by then, and the loop has many more of
/// them to warm than this.
package final class SegmentWatch: Sendable {
    /// One network namespace.
    package struct Place: Sendable {
        fileprivate let counters: SegmentCounterFile
        private let gate: SampleGate
        private let hasConnections: Bool

        /// A place whose sockets have been looked at as `gate` knows; `hasConnections`: not only those that listen are.
        package init(_ counters: SegmentCounterFile, _ gate: SampleGate, hasConnections: Bool) {
            (self.counters, self.gate, self.hasConnections) = (counters, gate, hasConnections)
        }

        /// Whether there is something to look at, or that cannot be told.
        fileprivate func isToBeLookedAt(_ counters: SegmentCounters?, isWhole: Bool) -> Bool {
            gate.look(isWhole && hasConnections ? .all : .listening, counters) != .nothing
        }
    }

    /// What the thread is to do, as the loop leaves it.
    private struct Orders {
        var places: [Place] = []
        var interval: Int64 = 0
        /// Neither disarmed, nor has it told.
        var isArmed = false
        /// A sample is wanted whatever the counters say.
        var isDemanded = false
        /// The thread ends when it is not armed.
        var isOver = true
        var hasThread = false
        /// How often it was armed.
        var number = 0
    }

    private let tell: @Sendable (_ isWhole: Bool) -> Void
    private let orders = SignalledBox(Orders())
    private let wakeup: Wakeup

    /// A watch that is not armed; it calls `tell` on its thread, every other time about all sockets and not only those that listen.
    package init(tell: @escaping @Sendable (_ isWhole: Bool) -> Void) throws(LinuxError) {
        self.tell = tell
        wakeup = try Wakeup()
    }

    /// Looks at these places each `interval` microseconds from now on, until it has told once.
    ///
    /// Throws why no thread could be created; it is not armed then.
    package func arm(_ places: [Place], each interval: Int64) throws(LinuxError) {
        let needsThread = orders.with { orders in
            (orders.places, orders.interval, orders.isArmed, orders.isOver) = (places, interval, true, false)
            orders.number += 1
            defer { orders.hasThread = true }
            return !orders.hasThread
        }
        guard needsThread else { return wakeup.signal() }
        do throws(LinuxError) {
            try DetachedThread.start(stackSize: 128 << 10) { self.run() }
        } catch {
            orders.with { $0 = Orders() }
            throw error
        }
    }

    /// Tells at the next look, whatever the counters say.
    package func demand() {
        orders.with { $0.isDemanded = true }
        wakeup.signal()
    }

    /// Tells nothing more; its thread ends.
    package func disarm() {
        orders.with { ($0.places, $0.isArmed, $0.isDemanded, $0.isOver) = ([], false, false, true) }
        wakeup.signal()
    }

    // MARK: the thread

    /// What was read of a place last, and which looks it has been found not to be worth.
    private struct Reading {
        var text = SegmentCounterFile.Text()
        var (isListeningQuiet, isWholeQuiet) = (false, false)
    }

    private func run() {
        var taken = Orders()
        var readings: [Reading] = []
        var isWhole = false
        var due: Int64 = 0
        var wait = DescriptorWait()
        wait.add(wakeup.rawValue)
        while true {
            let orders = self.orders.with { orders in
                if orders.isOver { orders.hasThread = false }
                return orders
            }
            if orders.isOver { return }
            if orders.number != taken.number {
                readings = orders.places.map { _ in Reading() }
                due = KernelClock.monotonic + orders.interval
            }
            taken = orders
            while isOver(&wait, at: taken.isArmed ? due : nil) {
                due = KernelClock.monotonic + taken.interval
                isWhole.toggle()
                guard taken.isDemanded || look(taken.places, &readings, isWhole: isWhole) else { continue }
                report(taken.number, isWhole: isWhole)
                break
            }
        }
    }

    /// Waits for the moment, or for other orders; whether it was the moment that came.
    private func isOver(_ wait: inout DescriptorWait, at moment: Int64?) -> Bool {
        do throws(LinuxError) {
            guard try wait.isReady(within: moment.map { $0 - KernelClock.monotonic }) else { return true }
            wakeup.clear()
        } catch {
            // Ignoring it: poll(2) fails for want of memory alone, and is tried again.
        }
        return false
    }

    private func look(_ places: [Place], _ readings: inout [Reading], isWhole: Bool) -> Bool {
        for index in places.indices {
            let file = places[index].counters
            if file.read(into: &readings[index].text) {
                (readings[index].isListeningQuiet, readings[index].isWholeQuiet) = (false, false)
            }
            // Most of the time nothing has come at all, and there is nothing to read in it.
            if isWhole ? readings[index].isWholeQuiet : readings[index].isListeningQuiet { continue }
            if places[index].isToBeLookedAt(readings[index].text.counters, isWhole: isWhole) { return true }
            if isWhole {
                readings[index].isWholeQuiet = true
            } else {
                readings[index].isListeningQuiet = true
            }
        }
        return false
    }

    /// Tells, unless the orders have changed, and looks no more until it is armed again.
    private func report(_ number: Int, isWhole: Bool) {
        let isStill = orders.with { orders in
            guard orders.isArmed, orders.number == number else { return false }
            (orders.isArmed, orders.isDemanded) = (false, false)
            return true
        }
        if isStill { tell(isWhole) }
    }
}
