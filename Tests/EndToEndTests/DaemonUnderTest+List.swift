import Foundation
import TestSupport
import Testing

/// One worker, as `torpor list` tells of it.
struct Listed: Codable, Hashable {
    let name: String
    let state: String
    let goal: String
    let since: Int64
    var reason: String?
    var pid: Int32?
    var adopted: Bool?
    var held = false
}

extension DaemonUnderTest {
    private struct Reply: Codable {
        let workers: [Listed]
    }

    /// All workers, by name.
    func list() throws -> [Listed] {
        let result = try torpor("list", "--json=short")
        guard result.status == 0 else {
            throw TimedOut(description: "list ended with \(result.status): \(result.errors)")
        }
        return try JSONDecoder().decode(Reply.self, from: Data(result.output.utf8)).workers
    }

    /// The same asked over the control socket, without a program in between.
    func listBySocket() throws -> [Listed] {
        struct Answer: Codable {
            let parameters: Reply
        }
        let client = try Poster(socket)
        client.send(calls: [#"{"method":"io.torpor.Supervisor.List","parameters":{}}"#])
        guard let answer = client.receive(1).first else {
            throw TimedOut(description: "List was not answered")
        }
        return try JSONDecoder().decode(Answer.self, from: Data(answer.utf8)).parameters.workers
    }

    /// The directory of the groups of its workers.
    func groups() throws -> String {
        let worker = try #require(try list().first { $0.pid != nil }, "no worker runs")
        let text = try String(contentsOfFile: "/proc/\(worker.pid ?? 0)/cgroup", encoding: .utf8)
        let own = try #require(text.split(separator: "\n").first { $0.hasPrefix("0::") }, "no cgroup v2")
            .dropFirst(3)
        // Below the mount, whichever that is.
        for mount in ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"] {
            let path = mount + own
            if FileManager.default.fileExists(atPath: path) {
                return (path as NSString).deletingLastPathComponent
            }
        }
        throw TimedOut(description: "no group of \(worker.name)")
    }
}
