import Foundation
import Linux
import TestSupport

extension Capability {
    /// What a test makes a bus of its own with.
    static let bus = Capability("dbus-daemon") {
        run("dbus-daemon", "--version") == 0 ? nil : "there is no dbus-daemon"
    }
}

/// A bus of a test's own, with something on it that behaves as login1 does.
final class FakeLogin {
    let address: String
    private let bus = Process()
    private let login = Process()
    private let actions = Pipe()
    private let output = Pipe()
    private var lines = ""

    init(in directory: String) throws {
        address = "unix:path=\(directory)/bus"
        bus.executableURL = URL(filePath: "/usr/bin/dbus-daemon")
        bus.arguments = ["--session", "--nofork", "--nopidfile", "--address=\(address)"]
        bus.standardError = FileHandle.nullDevice
        try bus.run()
        // Its socket is there before it listens.
        while !Self.listens("\(directory)/bus"), bus.isRunning { usleep(1000) }
        login.executableURL = URL(filePath: Self.program)
        login.arguments = [address]
        login.standardInput = actions
        login.standardOutput = output
        try login.run()
        let end = output.fileHandleForReading.fileDescriptor
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }

    private static func listens(_ path: String) -> Bool {
        do {
            _ = try StreamSocket(connectingTo: try UnixSocketAddress(path))
            return true
        } catch {
            return false
        }
    }

    deinit {
        // They have inherited a mask that blocks all other signals.
        for process in [login, bus] where process.isRunning { kill(process.processIdentifier, SIGKILL) }
        login.waitUntilExit()
        bus.waitUntilExit()
    }

    /// Where the helper was built: beside the tests.
    private static var program: String {
        let place = Bundle.main.bundlePath
        let places = [place, (place as NSString).deletingLastPathComponent].map { $0 + "/login" }
        return places.first { access($0, X_OK) == 0 } ?? "login"
    }

    /// Has it do something.
    func act(_ action: String) {
        actions.fileHandleForWriting.write(Data("\(action)\n".utf8))
    }

    /// What it has said so far.
    var said: [Substring] {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(output.fileHandleForReading.fileDescriptor, &bytes, bytes.count)
        if count > 0 { lines += String(decoding: bytes[..<count], as: UTF8.self) }
        return lines.split(separator: "\n")
    }
}
