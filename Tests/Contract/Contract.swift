import Cgroups
import Glibc
import HostContract
import Linux
import Supervisor
import Systemd

/// Plays the contract on the real host: `contract cgroup` or `contract signals`.
///
/// A process of its own, since the real host reaps every child of its process. One line for each promise: `kept NAME`, or
/// `broken NAME: HOW`. As `contract worker NAME` it is the programs that are played with.
@main
struct Contract {
    static func main() {
        switch (CommandLine.arguments.dropFirst().first, CommandLine.arguments.last) {
        case ("worker", .some(let name)):
            if let program = ContractProgram(rawValue: name) { Actor.play(program) }
        case ("cgroup", _):
            play(.detect())
        case ("signals", _):
            play(.signals(reason: "the contract wants it so"))
        default:
            break
        }
        print("usage: contract cgroup|signals")
        exit(64)
    }

    private static func play(_ method: FreezeMethod) -> Never {
        do {
            try SignalSource.block([SIGCHLD])
            let loop = try EventLoop()
            let stage = try LinuxStage(on: loop, method)
            LoopExecutor(loop).tell {
                await stage.playAll()
                let left = await stage.endRest()
                print(left == 0 ? "nothing is left" : "\(left) processes of hooks are left")
                fflush(nil)
                stage.clear()
                loop.exit(0)
            }
            exit(try loop.run())
        } catch {
            print("broken: \(error)")
            exit(1)
        }
    }
}
