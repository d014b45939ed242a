import Cgroups
import Glibc
import HostContract
import Launching
import Lifecycle
import Linux
import LinuxHost
import Supervisor
import SupervisorPorts
import Systemd
import WorkerIO

// Unchecked: all of it is on the thread of its loop.

/// The real machine as a stage.
final class LinuxStage: Stage, @unchecked Sendable {
    private let linux: LinuxHost
    private var clock: TimeSource?
    private var waiting: CheckedContinuation<Void, Never>?
    private let program: ByteString
    private let directory: String

    init(on loop: EventLoop, _ method: FreezeMethod) throws {
        var template = Array("/tmp/torpor-contract-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw LinuxError(errno: errno, call: "mkdtemp") }
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let places = SocketPlaces(directories: [directory])
        linux = try LinuxHost(on: loop, method: method, places: places)
        program = ByteString(CommandLine.arguments[0])
        clock = try TimeSource(on: loop) { [unowned self] _ in wake() }
    }

    var host: any Host { linux }

    var warnsOfMemory: Bool { if case .signals = linux.method { true } else { false } }

    /// Removes what the host has made for all workers, once it is not needed.
    func clear() {
        unlink("\(directory)/memory.pressure")
        rmdir(directory)
    }

    func configuration(_ program: ContractProgram, name: String) -> WorkerConfiguration {
        let configuration = WorkerConfiguration(
            name: name, groupName: "torpor-contract-\(getpid())-\(name)", policy: Policy(),
            hasNotifySocket: true, leftoverGrace: .milliseconds(100)
        ) { [executable = self.program] _ in
            if program == .missing { return LaunchRequest("/nowhere/at/all", environment: Environment()) }
            return LaunchRequest(
                executable, ["worker", ByteString(program.rawValue)], environment: .current.scrubbed())
        }
        configuration.prepareHook = { call, environment throws(LaunchError) in
            PreparedLaunch(
                LaunchRequest("/bin/sh", ["-c", Self.script(for: call.callback)], environment: environment))
        }
        return configuration
    }

    private static func script(for callback: Callback) -> ByteString {
        switch callback {
        case .didEnterBackground: "echo one; echo two >&2; sleep 0.01"
        case .willFinishLaunching: "exit 1"
        case .willTerminate: ByteString("trap '' TERM; \(endless) & wait")
        default: "exit 3"
        }
    }

    /// What an endless hook runs: by its arguments it is known whose it is.
    private static let endless = "sleep 1000.\(getpid())"

    /// How many processes of endless hooks there are.
    private var endlessProcesses: [Int32] {
        let arguments = ByteString(Self.endless.replacing(" ", with: "\0") + "\0")
        return Directory.entries(of: "/proc").compactMap { Int32($0) }.filter {
            let read = try? KernelFile.read("/proc/\($0)/cmdline")
            return read.map { ByteString($0) } == arguments
        }
    }

    /// Waits until nothing is left of any hook; what is left all the same is killed, and how many that were is returned.
    func endRest() async -> Int {
        _ = await wait { endlessProcesses.isEmpty }
        let left = endlessProcesses
        for pid in left { kill(pid, SIGKILL) }
        return left.count
    }

    func stopFromOutside(_ worker: WorkerID, pid: Int32) { kill(pid, SIGSTOP) }

    func continueFromOutside(_ worker: WorkerID, pid: Int32) { kill(pid, SIGCONT) }

    func killFromOutside(_ worker: WorkerID, pid: Int32) { kill(pid, SIGKILL) }

    /// Looks whenever a millisecond has passed: facts come in between.
    func wait(until isSo: () -> Bool) async -> Bool {
        let deadline = linux.now + .seconds(60)
        while !isSo() {
            guard linux.now < deadline else { return false }
            await withCheckedContinuation {
                // Armed only now: coming here takes a turn of the loop, in which the timer could go off unheard.
                waiting = $0
                clock?.arm(at: (linux.now + .milliseconds(1)).microseconds)
            }
        }
        return true
    }

    private func wake() {
        waiting?.resume()
        waiting = nil
    }

    func playAll() async {
        for (number, promise) in HostContract.promises.enumerated() {
            do {
                try await Play(on: self, number: number).perform(promise)
                print("kept \(promise.name)")
            } catch {
                print("broken \(promise.name): \(error)")
            }
            // At once: the test that waits sees how far this came.
            fflush(nil)
        }
    }
}
