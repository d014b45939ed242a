package import Lifecycle

/// The memory settings of torpord.conf, and the rules that it leaves alone.
package struct PressureSettings: Hashable, Sendable {
    /// `some` stall of a window, in percent, that is a warning.
    package var warningStall = 10.0
    /// `full` stall of a window, in percent, that is critical.
    package var criticalStall = 10.0
    /// Available memory, in percent of all, below which there is a warning.
    package var warningAvailable = 10.0
    /// Available memory, in percent of all, below which it is critical.
    package var criticalAvailable = 5.0
    /// Available memory, in percent of all, below which stall is a sign that the machine is running short.
    package var earlyAvailable = 25.0
    /// The window in which stall is measured.
    package var window = TimeSpan.seconds(2)
    /// Only says what it would do (`Policy=observe`).
    package var observes = false
    /// In a band the biggest goes first, instead of the least recently active (`EvictionOrder=size`).
    package var biggestFirst = false

    /// The time between two warnings.
    package var warningSpacing = TimeSpan.milliseconds(250)
    /// A worker is not warned again within this time.
    package var warningPause = TimeSpan.seconds(25)
    /// A worker that holds less is not warned, in bytes.
    package var leastWarned: Int64 = 6 << 20
    /// A warning that lasts so long ends those that have slept longest, until it is over (`WarningMaxSec=`); nil is never.
    package var longestWarning: TimeSpan? = .seconds(600)
    /// Where no controller sees to `MemoryMax=`, the share of it at which the worker is told.
    package var limitWarning = 0.8
    /// A worker that fell asleep within this time is no victim while older sleepers are left.
    package var freshSleep = TimeSpan.seconds(10)
    /// How long a victim that dies silently may take until its memory is back; past that the next one is taken.
    package var patience = TimeSpan.seconds(3)
    /// How long the kernel may be out of memory for a worker before it is clear that its OOM killer finds no process there.
    package var killPatience = TimeSpan.seconds(1)
    /// What willTerminate may take while memory is critical.
    package var grace = TimeSpan.seconds(2)
    /// The same when half of what is critical is left, or everything stands still.
    package var shortGrace = TimeSpan.milliseconds(500)
    /// Stall that is told sooner than this after a victim's memory came back may be older than that: a window.
    package var settling: TimeSpan { window }
    /// Stall alone, with some memory left, must last so long before anything goes that runs.
    package var persistence = TimeSpan.seconds(10)
    /// What runs goes only where that lasts for so many seconds, as fast as memory is falling.
    package var horizon = 5.0
    /// So many victims in a row whose memory was gone again at once: then no more running workers are ended.
    package var mostFruitless = 3

    /// The defaults.
    package init() {}

    /// The pressure file's trigger for a look at the figures: a tenth of what is a warning.
    package var earlyTrigger: PressureTrigger {
        PressureTrigger(.some, percent: warningStall / 10, window: window)
    }

    /// The pressure file's trigger for a warning.
    package var warningTrigger: PressureTrigger {
        PressureTrigger(.some, percent: warningStall, window: window)
    }

    /// The pressure file's trigger for what is critical.
    package var criticalTrigger: PressureTrigger {
        PressureTrigger(.full, percent: criticalStall, window: window)
    }
}
