import Foundation
import Linux
import TestSupport
import Testing

@testable import Places
@testable import Supervisor

@Suite struct `Places of supervisors` {
    @Test func `are known to have a daemon by its lock, without a connection`() throws {
        try withTemporaryDirectory { path in
            let place = SupervisorPlace("\(path)/io.torpor.Supervisor")
            #expect(!place.isRunning && place.process == nil)
            #expect(!place.wouldStart(underSystemd: true))
            // A socket that only a service manager holds.
            let listener = try StreamListener(at: UnixSocketAddress(place.socket), access: .ours)
            #expect(place.wouldStart(underSystemd: true))
            #expect(!place.wouldStart(underSystemd: false))
            do {
                let lock = try InstanceLock(directory: path)
                #expect(place.isRunning && place.process == ThisProcess.pid)
                #expect(!place.wouldStart(underSystemd: true))
                _ = consume lock
            }
            // The file stays, and nothing holds it.
            #expect(place.wouldStart(underSystemd: true))
            _ = consume listener
        }
    }

    @Test func `of torpor run have no lock, and are asked`() throws {
        try withTemporaryDirectory { path in
            let place = SupervisorPlace("\(path)/web.control")
            #expect(!place.isRunning && !place.wouldStart(underSystemd: true))
            try Data().write(to: URL(filePath: place.socket))
            #expect(place.isRunning && !place.wouldStart(underSystemd: true))
            #expect(!SupervisorPlace("@torpor/1").wouldStart(underSystemd: true))
        }
    }

    @Test func `are the machine's where that runs and answers, else the user's own`() throws {
        try withTemporaryDirectory { path in
            let session = Environment(entries: ["HOME=/home/me", "XDG_RUNTIME_DIR=/run/user/7"])
            let machine = SupervisorPlace("\(path)/io.torpor.Supervisor", of: .machine)
            func usual(isRoot: Bool) throws -> SupervisorPlace {
                try .usual(machine: machine, environment: session, isRoot: isRoot)
            }
            let own = SupervisorPlace("/run/user/7/torpor/io.torpor.Supervisor", of: .user)
            #expect(try usual(isRoot: true) == machine)
            #expect(try usual(isRoot: false) == own)
            let listener = try StreamListener(at: UnixSocketAddress(machine.socket), access: .ours)
            #expect(try usual(isRoot: false) == own)
            let lock = try InstanceLock(directory: path)
            #expect(try usual(isRoot: false) == machine)
            unlink(machine.socket)
            #expect(try usual(isRoot: false) == own)
            _ = consume lock
            _ = consume listener
        }
    }
}
