import Foundation
import Glibc
import Idleness
import Launching
import Linux
import Sockets
import TestSupport
import Testing

/// A process whose bind(2) waits for our answers.
private final class Binder {
    let pid: Int32
    private var listener: BindListener?
    private let reader: FileHandle

    /// Runs a script of Python.
    init(_ script: String) throws {
        let pipe = Pipe()
        var request = LaunchRequest(
            "/usr/bin/python3", ["-c", ByteString(script)], environment: .current)
        request.standardOutput = .copied(from: pipe.fileHandleForWriting.fileDescriptor)
        request.noticesBinds = true
        var launched = try request.launch()
        pid = launched.pid
        reader = pipe.fileHandleForReading
        try pipe.fileHandleForWriting.close()
        #expect(launched.bindErrno == 0)
        if let descriptor = launched.takeBindListener() { listener = BindListener(descriptor) }
    }

    deinit {
        kill(pid, SIGKILL)
        var status: Int32 = 0
        waitpid(pid, &status, 0)
    }

    private func next() throws -> BindCall? {
        switch listener {
        case .some(let listener): try listener.next()
        case .none: throw TimedOut(description: "no listener")
        }
    }

    /// Answers its next call with these.
    func serve(_ doors: [BindService.Door]) throws -> BindService.Outcome {
        let call = try eventually("it binds") { try next() }
        switch listener {
        case .some(let listener): return BindService(doors).serve(call, listener)
        case .none: throw TimedOut(description: "no listener")
        }
    }

    /// Lets its next call go on.
    func goOn() throws {
        let call = try eventually("it binds") { try next() }
        switch listener {
        case .some(let listener): listener.goOn(call)
        case .none: break
        }
    }

    func close() { listener = nil }

    /// What is told once it is gone.
    func end() throws -> LinuxError {
        try eventually("no process is left") {
            do throws(LinuxError) {
                switch listener {
                case .some(let listener): _ = try listener.next()
                case .none: break
                }
                return nil
            } catch {
                return error
            }
        }
    }

    func line() -> String {
        var bytes: [UInt8] = []
        while let byte = reader.readData(ofLength: 1).first, byte != UInt8(ascii: "\n") { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

@Suite(.timeLimit(.minutes(5)), .requires(.duplicates), .requires(.python)) struct `A bind(2) that waits` {
    private func door(_ listener: Listener) throws -> BindService.Door {
        let copy = try OwnedDescriptor.copy(of: listener.descriptor).release()
        guard let door = DoorDescriptor(inheriting: copy), let lent = door.lendable(at: 4) else {
            throw TimedOut(description: "no door")
        }
        return lent
    }

    private static func script(_ kind: String, _ port: UInt16, _ more: String = "") -> String {
        """
        import fcntl, os, socket
        s = socket.socket(\(kind))
        \(more)
        try:
            s.bind(("127.0.0.1", \(port)))
            print("bound", os.fstat(s.fileno()).st_ino, s.getblocking(), os.get_inheritable(s.fileno()),
                bool(fcntl.fcntl(s.fileno(), fcntl.F_GETFL) & os.O_NONBLOCK), flush=True)
        except OSError as problem: print("errno", problem.errno, flush=True)
        """
    }

    private static let tcp = "socket.AF_INET, socket.SOCK_STREAM"
    private static let udp = "socket.AF_INET, socket.SOCK_DGRAM"

    @Test(arguments: [false, true])
    func `is answered with the socket that was held, which blocks and is inherited as its own was`(
        _ isChanged: Bool
    ) throws {
        let listener = try Listener()
        var status = stat()
        fstat(listener.descriptor, &status)
        let change = isChanged ? "s.setblocking(False); os.set_inheritable(s.fileno(), True)" : ""
        let binder = try Binder(Self.script(Self.tcp, listener.port, change))
        #expect(try binder.serve([door(listener)]) == .given(4))
        let expected = isChanged ? "False True True" : "True False False"
        #expect(binder.line() == "bound \(status.st_ino) \(expected)")
        #expect(try binder.end().errno == EPIPE)
    }

    @Test func `goes on where no socket stands for it, and fails as it would`() throws {
        let listener = try Listener()
        let other = try Binder(Self.script(Self.udp, listener.port))
        #expect(try other.serve([door(listener)]) == .answered)
        #expect(other.line().hasPrefix("bound "))
        let taken = try Binder(Self.script(Self.tcp, listener.port))
        #expect(try taken.serve([]) == .answered)
        #expect(taken.line() == "errno \(EADDRINUSE)")
    }

    @Test func `waits until what is in its way is closed`() throws {
        let listener = try Listener()
        let binder = try Binder(
            Self.script(Self.tcp, listener.port).replacing("127.0.0.1", with: "0.0.0.0"))
        #expect(try binder.serve([door(listener)]) == .yields([4], problem: nil))
    }

    @Test func `fails once its listener is closed, and not before`() throws {
        let one = Self.script(Self.udp, 0)
        let binder = try Binder(one + "\n" + one)
        try binder.goOn()
        #expect(binder.line().hasPrefix("bound "))
        binder.close()
        #expect(binder.line() == "errno \(ENOSYS)")
    }

    @Test func `can be had here, or is told why not`() {
        let prospect = LendingProspect.probe()
        #expect(prospect.gap == nil, "\(prospect)")
    }
}
