import Glibc
import TestSupport
import Testing

@testable import Linux

/// Serialized: what is locked belongs to the whole process.
@Suite(.serialized) struct `Locked memory` {
    /// What is locked of this process, in bytes.
    private func locked() throws -> Int64 {
        let text = try KernelFile.text("/proc/self/status")
        let line = try #require(text.lines.first { $0.hasPrefix("VmLck:") })
        let kilobytes = line.dropFirst(6).drop { $0 == " " || $0 == "\t" }.prefix { $0.isNumber }
        return try #require(Int64(kilobytes)) * 1024
    }

    @Test(.requires(.root)) func `is what there was, and not what comes later`() throws {
        defer { munlockall() }
        ThisProcess.stayInMemory()
        let before = try locked()
        guard before > 0 else {
            // Without CAP_IPC_LOCK nothing is locked, whatever comes.
            return
        }
        let size = 1 << 30
        let map = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        defer { munmap(map, size) }
        #expect(map != MAP_FAILED)
        #expect(try locked() - before < Int64(size / 2))
    }

    @Test func `goes back when it is free`() throws {
        func resident() throws -> Int {
            let fields = try KernelFile.text("/proc/self/statm").split(separator: " ")
            return try #require(Int(fields[1])) * Int(getpagesize())
        }
        ThisProcess.returnsMemory()
        // Far more than the tests beside it take and give back meanwhile: what is resident is the whole process's.
        let size = 256 << 20
        let before = try resident()
        for _ in 0..<3 {
            let block = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
            memset(block, 1, size)
            #expect(try resident() - before > size / 2)
            block.deallocate()
            #expect(try resident() - before < size / 2)
        }
        ThisProcess.giveMemoryBack()
    }
}
