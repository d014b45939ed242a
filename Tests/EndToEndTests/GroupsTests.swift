import Foundation
import Glibc
import TestSupport
import Testing

/// What each user may do at the control socket of a real daemon, by the groups of torpord.conf.
@Suite(.timeLimit(.minutes(60))) struct `The groups of torpord.conf` {
    /// Calls as user 4204 in a group; prints the error's name of each, or that it was done.
    private static let script = """
        import json, os, socket, sys
        path, group = sys.argv[1], int(sys.argv[2])
        os.setgroups([group])
        os.setresgid(4204, 4204, 4204)
        os.setresuid(4204, 4204, 4204)
        s = socket.socket(socket.AF_UNIX)
        s.connect(path)
        calls = (
            ("List", {}), ("Launch", {"names": ["w"]}), ("Cat", {"name": "w"}),
            ("LaunchTransient", {"arguments": ["/bin/true"]}),
        )
        for member, parameters in calls:
            message = {"method": "io.torpor.Supervisor." + member, "parameters": parameters}
            s.sendall(json.dumps(message).encode() + b"\\0")
            answer = b""
            while not answer.endswith(b"\\0"):
                answer += s.recv(1 << 16)
            print(member, json.loads(answer[:-1]).get("error", "done").split(".")[-1])
        """

    @Test(
        .requires(.root),
        arguments: [
            (4711, ["done", "PermissionDenied", "PermissionDenied", "PermissionDenied"]),
            (4712, ["done", "done", "done", "PermissionDenied"]), (4713, ["done", "done", "done", "done"]),
        ])
    func `tell those that may steer from those that may say what runs`(group: Int, answers: [String]) throws {
        let daemon = try DaemonUnderTest(["w": "[Worker]\nExecStart=/bin/sleep 1000\n"])
        chmod(daemon.directory, 0o755)
        let drops = "\(daemon.directory)/conf/torpord.conf.d"
        try FileManager.default.createDirectory(atPath: drops, withIntermediateDirectories: false)
        try "[Daemon]\nOperatorsGroup=4712\nDefinersGroup=4713\n".write(
            toFile: "\(drops)/groups.conf", atomically: false, encoding: .utf8)
        try daemon.killAndRestart()
        let caller = try Wrapper(
            [], [], line: ["/usr/bin/python3", "-c", Self.script, daemon.socket, "\(group)"])
        let result = try DaemonUnderTest.result(of: caller)
        #expect(
            result.output.split(separator: "\n").map(String.init)
                == zip(["List", "Launch", "Cat", "LaunchTransient"], answers).map { "\($0) \($1)" },
            "\(result.errors)")
    }

    /// Before, a member whose group was taken out of the file could steer until the daemon was started again.
    @Test(.requires(.root)) func `count from a reload on, also where they are taken away`() throws {
        let daemon = try DaemonUnderTest(["w": "[Worker]\nExecStart=/bin/sleep 1000\n"])
        chmod(daemon.directory, 0o755)
        let drops = "\(daemon.directory)/conf/torpord.conf.d"
        try FileManager.default.createDirectory(atPath: drops, withIntermediateDirectories: false)
        for (settings, launch, warns) in [
            ("OperatorsGroup=4712", "done", false), ("", "PermissionDenied", false),
            ("OperatorsGroup=torpor-has-no-such-group", "PermissionDenied", true),
            ("OperatorsGroup=4712", "done", false),
        ] {
            try "[Daemon]\n\(settings)\n".write(
                toFile: "\(drops)/groups.conf", atomically: false, encoding: .utf8)
            let reload = try daemon.torpor("reload")
            #expect(reload.status == 0, "\(reload)")
            #expect((reload.output + reload.errors).contains("there is no group") == warns, "\(reload)")
            let caller = try Wrapper(
                [], [], line: ["/usr/bin/python3", "-c", Self.script, daemon.socket, "4712"])
            let result = try DaemonUnderTest.result(of: caller)
            #expect(result.output.contains("Launch \(launch)\n"), "\(settings): \(result)")
        }
    }
}
