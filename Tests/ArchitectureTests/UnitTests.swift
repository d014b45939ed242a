import Foundation
import TestSupport
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
        ["system/torpord.service", "examples/permissive.conf"], ["user/torpord.service"],
    ]

    /// What `systemd-analyze security` may say of a system unit with a drop-in, without a running systemd.
    @Test(
        .requires(.program("/usr/bin/systemd-analyze")),
        arguments: [
            ("torpord", nil, 7.0), ("torpord", "hardened", 5.0), ("torpor-workers", nil, 5.0),
        ] as [(String, String?, Double)])
    func `leave no more than they have to`(_ unit: String, _ dropIn: String?, _ most: Double) throws {
        try withTemporaryDirectory { path in
            let (files, units) = (FileManager.default, "\(path)/units")
            try files.copyItem(atPath: Self.root.path + "/systemd/system", toPath: units)
            if let dropIn {
                let folder = "\(units)/\(unit).service.d"
                try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
                try files.copyItem(
                    atPath: "\(Self.root.path)/systemd/examples/\(dropIn).conf", toPath: "\(folder)/x.conf")
            }
            let process = Process()
            let pipe = Pipe()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/systemd-analyze")
            process.arguments = [
                "security", "--offline=true", "--no-pager", "--threshold=\(Int(most * 10))",
                "\(units)/\(unit).service",
            ]
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            try process.run()
            let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            let verdict = output.split(separator: "\n").last.map(String.init) ?? ""
            #expect(
                verdict.contains("Overall exposure level") && process.terminationStatus == 0, "\(verdict)")
        }
    }

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
        // An empty value takes back what stood before it.
        for value in try Self.values(of: "RestrictAddressFamilies", in: files) where !value.isEmpty {
            #expect(value.split(separator: " ").contains("AF_NETLINK") == !value.hasPrefix("~"))
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
