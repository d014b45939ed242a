internal import CLinux
internal import Glibc
package import Linux
package import Transferring

/// The file by which the holder of a transfer tells the supervisor how it stands (``TransferReport``).
///
/// The supervisor makes it and takes its lock (flock(2)), which belongs to the open file: the holder has that from its first moment on as
/// its descriptor 3, and the lock is free when the holder is gone, and not before, whatever has become of the supervisor.
package struct TransferFile: ~Copyable, Sendable {
    private let descriptor: OwnedDescriptor
    private var sequence: UInt32 = 0
    /// What was written last, by which nothing is written twice.
    private var last: TransferReport?

    /// Makes the file at `path`, which no other user may open, and takes its lock.
    package init(making path: String) throws(LinuxError) {
        descriptor = try Self.make(path)
    }

    private static func make(_ path: String) throws(LinuxError) -> OwnedDescriptor {
        try AtomicFile.remove(path)
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let made = OwnedDescriptor(adopting: try unsafe check(open(path, flags, 0o600), "open", path))
        let result = torpor_transfer_lock(made.rawValue)
        guard result == 0 else { throw LinuxError(errno: -result, call: "flock", subject: path) }
        return made
    }

    /// Makes one that is nowhere but in memory: what has launched the holder reads it, and no successor.
    package init() throws(LinuxError) {
        let number = torpor_transfer_memory()
        guard number >= 0 else { throw LinuxError(errno: -number, call: "memfd_create") }
        descriptor = OwnedDescriptor(adopting: number)
    }

    /// The file that came through execve(2) as this descriptor.
    package init(inheriting number: Int32) {
        descriptor = OwnedDescriptor(inheriting: number)
    }

    /// Its number, borrowed: for the holder that is launched.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Writes a report; nothing where it is as the last one.
    package mutating func write(_ report: TransferReport) {
        guard report != last else { return }
        last = report
        sequence &+= 1
        let bytes = report.bytes(sequence: sequence)
        let place = off_t(Int(sequence % 2) * TransferReport.slotSize)
        // Ignoring a failure: a file system that is full. The supervisor sees the end of the holder all the same.
        _ = unsafe pwrite(descriptor.rawValue, bytes, bytes.count, place)
    }

    /// What is known of a holder.
    package struct Sight: Hashable, Sendable {
        /// What it has told last; nil where it has told nothing yet.
        package var report: TransferReport?
        /// Whether it is there.
        package var isHeld: Bool
    }

    /// What the holder has told last, read by the one that has made the file; nil where it has told nothing yet.
    package var report: TransferReport? { Self.read(descriptor.rawValue) }

    private static func read(_ descriptor: Int32) -> TransferReport? {
        var room = [UInt8](repeating: 0, count: TransferReport.slotSize * 2)
        let count = unsafe pread(descriptor, &room, room.count, 0)
        return TransferReport.read(Array(room.prefix(max(0, count))))?.report
    }

    /// Looks at the file at `path`; nil where there is none.
    package static func look(at path: String) -> Sight? {
        let number = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { return nil }
        let file = OwnedDescriptor(adopting: number)
        let isHeld = torpor_transfer_lock(file.rawValue) != 0
        // After that: what is read of one that is gone is its last word.
        return Sight(report: read(file.rawValue), isHeld: isHeld)
    }
}
