import Foundation
import Glibc
import TestSupport
import Testing

@testable import Cgroups
@testable import Launching
@testable import Linux
@testable import Processes

@Suite(.timeLimit(.minutes(60))) struct `A launch that fails` {
    private func failure(_ executable: ByteString, _ change: (inout LaunchRequest) -> Void = { _ in })
        -> LaunchError?
    {
        #expect(throws: LaunchError.self) {
            var request = LaunchRequest(executable, environment: .current)
            change(&request)
            _ = try Child(request)
        }
    }

    @Test func `without such a program is 127`() {
        // A directory that we may not search would make it a denial, as for execvp.
        let path: (inout LaunchRequest) -> Void = { $0.environment["PATH"] = "/usr/bin:/bin" }
        for name: ByteString in ["", "no-such-program", "/no/such/program", "/etc/passwd/x"] {
            let error = failure(name, path)
            #expect(error?.stage == .exec)
            #expect(error?.exitStatus == 127)
        }
        #expect(failure("no-such", path)?.description == "command not found: no-such")
    }

    @Test func `by a file that cannot be executed is 126`() throws {
        try withTemporaryDirectory { directory in
            try "true".write(toFile: "\(directory)/tool", atomically: false, encoding: .utf8)
            let error = failure(ByteString("\(directory)/tool"))
            #expect(error?.exitStatus == 126)
            #expect(error?.errno == EACCES)
            #expect(error?.description == "cannot execute \(directory)/tool: Permission denied")
            // What is denied in one place is remembered while the search goes on, and told if nothing else is found.
            #expect(
                failure("tool") { $0.environment["PATH"] = ByteString("\(directory):/no/such") }?.errno
                    == EACCES)
            #expect(
                failure("true") { $0.environment["PATH"] = ByteString("\(directory):/etc") }?.exitStatus
                    == 127)
            #expect(failure(ByteString(directory))?.exitStatus == 126)
        }
    }

    @Test func `is no failure for a script without interpreter line: the shell runs it, as with execvp`()
        throws
    {
        try withTemporaryDirectory { directory in
            let path = "\(directory)/script"
            // By another process: a child that a test beside this one forks would have a file of ours open for writing for a moment.
            _ = try Child(script: "echo 'echo $0 $1 $2' >'\(path)'; chmod 755 '\(path)'").words()
            let request = LaunchRequest("script", ["a", "b"], environment: .current)
                .with { $0.environment["PATH"] = ByteString("/no/such:\(directory)") }
            #expect(try Child(request).words() == [path, "a", "b"])
        }
    }

    @Test func `of a script whose interpreter does not exist names the interpreter`() throws {
        try withTemporaryDirectory { directory in
            // By another process, as above.
            func write(_ name: String, _ firstLine: String) throws {
                let path = "\(directory)/\(name)"
                _ = try Child(script: "printf '\(firstLine)' >'\(path)'; chmod 755 '\(path)'").words()
            }
            try write("tool", #"#! /no/such/python -u\necho\n"#)
            let reason =
                "the interpreter /no/such/python of its first line does not exist: correct the line, or install it"
            let whole = failure(ByteString("\(directory)/tool"))
            #expect(whole?.description == "cannot execute \(directory)/tool: \(reason)")
            #expect(whole?.exitStatus == 127)
            #expect(whole?.errno == ENOENT)
            let searched = failure("tool") { $0.environment["PATH"] = ByteString("/no/such:\(directory)") }
            #expect(searched?.description == "cannot execute tool: \(reason)")
            let relative = failure("./tool") { $0.workingDirectory = ByteString(directory) }
            #expect(relative?.description == "cannot execute ./tool: \(reason)")

            try write("windows", #"#!/bin/sh\r\necho\r\n"#)
            let error = failure(ByteString("\(directory)/windows"))?.description ?? ""
            #expect(
                error.hasPrefix(
                    "cannot execute \(directory)/windows: its first line ends with a carriage return"))

            // One that is there, and misses its own: nothing is said that is not known.
            try write("second", "#!\(directory)/tool\\necho\\n")
            #expect(failure(ByteString("\(directory)/second"))?.exitStatus == 127)
        }
    }

    @Test(
        arguments: [
            ("#!/bin/sh\n", "/bin/sh"), ("#!  \t/bin/sh -e\n", "/bin/sh"), ("#!/bin/sh", "/bin/sh"),
            ("#!/bin/sh\r\n", "/bin/sh\r"), ("#!/usr/bin/env\tpython\n", "/usr/bin/env"), ("#!a\0b\n", "a"),
            ("#!\n/bin/sh\n", nil), ("#!", nil), ("#! \t \n", nil), ("", nil), ("#/bin/sh\n", nil),
            ("echo\n", nil),
            ("#!" + String(repeating: "x", count: 300), String(repeating: "x", count: 254)),
        ] as [(String, String?)])
    func `takes the interpreter's name off a first line as execve does`(head: String, name: String?) {
        #expect(MissingInterpreter.need(of: Array(head.utf8)) == name.map { .interpreter(ByteString($0)) })
    }

    @Test func `of an ELF program may be for its loader`() {
        #expect(MissingInterpreter.need(of: [0x7f, 0x45, 0x4c, 0x46, 2]) == .loader)
        #expect(MissingInterpreter.need(of: [0x7f, 0x45, 0x4c]) == nil)
    }

    @Test func `names its stage and what it was about`() {
        let directory = failure("true") { $0.workingDirectory = "/no/such" }
        #expect(directory?.stage == .workingDirectory)
        #expect(
            directory?.description == "cannot enter working directory /no/such: No such file or directory")
        #expect(failure("true") { $0.passedDescriptors = [.init(12345)] }?.stage == .descriptors)
        #expect(failure("true") { $0.standardError = .copied(from: 12345) }?.stage == .descriptors)
        #expect(
            failure("true") { $0.confinement.limits = [.init(resource: 99, soft: 1, hard: 1)] }?.stage
                == .limits)
        #expect(failure("true") { $0.confinement.oomScoreAdjustment = 5000 }?.stage == .oomScore)
        #expect(failure("true") { $0.confinement.ioPriority = 77 << 13 }?.stage == .priority)
        #expect(failure("true") { $0.cgroup = Cgroup(path: "/sys/fs/cgroup/no-such") }?.stage == .cgroup)
        #expect(failure("true") { $0.cgroup = Cgroup(path: "/tmp") }?.stage == .cgroup)
    }

    @Test func `refuses what the kernel would read otherwise`() {
        let zero = ByteString([0x61, 0, 0x62])
        #expect(failure(zero)?.stage == .request)
        #expect(failure("true") { $0.arguments = [zero] }?.stage == .request)
        #expect(failure("true") { $0.environment["A"] = zero }?.stage == .request)
        #expect(failure("true") { $0.workingDirectory = zero }?.stage == .request)
        #expect(failure("true") { $0.passedDescriptors = [.init(0, name: "a:b")] }?.stage == .request)
        #expect(failure("true") { $0.passedDescriptors = [.init(-1)] }?.stage == .request)
    }

    @Test func `leaves no process and no descriptor`() throws {
        for _ in 0..<50 { _ = failure("/no/such") }
        let own = try #require(ProcessStat.read(pid: getpid()))
        // Another test's failed child may be on its way to be reaped.
        _ = try eventually {
            ProcessTree.snapshot().children(of: getpid()).contains {
                ProcessStat.read(pid: $0).map { $0.state == .zombie && $0.command == own.command } ?? false
            } ? nil : true
        }
    }

    @Test(.requires(.cgroupV2Writable)) func `refuses a frozen group instead of hanging in it`() throws {
        try withGroup { group in
            #expect(try group.freeze() == .done)
            let error = failure("true") { $0.cgroup = group }
            #expect(error?.stage == .cgroup)
            #expect(error?.errno == EBUSY)
            #expect(error?.description.contains("it is frozen") == true)
            #expect(try group.thaw() == .done)
            let below = try group.makeChild(try #require(CgroupName("below")))
            _ = try group.freeze()
            #expect(failure("true") { $0.cgroup = below }?.errno == EBUSY)
            _ = try group.thaw()
            #expect(
                try Child(LaunchRequest("true", environment: .current).with { $0.cgroup = below }).next()
                    == .exited(code: 0))
        }
    }
}
