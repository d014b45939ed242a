import HostContract
import Lifecycle
import Testing

@testable import Supervisor
@testable import SupervisorPorts

/// The last lines of output that are kept of a worker that is not in the foreground (1.8).
@Suite struct `The snapshot of a worker's output` {
    @Test func `is that of the moment when it left the foreground, or ended its last work in the background`()
        throws
    {
        let app = App(try World())
        app.world.supervisor.workers[app.id]?.configuration.snapshotRedact = []
        func snapshot() -> [String]? { app.world.supervisor.view(of: app.id)?.snapshot }
        func prints(_ lines: [String]) { app.world.host.print(lines, by: app.id) }
        app.want(.active)
        app.after(.seconds(1))
        prints(["shown"])
        #expect(snapshot() == [])
        app.want(.suspended)
        app.after(.seconds(1))
        #expect(app.state == .suspended && snapshot() == ["shown"])
        // A fetch renews what it shows, however the worker is kept awake after that.
        app.reaction = { message in
            if message.delivery.callback == .performFetch { prints(["shown", "fetched"]) }
        }
        app.want(.background)
        app.after(.seconds(1))
        app.tell(.woken(Wake(.fetch, intoForeground: false, bringing: Inbound(id: 9, .fetch))))
        app.after(.seconds(1))
        #expect(app.state == .background && snapshot() == ["shown", "fetched"])
        // So does whatever else it did before it sleeps.
        prints(["fetched", "stored"])
        app.want(.suspended)
        app.after(.seconds(1))
        #expect(app.state == .suspended && snapshot() == ["fetched", "stored"])
    }
}
