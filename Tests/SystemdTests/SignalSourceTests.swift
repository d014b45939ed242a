import Glibc
import Systemd
import TestSupport
import Testing

/// Signals go to the thread of the loop alone, where they are blocked: the rest of the test process sees
/// none.
@Suite(.timeLimit(.minutes(60))) struct `Signal source` {
    @Test func `tells number, sender and code`() async throws {
        let signal = __libc_current_sigrtmin() + 3
        let seen = try await onThread {
            try SignalSource.block([signal])
            let loop = try EventLoop()
            var seen: [SignalInfo] = []
            let source = try SignalSource(on: loop, signal: signal) {
                seen.append($0)
                if seen.count == 2 { loop.exit(0) }
            }
            pthread_kill(pthread_self(), signal)
            pthread_kill(pthread_self(), signal)
            _ = try loop.run()
            withExtendedLifetime(source) {}
            return seen
        }
        #expect(seen.map(\.number) == [signal, signal])
        #expect(seen.map(\.senderPID) == [getpid(), getpid()])
        #expect(seen.map(\.senderUID) == [getuid(), getuid()])
        #expect(seen.map(\.code) == [-6, -6])  // SI_TKILL
    }

    @Test func `a signal that is not blocked is refused`() async throws {
        try await onThread {
            // The threads of the cooperative pool block every signal, and this thread has their mask.
            let signal = __libc_current_sigrtmin() + 4
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, signal)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
            let loop = try EventLoop()
            #expect(throws: SystemdError(errno: EBUSY, operation: "sd_event_add_signal")) {
                _ = try SignalSource(on: loop, signal: signal) { _ in }
            }
        }
    }

    @Test(arguments: [-1, 0, 65, 1000] as [Int32])
    func `a number that is no signal cannot be blocked`(number: Int32) {
        #expect(throws: SystemdError(errno: EINVAL, operation: "sigaddset")) {
            try SignalSource.block([number])
        }
    }
}
