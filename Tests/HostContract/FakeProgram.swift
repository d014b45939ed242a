public import Lifecycle
public import Linux
public import Pressure
public import Supervisor

/// What a process of the fake machine does: by itself, and when a signal comes.
public struct FakeProgram: Sendable {
    /// Something that a process does.
    public enum Deed: Hashable, Sendable {
        /// It says something on its notify socket.
        case says(Saying)
        /// It ends.
        case ends(ExitStatus)
    }

    /// What a signal does to it.
    public enum Reaction: Hashable, Sendable {
        /// What the kernel does by default, frozen or not: it ends by the signal.
        case dies
        /// Nothing.
        case ignores
        /// It takes note, and does this after a while; frozen, it takes no note until it is thawed.
        case handles(Deed, after: TimeSpan)
    }

    /// What it does by itself, and how long after its start.
    public var deeds: [(after: TimeSpan, deed: Deed)]
    /// What it does about signals; one that is not listed kills it.
    public var reactions: [Signal: Reaction]
    /// How long what it leaves lives on after it.
    public var leftoverLife: TimeSpan?
    /// What its hooks come to; one that is not listed is done at once.
    public var hooks: [Callback: HookFate] = [:]
    /// What it holds when somebody looks.
    public var holds: HeldResource?
    /// How long it works from its start on.
    public var busy = TimeSpan.zero
    /// What it holds in memory, and how much of that can be given back while it sleeps.
    public var memory = WorkerMemory(resident: 8 << 20)
    /// The latter.
    public var spareMemory: Int64 = 6 << 20
    /// What it does when it is told that memory is short; nil is nothing.
    public var onMemoryWarning: Deed?
    /// What it has printed.
    public var output: [String] = []

    /// What a hook comes to.
    public enum HookFate: Hashable, Sendable {
        /// It is over after a while.
        case ends(Completion, after: TimeSpan)
        /// It never is.
        case hangs
    }

    /// A program of these deeds and reactions.
    public init(
        _ deeds: [(after: TimeSpan, deed: Deed)] = [], on reactions: [Signal: Reaction] = [:],
        leftoverLife: TimeSpan? = nil
    ) {
        self.deeds = deeds
        self.reactions = reactions
        self.leftoverLife = leftoverLife
    }
}

extension Saying {
    /// READY=1.
    public static var ready: Saying { phase(.ready) }

    /// A message of nothing but this.
    public static func phase(_ phase: Phase) -> Saying {
        var saying = Saying()
        saying.phase = phase
        return saying
    }
}
