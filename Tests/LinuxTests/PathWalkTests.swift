import Foundation
import Glibc
import TestSupport
import Testing

@testable import Linux

/// Users that are neither root nor us.
private let worker: uid_t = 4202
private let stranger: uid_t = 4201

/// What became of it, in one word and what is wrong.
private func outcome<Result>(_ body: () throws -> Result) -> String {
    do {
        _ = try body()
        return "done"
    } catch let error as LinuxError {
        return error.refusal.map { "refused: \($0)" } ?? error.reason
    } catch {
        return "\(error)"
    }
}

private func mode(of path: String) -> (owner: uid_t, mode: mode_t)? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return (status.st_uid, status.st_mode & 0o7777)
}

@Suite struct `Paths in which others have a say` {
    /// A tree: `theirs` belongs to the worker, `shared` is like /tmp, `ours` is root's; `secret` can be read by root alone.
    private func withTree(_ body: (String) throws -> Void) throws {
        try withTemporaryDirectory { path in
            chmod(path, 0o755)
            for name in ["theirs", "ours", "shared", "secret"] { mkdir("\(path)/\(name)", 0o755) }
            chmod("\(path)/secret", 0o700)
            chmod("\(path)/shared", 0o1777)
            try Data("secret".utf8).write(to: URL(filePath: "\(path)/secret/file"))
            try Data("plain".utf8).write(to: URL(filePath: "\(path)/ours/file"))
            try Data("plain".utf8).write(to: URL(filePath: "\(path)/theirs/file"))
            chown("\(path)/theirs", worker, worker)
            for (link, owner) in [("theirs", worker), ("ours", 0), ("shared", stranger)] {
                symlink("\(path)/secret/file", "\(path)/\(link)/link")
                symlink("\(path)/secret", "\(path)/\(link)/folder")
                lchown("\(path)/\(link)/link", owner, owner)
                lchown("\(path)/\(link)/folder", owner, owner)
            }
            try body(path)
        }
    }

    @Test(.requires(.root))
    func `a link that another user may have made is never followed, one of root's is`() throws {
        try withTree { path in
            let theirs = "\(path)/theirs belongs to user 4202"
            let link = "refused: it is a symbolic link that another user may have created"
            let rows: [(String, String)] = [
                ("ours/file", "done"), ("ours/link", "done"), ("ours/folder/file", "done"),
                ("theirs/file", "done"), ("theirs/link", "\(link) (\(theirs))"),
                ("theirs/folder/file", "\(link) (\(theirs))"),
                ("shared/link", "\(link) (\(path)/shared/link belongs to user 4201)"),
                ("shared/folder/file", "\(link) (\(path)/shared/folder belongs to user 4201)"),
            ]
            for (name, expected) in rows {
                for purpose in [OwnedDescriptor.Purpose.reading, .writing, .appending] {
                    let outcome = outcome { _ = try OwnedDescriptor.open("\(path)/\(name)", for: purpose) }
                    #expect(outcome == expected, "\(name) \(purpose)")
                }
                let read = outcome {
                    try RegularFile.read("\(path)/\(name)", limit: 100, trusting: .ownLinks)
                }
                #expect(read == expected, "\(name)")
            }
            let emptied = outcome { _ = try OwnedDescriptor.open("\(path)/theirs/link", for: .truncating) }
            #expect(emptied != "done")
            let secret = try String(contentsOfFile: "\(path)/secret/file", encoding: .utf8)
            #expect(secret == "secret")
        }
    }

    @Test(.requires(.root)) func `a second name of a file is as good as a link`() throws {
        try withTree { path in
            #expect(link("\(path)/secret/file", "\(path)/theirs/second") == 0)
            #expect(link("\(path)/secret/file", "\(path)/shared/second") == 0)
            for name in ["theirs", "shared"] {
                let outcome = outcome {
                    _ = try OwnedDescriptor.open("\(path)/\(name)/second", for: .truncating)
                }
                #expect(outcome.hasPrefix("refused: it has several hard links"), "\(outcome)")
            }
            let secret = try String(contentsOfFile: "\(path)/secret/file", encoding: .utf8)
            #expect(secret == "secret")
        }
    }

    @Test(.requires(.root)) func `a file that is missing is made, also behind a link of root's`() throws {
        try withTree { path in
            symlink("../theirs/new", "\(path)/ours/new")
            _ = try OwnedDescriptor.open("\(path)/ours/new", for: .appending)
            #expect(mode(of: "\(path)/theirs/new")?.owner == 0)
            symlink("loop", "\(path)/ours/loop")
            #expect(
                outcome { _ = try OwnedDescriptor.open("\(path)/ours/loop", for: .reading) }
                    == "Too many levels of symbolic links")
        }
    }

    @Test func `what is no file of a disk is opened as before`() throws {
        let pipe = Pipe()
        let number = pipe.fileHandleForWriting.fileDescriptor
        for path in [
            "/dev/null", "/dev/fd/\(number)", "/proc/self/fd/\(number)", "/proc/self/../self/fd/\(number)",
        ] {
            #expect(outcome { _ = try OwnedDescriptor.open(path, for: .writing) } == "done", "\(path)")
        }
        #expect(try !RegularFile.read("/proc/self/status", limit: 1 << 16, trusting: .whole).isEmpty)
    }

    @Test(.requires(.root)) func `directories are made and given away below no link`() throws {
        try withTree { path in
            // A worker with StateDirectory=app app/data/log has put a link in the place of app/data.
            mkdir("\(path)/secret/log", 0o700)
            symlink("\(path)/secret", "\(path)/theirs/data")
            let rows: [(String, String)] = [
                ("data/log", "refused: it is a symbolic link, which is not followed here"),
                ("data/other", "refused: it is a symbolic link, which is not followed here"),
                ("data", "refused: it is a symbolic link, which is not followed here"),
                ("file/below", "Not a directory"), ("file", "Not a directory"),
                ("fresh/log", "done"), ("fresh", "done"),
            ]
            for (name, expected) in rows {
                let outcome = outcome {
                    try Directory.make(
                        name, below: "\(path)/theirs", mode: 0o755, user: worker, group: worker)
                }
                #expect(outcome == expected, "\(name)")
            }
            #expect(mode(of: "\(path)/secret/log").map { "\($0)" } == "(owner: 0, mode: 448)")
            #expect(mode(of: "\(path)/secret/other") == nil)
            #expect(mode(of: "\(path)/theirs/fresh/log")?.owner == worker)
            // Root's own link above: /var/lib on another disk.
            symlink("theirs", "\(path)/root")
            try Directory.make("more", below: "\(path)/root/deep", mode: 0o750, user: worker, group: nil)
            #expect(mode(of: "\(path)/theirs/deep/more").map { "\($0)" } == "(owner: 4202, mode: 488)")
        }
    }

    @Test(.requires(.root)) func `a directory of our own is nothing that others write, name or replace`()
        throws
    {
        try withTree { path in
            for (name, bits) in [("open", mode_t(0o777)), ("group", 0o775), ("sticky", 0o1777)] {
                mkdir("\(path)/\(name)", 0o755)
                chown("\(path)/\(name)", 0, name == "group" ? 7 : 0)
                chmod("\(path)/\(name)", bits)
            }
            mkdir("\(path)/shared/ours", 0o700)
            mkdir("\(path)/shared/stranger", 0o755)
            chown("\(path)/shared/stranger", stranger, stranger)
            symlink("\(path)/shared/stranger", "\(path)/ours/away")
            let rows: [(String, String)] = [
                ("ours/made/deep", "done"), ("ours/made", "done"), ("shared/ours", "done"),
                ("shared/made", "done"), ("shared/made/deep", "done"),
                ("theirs", "refused: \(path)/theirs belongs to user 4202"),
                ("theirs/made", "refused: \(path)/theirs belongs to user 4202"),
                ("shared/stranger", "refused: \(path)/shared/stranger belongs to user 4201"),
                ("ours/away", "refused: \(path)/shared/stranger belongs to user 4201"),
                ("open/made", "refused: \(path)/open is writable by other users (mode 0777)"),
                // A directory of root's is closed to other users, unless one of them has put something into it.
                ("open", "done"), ("group", "done"), ("sticky", "done"), ("open/made", "done"),
                ("shared", "refused: another user may have created it"),
                ("ours/file", "Not a directory"),
            ]
            for (name, expected) in rows {
                #expect(
                    outcome { try Directory.makeOwn("\(path)/\(name)", mode: 0o700) } == expected, "\(name)")
            }
            #expect(
                mode(of: "\(path)/ours/made/deep")?.mode == 0o700
                    && mode(of: "\(path)/ours/made")?.mode == 0o755)
            #expect(mode(of: "\(path)/theirs/made") == nil)
            for name in ["open", "group", "sticky", "shared"] {
                #expect(mode(of: "\(path)/\(name)")?.mode == 0o755, "\(name)")
            }
        }
    }

    @Test func `which modes let other users write`() {
        let rows: [(mode_t, gid_t, user: UInt32, Bool)] = [
            (0o755, 7, 0, false), (0o757, 7, 0, true), (0o775, 7, 0, true), (0o775, 0, 0, false),
            (0o775, 1000, 1000, false), (0o775, 1000, 1001, true), (0o775, 0, 1000, false),
            (0o777, 0, 0, true),
        ]
        for (mode, group, user, expected) in rows {
            var status = stat()
            (status.st_mode, status.st_gid) = (S_IFDIR | mode, group)
            #expect(TrustedUsers(user: user).lets(others: status) == expected, "\(mode) \(group) \(user)")
        }
    }

    @Test func `root's files show as root's in a user namespace too`() {
        let rows: [(String, UInt32)] = [
            ("         0          0 4294967295\n", 0), ("0 0 1\n1 100000 65536\n", 0),
            // bwrap(1): one user, so that every other has the overflow id.
            ("1000 1000 1\n", 65534), ("0 1000 1\n", 65534),
            // Here a user of its own has that number.
            ("0 1000 1\n1 100000 65536\n", 0), ("", 65534), ("garbage\n", 0),
            ("18446744073709551615 1 2\n", 0),
        ]
        for (map, expected) in rows {
            #expect(TrustedUsers.root(in: map, overflow: 65534) == expected, "\(map)")
        }
        let bare = TrustedUsers(user: 1000, root: 65534)
        #expect([0, 1000, 65534].allSatisfy(bare.contains(owner:)) && !bare.contains(owner: 1001))
    }
}
