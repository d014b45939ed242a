internal import Glibc

/// A user as the system's databases know it, by getpwnam_r(3) and getpwuid_r(3).
///
/// Looking one up may ask the network (nsswitch.conf(5)) and wait for it: it is done when definitions are loaded, never while
/// workers are supervised.
package struct UserAccount: Hashable, Sendable {
    /// The login name.
    package let name: String
    package let id: UInt32
    /// The primary group.
    package let group: UInt32
    /// The home directory.
    package let home: String
    /// The login shell.
    package let shell: String

    /// An account of these parts.
    package init(name: String, id: UInt32, group: UInt32, home: String, shell: String) {
        self.name = name
        self.id = id
        self.group = group
        self.home = home
        self.shell = shell
    }

    /// The user called `name`; nil when there is none.
    package static func named(_ name: String) throws(LinuxError) -> UserAccount? {
        try unsafe find("getpwnam_r", name) { unsafe getpwnam_r(name, $0, $1, $2, $3) }
    }

    /// The user of number `id`; nil when it has no entry.
    package static func numbered(_ id: UInt32) throws(LinuxError) -> UserAccount? {
        try unsafe find("getpwuid_r", String(id)) { unsafe getpwuid_r(id, $0, $1, $2, $3) }
    }

    /// All groups that the user called `name` is in, `group` among them, by getgrouplist(3).
    package static func groups(of name: String, with group: UInt32) -> [UInt32] {
        var room: Int32 = 64
        while room <= 65_536 {
            var count = room
            let groups = unsafe [UInt32](unsafeUninitializedCapacity: Int(room)) { buffer, used in
                let result = unsafe getgrouplist(name, group, buffer.baseAddress, &count)
                used = result < 0 ? 0 : Int(result)
            }
            if !groups.isEmpty { return groups }
            room = max(count, room * 2)
        }
        return [group]
    }

    private static func find(
        _ call: String, _ subject: String,
        _ ask: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> Int32
    ) throws(LinuxError) -> UserAccount? {
        var entry = unsafe passwd()
        return try unsafe AccountLookup.run(call, subject) { room, size in
            var found: UnsafeMutablePointer<passwd>?
            let error = unsafe ask(&entry, room, size, &found)
            guard error == 0, unsafe found != nil else { return (error, nil) }
            return unsafe (
                0,
                UserAccount(
                    name: AccountLookup.text(entry.pw_name), id: entry.pw_uid, group: entry.pw_gid,
                    home: AccountLookup.text(entry.pw_dir), shell: AccountLookup.text(entry.pw_shell))
            )
        }
    }
}

/// A group as the system's databases know it, by getgrnam_r(3).
///
/// The same goes for it as for ``UserAccount``.
package struct GroupAccount: Hashable, Sendable {
    package let name: String
    package let id: UInt32

    /// The group called `name`; nil when there is none.
    package static func named(_ name: String) throws(LinuxError) -> GroupAccount? {
        try unsafe find("getgrnam_r", name) { unsafe getgrnam_r(name, $0, $1, $2, $3) }
    }

    /// The group of number `id`; nil when it has no entry.
    package static func numbered(_ id: UInt32) throws(LinuxError) -> GroupAccount? {
        try unsafe find("getgrgid_r", String(id)) { unsafe getgrgid_r(id, $0, $1, $2, $3) }
    }

    private static func find(
        _ call: String, _ subject: String,
        _ ask: (
            UnsafeMutablePointer<group>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<group>?>
        ) -> Int32
    ) throws(LinuxError) -> GroupAccount? {
        var entry = unsafe group()
        return try unsafe AccountLookup.run(call, subject) { room, size in
            var found: UnsafeMutablePointer<group>?
            let error = unsafe ask(&entry, room, size, &found)
            guard error == 0, unsafe found != nil else { return (error, nil) }
            return unsafe (0, GroupAccount(name: AccountLookup.text(entry.gr_name), id: entry.gr_gid))
        }
    }
}

/// What the calls for users and groups have in common.
private enum AccountLookup {
    /// Asks with more and more room until the entry fits.
    @unsafe static func run<Account>(
        _ call: String, _ subject: String,
        _ ask: (UnsafeMutablePointer<CChar>, Int) -> (error: Int32, account: Account?)
    ) throws(LinuxError) -> Account? {
        var size = 1024
        while size <= 1 << 20 {
            let room = UnsafeMutablePointer<CChar>.allocate(capacity: size)
            defer { unsafe room.deallocate() }
            let answer = unsafe ask(room, size)
            switch answer.error {
            case 0: return answer.account
            // What getpwnam(3) lists as other words for "not found".
            case ENOENT, ESRCH, EBADF, EPERM: return nil
            case ERANGE: size *= 4
            case EINTR: continue
            default: throw LinuxError(errno: answer.error, call: call, subject: subject)
            }
        }
        throw LinuxError(errno: ERANGE, call: call, subject: subject)
    }

    @unsafe static func text(_ string: UnsafeMutablePointer<CChar>?) -> String {
        guard let string = unsafe string else { return "" }
        return unsafe String(cString: string)
    }
}
