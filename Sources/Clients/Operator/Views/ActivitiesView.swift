package import ControlAPI

/// The activities that workers offer and continue, as `torpor continue` lists them.
package struct ActivitiesView {
    private let reply: SupervisorInterface.Activities.Reply
    private let clock: WallClock

    package init(_ reply: SupervisorInterface.Activities.Reply, clock: WallClock) {
        self.reply = reply
        self.clock = clock
    }

    /// One line for each activity of each worker; what is offered first.
    package func rendered(_ style: Style) -> String {
        guard !reply.offers.isEmpty || !reply.takers.isEmpty else {
            return style.hasLegend ? "No worker offers or continues an activity.\n" : ""
        }
        var table = Table([
            .init(title: "WORKER"), .init(title: "ACTIVITY"), .init(title: "DOES"), .init(title: "ABOUT"),
        ])
        for offer in reply.offers {
            let age = offer.since.map { ", since \(clock.age($0))" } ?? ""
            table.append([
                .init(offer.worker), .init(offer.type),
                .init(offer.inHandoff ? "is handed over" : "offers\(age)"),
                offer.title.map { .init($0) } ?? .none,
            ])
        }
        for taker in reply.takers {
            table.append([.init(taker.worker), .init(taker.type), .init("continues"), .none])
        }
        return table.rendered(style)
    }
}
