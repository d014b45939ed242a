internal import CLinux
internal import Glibc

/// A directory that was reached from the root of the file system, one name at a time.
///
/// Each directory on the way was opened below the one before and looked at by fstat(2), so that it is known which names other
/// users could have given away. openat2(2) with RESOLVE_NO_SYMLINKS does the same in one call, but does not tell the owners of what
/// is on the way, and is refused by the seccomp filters of older container engines: this works everywhere.
package final class WalkedDirectory {
    /// The users that decide what its names lead to.
    enum Standing: Hashable {
        /// Root and we alone.
        case ours
        /// Every user makes names, and only a name's owner takes it away: /tmp.
        case sticky
        /// Other users; with a clause that says which part of the path they own.
        case others(String)
    }

    /// Opened with O_PATH.
    let descriptor: OwnedDescriptor
    let path: String
    let parent: WalkedDirectory?
    let standing: Standing
    /// Its owner and its mode.
    let status: stat
    let users: TrustedUsers

    private init(
        _ descriptor: consuming OwnedDescriptor, _ path: String, _ status: stat,
        below parent: WalkedDirectory?,
        _ users: TrustedUsers
    ) {
        self.descriptor = descriptor
        self.path = path
        self.parent = parent
        self.status = status
        self.users = users
        standing = Self.standing(of: path, status, below: parent, users, self.descriptor.rawValue)
    }

    /// The root of the file system.
    static func root(for users: TrustedUsers) throws(LinuxError) -> WalkedDirectory {
        let descriptor = OwnedDescriptor(
            adopting: try unsafe check(torpor_open_directory("/"), "open", "/"))
        let status = try descriptor.status("/")
        return WalkedDirectory(descriptor, "/", status, below: nil, users)
    }

    /// The directory in which the last name of `path` is, and that name, whatever it leads to; what is missing on the way is made with `mode`.
    ///
    /// Links of root and of the process's user are followed on the way, all others are refused.
    package static func parent(
        of path: String, making mode: UInt32? = nil
    ) throws(LinuxError) -> (WalkedDirectory, String) {
        let names = path.split(separator: "/", omittingEmptySubsequences: false)
        let parent = names.dropLast().joined(separator: "/")
        return (try PathWalk.directory(parent.isEmpty ? "/" : parent, making: mode), String(names.last ?? ""))
    }

    /// The descriptor, for as long as this lives.
    package var number: Int32 { descriptor.rawValue }

    /// The directory called `name` in this one, which `descriptor` was opened for.
    func entered(
        _ name: String, _ descriptor: consuming OwnedDescriptor, _ status: stat
    ) -> WalkedDirectory {
        WalkedDirectory(descriptor, path(of: name), status, below: self, users)
    }

    func path(of name: String) -> String { path == "/" ? "/\(name)" : "\(path)/\(name)" }

    private static func standing(
        of path: String, _ status: stat, below parent: WalkedDirectory?, _ users: TrustedUsers,
        _ descriptor: Int32
    ) -> Standing {
        if case .others(let theirs) = parent?.standing { return .others(theirs) }
        guard users.contains(owner: status.st_uid) else {
            return .others("\(path) belongs to user \(status.st_uid)")
        }
        guard users.lets(others: status), !isReadOnly(descriptor) else { return .ours }
        if status.st_mode & S_ISVTX != 0 { return .sticky }
        return .others("\(path) is writable by other users (mode \(status.permissions))")
    }

    /// Whether it is mounted so that its mode does not count: a volume of a container engine, say.
    private static func isReadOnly(_ descriptor: Int32) -> Bool {
        var system = statvfs()
        return unsafe fstatvfs(descriptor, &system) == 0 && system.f_flag & UInt(ST_RDONLY) != 0
    }

    /// The clause that names the others that decide what the name of an entry with `status` leads to; nil where only root and
    /// we do.
    func others(deciding status: stat, _ name: String) -> String? {
        switch standing {
        case .ours: nil
        case .others(let theirs): theirs
        case .sticky: stranger(status, name)
        }
    }

    /// The same where each user gives and takes away names of its own.
    ///
    /// A second name can be given to a file of another user.
    private func stranger(_ status: stat, _ name: String) -> String? {
        if !users.contains(owner: status.st_uid) {
            return "\(path(of: name)) belongs to user \(status.st_uid)"
        }
        let isLinked = status.st_mode & S_IFMT != S_IFDIR && status.st_nlink > 1
        return isLinked ? "other users can create links in \(path)" : nil
    }

    /// Opens what is called `name` in it so that it can be looked at, a link as well: nothing is read of it.
    func look(at name: String) throws(LinuxError) -> OwnedDescriptor {
        let opened = unsafe torpor_open_path(descriptor.rawValue, name)
        return OwnedDescriptor(adopting: try check(opened, "open", path(of: name)))
    }

    /// Opens what is called `name` in it, itself and no link, without waiting.
    func open(_ name: String, _ flags: Int32, mode: UInt32 = 0) throws(LinuxError) -> OwnedDescriptor {
        let flags = flags | O_NOFOLLOW | O_CLOEXEC
        let opened = unsafe openat(descriptor.rawValue, name, flags, mode)
        return OwnedDescriptor(adopting: try check(opened, "open", path(of: name)))
    }

    /// Makes a directory called `name` in it; false where something is there already.
    func make(_ name: String, mode: UInt32) throws(LinuxError) -> Bool {
        if unsafe mkdirat(descriptor.rawValue, name, mode) == 0 { return true }
        guard errno == EEXIST else { throw .last("mkdir", path(of: name)) }
        return false
    }
}

/// A path that is followed name by name (path_resolution(7)).
struct PathWalk {
    /// What a path leads to.
    enum Place {
        /// A directory.
        case directory(WalkedDirectory)
        /// Something else in a directory, under this name.
        case entry(WalkedDirectory, String, stat)
        /// Nothing yet: this name in a directory that is there.
        case missing(WalkedDirectory, String)
    }

    /// What is done with symbolic links.
    enum Links {
        /// Links of root and of the process's user are followed, all others are refused.
        case own
        /// None is followed.
        case none
    }

    private var current: WalkedDirectory
    private var names: [String]
    private let links: Links
    /// The mode of directories that are made where one on the way is missing; nil makes none.
    private let making: UInt32?
    private var followed = 0

    /// The most links on the way, as the kernel has it.
    private static let mostLinks = 40

    private init(_ path: String, from start: WalkedDirectory, _ links: Links, making: UInt32?) {
        current = start
        names = Self.names(in: path)
        self.links = links
        self.making = making
    }

    /// What `path` leads to; one that is relative, from our own working directory.
    static func place(
        of path: String, making: UInt32? = nil, for users: TrustedUsers = .current
    ) throws(LinuxError) -> Place {
        var walk = PathWalk(
            path.hasPrefix("/") ? path : try workingDirectory() + "/" + path, from: try .root(for: users),
            .own,
            making: making)
        return try walk.run()
    }

    /// What the relative `path` leads to below `directory`, by no link at all, or from there by `links` that are followed.
    static func place(
        of path: String, below directory: WalkedDirectory, by links: Links = .none, making: UInt32? = nil
    ) throws(LinuxError) -> Place {
        var walk = PathWalk(path, from: directory, links, making: making)
        return try walk.run()
    }

    /// The directory at `path`, made where it is missing and `making` says so.
    static func directory(
        _ path: String, making: UInt32? = nil, for users: TrustedUsers = .current
    ) throws(LinuxError) -> WalkedDirectory {
        // A name more has the walk make the last directory as well.
        switch try place(of: making == nil ? path : path + "/.", making: making, for: users) {
        case .directory(let directory): return directory
        case .entry: throw LinuxError(errno: ENOTDIR, call: "open", subject: path)
        case .missing: throw LinuxError(errno: ENOENT, call: "open", subject: path)
        }
    }

    private mutating func run() throws(LinuxError) -> Place {
        while let name = names.popLast() {
            if name == "." { continue }
            if name == ".." {
                current = current.parent ?? current
                continue
            }
            if let place = try step(name) { return place }
        }
        return .directory(current)
    }

    /// Goes to `name`; returns where that is the end of the way.
    private mutating func step(_ name: String) throws(LinuxError) -> Place? {
        let path = current.path(of: name)
        let descriptor: OwnedDescriptor
        do throws(LinuxError) {
            descriptor = try current.look(at: name)
        } catch {
            guard error.errno == ENOENT else { throw error }
            if names.isEmpty { return .missing(current, name) }
            guard let making else { throw error }
            _ = try current.make(name, mode: making)
            // Whatever is there now: it may have come from elsewhere in this moment.
            descriptor = try current.look(at: name)
        }
        let status = try descriptor.status(path)
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            current = current.entered(name, descriptor, status)
            return nil
        case S_IFLNK:
            return try follow(name, descriptor, status)
        default:
            guard names.isEmpty else { throw LinuxError(errno: ENOTDIR, call: "open", subject: path) }
            return .entry(current, name, status)
        }
    }

    private mutating func follow(
        _ name: String, _ link: borrowing OwnedDescriptor, _ status: stat
    ) throws(LinuxError) -> Place? {
        let path = current.path(of: name)
        guard links == .own else {
            throw .refused(ELOOP, path, "it is a symbolic link, which is not followed here")
        }
        if let theirs = current.others(deciding: status, name) {
            throw .refused(
                ELOOP, path, "it is a symbolic link that another user may have created (\(theirs))")
        }
        followed += 1
        guard followed <= Self.mostLinks else { throw LinuxError(errno: ELOOP, call: "open", subject: path) }
        // What stands in a link of /proc/PID/fd is no path, as a rule: only the kernel can follow it.
        if names.isEmpty, Self.isProcess(current) { return .entry(current, name, status) }
        let target = try link.target(path)
        if target.hasPrefix("/") { current = try .root(for: current.users) }
        names += Self.names(in: target)
        return nil
    }

    private static func isProcess(_ directory: WalkedDirectory) -> Bool {
        torpor_is_proc(directory.descriptor.rawValue) != 0 && directory.path.hasSuffix("/fd")
    }

    /// The names in `path`, the last one first.
    private static func names(in path: String) -> [String] {
        path.utf8.split(separator: UInt8(ascii: "/")).reversed().map { String(decoding: $0, as: UTF8.self) }
    }

    private static func workingDirectory() throws(LinuxError) -> String {
        guard let path = unsafe getcwd(nil, 0) else { throw .last("getcwd") }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}

extension OwnedDescriptor {
    /// What fstat(2) says.
    func status(_ path: @autoclosure () -> String) throws(LinuxError) -> stat {
        var status = stat()
        try unsafe check(fstat(rawValue, &status), "fstat", path())
        return status
    }

    /// What stands in the symbolic link that it was opened for, itself, with O_PATH.
    fileprivate borrowing func target(_ path: String) throws(LinuxError) -> String {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlinkat(rawValue, "", &target, target.count)
        guard length > 0 else { throw .last("readlink", path) }
        return String(decoding: target.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension stat {
    /// The bits of its mode in octal, as ls(1) and chmod(1) count them.
    var permissions: String {
        let digits = String(st_mode & 0o7777, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
