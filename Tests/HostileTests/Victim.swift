import Cgroups
import Foundation
import Glibc
import Linux
import Processes
import TestSupport
import Testing

/// The users of the attacks, by number: none of them has an entry in passwd(5).
enum Uid {
    /// A local user without any rights.
    static let stranger = 4201
    /// The user of the worker that is attacked, or attacks.
    static let worker = 4202
    /// The user of another worker.
    static let other = 4203
    /// The operators' group.
    static let operators = 4204
}

/// A `torpord` of the test's own that is attacked, with its files in a temporary directory and its log in one of them.
///
/// Nothing of it is left when the value ends.
final class Victim {
    /// How the daemon's standard error reaches the log.
    enum Logging {
        /// Through a pipe, as under a log daemon: no worker can get at the file.
        case pipe
        /// It is the file itself, as where a shell has redirected it.
        case file
    }

    let directory: String
    let socket: String
    /// The attacking program, where every user can execute it.
    let attacker: String
    private let line: [String]
    private let logging: Logging
    private(set) var process: Wrapper
    private var questions = 0

    /// The directory of the programs under test.
    static let programs = (Wrapper.program as NSString).deletingLastPathComponent

    /// Starts a daemon for workers with these files, by name, and waits until it serves.
    ///
    /// DIRECTORY and ATTACKER in a file stand for the places of this daemon. `settings` follows `[Daemon]` in torpord.conf;
    /// `prefix` is put in front of the daemon's command line.
    init(
        _ files: [String: String] = [:], settings: String = "", through prefix: [String] = [],
        logging: Logging = .pipe, preparing: (String) throws -> Void = { _ in }
    ) throws {
        directory = "/tmp/torpor-hostile-\(UUID().uuidString.prefix(8))"
        socket = "\(directory)/run/io.torpor.Supervisor"
        attacker = "\(directory)/attacker"
        self.logging = logging
        try FileManager.default.createDirectory(
            atPath: "\(directory)/conf/workers", withIntermediateDirectories: true)
        // Every user passes through it, whatever our umask is.
        chmod(directory, 0o755)
        // By a process of its own: a descriptor that we write with could be open in a child of another test (ETXTBSY).
        let copy = try Wrapper([], [], line: ["/bin/cp", Self.attackerProgram, attacker])
        guard try copy.wait() == .exited(0) else { throw TimedOut(description: "no attacker to copy") }
        chmod(attacker, 0o755)
        let conf = "[Memory]\nPolicy=observe\n[Daemon]\nOperatorsGroup=\(Uid.operators)\n\(settings)\n"
        try conf.write(toFile: "\(directory)/conf/torpord.conf", atomically: false, encoding: .utf8)
        for (name, text) in files {
            let text = text.replacingOccurrences(of: "DIRECTORY", with: directory)
                .replacingOccurrences(of: "ATTACKER", with: attacker)
            try text.write(
                toFile: "\(directory)/conf/workers/\(name).worker", atomically: false, encoding: .utf8)
        }
        try preparing(directory)
        let program = attacker
        line =
            prefix.map { $0.replacingOccurrences(of: "ATTACKER", with: program) } + [
                Self.programs + "/torpord", "--config-dir", "\(directory)/conf", "--state-dir",
                "\(directory)/state", "--runtime-dir", "\(directory)/run",
            ]
        process = try Self.start(line, logging, directory, attacker)
    }

    deinit {
        // One that was stopped by a test hears nothing.
        process.send(SIGCONT)
        process.send(SIGTERM)
        if (try? process.wait(10)) == nil {
            // An attack that succeeded: its workers end with it.
            for pid in ProcessTree.snapshot().descendants(of: process.pid) { kill(pid, SIGKILL) }
            process.send(SIGKILL)
            _ = try? process.wait()
        }
        for group in leftGroups() {
            try? "1".write(toFile: "\(group)/cgroup.kill", atomically: false, encoding: .ascii)
            for _ in 0..<2000 where rmdir(group) != 0 && errno == EBUSY { usleep(1000) }
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// The program that attacks, beside the bundle that runs the tests.
    static let attackerProgram: String = {
        let beside = Bundle.main.bundlePath
        let places = [
            beside, (beside as NSString).deletingLastPathComponent, ".build/release", ".build/debug",
        ]
        return places.map { "\($0)/attacker" }.first { access($0, X_OK) == 0 } ?? "attacker"
    }()

    private static func start(
        _ line: [String], _ logging: Logging, _ directory: String, _ attacker: String
    ) throws -> Wrapper {
        let log = "\(directory)/log"
        let before = (try? String(contentsOfFile: log, encoding: .utf8))?.utf8.count ?? 0
        let through =
            switch logging {
            case .pipe: [attacker, "log-to", log]
            case .file: ["/bin/sh", "-c", "exec \"$@\" 2>>\(log)", "sh"]
            }
        let process = try Wrapper([], [], line: through + line)
        _ = try eventually("torpord to start") { () -> Bool? in
            let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
            if String(text.utf8.dropFirst(before))?.contains("started;") ?? false { return true }
            guard state(of: process.pid) != "Z" else { throw TimedOut(description: "torpord ended: \(text)") }
            return nil
        }
        return process
    }

    /// What the daemon has logged.
    var log: String { (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? "" }

    /// How many bytes the daemon has logged.
    var logSize: Int {
        var status = Glibc.stat()
        return stat("\(directory)/log", &status) == 0 ? Int(status.st_size) : 0
    }

    /// Kills the daemon, and starts another one in its place, behind `prefix` where one is given.
    func killAndRestart(plainly: Bool = false) throws {
        process.send(SIGKILL)
        _ = try process.wait()
        let program = Self.programs + "/torpord"
        let plain = Array(line[(line.firstIndex(of: program) ?? 0)...])
        process = try Self.start(plainly ? plain : line, logging, directory, attacker)
    }

    /// Whether the daemon is the process that was started, and answers.
    func isAlive() throws -> Bool {
        guard let state = state(of: process.pid), state != "Z" else { return false }
        return try call("Ping").contains("\"pid\":\(process.pid)")
    }

    // MARK: asking

    /// Runs `torpor VERB ARGUMENTS --socket …` as root to its end.
    @discardableResult
    func torpor(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) {
        try Self.result(
            of: Wrapper(
                [], [], line: [Wrapper.program, arguments[0], "--socket", socket] + arguments.dropFirst()))
    }

    static func result(of program: Wrapper) throws -> (status: Int32, output: String, errors: String) {
        let output = try program.output.rest().map { $0 + "\n" }.joined()
        let errors = try program.errors.rest().map { $0 + "\n" }.joined()
        guard case .exited(let status) = try program.wait() else { return (-1, output, errors) }
        return (status, output, errors)
    }

    /// The whole of what is answered to a call of `io.torpor.Supervisor`, as JSON; "closed", "over" or "refused: …" where nothing is.
    func call(_ method: String, _ parameters: String = "{}", as uid: Int = 0) throws -> String {
        let message = Message.supervisor(method, parameters)
        return try ask(socket, [message], as: uid, seconds: 20).first ?? "nothing"
    }

    /// What is answered to these messages at a socket, until as many answers have come, the peer closes or the time is over.
    ///
    /// The process that asks moves itself into `group` before, where one is given.
    func ask(
        _ socket: String, _ messages: [String], as uid: Int, group id: Int? = nil, in group: String? = nil,
        seconds: Int = 30
    ) throws -> [String] {
        let file = try write(messages)
        let asking = try attack(
            ["ask", socket, file, "\(seconds)"], as: uid, group: id, in: group, atMost: seconds + 30)
        var answers: [String] = []
        while answers.count < messages.count, let line = try asking.output.next() { answers.append(line) }
        return answers
    }

    /// The pid of a worker's main process.
    func pid(of worker: String) throws -> Int32 {
        let list = try call("List", "{\"names\":[\"\(worker)\"]}")
        let digits = list.components(separatedBy: "\"pid\":").dropFirst().first?.prefix { $0.isNumber }
        guard let pid = digits.flatMap({ Int32($0) }) else {
            throw TimedOut(description: "\(worker) has no process: \(list)")
        }
        return pid
    }

    /// Waits until a worker is described with this text.
    func awaitDescription(of worker: String, _ text: String) throws {
        var last = ""
        _ = try eventually("\(worker) with \(text)") { () -> Bool? in
            last = try call("Describe", "{\"name\":\"\(worker)\"}")
            if !last.contains(text) { usleep(50_000) }
            return last.contains(text) ? true : nil
        }
    }

    // MARK: attacking

    /// Writes messages, each with its end, into a file of their own that every user can read.
    func write(_ messages: [String], end: String = "\0") throws -> String {
        questions += 1
        let path = "\(directory)/messages-\(questions)"
        try messages.map { $0 + end }.joined().write(toFile: path, atomically: false, encoding: .utf8)
        chmod(path, 0o644)
        return path
    }

    /// Starts the attacker with a command, as that user and in that group of processes; it ends by itself in any case.
    func attack(
        _ command: [String], as uid: Int, group id: Int? = nil, in group: String? = nil,
        atMost seconds: Int = 60
    ) throws -> Wrapper {
        var line = [attacker, "--for", "\(seconds)"]
        if let group { line += ["--join", group] }
        if uid != 0 || id != nil { line += ["--uid", "\(uid)", "--gid", "\(id ?? uid)"] }
        return try Wrapper([], [], line: line + command)
    }

    /// Has the operator's command do `verb` to the worker `victim`, and does not wait for its end.
    func operate(_ verb: String, _ options: String...) throws -> Wrapper {
        try Wrapper([], [], line: [Wrapper.program, verb] + options + ["--socket", socket, "victim"])
    }

    /// The group of a worker's main process, as a directory.
    func groupDirectory(of worker: String) throws -> String {
        let text = try String(contentsOfFile: "/proc/\(try pid(of: worker))/cgroup", encoding: .utf8)
        let own = try #require(text.split(separator: "\n").first { $0.hasPrefix("0::") }).dropFirst(3)
        let mounts = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"]
        return try #require(
            mounts.map { $0 + own }.first { access($0 + "/cgroup.procs", F_OK) == 0 }, "no group of \(worker)"
        )
    }

    /// Its own groups that are still there.
    private func leftGroups() -> [String] {
        guard let base = Places.base else { return [] }
        let prefix = "torpor" + directory.replacingOccurrences(of: "/", with: "-")
        func names(_ path: String) -> [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).map { "\(path)/\($0)" }
        }
        return names(base).filter { $0.contains("/\(prefix)") }.flatMap { names($0) + [$0] }
    }

    /// How much memory the daemon has, in bytes.
    var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return (Int(line.filter(\.isNumber)) ?? 0) << 10
    }
}

/// Messages of the two interfaces.
enum Message {
    static func supervisor(_ method: String, _ parameters: String = "{}", mode: String = "") -> String {
        "{\"method\":\"io.torpor.Supervisor.\(method)\",\"parameters\":\(parameters)\(mode)}"
    }

    static func worker(_ method: String, _ parameters: String = "{}", mode: String = "") -> String {
        "{\"method\":\"io.torpor.Worker.\(method)\",\"parameters\":\(parameters)\(mode)}"
    }

    /// Attaches for all callbacks.
    static let attach = worker("Attach", mode: ",\"more\":true")
}

/// The files of workers that several attacks use.
enum HostileWorkers {
    /// Runs as the worker's user.
    static let credentials = "User=\(Uid.worker)\nGroup=\(Uid.worker)\n"
    static let idle = "[Worker]\nExecStart=/bin/sleep 1000\n\(credentials)"
    /// Does nothing, from the start.
    static let sleeper = idle + "Launch=boot\n"
    /// Has a notify socket, and no process that uses it.
    static let notifying = idle + "Type=notify\nNotifyAccess=all\nLaunch=boot\nTimeoutStartSec=1h\n"
    /// Has a worker socket, and no process that uses it.
    static let app = idle + "Type=app\nLaunch=boot\nTimeoutStartSec=1h\n"
}

extension Capability {
    /// A file or device of the system's.
    static func file(_ path: String) -> Capability {
        Capability(path) { access(path, R_OK) == 0 ? nil : "it is not there" }
    }

    /// No journal that takes the output of workers.
    static let noJournal = Capability("a machine without a journal") {
        access("/run/systemd/journal/stdout", F_OK) == 0 ? "there is a journal" : nil
    }

    /// What is too long or too heavy for each run of the tests; `make chaos` sets it.
    static let chaos = Capability("TORPOR_CHAOS_ATTACKS=1, as `make chaos` sets it") {
        ProcessInfo.processInfo.environment["TORPOR_CHAOS_ATTACKS"] == "1" ? nil : "it is long"
    }
}

/// All attacks: one after the other, since most of them measure how long an answer takes.
@Suite(.serialized, .timeLimit(.minutes(20)), .requires(.root)) struct Hostility {}
