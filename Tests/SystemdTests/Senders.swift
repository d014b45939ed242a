import Glibc
import Linux
import Synchronization

extension UnixSocketAddress {
    private static let counter = Atomic<Int>(0)

    /// An abstract name that no other test has.
    static func unique() throws -> UnixSocketAddress {
        let number = counter.add(1, ordering: .relaxed).newValue
        return try UnixSocketAddress("@torpor-test-\(getpid())-\(number)")
    }
}

/// Sends a datagram as any process might.
func post(_ bytes: [UInt8], descriptors: [Int32] = [], to address: UnixSocketAddress) throws {
    guard try DatagramSocket().send(bytes, descriptors: descriptors, to: address) else {
        throw LinuxError(errno: EAGAIN, call: "sendmsg", subject: address.description)
    }
}

/// Ends the life of `value` here.
func discard<Value: ~Copyable>(_ value: consuming Value) {}

/// Starts a program with this environment alone.
func spawn(_ path: String, _ arguments: [String], environment: [String]) throws -> pid_t {
    func strings(_ list: [String]) -> [UnsafeMutablePointer<CChar>?] { list.map { strdup($0) } + [nil] }
    let (argv, envp) = (strings([path] + arguments), strings(environment))
    defer { for string in argv + envp { free(string) } }
    var pid: pid_t = 0
    let result = posix_spawn(&pid, path, nil, nil, argv, envp)
    guard result == 0 else { throw LinuxError(errno: result, call: "posix_spawn", subject: path) }
    return pid
}
