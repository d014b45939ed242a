internal import Glibc

/// A file of slots of one size, each written whole: for what has to survive us, and changes all the time.
///
/// It belongs into a directory in memory (tmpfs(5)). A slot lies within one page, which the kernel copies in one piece
/// whatever signal comes: who is killed leaves the old content or the new.
public struct SlotFile: ~Copyable, Sendable {
    /// The bytes of one slot.
    public static let slotSize = 1024
    /// More slots than this are not read: the file is not ours then.
    private static let mostSlots = 1 << 17

    private let descriptor: OwnedDescriptor
    /// The file.
    public let path: String

    /// The file at `path`, for us alone; it is made when it is not there.
    public init(_ path: String) throws(LinuxError) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        descriptor = OwnedDescriptor(adopting: try unsafe check(open(path, flags, 0o600), "open", path))
        self.path = path
    }

    /// Writes `content` at the beginning of slot `number`; ENOSPC when the directory is full, EFBIG when it does not fit.
    public borrowing func write(_ content: [UInt8], to number: Int) throws(LinuxError) {
        guard content.count <= Self.slotSize else {
            throw LinuxError(errno: EFBIG, call: "pwrite", subject: path)
        }
        let count = unsafe content.withUnsafeBytes { bytes in
            unsafe pwrite(descriptor.rawValue, bytes.baseAddress, bytes.count, off_t(number * Self.slotSize))
        }
        guard count == content.count else {
            throw count < 0
                ? .last("pwrite", path) : LinuxError(errno: ENOSPC, call: "pwrite", subject: path)
        }
    }

    /// What is in each slot, from the first to the last that was ever written.
    public borrowing func slots() throws(LinuxError) -> [[UInt8]] {
        var slots: [[UInt8]] = []
        var room = [UInt8](repeating: 0, count: Self.slotSize)
        while slots.count < Self.mostSlots {
            let count = unsafe room.withUnsafeMutableBytes { room in
                unsafe pread(
                    descriptor.rawValue, room.baseAddress, room.count, off_t(slots.count * Self.slotSize))
            }
            guard count >= 0 else { throw .last("pread", path) }
            if count == 0 { break }
            slots.append(Array(room[..<count]))
        }
        return slots
    }

    /// When it was written last, in microseconds of the wall clock since 1970; nil for an empty file.
    public borrowing func lastWritten() throws(LinuxError) -> Int64? {
        var status = stat()
        try unsafe check(fstat(descriptor.rawValue, &status), "fstat", path)
        guard status.st_size > 0 else { return nil }
        return Int64(status.st_mtim.tv_sec) * 1_000_000 + Int64(status.st_mtim.tv_nsec) / 1000
    }

    /// Forgets all slots from `number` on.
    public borrowing func truncate(to number: Int) throws(LinuxError) {
        try check(ftruncate(descriptor.rawValue, off_t(number * Self.slotSize)), "ftruncate", path)
    }
}
