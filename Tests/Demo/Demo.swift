import Glibc
import HostContract
import Systemd

/// Leads a real redis-server through a whole life and shows it: `make demo`.
@main
struct Demo {
    static func main() {
        // A client that went away is an error of write(2), not our end.
        signal(SIGPIPE, SIG_IGN)
        do {
            try SignalSource.block([SIGCHLD, SIGINT, SIGTERM, SIGHUP])
            let loop = try EventLoop()
            let story = try Story(on: loop)
            LoopExecutor(loop).tell { await story.tell() }
            exit(try loop.run())
        } catch {
            Timeline.complain("\(error)")
            exit(1)
        }
    }
}
