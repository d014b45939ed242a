import Foundation
import Glibc
import TestSupport
import Testing

@testable import Cgroups
@testable import Launching
@testable import Linux

@Suite(.timeLimit(.minutes(60))) struct `Where a filter forbids clone3` {
    /// Answers clone3 with `errno` on the calling thread and what it starts, as containers' filters do (seccomp(2)).
    private func forbidClone3(_ errno: UInt32) throws {
        typealias Prctl = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        let prctl = try #require(dlsym(nil, "prctl").map { unsafeBitCast($0, to: Prctl.self) })
        // Load the call's number; clone3 has 435 on every architecture.
        let program: [sock_filter] = [
            sock_filter(code: 0x20, jt: 0, jf: 0, k: 0), sock_filter(code: 0x15, jt: 0, jf: 1, k: 435),
            sock_filter(code: 0x06, jt: 0, jf: 0, k: 0x0005_0000 | errno),
            sock_filter(code: 0x06, jt: 0, jf: 0, k: 0x7fff_0000),
        ]
        try program.withUnsafeBufferPointer { instructions in
            var filter = sock_fprog(len: UInt16(instructions.count), filter: instructions.baseAddress)
            try #require(prctl(38, 1, 0, 0, 0) == 0)
            try withUnsafePointer(to: &filter) { try #require(prctl(22, 2, UInt(bitPattern: $0), 0, 0) == 0) }
        }
    }

    private struct sock_filter { var code: UInt16, jt: UInt8, jf: UInt8, k: UInt32 }
    private struct sock_fprog { var len: UInt16, filter: UnsafePointer<sock_filter>? }

    @Test(arguments: [ENOSYS, EPERM]) func `a launch uses clone, with a pidfd all the same`(_ errno: Int32)
        async throws
    {
        try await onThread {
            try forbidClone3(UInt32(errno))
            let child = try Child(script: "echo $$")
            #expect(child.words() == [String(child.pid)])
            #expect(try child.next() == .exited(code: 0))
            let error = #expect(throws: LaunchError.self) {
                _ = try LaunchRequest("/no/such", environment: .current).launch()
            }
            #expect(error?.exitStatus == 127)
        }
    }

    @Test(.requires(.cgroupV2Writable)) func `the child moves itself into its group`() async throws {
        try await onThread {
            try forbidClone3(UInt32(ENOSYS))
            try withGroup { group in
                let child = try Child(
                    LaunchRequest("sleep", ["1000"], environment: .current).with { $0.cgroup = group })
                #expect(try group.processes() == [child.pid])
                try group.kill()
                #expect(try child.next() == .killed(by: .kill, coreDumped: false))
            }
            let error = #expect(throws: LaunchError.self) {
                _ = try LaunchRequest("true", environment: .current).with { $0.cgroup = Cgroup(path: "/tmp") }
                    .launch()
            }
            #expect(error?.stage == .cgroup)
        }
    }
}
