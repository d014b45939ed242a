internal import Glibc
internal import Synchronization

/// A file of slots of one size, each replaced whole: for what has to survive the process, and changes all the time.
///
/// It belongs into a directory in memory (tmpfs(5)), and is mapped: what is written there costs no call, and is the kernel's
/// at once. A slot has room for two contents, of which its first word tells the one that counts; the other is written, then
/// that word. A process that is killed anywhere between leaves the old content or the new.
@safe package struct SlotFile: ~Copyable {
    /// The bytes of one slot.
    private static let slotSize = 1024
    /// The word before the two contents, and the three numbers before each of them: of the write, of its bytes, and their checksum.
    private static let markSize = 8
    private static let prefixSize = 12
    /// The bit of that word that says of a content that something has come after it (``flag(_:)``).
    private static let flagBit: UInt64 = 1 << 63
    private static let contentSize = (slotSize - markSize) / 2
    /// The most bytes that a slot keeps.
    package static let roomInSlot = contentSize - prefixSize
    /// More slots than this are not read: such a file was not written here.
    private static let mostSlots = 1 << 17
    /// The file grows by as many at least.
    private static let growth = 64

    private let descriptor: OwnedDescriptor
    /// The file.
    package let path: String
    private var map: UnsafeMutableRawPointer?
    private var mapped = 0

    /// The file at `path`, for this user alone; it is made when it is not there.
    package init(_ path: String) throws(LinuxError) {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
        descriptor = OwnedDescriptor(adopting: try unsafe check(open(path, flags, 0o600), "open", path))
        self.path = path
    }

    deinit {
        if let map = unsafe map { unsafe munmap(map, mapped * Self.slotSize) }
    }

    // MARK: writing

    /// Begins anew: all slots are empty, and the first, which belongs to the file itself, is `head`.
    package mutating func begin(with head: [UInt8]) throws(LinuxError) {
        try removeAll()
        let count = unsafe head.withUnsafeBytes { bytes in
            unsafe pwrite(descriptor.rawValue, bytes.baseAddress, min(bytes.count, Self.slotSize), 0)
        }
        guard count == head.count else {
            throw count < 0
                ? .last("pwrite", path) : LinuxError(errno: ENOSPC, call: "pwrite", subject: path)
        }
    }

    /// Replaces what is in slot `number`, from 1 on; ENOSPC when the directory is full, EFBIG when it does not fit.
    package mutating func write(_ content: UnsafeRawBufferPointer, to number: Int) throws(LinuxError) {
        guard content.count <= Self.roomInSlot else {
            throw LinuxError(errno: EFBIG, call: "write", subject: path)
        }
        let slot = try unsafe slot(number)
        let mark = unsafe Self.mark(of: slot)
        let next = unsafe max((mark.pointee.load(ordering: .relaxed) & ~Self.flagBit) &+ 1, 1)
        let place = unsafe slot + Self.offset(ofContent: next)
        unsafe place.storeBytes(of: UInt32(truncatingIfNeeded: next), as: UInt32.self)
        unsafe place.storeBytes(of: UInt32(content.count), toByteOffset: 4, as: UInt32.self)
        unsafe place.storeBytes(of: Self.checksum(of: content, next), toByteOffset: 8, as: UInt32.self)
        unsafe (place + Self.prefixSize).copyMemory(
            from: content.baseAddress ?? UnsafeRawPointer(slot), byteCount: content.count)
        // Nothing of the content may come after it.
        unsafe mark.pointee.store(next, ordering: .releasing)
    }

    /// Says of what is in slot `number` that one thing more has come after it, until something else is written there.
    package mutating func flag(_ number: Int) throws(LinuxError) {
        let mark = unsafe Self.mark(of: try slot(number))
        unsafe mark.pointee.store(mark.pointee.load(ordering: .relaxed) | Self.flagBit, ordering: .releasing)
    }

    /// Empties slot `number`.
    package mutating func clear(_ number: Int) throws(LinuxError) {
        unsafe Self.mark(of: try slot(number)).pointee.store(0, ordering: .releasing)
    }

    /// Leaves nothing.
    package mutating func removeAll() throws(LinuxError) {
        // Behind the end of a file there is nothing to be touched.
        if let old = unsafe map { unsafe munmap(old, mapped * Self.slotSize) }
        unsafe map = nil
        mapped = 0
        try check(ftruncate(descriptor.rawValue, 0), "ftruncate", path)
    }

    private mutating func slot(_ number: Int) throws(LinuxError) -> UnsafeMutableRawPointer {
        if number >= mapped { try extend(to: number) }
        guard let map = unsafe map else { throw LinuxError(errno: EFBIG, call: "mmap", subject: path) }
        return unsafe map + number * Self.slotSize
    }

    private mutating func extend(to number: Int) throws(LinuxError) {
        let count = (max(number, mapped + mapped / 4) / Self.growth + 1) * Self.growth
        // What the file system has no room for would be a SIGBUS when it is written.
        var failure: Int32
        repeat {
            failure = posix_fallocate(descriptor.rawValue, 0, off_t(count * Self.slotSize))
        } while failure == EINTR
        guard failure == 0 else { throw LinuxError(errno: failure, call: "fallocate", subject: path) }
        let larger = unsafe mmap(
            nil, count * Self.slotSize, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.rawValue, 0)
        guard let larger = unsafe larger, unsafe larger != MAP_FAILED else { throw .last("mmap", path) }
        if let old = unsafe map { unsafe munmap(old, mapped * Self.slotSize) }
        unsafe map = larger
        mapped = count
    }

    private static func mark(of slot: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Atomic<UInt64>> {
        unsafe slot.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    private static func offset(ofContent mark: UInt64) -> Int { markSize + (mark & 1 == 0 ? 0 : contentSize) }

    // MARK: reading

    /// What is in each slot, from the first, which belongs to the file itself, to the last: as it lies there.
    package borrowing func slots() throws(LinuxError) -> [[UInt8]] {
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

    /// What was written to a slot that lies as `slot`: nothing when it is empty, nil when it was not written whole.
    package static func content(of slot: [UInt8]) -> [UInt8]? {
        guard slot.count == slotSize else { return nil }
        let mark = number(slot[..<markSize]) & ~flagBit
        if mark == 0 { return [] }
        let content = slot.dropFirst(offset(ofContent: mark)).prefix(contentSize)
        let body = content.dropFirst(prefixSize)
        let length = number(content.dropFirst(4).prefix(4))
        guard number(content.prefix(4)) == mark & 0xffff_ffff, length <= UInt64(body.count) else {
            return nil
        }
        let bytes = Array(body.prefix(Int(length)))
        let sum = unsafe bytes.withUnsafeBytes { unsafe checksum(of: $0, mark) }
        return number(content.dropFirst(8).prefix(4)) == UInt64(sum) ? bytes : nil
    }

    /// Whether ``flag(_:)`` was said of a slot that lies as `slot`.
    package static func isFlagged(_ slot: [UInt8]) -> Bool {
        slot.count == slotSize && number(slot[..<markSize]) & flagBit != 0
    }

    // MARK: checksums

    /// A content with its checksum behind it, for a file of its own.
    package static func sealed(_ content: [UInt8]) -> [UInt8] {
        let sum = unsafe content.withUnsafeBytes { unsafe checksum(of: $0, 0) }
        return content + (0..<4).map { UInt8(truncatingIfNeeded: sum >> ($0 * 8)) }
    }

    /// The content that was sealed so; nil where it is not as it was written.
    package static func unsealed(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= 4 else { return nil }
        let content = Array(bytes.dropLast(4))
        let sum = unsafe content.withUnsafeBytes { unsafe checksum(of: $0, 0) }
        return number(bytes.suffix(4)) == UInt64(sum) ? content : nil
    }

    /// Tells a content from one of which bits were lost: by no key, since no other user can write the file.
    ///
    /// Eight bytes at a time, each mixed in by a step that loses nothing, so that no single change of a word goes unseen before the end.
    private static func checksum(of bytes: UnsafeRawBufferPointer, _ mark: UInt64) -> UInt32 {
        var sum = mark ^ UInt64(bytes.count) &* 0x9e37_79b9_7f4a_7c15
        var index = 0
        while index + 8 <= bytes.count {
            mix(unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self), into: &sum)
            index += 8
        }
        var last: UInt64 = 0
        while index < bytes.count {
            last = last << 8 | UInt64(unsafe bytes[index])
            index += 1
        }
        mix(last, into: &sum)
        return UInt32(truncatingIfNeeded: sum ^ sum >> 32)
    }

    @inline(__always)
    private static func mix(_ word: UInt64, into sum: inout UInt64) {
        sum = (sum ^ word) &* 0xff51_afd7_ed55_8ccd
        sum ^= sum >> 33
    }

    /// As this machine has numbers: the file does not leave it.
    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
