internal import Glibc

/// What a file is, as far as it takes to see that it has changed.
///
/// Content counts where it can be read at a bearable price; else the file's identity, size and times.
package enum FileFingerprint: Hashable, Sendable {
    /// Nothing is there.
    case missing
    /// A file, by its content.
    case content(size: Int64, digest: UInt64)
    /// A file that is too big or cannot be read, or something else, by what stat(2) says.
    case status(device: UInt64, inode: UInt64, size: Int64, modified: Int64)
    /// A directory, by what is in it.
    case directory(digest: UInt64, isEmpty: Bool)

    /// The longest file whose content is read.
    package static let longest = 1 << 20

    /// Takes that of `path`, links followed; it may wait for a disk.
    package init(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else {
            self = .missing
            return
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            if let bytes = try? RegularFile.read(path, limit: Self.longest) {
                var digest = Digest()
                digest.add(bytes)
                self = .content(size: Int64(bytes.count), digest: digest.value)
                return
            }
        case S_IFDIR:
            if let names = try? Directory.names(in: path, limit: 10_000) {
                self = .directory(digest: Self.digest(of: names, in: path), isEmpty: names.isEmpty)
                return
            }
        default: break
        }
        self = .status(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: status.modified)
    }

    /// Whether something is there.
    package var exists: Bool { self != .missing }

    /// Whether it is a directory with nothing in it.
    package var isEmptyDirectory: Bool {
        if case .directory(_, isEmpty: true) = self { true } else { false }
    }

    private static func digest(of names: [String], in path: String) -> UInt64 {
        var digest = Digest()
        for name in names.sorted() {
            var status = stat()
            // Gone since it was listed: its removal is told of too.
            guard unsafe stat("\(path)/\(name)", &status) == 0 else { continue }
            digest.add(Array(name.utf8) + [0])
            for number in [
                UInt64(status.st_ino), UInt64(status.st_size), UInt64(bitPattern: status.modified),
            ] {
                digest.add(number)
            }
        }
        return digest.value
    }
}

/// What stat(2) says of a file besides its content: its owner, mode and links, and when any of that changed last.
package struct FileAttributes: Hashable, Sendable {
    private let mode: UInt32
    private let user: UInt32
    private let group: UInt32
    private let links: UInt64
    private let modified: Int64
    /// When it was written, renamed or given other attributes last, which no program can set otherwise: nanoseconds since 1970.
    package let changed: Int64

    /// Takes those of `path`, links followed; nil where nothing is there.
    ///
    /// It may wait for a disk.
    package init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        mode = status.st_mode
        user = status.st_uid
        group = status.st_gid
        links = UInt64(status.st_nlink)
        modified = status.modified
        changed = Int64(status.st_ctim.tv_sec) * 1_000_000_000 + Int64(status.st_ctim.tv_nsec)
    }
}

extension stat {
    /// When its content changed last: nanoseconds since 1970.
    fileprivate var modified: Int64 { Int64(st_mtim.tv_sec) * 1_000_000_000 + Int64(st_mtim.tv_nsec) }
}

/// FNV-1a of 64 bits: a change is seen, a forgery is not kept out.
private struct Digest {
    private(set) var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    mutating func add(_ number: UInt64) {
        for shift in stride(from: 0, to: 64, by: 8) {
            value = (value ^ (number >> UInt64(shift) & 0xff)) &* 0x100_0000_01b3
        }
    }
}
