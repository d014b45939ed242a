package import ConfigurationSyntax
package import Lifecycle
package import Notifications
package import Pressure
package import Varlink

/// A callback with all that the worker is told with it.
package struct CallbackMessage: Hashable, Sendable {
    /// The callback, its id and its deadline.
    package let delivery: Delivery
    /// How long it may take; nil is for ever.
    package let timeLimit: TimeSpan?
    /// The launch that the present process came from.
    package let launch: Launch?
    /// What came with that launch.
    package let options: JSON.Object
    /// How long it slept before; nil where it did not, or has been told.
    package let suspendedFor: TimeSpan?
    /// What is left of the background time; nil where nothing limits it.
    package let backgroundTimeRemaining: TimeSpan?
    /// How short memory is, and how much more it may take: with didReceiveMemoryWarning; nil where that is not known.
    package let memory: MemoryWarning?
    /// The version that saved the state, where that is another one than the worker's; empty where it is not known: with restoreState.
    package let stateVersion: String?
    /// What it delivers.
    package let content: InboundContent?

    package init(
        delivery: Delivery, timeLimit: TimeSpan?, launch: Launch?, options: JSON.Object,
        suspendedFor: TimeSpan?, backgroundTimeRemaining: TimeSpan?, memory: MemoryWarning?,
        stateVersion: String? = nil, content: InboundContent?
    ) {
        self.delivery = delivery
        self.timeLimit = timeLimit
        self.launch = launch
        self.options = options
        self.suspendedFor = suspendedFor
        self.backgroundTimeRemaining = backgroundTimeRemaining
        self.memory = memory
        self.stateVersion = stateVersion
        self.content = content
    }
}

/// What a delivery brings, besides its name.
package enum InboundContent: Hashable, Sendable {
    /// A URL to open, and the program that opens it.
    case url(String, source: JSON.Object?)
    /// An activity to continue.
    case activity(JSON.Object)
    /// The events of a transfer.
    case transfer(JSON.Object)
    /// Time to fetch: that is all.
    case fetch
    /// Time for long work: that is all.
    case processing
    /// The state that was saved.
    case savedState([UInt8])
    /// What was posted, oldest topic first.
    case notifications([QueuedNotification])

    /// Whether it is the same, whoever it comes from.
    package func isLike(_ other: InboundContent) -> Bool {
        if case (.url(let one, _), .url(let another, _)) = (self, other) { return one == another }
        return self == other
    }
}

/// A worker's own connection, as the supervisor sees it: it takes callbacks and answers by events.
///
/// Used on the thread of the loop.
package protocol CallbackReceiver: AnyObject {
    /// The callbacks that it wants.
    var callbacks: CallbackSet { get }
    /// Sends the worker a callback; its completion comes back as `Event.completed`.
    func deliver(_ message: CallbackMessage)
    /// Asks the worker for the state of an activity of this type; the answer names the number.
    func ask(_ number: UInt32, _ type: ActivityType, within limit: TimeSpan)
}

/// What became of something that was to be delivered.
package enum DeliveryOutcome: Hashable, Sendable {
    /// The worker has taken it.
    case taken
    /// The worker refused it, or its hook failed.
    case failed
    /// It was not delivered, or the worker ended over it.
    case refused(Refusal)
}
