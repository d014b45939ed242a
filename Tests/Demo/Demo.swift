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
            exit(try tell(story, on: loop))
        } catch {
            Timeline.complain("\(error)")
            exit(1)
        }
    }

    /// Tells it on the loop's thread, and returns the exit status.
    ///
    /// Apart from `main()`, which belongs to the main actor, for which no loop runs here: a task that begins there would wait for it.
    private static func tell(_ story: Story, on loop: EventLoop) throws -> Int32 {
        LoopExecutor(loop).tell { await story.tell() }
        return try loop.run()
    }
}
