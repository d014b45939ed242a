import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// A real server that sleeps while its configuration is edited.
@Suite(.timeLimit(.minutes(60))) struct `Settings that change while nginx sleeps` {
    private static let worker = """
        [Worker]
        ExecStart=/usr/sbin/nginx -e DIRECTORY/error.log -c DIRECTORY/nginx.conf
        [Notifications]
        WatchSettings=DIRECTORY/nginx.conf
        settingsChanged=signal:SIGHUP
        """

    /// With a log that tells of each signal that its master gets.
    private func configuration(_ answer: String, in directory: String) -> String {
        let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(directory)/temp;"
        }
        return """
            daemon off; worker_processes 1; pid \(directory)/nginx.pid; error_log \(directory)/error.log notice;
            events {}
            http { access_log off; \(places.joined(separator: " "))
            server { listen unix:\(directory)/web; return 200 "\(answer)"; } }
            """
    }

    @Test(.requires(.program("/usr/sbin/nginx")))
    func `are one SIGHUP for fifty edits, and what counts from then on`() throws {
        let daemon = try DaemonUnderTest([
            "web": Self.worker
        ])
        let directory = daemon.directory
        let file = "\(directory)/nginx.conf"
        try configuration("edit 10", in: directory).write(toFile: file, atomically: true, encoding: .utf8)
        #expect(try daemon.torpor("launch", "web").status == 0)
        let answer = try eventually("nginx to listen") { try? Answer(from: "\(directory)/web") }
        #expect(try answer.text().hasSuffix("edit 10"))
        #expect(try daemon.torpor("suspend", "web").status == 0)
        for edit in 1...50 {
            // In place as by an editor without backups, and by a rename as by all others.
            let text = configuration("edit \(10 + edit)", in: directory)
            if edit.isMultiple(of: 2) {
                try text.write(toFile: file, atomically: true, encoding: .utf8)
            } else {
                try overwrite(file, text)
            }
            // Faster than that, several are one.
            _ = try eventually("edit \(edit) to be noticed") {
                try count(daemon) >= edit ? true : nil
            }
        }
        #expect(hangups(in: directory) == 0)
        #expect(try daemon.torpor("activate", "web").status == 0)
        // Its workers are others, by its own design: the old ones may still answer what came before that.
        _ = try eventually("the new settings to count") {
            try Answer(from: "\(directory)/web").text().hasSuffix("edit 60") ? true : nil
        }
        #expect(hangups(in: directory) == 1)
        #expect(try daemon.torpor("notifications", "web").output.contains("0 notifications"))
        // Awake it hears of each at once.
        try configuration("last", in: directory).write(toFile: file, atomically: true, encoding: .utf8)
        _ = try eventually("nginx to reload once more") { hangups(in: directory) == 2 ? true : nil }
        _ = try eventually("the last one to count") {
            try Answer(from: "\(directory)/web").text().hasSuffix("last") ? true : nil
        }
    }

    private func count(_ daemon: DaemonUnderTest) throws -> Int {
        let text = try daemon.torpor("notifications", "web", "--json=short").output
        let reply = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        let waiting = reply?["notifications"] as? [[String: Any]] ?? []
        #expect(waiting.count <= 1)
        return waiting.first?["count"] as? Int ?? 0
    }

    private func hangups(in directory: String) -> Int {
        let log = (try? String(contentsOfFile: "\(directory)/error.log", encoding: .utf8)) ?? ""
        return log.components(separatedBy: "signal 1 (SIGHUP) received").count - 1
    }
}

/// A request over a socket, and what comes back.
private final class Answer {
    private let descriptor: Int32

    init(from path: String) throws {
        descriptor = try connectedSocket(to: path)
        let request = Array("GET / HTTP/1.0\r\n\r\n".utf8)
        _ = send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
    }

    deinit { close(descriptor) }

    /// All of it, to the end.
    func text() throws -> String {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            var query = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&query, 1, 30_000) == 1 else { throw TimedOut(description: "nothing is answered") }
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
