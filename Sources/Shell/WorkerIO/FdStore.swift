internal import Glibc
internal import Linux
package import Systemd

/// Keeps descriptors open for the next process, by name.
///
/// It belongs to the thread of the loop.
package protocol DescriptorStoring: AnyObject {
    /// Has `descriptor` kept under `name`; a `polled` one only until its other end hangs up.
    ///
    /// The number is borrowed until it is dropped, which is to be before it is closed.
    func keep(_ descriptor: Int32, as name: String, polled: Bool)
    /// The same for one that came through execve(2): it may be kept already.
    func keepOn(_ descriptor: Int32, as name: String, polled: Bool)
    /// `descriptor` is no longer needed.
    func drop(_ descriptor: Int32, as name: String)
    /// What a predecessor has had kept under `name`, which is the caller's to close; nil where there is nothing.
    func take(_ name: String) -> Int32?
    /// The names that begin like this under which a predecessor has had something kept that was not taken yet.
    func untaken(_ prefix: String) -> [String]
    /// The same of all names that are `prefix` and a number.
    func takeNumbered(_ prefix: String) -> [Int32]
}

/// The store of the service manager (systemd.service(5), `FileDescriptorStoreMax=`): the sockets of workers stay open while no
/// daemon runs, and what workers send meanwhile waits in them.
///
/// The manager is never waited for: what it does not take now is offered again. A full store keeps the rest from it, as if there were
/// none.
package final class FdStore: DescriptorStoring {
    private struct Kept {
        let descriptor: Int32
        let isPolled: Bool
    }

    /// Offers a change to the manager; false when that has to wait.
    private let offer: ([NotifyField], [Int32]) -> Bool
    private let retries = SourceBox<TimeSource>()
    private var kept: [String: Kept] = [:]
    /// The names under which the manager has something.
    package private(set) var stored: Set<String>
    /// Descriptors of a predecessor that have not been taken yet.
    private var inherited: [String: Int32] = [:]
    /// The names of which the manager has not heard the news, in their order.
    private var unsent: [String] = []
    private var awaited: Set<String> = []
    /// Until what was not taken is offered again, in microseconds.
    private static let retryInterval: Int64 = 100_000

    /// A store behind `offer`, of which a predecessor in this process has used the names `stored`.
    package init(
        on loop: EventLoop, stored: Set<String> = [], offer: @escaping ([NotifyField], [Int32]) -> Bool
    ) {
        self.offer = offer
        self.stored = stored
        // Ignoring a failure: then what the manager does not take at once is not kept.
        retries.handle = try? TimeSource(on: loop, priority: .clients) { [unowned self] _ in flush() }
    }

    /// Takes in descriptors that the manager has passed to this process and that no other name claims.
    package func inherit(_ descriptors: [PassedEnvironment.Descriptor]) {
        for descriptor in descriptors {
            stored.insert(descriptor.name)
            // Of two by one name the first counts.
            if inherited[descriptor.name] == nil {
                inherited[descriptor.name] = descriptor.number
            } else {
                close(descriptor.number)
            }
        }
    }

    /// Lets go of the descriptors that were not taken: their workers have ended.
    package func dropUntaken() {
        for (name, descriptor) in inherited {
            close(descriptor)
            changed(name)
        }
        inherited = [:]
        flush()
    }

    package func keep(_ descriptor: Int32, as name: String, polled: Bool) {
        guard NotifyMessage.isDescriptorName(name) else { return }
        kept[name] = Kept(descriptor: descriptor, isPolled: polled)
        changed(name)
        flush()
    }

    package func keepOn(_ descriptor: Int32, as name: String, polled: Bool) {
        guard stored.contains(name) else { return keep(descriptor, as: name, polled: polled) }
        kept[name] = Kept(descriptor: descriptor, isPolled: polled)
    }

    package func drop(_ descriptor: Int32, as name: String) {
        // A later one of that name stays.
        guard kept[name]?.descriptor == descriptor else { return }
        kept[name] = nil
        changed(name)
        flush()
    }

    package func take(_ name: String) -> Int32? {
        guard let descriptor = inherited.removeValue(forKey: name) else { return nil }
        kept[name] = Kept(descriptor: descriptor, isPolled: false)
        return descriptor
    }

    package func untaken(_ prefix: String) -> [String] {
        inherited.keys.filter { $0.hasPrefix(prefix) }.sorted()
    }

    package func takeNumbered(_ prefix: String) -> [Int32] {
        let names = untaken(prefix).filter { UInt64($0.dropFirst(prefix.count)) != nil }
        return names.compactMap(take)
    }

    private func changed(_ name: String) {
        // However long the manager takes, a name is told once.
        if awaited.insert(name).inserted { unsent.append(name) }
    }

    private func flush() {
        var done = 0
        while done < unsent.count, send(unsent[done]) {
            awaited.remove(unsent[done])
            done += 1
        }
        unsent.removeFirst(done)
        guard !unsent.isEmpty, !(retries.handle?.isArmed ?? true) else { return }
        retries.handle?.arm(at: KernelClock.monotonic + Self.retryInterval)
    }

    /// Brings the manager up to date with a name; false when that has to wait.
    private func send(_ name: String) -> Bool {
        if stored.contains(name) {
            guard offer([.storage(.remove(name: name))], []) else { return false }
            stored.remove(name)
        }
        guard let entry = kept[name] else { return true }
        let field = NotifyField.storage(.store(name: name, polled: entry.isPolled))
        guard offer([field], [entry.descriptor]) else { return false }
        stored.insert(name)
        return true
    }
}

/// The names under which descriptors are kept.
package enum StoreName {
    /// The notify socket of the worker with this group.
    package static func notify(_ group: String) -> String { "notify.\(group)" }
    /// Where workers connect for memory warnings.
    package static let pressureSocket = "memory"
    /// A connection there.
    package static func connection(_ group: String, _ number: Int) -> String { "memory.\(group).\(number)" }

    /// A socket that is held for the worker with this group, in its place among them.
    package static func socket(_ group: String, _ slot: UInt32) -> String { "socket.\(group).\(slot)" }
    /// What all descriptors begin with that the worker with this group has stored: a number and its own name for it follow.
    package static func stored(_ group: String) -> String { "stored/\(group)/" }
    /// What the names of the sockets begin with that are open for an evicted worker with this group; their inodes follow.
    package static func doors(_ group: String) -> String { "door.\(group)." }

    /// What the names begin with of that by which bind(2) of the processes of the worker with this group is answered; their numbers follow.
    package static func binds(_ group: String) -> String { "bind.\(group)." }

    /// Whether it is one of these.
    package static func isOurs(_ name: String) -> Bool {
        name == pressureSocket
            || ["notify.", "memory.", "socket.", "stored/", "door.", "bind."].contains { name.hasPrefix($0) }
    }
}
