package import Budgeting
package import ConfigurationSyntax
package import Lifecycle
package import Notifications
package import Processing
internal import WorkerFile

/// What the lines of a scenario make happen.
package enum ScenarioAction: Hashable, Sendable {
    /// An operator requests a state.
    case wants(Goal)
    /// An operator launches it, with options of its own.
    case launches(String)
    /// An operator wants it awake again.
    case resumes
    /// An operator wants it to have another process.
    case restarts
    /// An operator ends it by force.
    case forceQuits
    /// It is in use for so long; nil is until `unused`.
    case uses(Lasting?)
    /// It is no longer in use.
    case unused
    /// A connection comes in, and is open for so long.
    case connects(Lasting?)
    /// A wake source without content fires, for the background.
    case wakes(LaunchReason)
    /// Data comes on a connection that is open: one exchange, as of a ping.
    case speaks
    /// Something is brought that the worker is to be given.
    case brings(Inbound.Kind, LaunchReason)
    /// Its time for long work is over.
    case revokes
    /// A transfer of it begins, and lasts so long; nil is one that ends now, whatever its file says of that.
    case transfers(Lasting?)
    /// Something is posted to it.
    case posts(Topic)
    /// Something that every running worker hears of.
    case announces(Callback)
    /// An interruption begins, and lasts so long; nil is until `interruption-over`.
    case interrupts(Lasting?)
    /// The interruption is over.
    case interruptionOver
    /// The session of its user is locked.
    case locks
    /// The session of its user is unlocked.
    case unlocks
    /// An alert about the topic is posted to it.
    case alerts(Topic)
    /// The alert that was posted first is answered.
    case answers
    /// It offers an activity of this type.
    case offers(ActivityType)
    /// A caller hands its activity over, to the worker of this name or the first that continues it.
    case handsOver(String?)
    /// Memory is short, and it has been chosen; the pressure allows so much time.
    case evicts(TimeSpan?)
    /// It is over its own limit of memory.
    case exceedsMemory
    /// It has used more CPU in the background than it may.
    case exceedsCPU
    /// Another program stops it.
    case stopsOutside
    /// Another program continues it.
    case continuesOutside
    /// It ends by itself, or by a signal.
    case ends(ProgramEnd)
    /// The kernel's OOM killer takes it.
    case oomKilled
    /// It begins a background task that lasts so long; nil is never ended.
    case beginsTask(Lasting?)
    /// It says RELOADING=1, and READY=1 so much later.
    case reloads(Lasting)
    /// It says STOPPING=1, and ends as after a stop signal.
    case stopping
    /// It says EXTEND_TIMEOUT_USEC=.
    case extends(TimeSpan)
    /// It says WATCHDOG=trigger.
    case triggersWatchdog
    /// Its connection to its socket goes away.
    case detaches
    /// A debugger is attached to it for so long.
    case debugs(Lasting?)
    /// Its program behaves in another way from now on.
    case behaves(Assignment)
    /// The supervisor does not run for so long: every deadline moves.
    case stalls(TimeSpan)
    /// The machine's power changes, or an operator chooses low-power mode.
    case power(LowPowerMode.Event)
    /// The use of the machine's sessions, or the pressure on its resources, changes.
    case machine(MachineChange)
    /// Programs beside the workers will use so much memory, after so long.
    case consumers(ByteSize, TimeSpan)
}

/// Something about the machine that matters for long work.
package enum MachineChange: Hashable, Sendable {
    /// A session is used, or no longer.
    case used(Bool)
    /// So much pressure on a resource, in hundredths of a percent.
    case pressure(PressedResource, hundredths: Int)
}

/// A length of time in a scenario: fixed, or left to chance.
package struct Lasting: Hashable, Sendable {
    package let shortest: TimeSpan
    package let longest: TimeSpan

    /// Reads `5min` or `1min..10min`.
    init(parsing text: String) throws(ValueError) {
        var bounds: [TimeSpan] = []
        for bound in Self.parts(of: text) {
            do throws(ValueError) { bounds.append(try TimeSpan(parsing: bound)) } catch {
                throw ValueError(text, isNot: Self.expectation)
            }
        }
        guard let first = bounds.first, let last = bounds.last, first <= last else {
            throw ValueError(text, isNot: Self.expectation)
        }
        shortest = first
        longest = last
    }

    static let expectation = "a time span such as 5min or 1h30min, or two with “..” between them"

    /// What stands before and behind the two dots.
    private static func parts(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        guard
            let dots = bytes.indices.dropLast().first(where: {
                bytes[$0] == UInt8(ascii: ".") && bytes[$0 + 1] == UInt8(ascii: ".")
            })
        else { return [text] }
        return [
            String(decoding: bytes[..<dots], as: UTF8.self),
            String(decoding: bytes[(dots + 2)...], as: UTF8.self),
        ]
    }

    /// A length within the bounds.
    func draw(_ random: inout SplitMix64) -> TimeSpan {
        longest == shortest ? shortest : shortest + random.span(upTo: longest - shortest)
    }
}
