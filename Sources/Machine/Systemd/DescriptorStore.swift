internal import Glibc
package import Linux

/// What keeps a worker's descriptors while it does not run: sd_notify(3)'s `FDSTORE=1`, systemd.service(5)'s
/// `FileDescriptorStoreMax=`.
///
/// A descriptor whose other end hangs up is dropped, unless it was stored with `FDPOLL=0`. It belongs to the
/// thread of its loop.
package final class DescriptorStore {
    /// What became of a descriptor that was to be stored; only `stored` keeps it open.
    package enum Outcome: Hashable, Sendable {
        /// It is kept.
        case stored
        /// The store has the same open file already, under the same name or another.
        case duplicate
        /// The store holds as many as it may.
        case full
    }

    /// A descriptor that is kept.
    package struct Stored: Hashable, Sendable {
        /// The name under which it was stored.
        package let name: String
        /// Its number, borrowed: valid until the store drops it.
        package let descriptor: Int32
    }

    private let loop: EventLoop
    /// How many are kept at most; more that are kept already stay.
    package var limit: Int
    private let priority: Priority
    private let hungUp: (Stored) -> Void
    private var entries: [Entry] = []

    /// An empty store for at most `limit` descriptors, that calls `hungUp` when it drops one for its hangup.
    ///
    /// The descriptor that `hungUp` is told is about to be closed.
    package init(
        on loop: EventLoop, limit: Int, priority: Priority = .clients,
        hungUp: @escaping (Stored) -> Void = { _ in }
    ) {
        self.loop = loop
        self.limit = limit
        self.priority = priority
        self.hungUp = hungUp
    }

    /// What is kept, in the order in which it was stored.
    package var stored: [Stored] { entries.map(\.stored) }

    /// How many descriptors are kept.
    package var count: Int { entries.count }

    /// Keeps `descriptor` under `name`, which is a valid one (`NotifyMessage.isDescriptorName`), or closes
    /// it.
    ///
    /// With `polled` it is watched for hangup, if its kind can be. Throws when the watch is refused for
    /// another reason, and closes it then.
    package func add(
        _ descriptor: consuming OwnedDescriptor, name: String, polled: Bool
    ) throws(SystemdError) -> Outcome {
        loop.checkThread()
        for entry in entries {
            let number = entry.stored.descriptor
            if descriptor.isSameFile(as: number) { return .duplicate }
        }
        guard entries.count < limit else { return .full }
        let stored = Stored(name: name, descriptor: descriptor.rawValue)
        entries.append(Entry(stored, polled ? try watch(descriptor, as: stored) : .unwatched(descriptor)))
        return .stored
    }

    private func watch(
        _ descriptor: consuming OwnedDescriptor, as stored: Stored
    ) throws(SystemdError) -> Entry.Holding {
        do {
            // No event is asked for: hangup and error are told anyway.
            let source = try IOSource(
                on: loop, descriptor: descriptor.rawValue, events: [], priority: priority
            ) { [unowned self] _ in drop(stored) }
            source.own(descriptor)
            return .watched(source)
        } catch  where error.errno == EPERM {
            // A regular file, which never hangs up.
            return .unwatched(descriptor)
        }
    }

    private func drop(_ stored: Stored) {
        hungUp(stored)
        // Looked up afterwards: the callback may have removed it already.
        entries.removeAll { $0.stored == stored }
    }

    /// Closes all that are kept under `name`, and says how many.
    @discardableResult
    package func remove(named name: String) -> Int {
        loop.checkThread()
        let before = entries.count
        entries.removeAll { $0.stored.name == name }
        return before - entries.count
    }

    /// Closes all.
    package func removeAll() {
        loop.checkThread()
        entries.removeAll()
    }
}

/// A descriptor and its owner, which closes it.
private final class Entry {
    enum Holding: ~Copyable {
        /// The source owns it, so that it is out of the loop before its number is free.
        case watched(IOSource)
        case unwatched(OwnedDescriptor)
    }

    let stored: DescriptorStore.Stored
    private let holding: Holding

    init(_ stored: DescriptorStore.Stored, _ holding: consuming Holding) {
        self.stored = stored
        self.holding = holding
    }
}
