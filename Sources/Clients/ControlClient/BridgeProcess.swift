internal import Glibc
internal import Launching
internal import Linux
internal import Synchronization

/// The command that carries a connection to a supervisor elsewhere: one socket is its standard input and output.
///
/// It gets SIGTERM when the thread that started it ends, however that ends: no ssh stays behind that still waits for a host.
package final class BridgeProcess: Sendable {
    private let pid: Int32
    private let pidfd: Pidfd
    private let errors: ErrorTail
    private let result = Mutex<Int32?>(nil)

    /// Starts `command`, searched for in the `PATH`, with `descriptor` as its standard input and output.
    ///
    /// With `ignoresKeyboard`, SIGINT and SIGQUIT of the terminal do not end it.
    init(_ command: [String], on descriptor: Int32, ignoresKeyboard: Bool) throws(LaunchError) {
        var request = LaunchRequest(
            ByteString(command.first ?? ""), command.dropFirst().map { ByteString($0) }, environment: .current
        )
        request.session = .asIs
        request.standardInput = .copied(from: descriptor)
        request.standardOutput = .copied(from: descriptor)
        request.parentDeathSignal = .terminate
        if ignoresKeyboard { request.ignoredSignals = [.interrupt, .quit] }
        var pid: Int32 = 0
        let ours = try StreamSocket.pair { (theirs: Int32) throws(LaunchError) in
            request.standardError = .copied(from: theirs)
            pid = try request.launch().pid
        } failing: {
            LaunchError($0, preparing: "cannot make a pair of sockets")
        }
        self.pid = pid
        errors = ErrorTail(ours)
        do throws(LinuxError) {
            pidfd = try Pidfd(pid: pid)
            try errors.follow()
        } catch {
            kill(pid, SIGTERM)
            throw LaunchError(error, preparing: "cannot follow \(command.first ?? "")")
        }
    }

    /// Has it end, where it has not: it is not waited for any more.
    package func end() {
        // Ignoring the result: it fails where the process has ended.
        try? pidfd.send(.terminate)
    }

    /// Its exit status, or 128 and the number of the signal that ended it, once it has ended; nil where it has not after `timeout`
    /// microseconds.
    package func status(within timeout: Int64) -> Int32? {
        var wait = DescriptorWait()
        wait.add(pidfd.descriptor)
        // Ignoring a failure: whether it has ended is looked at in any case.
        try? wait.wait(timeout: timeout)
        return result.withLock { result in
            if let result { return result }
            var status: Int32 = 0
            guard unsafe waitpid(pid, &status, WNOHANG) == pid else { return nil }
            let signal = status & 0x7f
            result = signal == 0 ? (status >> 8) & 0xff : 128 + signal
            return result
        }
    }

    /// The last of what it has written to its standard error.
    package var lastErrors: String { errors.text }
}

/// The end of what comes through a socket, which is read as it comes, so that its writer never waits.
private final class ErrorTail: Sendable {
    private static let most = 8 << 10
    private let socket: StreamSocket
    private let bytes = Mutex<[UInt8]>([])

    init(_ socket: consuming StreamSocket) {
        self.socket = socket
    }

    /// Reads on a thread of its own.
    func follow() throws(LinuxError) {
        try DetachedThread.start(stackSize: 256 << 10) { [self] in
            while take() {
                // Ignoring a failure: reading finds out.
                _ = try? socket.wait(writing: false, timeout: nil)
            }
        }
    }

    /// All that has come, whether the thread has got to it or not.
    var text: String {
        _ = take()
        return bytes.withLock { String(decoding: $0, as: UTF8.self) }
    }

    /// Takes all that is there; false at the end.
    private func take() -> Bool {
        bytes.withLock { bytes in
            var room = [UInt8](repeating: 0, count: 4096)
            do throws(LinuxError) {
                while let count = try socket.read(into: &room) {
                    if count == 0 { return false }
                    bytes = (bytes + room.prefix(count)).suffix(Self.most)
                }
                return true
            } catch {
                // Ignoring which error it was: nothing more comes.
                return false
            }
        }
    }
}
