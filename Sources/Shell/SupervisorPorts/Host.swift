package import Idleness
package import Launching
package import Lifecycle
package import Linux
package import Pressure
package import Varlink

/// The number of a worker, for as long as its supervisor knows it.
package struct WorkerID: Hashable, Comparable, Sendable {
    /// Counted from 0, never used twice.
    package let rawValue: UInt32

    /// The worker of this number.
    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The order in which they came.
    package static func < (a: WorkerID, b: WorkerID) -> Bool { a.rawValue < b.rawValue }
}

/// What the machine tells of a worker.
package enum Fact: Hashable, Sendable {
    /// What its launch found out about its program: before it is launched.
    case program(LaunchedProgram)
    /// Its main process executes its program.
    case launched(pid: Int32)
    /// The launch that was asked for has not happened, and nothing of it is left.
    case launchFailed(LaunchError)
    /// The launch was given up as `abandonLaunch` had asked, and nothing of it is left.
    case launchAbandoned
    /// Its main process has ended and nothing of it is left.
    case exited(ExitStatus, oomKilled: Bool)
    /// The freeze that we asked for is confirmed.
    case frozen
    /// It could not be frozen, for this reason.
    case freezeFailed(String)
    /// The thaw that we asked for is confirmed.
    case thawed
    /// Another program stopped or froze it.
    case stoppedOutside
    /// Another program continued or thawed it.
    case continuedOutside
    /// What one of its processes said on its notify socket.
    case said(NotifyReport)
    /// A hook is over; nothing more comes of this id.
    case hookEnded(id: UInt32, Completion, HookResult)
    /// A line that a hook printed.
    case hookPrinted(Callback, String)
    /// A line that a command of its file printed.
    case commandPrinted(ServiceCommand, String)
    /// What it holds that it must not hold asleep, and what that is in words; nil is nothing.
    case inspected(HeldResource?, detail: String?)
    /// A message on its notify socket that was not taken, and why.
    case ignored(String)
    /// Something about its processes that an operator should know.
    case remarked(String)
    /// What has become of its memory.
    case memory(MemoryFact)
    /// What it has used of the processors; nil where that cannot be known.
    case cpuRead(CPUReading?)
    /// When it was used last, as `inspectUse` has asked.
    case usedLast(LastUse)
    /// Something has come for it while it sleeps by our freeze. What that is may be found out only after its wake: it is told once more
    /// then, explained.
    case wanted(WakeFilter.Reason, isExplained: Bool)
    /// A client waits at a socket that is open for it while it does not run, or sleeps.
    case knocked(WakeFilter.Reason)
    /// How it is watched while it sleeps, in words.
    case watched(String)
}

/// Hears what a host tells.
package protocol HostObserver: AnyObject {
    func receive(_ fact: Fact, of worker: WorkerID)
    /// The moment has come that the alarm was set to; it is set no more.
    func alarmWentOff()
}

extension Host {
    /// Tells a fact of a worker.
    package func inform(_ worker: WorkerID, _ fact: Fact) { observer?.receive(fact, of: worker) }
}

/// The machine, as the supervisor sees it: effects go in, facts come out.
///
/// There is one that is real and one that is not; both pass the same contract (`HostContract`). Answers may come while the
/// call is still running, later, twice, or in another order than asked: the model copes.
package protocol Host: AnyObject {
    /// The monotonic clock.
    var now: Instant { get }
    /// How long the machine itself has slept since boot, which that clock does not count.
    var machineSlept: TimeSpan { get }
    /// What hears of facts and of the alarm; set once, before anything else is asked. It is not kept alive for that.
    var observer: (any HostObserver)? { get set }

    /// Starts the main process of a worker; answered by `launched` or `launchFailed`, and soon after a `kill`.
    func launch(
        _ worker: WorkerID, _ configuration: WorkerConfiguration, _ launch: Launch, _ details: LaunchDetails)
    /// Gives up what runs before the main process of a worker (`ExecStartPre=`): it gets the stop signal, and SIGKILL when the time
    /// for that is over; answered by `launchAbandoned`, unless the launch has gone on already.
    func abandonLaunch(_ worker: WorkerID)
    /// Whether commands run before its main process.
    func isPreparing(_ worker: WorkerID) -> Bool
    /// The command that runs before its main process now.
    func preparation(of worker: WorkerID) -> ServiceCommand?
    /// Looks on for what shows that a worker is ready which a predecessor has launched (`ReadyWhen=`); told as its READY=1.
    func awaitReadiness(of worker: WorkerID)
    /// Freezes the whole worker; answered by `frozen` or `freezeFailed`.
    func freeze(_ worker: WorkerID)
    /// Thaws the whole worker and continues what was stopped from outside; answered by `thawed`.
    func thaw(_ worker: WorkerID)
    /// Sends a signal to the worker, to the processes that its configuration names.
    func signal(_ worker: WorkerID, _ signal: Signal)
    /// Sends SIGKILL to everything of the worker.
    func kill(_ worker: WorkerID)
    /// Carries out a hook of the worker; answered by `hookEnded`, unless it is cancelled before.
    func run(_ hook: HookCall, of worker: WorkerID)
    /// Gives a hook up: its process gets SIGKILL, and nothing is answered any more.
    func cancelHook(_ id: UInt32, of worker: WorkerID)
    /// Looks for devices that are open and locks that others wait for; answered by `inspected`.
    func inspect(_ worker: WorkerID)
    /// Looks at what it has used of the processors; answered by `cpuRead`.
    func readCPU(_ worker: WorkerID)
    /// Counts its use from now on.
    func beginUse(of worker: WorkerID)
    /// Finds out when it was used last; answered by `usedLast`.
    func inspectUse(of worker: WorkerID)
    /// Finds out whether a sleeper owes an answer, which `lastUse` tells then.
    func inspectDebt(of worker: WorkerID)
    /// Something for it has passed through the supervisor, in words: that is a use of it.
    func passed(_ what: String, to worker: WorkerID)
    /// How a sleeper's sockets are watched; nil while it runs, and where they are not.
    func watching(_ worker: WorkerID) -> SleeperSight?
    /// The sockets that are held for a worker, in their order.
    func heldSockets(of worker: WorkerID) -> [HeldSocketStatus]
    /// Duplicates the sockets at which its clients wait: they stay open when it has ended, and ``Fact/knocked`` tells of a client then.
    ///
    /// To be called before it is told to end, or killed.
    func holdDoors(of worker: WorkerID)
    /// Has its clients refused, where sockets of it have stayed open.
    func closeDoors(of worker: WorkerID)
    /// The sockets of it that have stayed open; nil where there are none.
    func doors(of worker: WorkerID) -> DoorSight?
    /// What a worker that runs was used for last, as far as that was found out.
    func lastUse(of worker: WorkerID) -> Use?
    /// What was seen of a worker that is only observed (`Idle=observe`); nil where nothing was.
    func gain(of worker: WorkerID) -> SleepGain?
    /// Holds its CPU use down, or no longer.
    func throttle(_ worker: WorkerID, _ isHeldDown: Bool)
    /// Gives it these limits of memory, where that can be done; nothing is waited for.
    func limitMemory(_ worker: WorkerID, to limits: MemoryLimits)
    /// Reclaims what it holds while it sleeps; answered by `memory(.reclaimed)`, unless it is thawed or ends before.
    func reclaim(_ worker: WorkerID)
    /// What each of these workers holds now; those without a process are left out.
    func memory(of workers: [WorkerID]) -> [WorkerID: WorkerMemory]
    /// Tells it that memory is short, by systemd's protocol, where it hears that from the host.
    func warnOfMemory(_ worker: WorkerID)
    /// Whether it hears that from the host.
    func hearsOfMemory(_ worker: WorkerID) -> Bool
    /// The last lines that it printed, oldest first, where its output passes through the host; else none.
    func lastOutput(of worker: WorkerID) -> [String]
    /// The last so many lines that it and its processes before printed, oldest first, where its output passes through the host.
    func recentOutput(of worker: WorkerID, atMost lines: Int) -> [String]
    /// Keeps nothing of what it printed any more.
    func dropOutput(of worker: WorkerID)
    /// Has `body` told of each line that a worker prints from now on, where its output passes through the host; nil is nothing.
    func followOutput(_ body: ((WorkerID, [String]) -> Void)?)
    /// Whether its standard input is held.
    func holdsInput(of worker: WorkerID) -> Bool
    /// Writes a line to its standard input, where that is held; `then` hears nil when it is written, or what is in the way.
    func send(_ line: String, to worker: WorkerID, then: @escaping (String?) -> Void)
    /// Whether a debugger is attached to its main process.
    func isTraced(_ worker: WorkerID) -> Bool
    /// Says that another process is the main one (MAINPID=).
    func setMainProcess(_ worker: WorkerID, pid: Int32)
    /// Calls `alarm` at this moment, instead of any other asked before; nil calls it never.
    func setAlarm(_ moment: Instant?)
    /// Which way workers are frozen here, in words.
    var freezing: String { get }
    /// Takes over the main process of a worker that a predecessor has started; it is told if it sleeps otherwise than it should.
    func adopt(_ worker: WorkerID, _ configuration: WorkerConfiguration, _ record: AdoptionRecord) -> Adoption
    /// When the main process of a worker started, where that is needed to know it again.
    func startTime(of worker: WorkerID) -> UInt64?
    /// Whether a predecessor has started the main process of a worker.
    func isAdopted(_ worker: WorkerID) -> Bool
    /// The group above the worker's own that is frozen, so that nothing here can wake the worker; nil where there is none.
    func frozenGroup(above worker: WorkerID) -> String?
    /// Why the thaw of a worker that is under way has failed so far; nil where it has not, and where none is. It is tried again.
    func thawFailure(of worker: WorkerID) -> LinuxError?
    /// How many processes of a worker run on although another program has stopped its main process, which is seen now; 0 where all of
    /// it is stopped or frozen, and where nothing is.
    func runningOthers(of worker: WorkerID) -> Int
    /// Whether a launch is under way, of a worker or of a hook's command.
    var isLaunching: Bool { get }
    /// Tells now what another program has done with a worker, its group frozen or thawed, its processes stopped or continued: of some of
    /// it the machine tells nothing, of the rest a moment later.
    func look(at worker: WorkerID)
    /// The same of many workers, as far as the machine has told of it by now.
    func look(at workers: [WorkerID])
}

/// A process that is to be taken over, as far as anything is remembered of it.
package struct AdoptionRecord: Hashable, Sendable {
    /// How it should sleep.
    package enum Sleep: Hashable, Sendable {
        /// It runs.
        case awake
        /// It had been asked to sleep.
        case fallingAsleep
        /// It sleeps.
        case asleep
        /// It sleeps, and had been asked to wake.
        case waking
    }

    /// Its pid; nil where that is not known, and it has to be found.
    package var pid: Int32?
    /// When it started, where no group tells it from a later one of the same pid.
    package var startTime: UInt64?
    /// When its launch was asked for, where its pid is not known.
    package var launchAskedAt: Instant?
    /// How it should sleep; nil where that is not known.
    package var sleep: Sleep?

    /// A process by what is known of it.
    package init(
        pid: Int32? = nil, startTime: UInt64? = nil, sleep: Sleep? = nil, launchAskedAt: Instant? = nil
    ) {
        self.pid = pid
        self.startTime = startTime
        self.launchAskedAt = launchAskedAt
        self.sleep = sleep
    }
}

/// What came of taking a worker over.
package enum Adoption: Hashable, Sendable {
    /// Its main process is there.
    case alive(pid: Int32, isAsleep: Bool)
    /// Its main process has ended; `exited` follows when nothing of it is left.
    case ended
    /// There is nothing of it.
    case missing
}

extension Host {
    /// Counts nothing, unless it says otherwise.
    package func beginUse(of worker: WorkerID) {}

    /// Has seen no use, unless it says otherwise.
    package func inspectUse(of worker: WorkerID) { inform(worker, .usedLast(LastUse(at: nil))) }

    /// Knows of none, unless it says otherwise.
    package func inspectDebt(of worker: WorkerID) {}

    /// Counts nothing, unless it says otherwise.
    package func passed(_ what: String, to worker: WorkerID) {}

    /// Watches nothing, unless it says otherwise.
    package func watching(_ worker: WorkerID) -> SleeperSight? { nil }

    /// Holds none, unless it says otherwise.
    package func heldSockets(of worker: WorkerID) -> [HeldSocketStatus] { [] }

    /// Keeps no socket open, unless it says otherwise.
    package func holdDoors(of worker: WorkerID) {}

    /// Keeps no socket open, unless it says otherwise.
    package func closeDoors(of worker: WorkerID) {}

    /// Keeps no socket open, unless it says otherwise.
    package func doors(of worker: WorkerID) -> DoorSight? { nil }

    /// Has seen no use, unless it says otherwise.
    package func lastUse(of worker: WorkerID) -> Use? { nil }

    /// Observes nothing, unless it says otherwise.
    package func gain(of worker: WorkerID) -> SleepGain? { nil }

    /// Keeps the output of one process, unless it says otherwise.
    package func recentOutput(of worker: WorkerID, atMost lines: Int) -> [String] {
        lastOutput(of: worker).suffix(max(0, lines))
    }

    /// Keeps nothing, unless it says otherwise.
    package func dropOutput(of worker: WorkerID) {}

    /// Tells of no output, unless it says otherwise.
    package func followOutput(_ body: ((WorkerID, [String]) -> Void)?) {}

    /// Holds no standard input, unless it says otherwise.
    package func holdsInput(of worker: WorkerID) -> Bool { false }

    /// Holds no standard input, unless it says otherwise.
    package func send(_ line: String, to worker: WorkerID, then: @escaping (String?) -> Void) {
        then("the supervisor does not hold its standard input")
    }

    /// Hears of readiness from workers themselves, unless it says otherwise.
    package func awaitReadiness(of worker: WorkerID) {}

    /// Runs nothing before a main process, unless it says otherwise.
    package func abandonLaunch(_ worker: WorkerID) {}

    /// Runs nothing before a main process, unless it says otherwise.
    package func isPreparing(_ worker: WorkerID) -> Bool { false }

    /// Runs nothing before a main process, unless it says otherwise.
    package func preparation(of worker: WorkerID) -> ServiceCommand? { nil }

    /// The machine tells of everything, unless it says otherwise.
    package func look(at worker: WorkerID) {}

    /// Each by itself, unless it says otherwise.
    package func look(at workers: [WorkerID]) {
        for worker in workers { look(at: worker) }
    }
    /// Takes nothing over, unless it says otherwise.
    package func adopt(_ worker: WorkerID, _ configuration: WorkerConfiguration, _ record: AdoptionRecord)
        -> Adoption
    { .missing }

    /// Knows its workers by their groups, unless it says otherwise.
    package func startTime(of worker: WorkerID) -> UInt64? { nil }

    /// Has no groups above its workers, unless it says otherwise.
    package func frozenGroup(above worker: WorkerID) -> String? { nil }

    /// Fails at no thaw, unless it says otherwise.
    package func thawFailure(of worker: WorkerID) -> LinuxError? { nil }

    /// Why a worker sleeps on although it is being thawed, as a clause; nil where that is not known.
    package func thawObstacle(of worker: WorkerID) -> String? {
        thawFailure(of: worker).map { "\($0)" }
            ?? frozenGroup(above: worker).map { "the cgroup \($0) is frozen" }
    }

    /// Stops all of a worker at once, unless it says otherwise.
    package func runningOthers(of worker: WorkerID) -> Int { 0 }

    /// Launches nothing for longer than the call takes, unless it says otherwise.
    package var isLaunching: Bool { false }

    /// Has started all workers itself, unless it says otherwise.
    package func isAdopted(_ worker: WorkerID) -> Bool { false }
}

/// What comes with a launch besides its reason.
package struct LaunchDetails: Hashable, Sendable {
    /// What the worker is told (`TORPOR_LAUNCH_OPTIONS`).
    package var options: JSON.Object
    /// The URL for `%u` of its command; nil where there is none.
    package var url: String?
    /// The saved state that is handed back (`TORPOR_RESTORE`); nil where none is.
    package var savedState: HandedState?

    /// Nothing, unless said otherwise.
    package init(options: JSON.Object = [:], url: String? = nil, savedState: HandedState? = nil) {
        self.options = options
        self.url = url
        self.savedState = savedState
    }
}
