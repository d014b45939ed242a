import Foundation
import Linux
import TestSupport

extension Capability {
    /// The right to set the clock.
    static let clock = Capability("CAP_SYS_TIME") { has(25) ? nil : "this process may not set the clock" }

    /// A network namespace of the test's own, with a link of kind `veth` in it.
    static let ownNetwork = Capability("a network of the test's own") {
        run("unshare", "-n", "ip", "link", "add", "t0", "type", "veth") == 0
            ? nil : "unshare -n, or ip link add type veth, is not allowed or not there"
    }

    private static func has(_ capability: Int) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/thread-self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("CapEff:") } ?? ""
        let mask = UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) ?? 0
        return mask & 1 << UInt64(capability) != 0
    }
}

/// Runs a command in the namespaces of the calling thread, without output; its exit status, or -1.
@discardableResult
func run(_ words: String...) -> Int32 {
    var pid: pid_t = 0
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for stream: Int32 in 1...2 {
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
    }
    let copies: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    guard posix_spawnp(&pid, words[0], &actions, nil, copies, environ) == 0 else { return -1 }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return status & 0x7f == 0 ? status >> 8 & 0xff : -1
}

/// A namespace that a thread can leave (unshare(2)); what it had is gone with it.
enum Namespace: Int32 {
    case mounts = 0x0002_0000
    case network = 0x4000_0000

    /// What a test was not allowed.
    struct Refused: Error {
        let errno: Int32
    }

    /// Gives the calling thread one of its own.
    func unshare() throws {
        // Swift does not see the C library's GNU extensions.
        guard let symbol = dlsym(nil, "unshare") else { throw Refused(errno: ENOSYS) }
        let call = unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)
        guard call(rawValue) == 0 else { throw Refused(errno: errno) }
    }
}
