internal import Sockets
package import WorkerIO

/// The sockets of all workers that are gone, and the duplicates of those that are about to be, by the numbers of the workers.
package final class DoorHouse {
    private enum Duplicates {
        /// They are being made, and this is done afterwards.
        case making(then: [() -> Void])
        case made(DoorStock?)
    }

    let tools: WakingTools
    let tell: (UInt32, EvictedDoors.News) -> Void
    private var duplicates: [UInt32: Duplicates] = [:]
    private var doors: [UInt32: EvictedDoors] = [:]
    /// What answers bind(2) of processes (`HandOver=handover`).
    var binds: [UInt32: [BindWatch]] = [:]
    /// Their calls that a predecessor in this process had received.
    var resumed: [UInt32: [(watch: BindWatch, call: BindCall)]] = [:]
    /// Why that of a worker could not be had.
    var bindRefusals: [UInt32: String] = [:]
    /// The workers of which it was told that it cannot be had.
    var toldOfGaps: Set<UInt32> = []
    /// Those whose process was launched without it, and those whose bind(2) fails, since a predecessor was killed.
    var unnoticed: Set<UInt32> = []
    var unserved: Set<UInt32> = []
    /// What keeps the sockets open while no daemon runs.
    package weak var store: (any DescriptorStoring)?

    /// A house without doors; `tell` hears of each worker's.
    package init(with tools: WakingTools, tell: @escaping (UInt32, EvictedDoors.News) -> Void) {
        (self.tools, self.tell) = (tools, tell)
    }

    /// Duplicates the sockets at which clients of these processes wait, but for those of the inodes `held`, which the supervisor holds
    /// anyway.
    package func hold(_ worker: UInt32, _ processes: [Int32], leavingOut held: Set<UInt64> = []) {
        guard duplicates[worker] == nil else { return }
        duplicates[worker] = .making(then: [])
        tools.duplicateDoors(of: processes, leavingOut: held) { [weak self] stock in
            guard let self, case .making(let then) = duplicates[worker] else { return }
            duplicates[worker] = .made(stock)
            for body in then { body() }
        }
    }

    /// Has `body` done once the duplicates of a worker are made, where they are being made: whatever ends it is to wait for that.
    package func afterDuplicates(of worker: UInt32, _ body: @escaping () -> Void) {
        guard case .making(let then) = duplicates[worker] else { return body() }
        duplicates[worker] = .making(then: then + [body])
    }

    /// The process of a worker has ended: its clients are waited for from now on, where its sockets were duplicated.
    package func ended(_ worker: UInt32, _ settings: EvictedDoors.Settings) {
        forgetProcess(of: worker)
        // It was being launched, and is evicted: what it listens at has its clients.
        let old = doors[worker]
        let stock: DoorStock? =
            if case .made(let stock) = duplicates.removeValue(forKey: worker) { stock } else { nil }
        guard let stock, stock.keepServing() else { old?.launchEnded(hadProcess: true); return }
        if let old {
            old.giveUp()
            doors[worker] = nil
        }
        open(worker, stock, settings, isStored: false)
    }

    /// Goes on with what a predecessor has kept open.
    package func take(_ worker: UInt32, _ descriptors: [Int32], _ settings: EvictedDoors.Settings) {
        guard let stock = DoorStock(inheriting: descriptors), stock.keepServing() else { return }
        open(worker, stock, settings, isStored: true)
    }

    /// Refuses the clients at what a predecessor in this process has kept open for a worker that is not to have it any more.
    package func refuse(_ descriptors: [Int32], ofGroup group: String) {
        for number in descriptors {
            guard let door = DoorDescriptor(inheriting: number) else { continue }
            let name = StoreName.doors(group) + "\(door.inode)"
            store?.keepOn(number, as: name, polled: false)
            store?.drop(number, as: name)
            door.shut()
        }
    }

    private func open(
        _ worker: UInt32, _ stock: DoorStock, _ settings: EvictedDoors.Settings, isStored: Bool
    ) {
        let made = EvictedDoors(
            stock, settings, with: tools, storedIn: store,
            lendingGap: { [weak self] in self?.lendingGap(of: worker) }
        ) { [weak self] news in
            guard let self else { return }
            if case .over = news { doors[worker] = nil }
            tell(worker, news)
        }
        doors[worker] = made
        made.begin(isStored: isStored)
    }

    /// The sockets of a worker that are open while it is gone; nil where there are none.
    package subscript(_ worker: UInt32) -> EvictedDoors? { doors[worker] }

    /// Refuses the clients of a worker from now on.
    package func close(_ worker: UInt32) {
        if case .made = duplicates[worker] { duplicates[worker] = nil }
        doors[worker]?.close()
    }
}
