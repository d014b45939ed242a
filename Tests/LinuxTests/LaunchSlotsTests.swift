import Foundation
import Glibc
import TestSupport
import Testing

@testable import Launching
@testable import Linux
@testable import Processes

/// Launches that share the table of descriptors with their child until it parts from it.
@Suite struct `Slots of launches` {
    init() { LaunchSlots.reserve(limit: .max) }

    /// Opens files that a child would inherit, far above all slots.
    private static func withOpenFiles(_ count: Int, _ body: () throws -> Void) throws {
        let files = (0..<count).map { _ in open("/dev/null", O_RDONLY) }
        defer { files.forEach { close($0) } }
        try body()
    }

    @Test(arguments: [0, 1, 2, 12]) func `give a child what it is passed, and nothing else`(_ passed: Int)
        throws
    {
        try Self.withOpenFiles(100) {
            let files = (0..<passed).map { _ in open("/proc/self/stat", O_RDONLY | O_CLOEXEC) }
            defer { files.forEach { close($0) } }
            // Stopped, it opens nothing: a program that begins opens its libraries.
            let child = try Child(script: "kill -s STOP $$") {
                $0.passedDescriptors = files.map { .init($0) }
                $0.standardInput = .copied(from: files.first ?? 0)
            }
            _ = try eventually("the child to stop") {
                ProcessStat.read(pid: child.pid)?.state == .stopped ? true : nil
            }
            let seen = child.descriptors()
            #expect(seen.keys.sorted() == Array(0..<(3 + passed)))
            for number in 3..<(3 + passed) { #expect(seen[number]?.hasSuffix("/stat") ?? false) }
        }
    }

    @Test func `keep nothing open of a worker that was launched, or could not be`() throws {
        try Self.withOpenFiles(100) {
            for _ in 0..<20 {
                // Read to its end, which comes when the last writer is gone.
                #expect(try Child(script: "echo there").words() == ["there"])
                let pipe = Pipe()
                var request = LaunchRequest("/no/such/program", environment: .current)
                request.standardOutput = .copied(from: pipe.fileHandleForWriting.fileDescriptor)
                #expect(throws: LaunchError.self) { _ = try request.launch() }
                try pipe.fileHandleForWriting.close()
                #expect(pipe.fileHandleForReading.readDataToEndOfFile().isEmpty)
            }
        }
    }

    @Test func `serve many launches at once, and those that find none free do without`() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask { try Child(script: "echo \(number)").words() == ["\(number)"] }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }
}
