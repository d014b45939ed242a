import Foundation
import Glibc
import TestSupport

extension Capability {
    /// Debian's openssh-server and openssh-client.
    static let openSSH = Capability("an OpenSSH server and client") {
        for program in [SecureShell.server, "/usr/bin/ssh", "/usr/bin/ssh-keygen"]
        where access(program, X_OK) != 0 { return "\(program) is not installed" }
        // Root's server wants a directory in /run, which is made where no other process sees it.
        return geteuid() == 0 ? Capability.ownMounts.missing() : nil
    }
}

/// A server of OpenSSH on a port of the loopback interface, with keys and configuration of the test's own.
///
/// Each host that its clients know is the same server with another key, and each key leads to another command.
final class SecureShell {
    static let server = "/usr/sbin/sshd"
    /// What `$TORPOR_SSH` has to be.
    let command: String
    let directory: String
    private let process: Wrapper

    /// Starts it with its files in `directory`.
    ///
    /// The host `box` runs what it is asked for; each of `hosts`, by name, a shell script instead, with what was asked for in
    /// `$SSH_ORIGINAL_COMMAND`.
    init(in directory: String, hosts: [String: String] = [:]) throws {
        self.directory = directory
        command = "ssh -F \(directory)/ssh_config"
        let port = try freePort()
        try FileManager.default.createDirectory(
            atPath: "\(directory)/bin", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: "\(directory)/bin/torpor", withDestinationPath: Wrapper.program)
        var keys = ""
        var config = Self.common(port, directory)
        try Self.makeKey("\(directory)/host")
        for name in ["box", "stranger"] + hosts.keys.sorted() {
            try Self.makeKey("\(directory)/\(name)")
            config += "Host \(name)\n  IdentityFile \(directory)/\(name)\n"
            if name == "stranger" { continue }
            if let script = hosts[name] {
                let path = "\(directory)/\(name).sh"
                try "\(script)\n".write(toFile: path, atomically: false, encoding: .utf8)
                keys += "command=\"/bin/sh \(path)\" "
            }
            keys += try String(contentsOfFile: "\(directory)/\(name).pub", encoding: .utf8)
        }
        func write(_ name: String, _ text: String) throws {
            try text.write(toFile: "\(directory)/\(name)", atomically: false, encoding: .utf8)
        }
        let host = try String(contentsOfFile: "\(directory)/host.pub", encoding: .utf8)
        try write("authorized_keys", keys)
        try write("known_hosts", "known \(host)")
        try write("ssh_config", config)
        try write(
            "sshd_config",
            """
            Port \(port)
            ListenAddress 127.0.0.1
            HostKey \(directory)/host
            AuthorizedKeysFile \(directory)/authorized_keys
            PidFile none
            StrictModes no
            UsePAM no
            PasswordAuthentication no
            KbdInteractiveAuthentication no
            MaxStartups 100
            SetEnv PATH=\(directory)/bin:/usr/bin:/bin
            """)
        let line = [Self.server, "-D", "-e", "-f", "\(directory)/sshd_config"]
        let inPrivate = "mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec \"$@\""
        process = try Wrapper(
            [], [], line: geteuid() == 0 ? ["unshare", "-m", "sh", "-c", inPrivate, "sh"] + line : line)
        try process.errors.until("Server listening")
    }

    deinit {
        process.send(SIGTERM)
        _ = try? process.wait()
    }

    /// The processes of its connections.
    var connections: [Int32] { children(of: process.pid) }

    /// Ends all connections, as a network that fails does.
    func cut() { for pid in connections { kill(pid, SIGKILL) } }

    private static func common(_ port: UInt16, _ directory: String) -> String {
        """
        Host nowhere
          HostName torpor.invalid
        Host changed
          HostKeyAlias another
          IdentityFile \(directory)/box
        Host *
          HostName 127.0.0.1
          Port \(port)
          User \(NSUserName())
          HostKeyAlias known
          UserKnownHostsFile \(directory)/known_hosts
          GlobalKnownHostsFile /dev/null
          StrictHostKeyChecking yes
          IdentitiesOnly yes
          IdentityAgent none

        """
    }

    private static func makeKey(_ path: String) throws {
        let made = try Wrapper(
            [], [], line: ["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path])
        guard try made.wait() == .exited(0) else { throw TimedOut(description: "no key at \(path)") }
    }
}
