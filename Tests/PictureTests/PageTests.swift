import Foundation
import Glibc
import Lifecycle
import TestSupport
import Testing

@testable import Picture

private let second: Int64 = 1_000_000
private let hour: Int64 = 3600 * second

/// Pictures and pages as Debian's chromium shows them: `Tests/Pages/check.py` looks at them, and uses the pages by mouse and by keys.
///
/// They stay in `TORPOR_PAGES_DIR`, with screenshots, where that is set.
@Suite(.timeLimit(.minutes(60)), .requires(.program("/usr/bin/chromium")))
struct `In a real browser` {
    /// Names of all kinds that a worker may have, and some that none may: texts come from other programs too.
    private static func name(_ number: Int) -> String {
        switch number % 20 {
        case 3: "a-worker-with-a-name-that-is-much-longer-than-anything-else-beside-it-and-goes-on@\(number)"
        case 7: "שלום-עולם-\(number)"
        case 11: "rocket-🚀-👩‍👩‍👧-\(number)"
        case 13: "日本語の長い名前のワーカー-\(number)"
        case 17: "<script>alert(\(number))</script>&\"'"
        default: "web@\(number)"
        }
    }

    /// A day of so many workers, each of which wakes and sleeps again and again, with failures and short memory.
    private func day(of count: Int, title: String) -> Timeline {
        var random = SplitMix64(seed: UInt64(count))
        let start: Int64 = 1_700_000_000 * second
        var builder = TimelineBuilder(from: start, to: start + 24 * hour)
        var changes: [(at: Int64, worker: Int, from: State, to: State)] = []
        for worker in 0..<count where worker % 20 != 19 {
            var at = start + Int64.random(in: 0..<hour, using: &random)
            var state = State.suspended
            while at < start + 24 * hour {
                let next: State = state == .suspended ? .active : state == .active ? .background : .suspended
                changes.append((at, worker, state, next))
                state = next
                at += Int64.random(in: second..<2 * hour, using: &random)
            }
        }
        changes.sort { $0.at > $1.at }
        for worker in 0..<count { builder.present(Self.name(worker), .suspended, since: start) }
        for (index, change) in changes.enumerated() {
            let name = Self.name(change.worker)
            builder.change(name, from: change.from, to: change.to, at: change.at, why: "socket <tcp>")
            if change.to == .active { builder.mark(name, .wake, at: change.at, "by 10.0.0.1 & others") }
            if index % 37 == 0 { builder.mark(name, .crash, at: change.at, "killed by SIGSEGV") }
            if index % 53 == 0 { builder.mark(name, .eviction, at: change.at, "memory was short") }
            if index % 500 == 0 { builder.memory(nil, at: change.at) }
            if index % 500 == 20 { builder.memory(index % 1000 == 20 ? .critical : .warning, at: change.at) }
        }
        builder.mark(nil, .supervisor, at: start + second, "supervisor started")
        let zones = [Calendar.Zone(from: 0, offset: 3600)]
        return builder.timeline(title, Calendar(zones: zones))
    }

    private func settings(_ lines: [String]) -> Settings {
        var settings = Settings()
        for line in lines {
            let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
            let name = parts[0].split(separator: ".").map(String.init)
            settings.assign(name[0], name[1], parts[1])
        }
        return settings
    }

    private var full: Settings {
        settings([
            "Worker.Launch=on-demand", "Worker.TimeoutStartSec=30s", "Worker.TimeoutStopSec=9s",
            "Worker.Restart=on-failure", "Worker.RestartSec=100ms", "Worker.Requires=db cache",
            "Foreground.IdleSec=5min",
            "Foreground.ListenStream=80",
            "Foreground.ListenStream=/run/a-directory/of-great-length/and/more/a.socket",
            "Foreground.ForegroundGroup=games", "Worker.URLSchemes=http https chat",
            "Background.Modes=fetch processing", "Background.FetchIntervalSec=1h",
            "Background.TaskLimitSec=3min", "Background.QuietSec=2s",
            "Memory.ReclaimOnSuspend=yes", "Notifications.WatchPaths=/var/spool/mail/inbox",
            "Callbacks.DidEnterBackground=exec:/usr/lib/worker/hooks/save --everything --at-once",
            "Callbacks.DidEnterBackgroundTimeoutSec=4s", "Callbacks.DidEnterBackgroundCompletes=output:Saved",
            "Callbacks.WillEnterForeground=signal:SIGUSR1", "Callbacks.DidBecomeActive=http:/up",
            "Callbacks.WillResignActive=exec:/bin/true", "Callbacks.SaveState=exec:/usr/bin/save-state",
            "Callbacks.RestoreState=exec:/usr/bin/restore-state", "Callbacks.WillTerminate=signal:SIGTERM",
            "Callbacks.DidReceiveNotifications=stdin:notifications",
            "Callbacks.PerformFetch=exec:/usr/bin/fetch",
            "Callbacks.WillFinishLaunching=exec:/bin/true", "Callbacks.DidFinishLaunching=exec:/bin/true",
        ])
    }

    private func files() -> [String: String] {
        var files: [String: String] = [:]
        for count in [1, 80, 200] {
            let timeline = day(of: count, title: "Timeline of all workers")
            files["timeline-\(count).html"] = TimelinePage(timeline).rendered()
            files["timeline-\(count).svg"] = TimelineSVG(timeline).rendered()
        }
        let titled = day(of: 3, title: "Timeline of " + (0..<80).map(Self.name).joined(separator: ", "))
        files["long-title.svg"] = TimelineSVG(titled).rendered()
        files["long-title.html"] = TimelinePage(titled).rendered()
        let long = Self.name(3)
        for (kind, diagram) in [
            ("states", StateDiagram("web", description: "A web server", full, current: .suspended)),
            (
                "states-long",
                StateDiagram(
                    long + long, description: String(repeating: "a description without an end, ", count: 12),
                    full,
                    current: .active,
                    notes: (0..<6).map { "note \($0): " + String(repeating: "it goes on and on, ", count: 9) }
                )
            ), ("states-bare", StateDiagram("bare", Settings(), current: nil)),
        ] { files["\(kind).svg"] = StateDiagramSVG(diagram).rendered() }
        for count in [4, 80] {
            let workers = (0..<count).map { number -> (name: String, state: State?, settings: Settings) in
                var own =
                    number % 4 == 0 ? full : settings(["Worker.Wants=\(Self.name((number + 1) % count))"])
                if number % 3 == 0 { own.assign("Foreground", "ForegroundGroup", "group-\(number % 2)") }
                if number % 7 == 0 { own.assign("Worker", "OnFailure", Self.name(1)) }
                return (Self.name(number), State.allCases[number % State.allCases.count], own)
            }
            files["graph-\(count).svg"] = WorkerGraphSVG(WorkerGraph(workers), title: "Workers").rendered()
        }
        return files
    }

    @Test func `every text has its place, and every page can be zoomed, moved and filtered`() throws {
        let kept = ProcessInfo.processInfo.environment["TORPOR_PAGES_DIR"]
        try withTemporaryDirectory { temporary in
            let directory = kept ?? temporary
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            for (name, text) in files() {
                try text.write(toFile: "\(directory)/\(name)", atomically: false, encoding: .utf8)
            }
            let check = Process()
            check.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
            let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../Pages/check.py").standardizedFileURL.path
            check.arguments = ["-B", script, directory]
            let pipe = Pipe()
            check.standardOutput = pipe
            check.standardError = pipe
            check.standardInput = FileHandle.nullDevice
            try check.run()
            let found = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            check.waitUntilExit()
            #expect(found.isEmpty && check.terminationStatus == 0, "\(found)")
        }
    }
}
