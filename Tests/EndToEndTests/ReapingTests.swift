import Foundation
import Glibc
import Linux
import TestSupport
import Testing

/// Orphans, what a child leaves behind, descriptors, environment and directories.
@Suite(.timeLimit(.minutes(60)))
struct ReapingTests {
    @Test func `Orphans are reaped while the child runs`() throws {
        // Twenty grandchildren lose their parent and end; the child lives on.
        let wrapper = try Wrapper(
            script: """
                for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do (sh -c 'sleep 0.0$0' $i & ); done
                echo forked; read x < /dev/zero; sleep 1000
                """)
        _ = try wrapper.output.until("forked")
        let left: [Int32] = try eventually("no orphan is left") {
            let left = children(of: wrapper.pid)
            return left.count == 1 ? left : nil
        }
        #expect(left.allSatisfy { state(of: $0) != "Z" })
    }

    @Test func `A daemon in a session of its own lives on when the child has ended`() throws {
        // A daemon of the old kind: a session of its own, no terminal, and none of the wrapper's outputs.
        let wrapper = try Wrapper(
            script:
                "trap 'exit 5' USR1; setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1 </dev/null' & while :; do sleep 0.02; done"
        )
        let daemon = try #require(Int32(try wrapper.output.next() ?? ""))
        wrapper.send(SIGUSR1)
        #expect(try wrapper.wait() == .exited(5))
        #expect(state(of: daemon) != nil)
        kill(daemon, SIGKILL)
    }

    @Test func `What is left of the session gets SIGTERM`() throws {
        let wrapper = try Wrapper([
            "/bin/bash", "-c",
            """
            exec 4< <(trap 'echo told >&2; exit' TERM; echo up; while :; do sleep 1000 & wait; done)
            read -u 4 x; echo main; exit 0
            """,
        ])
        #expect(try wrapper.output.rest() == ["main"])
        #expect(try wrapper.errors.rest() == ["told"])
        #expect(try wrapper.wait() == .exited(0))
    }

    @Test func `What ignores SIGTERM is killed when its grace is over`() throws {
        let wrapper = try Wrapper(script: "trap '' TERM; sleep 1000 & exit 3")
        // The end of the output comes when no process is left.
        #expect(try wrapper.output.rest() == [])
        #expect(try wrapper.wait() == .exited(3))
    }

    @Test func `A child that closes all its descriptors is supervised all the same`() throws {
        let wrapper = try Wrapper([
            "/usr/bin/python3", "-IS", "-c", "import os; os.closerange(0, 256); os._exit(9)",
        ])
        #expect(try wrapper.wait() == .exited(9))
    }

    @Test(arguments: ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
    func `Closed standard descriptors are no failure`(_ closed: String) throws {
        let wrapper = try Wrapper(starter: [
            "/bin/sh", "-c", "\"$0\" run -v -- sh -c 'exit 6' \(closed)", Wrapper.program,
        ])
        #expect(try wrapper.wait() == .exited(6))
        #expect(try wrapper.output.rest() == [])
    }

    @Test func `A stderr without a reader costs the child nothing`() throws {
        // Descriptor 2 is a pipe whose reader has gone when -v writes.
        let wrapper = try Wrapper(starter: [
            "/bin/bash", "-c", "\"$0\" run -v -- sh -c 'sleep 0.05; exit 6' 2> >(exec <&-); exit $?",
            Wrapper.program,
        ])
        #expect(try wrapper.wait() == .exited(6))
    }

    @Test func `The child has exactly the descriptors that we were given`() throws {
        let wrapper = try Wrapper(starter: [
            "/bin/bash", "-c", "exec 7</dev/zero; exec \"$0\" run --type=notify -- ls /proc/self/fd",
            Wrapper.program,
        ])
        // ls has the directory open too, as the lowest number that is free.
        #expect(try wrapper.output.rest() == ["0", "1", "2", "3", "7"])
    }

    @Test func `The environment is scrubbed of what was meant for us`() throws {
        let wrapper = try Wrapper(
            ["/usr/bin/env"],
            environment: [
                "LISTEN_FDS": "1", "LISTEN_PID": "1", "LISTEN_FDNAMES": "x", "TORPOR_SOCKET": "/x",
                "WATCHDOG_USEC": "1000000", "WATCHDOG_PID": "1", "FDSTORE": "3", "MAINPID": "7",
                "MEMORY_PRESSURE_WATCH": "/dev/null", "KEPT": "yes",
            ])
        let variables = try wrapper.output.rest()
        let names = variables.compactMap { $0.split(separator: "=").first }
        #expect(names.contains("KEPT") && names.contains("PATH"))
        let scrubbed = names.filter { name in
            ["LISTEN", "TORPOR", "WATCHDOG", "FDSTORE", "MAINPID", "NOTIFY"].contains {
                name.hasPrefix($0)
            }
        }
        #expect(scrubbed == [])
        // What the wrapper was told of memory pressure is for the command, which does the work.
        let pressure = variables.filter { $0.hasPrefix("MEMORY_PRESSURE_") }
        #expect(pressure == ["MEMORY_PRESSURE_WATCH=/dev/null"])
    }

    @Test func `Passed descriptors are the child's, at the same places, and no others`() throws {
        // LISTEN_PID has to be the wrapper's own: the shell executes it.
        let wrapper = try Wrapper(starter: [
            "/bin/bash", "-c",
            "exec 3</dev/zero; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" run -- ls /proc/self/fd",
            Wrapper.program,
        ])
        // The last one is what `ls` reads.
        #expect(try wrapper.output.rest() == ["0", "1", "2", "3", "4"])
        let other = try Wrapper(starter: [
            "/bin/bash", "-c",
            "exec 3</dev/zero; LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" run -- readlink /proc/self/fd/3; true",
            Wrapper.program,
        ])
        #expect(try other.output.rest() == ["/dev/zero"])
    }

    @Test func `The child is in the given directory, we are in the root`() throws {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let wrapper = try Wrapper(script: "pwd; read x < /dev/zero; sleep 1000", directory: directory)
            #expect(try wrapper.output.next() == directory)
            // Before the command is there.
            #expect(try readlink("/proc/\(wrapper.pid)/cwd") == "/")
        }
    }

    @Test(.requires(.root)) func `A command that may not enter its directory by name is in it all the same`()
        throws
    {
        try withTemporaryDirectory(mode: 0o1777) { directory in
            let inner = "\(directory)/closed/inner"
            try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
            let line = [
                "/bin/sh", "-c",
                "cd \"$1\" && chmod 700 .. && exec setpriv --reuid 65534 --regid 65534 --clear-groups \"$0\" run -- /bin/pwd -P",
                Wrapper.program, inner,
            ]
            let wrapper = try Wrapper([], [], line: line)
            #expect(try wrapper.output.rest() == [inner])
            #expect(try wrapper.wait() == .exited(0))
        }
    }

    @Test func `Children that we had before are left alone`() throws {
        let wrapper = try Wrapper(starter: [
            "/bin/bash", "-c", "sleep 1000 & echo $!; \"$0\" run -- true; exec \"$0\" run -- true",
            Wrapper.program,
        ])
        let before = try #require(Int32(try wrapper.output.next() ?? ""))
        defer { kill(before, SIGKILL) }
        #expect(try wrapper.wait() == .exited(0))
        try awaitState("S", of: before)
    }

    @Test(.requires(.root)) func `As the init of a pid namespace it reaps, forwards and ends with the code`()
        throws
    {
        let wrapper = try Wrapper(
            script:
                "(sh -c 'sleep 0.01' & ); trap 'exit 4' USR1; echo $$ $PPID; while :; do sleep 1000 & wait $!; done",
            through: ["/usr/bin/unshare", "-pf", "--mount-proc", "--kill-child"])
        #expect(try wrapper.output.next() == "2 1")
        let inner = try eventually("torpor runs") { children(of: wrapper.pid).first }
        kill(inner, SIGUSR1)
        #expect(try wrapper.wait() == .exited(4))
    }

    @Test func `The child lives on when the wrapper is killed, and the next run sweeps its group`() throws {
        let wrapper = try Wrapper(script: "echo $$; exec sleep 1000")
        let child = try #require(Int32(try wrapper.output.next() ?? ""))
        defer { kill(child, SIGKILL) }
        wrapper.send(SIGKILL)
        #expect(try wrapper.wait() == .killed(SIGKILL))
        #expect(state(of: child) != nil)
        guard let base = Places.base else { return }
        let group = try Places.group(of: child)
        #expect(group.hasPrefix(base + "/torpor-run-\(wrapper.pid)-"))
        // The group stays while a process lives in it.
        #expect(try Wrapper(["/bin/true"]).wait() == .exited(0))
        #expect(access(group, F_OK) == 0)
        kill(child, SIGKILL)
        _ = try eventually("its process is gone") { state(of: child) == nil ? true : nil }
        _ = try eventually("the group is swept") { () throws -> Bool? in
            #expect(try Wrapper(["/bin/true"]).wait() == .exited(0))
            return access(group, F_OK) != 0 ? true : nil
        }
    }
}
