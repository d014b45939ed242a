import Foundation
import Glibc
import Testing

/// What workers print, and how an operator sees it.
@Suite(.timeLimit(.minutes(60)))
struct `The output of workers` {
    /// Ends before it is ready, with a last word.
    private static let crasher = """
        [Worker]
        Type=notify
        ExecStart=/bin/sh -c 'echo "reading the settings"; echo "no such port: 80a" >&2; exit 3'
        """

    @Test func `of a crash is shown by launch, status, report and why`() throws {
        let daemon = try DaemonUnderTest(["crash": Self.crasher])
        let launch = try daemon.torpor("launch", "crash")
        #expect(launch.status == 75)
        #expect(launch.errors.contains("  | no such port: 80a"), "\(launch.errors)")
        #expect(try daemon.torpor("status", "crash").output.contains("\nno such port: 80a\n"))
        #expect(try daemon.torpor("report", "crash").output.contains("\nno such port: 80a\n"))
        #expect(try daemon.torpor("why", "crash").output.contains("  | no such port: 80a\n"))
        #expect(
            try daemon.torpor("logs", "crash").output == "reading the settings\nno such port: 80a\n")
        #expect(try daemon.torpor("logs", "-n1", "crash").output == "no such port: 80a\n")
    }

    @Test func `is not kept where the file says so`() throws {
        let daemon = try DaemonUnderTest(["crash": Self.crasher + "\nSnapshot=no\n"])
        let launch = try daemon.torpor("launch", "crash")
        #expect(launch.status == 75 && !launch.errors.contains("| no such port"))
        for verb in ["status", "report", "why"] {
            let result = try daemon.torpor(verb, "crash")
            #expect(!result.output.contains("\nno such port"), "\(verb): \(result.output)")
            #expect(!result.output.contains("| no such port"), "\(verb): \(result.output)")
        }
        let logs = try daemon.torpor("logs", "crash")
        #expect(logs.status == 64 && logs.errors.contains("Snapshot=no"), "\(logs)")
    }

    @Test func `outlives the process, and a file is read where it is`() throws {
        let daemon = try DaemonUnderTest([
            "twice": "[Worker]\nExecStart=/bin/sh -c 'echo run; exec sleep 1000'\n",
            "file":
                "[Worker]\nExecStart=/bin/sh -c 'echo there; exec sleep 1000'\nStandardOutput=append:DIRECTORY/log\n",
        ])
        let follower = try Wrapper(
            [], [], line: [Wrapper.program, "logs", "-f", "twice", "--socket", daemon.socket])
        #expect(try daemon.torpor("launch", "twice", "file").status == 0)
        #expect(try follower.output.next() == "run")
        #expect(try daemon.torpor("restart", "twice").status == 0)
        #expect(try follower.output.next() == "run")
        follower.send(SIGINT)
        _ = try follower.wait()
        #expect(try daemon.torpor("logs", "twice").output == "run\nrun\n")
        let path = "\(daemon.directory)/log"
        while (try? String(contentsOfFile: path, encoding: .utf8)) != "there\n" { usleep(1000) }
        #expect(try daemon.torpor("logs", "file").output == "there\n")
        #expect(try daemon.torpor("status", "file").output.contains("Output: \(path)"))
    }

    @Test func `says why no process came to be, wherever it is asked for`() throws {
        let daemon = try DaemonUnderTest([
            "gone": "[Worker]\nExecStart=/nonexistent/program\n",
            "nowhere": "[Worker]\nExecStart=/bin/true\nWorkingDirectory=/nonexistent\n",
        ])
        let why = "command not found: /nonexistent/program"
        let launch = try daemon.torpor("launch", "gone")
        #expect(
            launch.status == 78 && launch.errors.contains("gone: its launch failed: \(why)"),
            "\(launch)")
        #expect(try daemon.torpor("why", "gone").output.contains(why))
        #expect(try daemon.torpor("report", "gone").output.contains("Why: \(why)"))
        #expect(try daemon.torpor("history", "gone").output.contains(why))
        #expect(try daemon.torpor("status", "gone").output.contains(why))
        let nowhere = try daemon.torpor("launch", "nowhere")
        #expect(nowhere.status == 78 && nowhere.errors.contains("/nonexistent"), "\(nowhere)")
    }

    @Test func `and its input are a console`() throws {
        let daemon = try DaemonUnderTest([
            "echo":
                "[Worker]\nExecStart=/bin/sh -c 'while read -r line; do echo \"heard $$line\"; done'\nStandardInput=pipe\n",
            "deaf": "[Worker]\nExecStart=/bin/sleep 1000\n",
        ])
        #expect(try daemon.torpor("launch", "echo", "deaf").status == 0)
        let follower = try Wrapper(
            [], [], line: [Wrapper.program, "logs", "-f", "echo", "--socket", daemon.socket])
        #expect(try daemon.torpor("send", "echo", "save", "all").status == 0)
        #expect(try follower.output.next() == "heard save all")
        let (read, write) = try makePipe()
        let attached = try Wrapper(
            [], [], line: [Wrapper.program, "attach", "echo", "--socket", daemon.socket], input: read)
        close(read)
        _ = "one\n".withCString { Glibc.write(write, $0, 4) }
        try attached.output.until("heard one")
        #expect(try follower.output.next() == "heard one")
        close(write)
        // The end of input leaves the console, and the worker goes on.
        #expect(try attached.wait() == .exited(0))
        #expect(try daemon.list().first { $0.name == "echo" }?.state == "active")
        let deaf = try daemon.torpor("send", "deaf", "x")
        #expect(deaf.status == 64 && deaf.errors.contains("StandardInput=pipe"), "\(deaf)")
        let console = try daemon.torpor("attach", "deaf")
        #expect(console.status == 64 && console.errors.contains("StandardInput=pipe"), "\(console)")
        follower.send(SIGINT)
        _ = try follower.wait()
    }

    @Test func `is followed no longer than it is read`() throws {
        let daemon = try DaemonUnderTest([
            "quiet":
                "[Worker]\nExecStart=/bin/sh -c 'echo once; exec sleep 1000'\nStandardInput=pipe\n"
        ])
        #expect(try daemon.torpor("launch", "quiet").status == 0)
        let (read, write) = try makePipe()
        defer { close(write) }
        for verb in ["logs -f quiet", "watch", "attach quiet"] {
            let line = "\(Wrapper.program) \(verb) --socket \(daemon.socket) | head -n 1"
            let pipeline = try Wrapper([], [], line: ["/bin/sh", "-c", line], input: read)
            #expect(try pipeline.wait() == .exited(0), "\(verb)")
        }
        close(read)
    }

    @Test func `and its input are a console only as long as the worker runs`() throws {
        let daemon = try DaemonUnderTest([
            "cat": "[Worker]\nExecStart=/bin/cat\nStandardInput=pipe\n"
        ])
        let early = try daemon.torpor("attach", "cat")
        #expect(early.status == 75 && early.errors.contains("cat is not running"), "\(early)")
        #expect(try daemon.torpor("launch", "cat").status == 0)
        let (read, write) = try makePipe()
        defer { close(write) }
        let attached = try Wrapper(
            [], [], line: [Wrapper.program, "attach", "cat", "--socket", daemon.socket], input: read)
        close(read)
        _ = "one\n".withCString { Glibc.write(write, $0, 4) }
        try attached.output.until("one")
        #expect(try daemon.torpor("terminate", "cat").status == 0)
        #expect(try attached.wait() == .exited(75))
        try attached.errors.until("cat has ended")
    }

    @Test func `is not offered by torpor run`() throws {
        let run = try Wrapper(["-v"], ["/bin/sleep", "1000"])
        let line = try run.errors.until("control socket ")
        let socket = try #require(line.split(separator: " ").last.map(String.init))
        let logs = try DaemonUnderTest.result(
            of: Wrapper([], [], line: [Wrapper.program, "--socket", socket, "logs", "sleep"]))
        #expect(logs.status == 69 && logs.errors.contains("torpor run keeps no output"), "\(logs)")
    }
}
