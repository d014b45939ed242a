import Foundation
import Lifecycle
import Notifications
import Supervisor
import SupervisorPorts
import SystemEvents
import Systemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(60))) struct `Protected data` {
    /// What a worker is told while things are done, one after the other, each when the one before has been told of.
    private func told(
        _ names: [String], isAlone: Bool = false, _ acts: [@Sendable (_ path: (String) -> String) -> Void]
    ) async throws -> [String] {
        try await Bench.run { bench in
            if isAlone {
                try Namespace.mounts.unshare()
                run("mount", "--make-rprivate", "/")
            }
            var places = SystemPlaces()
            places.quiet = 1000
            places.mounts = "/proc/thread-self/mountinfo"
            let sources = SystemMonitors(on: bench.loop, places: places)
            let workers = FakeReceiver()
            sources.receiver = workers
            var told: [String] = []
            workers.post = { _, post in
                told.append("\(post.topic) \(String(decoding: post.payload ?? [], as: UTF8.self))")
            }
            workers.announce = { _, event in
                if case .announced(let callback) = event { told.append(callback.rawValue) }
            }
            var subscriptions = SystemSubscriptions()
            subscriptions.topics = [.protectedDataChanged]
            subscriptions.announcements = CallbackSet([
                .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable,
            ])
            subscriptions.protectedPaths = Set(names.map(bench.path))
            mkdir(bench.path("mount"), 0o755)
            sources.set(WorkerID(0), subscriptions)
            var step = 0
            try bench.run {
                guard sources.present(of: .protectedDataChanged, for: WorkerID(0)) != nil,
                    told.count == step * 2
                else { return false }
                if step == acts.count { return true }
                acts[step](bench.path)
                step += 1
                return false
            }
            sources.close()
            return told
        }
    }

    private static let came = [
        "protectedDataDidBecomeAvailable", #"protectedDataChanged {"available":true}"#,
    ]
    private static let went = [
        "protectedDataWillBecomeUnavailable", #"protectedDataChanged {"available":false}"#,
    ]

    @Test func `is there when all of its paths are`() async throws {
        let told = try await told(
            ["mount", "marker"],
            [
                {
                    write("", to: $0("marker"))
                    write("", to: $0("mount/secret"))
                }, { unlink($0("marker")) }, { write("", to: $0("marker")) },
                { unlink($0("mount/secret")) },
            ])
        #expect(told == Self.came + Self.went + Self.came + Self.went)
    }

    @Test(.requires(.ownMounts)) func `comes and goes with its mount`() async throws {
        let told = try await told(
            ["mount"], isAlone: true,
            [
                { run("mount", "-t", "tmpfs", "none", $0("mount")) }, { run("umount", $0("mount")) },
                { run("mount", "-t", "tmpfs", "none", $0("mount")) }, { run("umount", $0("mount")) },
            ])
        #expect(told == Self.came + Self.went + Self.came + Self.went)
    }

    @Test func `the table of mounts is read, whatever is in it`() {
        let table = MountTable(
            "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 21 0:25 / /a\\040b\\134 rw - tmpfs none rw\n"
                + "garbage\n\n31 21 0:26 / relative rw - x y z\n32 21 0:27 / /c\\9 rw - x y z")
        #expect(table.points == ["/", "/a b\\", "/c\\9"])
    }
}
