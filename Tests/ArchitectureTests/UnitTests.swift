import Foundation
import Testing

/// What the daemon needs to watch the sockets of sleeping workers, against the hardening of its units.
@Suite struct `The units` {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The values of `key` in a unit, or in a unit and its drop-in, in the order in which systemd reads them.
    private static func values(of key: String, in files: [String]) throws -> [String] {
        try files.flatMap { file in
            try String(contentsOf: root.appendingPathComponent("systemd/\(file)"), encoding: .utf8)
                .split(separator: "\n").filter { $0.hasPrefix(key + "=") }
                .map { String($0.dropFirst(key.count + 1)) }
        }
    }

    private static let variants = [
        ["system/torpord.service"], ["system/torpord.service", "examples/hardened.conf"],
        ["user/torpord.service"],
    ]

    @Test(arguments: variants) func `allow pidfd_getfd`(_ files: [String]) throws {
        var isAllowed = true
        for value in try Self.values(of: "SystemCallFilter", in: files) {
            // All of them are deny lists, from which a line without ~ takes calls away again (systemd.exec(5)).
            let calls = value.split(separator: " ").map { $0.drop { $0 == "~" } }
            if calls.contains("pidfd_getfd") || calls.contains("@debug") { isAllowed = !value.hasPrefix("~") }
        }
        #expect(isAllowed)
    }

    @Test(arguments: variants) func `allow sock_diag`(_ files: [String]) throws {
        for value in try Self.values(of: "RestrictAddressFamilies", in: files) {
            #expect(value.split(separator: " ").contains("AF_NETLINK"))
        }
    }

    @Test(arguments: variants) func `leave the capability that fetches descriptors of other users' workers`(
        _ files: [String]
    ) throws {
        var isBounded = false
        var isThere = true
        for value in try Self.values(of: "CapabilityBoundingSet", in: files) {
            let names = value.split(separator: " ").map { $0.drop { $0 == "~" } }
            if value.hasPrefix("~") {
                if names.contains("CAP_SYS_PTRACE") { isThere = false }
            } else {
                // An empty value takes back what stood before it, and the first list begins with none.
                isThere = value.isEmpty ? false : (isBounded && isThere) || names.contains("CAP_SYS_PTRACE")
                isBounded = true
            }
        }
        #expect(isThere)
    }
}
