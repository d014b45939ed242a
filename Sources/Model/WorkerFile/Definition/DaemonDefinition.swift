internal import Budgeting
package import ConfigurationSyntax
package import Lifecycle

/// How much the daemon logs.
package enum LogLevel: String, Keyword, Sendable {
    case emerg, alert, crit, err, warning, notice, info, debug
}

/// Whether the daemon acts on memory pressure.
package enum MemoryPolicy: String, Keyword, Sendable {
    /// It warns and evicts.
    case act
    /// It only says what it would do.
    case observe
}

/// Which of the workers in one band goes first.
package enum EvictionOrder: String, Keyword, Sendable {
    /// The one that was active longest ago.
    case recency
    /// The biggest.
    case size
}

/// What torpord.conf says, with defaults where it says nothing.
package struct DaemonDefinition: Hashable, Sendable {
    /// How much is logged.
    package var logLevel = LogLevel.info
    /// The control socket's mode.
    package var socketMode = FileMode(bits: 0o666)
    /// The group whose members may steer workers; nil leaves it to root and our own user.
    package var operatorsGroup: Account?
    /// The group whose members may say what runs, too, and so as which user; nil leaves it to root and our own user.
    package var definersGroup: Account?
    /// How many connections a user may have.
    package var maxConnectionsPerUID = 64
    /// How many subscriptions there may be on one connection.
    package var maxSubscriptionsPerConnection = 64
    /// The biggest message.
    package var maxMessageSize = ByteSize(bytes: 1 << 20)
    /// How far a reader may lag behind before it is cut off.
    package var maxBacklog = ByteSize(bytes: 4 << 20)
    /// How much of each worker's output is kept in memory.
    package var outputBuffer = ByteSize(bytes: 64 << 10)
    /// How long the history of changes is kept.
    package var historyMaxAge = TimeLimit.after(.seconds(30 * 86_400))
    /// How big it may get.
    package var historyMaxSize = ByteSize(bytes: 64 << 20)
    /// The wait before a restart, for workers that do not say.
    package var restartDelay = TimeSpan.milliseconds(100)
    /// The interval of `startLimitBurst`, for workers that do not say.
    package var startLimitInterval = TimeLimit.after(.seconds(10))
    /// How many launches it allows, for workers that do not say.
    package var startLimitBurst = 5
    /// Whether memory pressure is acted on.
    package var memoryPolicy = MemoryPolicy.act
    /// The order in which workers are evicted.
    package var evictionOrder = EvictionOrder.recency
    /// `some` pressure that is a warning.
    package var warningPressure = Share.percent(10)
    /// `full` pressure that is critical.
    package var criticalPressure = Share.percent(10)
    /// Available memory below which there is a warning.
    package var warningAvailable = Share.percent(10)
    /// Available memory below which it is critical.
    package var criticalAvailable = Share.percent(5)

    /// How long a warning may last until those go that have slept longest.
    package var warningMax = TimeLimit.after(.seconds(600))
    /// The charge of the batteries from which on down low-power mode is on by itself; none is never.
    package var lowPowerBelow = Share.percent(LowPowerMode.usualThreshold)
    /// How often sockets of sleepers are looked at that cannot be waited on.
    package var wakeSampleInterval = TimeSpan.milliseconds(100)
    /// How many sockets of one sleeper are waited on.
    package var wakeDescriptorsMax = 512
    /// How many connections to an evicted worker are accepted at most until it listens again.
    package var wakeSpliceMax = 256
    /// How many transfers of all workers may run at one time.
    package var transfersMax = 64

    /// Where the metrics are served; nil where they are not.
    package var metricsAddress: ListenAddress?

    /// Nothing but defaults.
    package init() {}
}

extension DaemonDefinition: DirectiveTable {
    /// All directives of torpord.conf.
    package static let directives: [Directive<Self>] = {
        let daemon = DirectiveSection<Self>(name: "Daemon")
        let memory = DirectiveSection<Self>(name: "Memory")
        let power = DirectiveSection<Self>(name: "Power")
        let wake = DirectiveSection<Self>(name: "Wake")
        let metrics = DirectiveSection<Self>(name: "Metrics")
        return [
            daemon.one("LogLevel", \.logLevel, "The log level."),
            daemon.one("SocketMode", \.socketMode, "The mode of the control socket."),
            daemon.one("OperatorsGroup", \.operatorsGroup, "The group whose members may control workers."),
            daemon.one(
                "DefinersGroup", \.definersGroup,
                "The group whose members may also launch commands as any user; like root."),
            daemon.number(
                "MaxConnectionsPerUID", \.maxConnectionsPerUID, 1...100_000,
                "The maximum number of connections per user."),
            daemon.number(
                "MaxSubscriptionsPerConnection", \.maxSubscriptionsPerConnection, 1...100_000,
                "The maximum number of subscriptions per connection."),
            // No less than the longest call of torpor's own verbs takes: operators are not locked out.
            daemon.size(
                "MaxMessageSize", \.maxMessageSize, .kibibytes(64) ... .mebibytes(64),
                "The maximum message size."),
            daemon.size(
                "MaxBacklog", \.maxBacklog, .kibibytes(64) ... .gibibytes(1),
                "How many unread bytes a client may accumulate before it is disconnected."),
            daemon.size(
                "OutputBuffer", \.outputBuffer, .kibibytes(0) ... .mebibytes(64),
                "How much of each worker's output is kept in memory."),
            daemon.one("HistoryMaxAgeSec", \.historyMaxAge, "How long the history is kept."),
            daemon.size(
                "HistoryMaxSize", \.historyMaxSize, .mebibytes(1) ... .gibibytes(1024),
                "The maximum size of the history."),
            daemon.one("DefaultRestartSec", \.restartDelay, "The default for RestartSec= of workers."),
            daemon.one(
                "DefaultStartLimitIntervalSec", \.startLimitInterval,
                "The default for StartLimitIntervalSec= of workers."),
            daemon.number(
                "DefaultStartLimitBurst", \.startLimitBurst, 0...1_000_000,
                "The default for StartLimitBurst= of workers."),
            daemon.number(
                "TransfersMax", \.transfersMax, 0...4096,
                "How many transfers of all workers may run at one time."),
            memory.one("Policy", \.memoryPolicy, "Whether to act on memory pressure or only to observe it."),
            memory.one(
                "EvictionOrder", \.evictionOrder, "Which of the workers in one band is evicted first."),
            memory.one("WarningPressure", \.warningPressure, "Pressure (some) that causes a warning."),
            memory.one("CriticalPressure", \.criticalPressure, "Pressure (full) that is critical."),
            memory.one(
                "WarningAvailable", \.warningAvailable, "Available memory below which there is a warning."),
            memory.one("CriticalAvailable", \.criticalAvailable, "Available memory that is critical."),
            memory.one(
                "WarningMaxSec", \.warningMax,
                "How long a warning may last before the workers that have slept longest are ended."),
            power.one(
                "LowPowerBelow", \.lowPowerBelow,
                "The battery charge at and below which low-power mode is on; 20% by default, 0% for never."),
            wake.span(
                "SampleSec", \.wakeSampleInterval, .milliseconds(10) ... .seconds(10),
                "How often sockets of sleeping workers are checked that cannot be waited on."),
            wake.number(
                "DescriptorsMax", \.wakeDescriptorsMax, 16...65_536,
                "How many sockets of one sleeping worker are waited on."),
            wake.number(
                "SpliceMax", \.wakeSpliceMax, 1...65_536,
                "How many connections are accepted for a worker that is launched again after its eviction."),
            metrics.one(
                "Listen", \.metricsAddress,
                "Where the metrics are served: a Unix socket, or a port of a loopback address."),
        ]
    }()

    /// The same by section and key.
    package static let index = indexed(directives)

    /// Thresholds in the wrong order, and metrics for the whole network.
    package var contradictions: [Contradiction] {
        var found: [Contradiction] = []
        if criticalAvailable > warningAvailable {
            found.append(
                Contradiction(
                    key: "CriticalAvailable", problem: "critical is reached before warning",
                    expected: "at most WarningAvailable="))
        }
        if let metricsAddress, !metricsAddress.isLocal {
            found.append(
                Contradiction(
                    key: "Listen",
                    problem:
                        "the metrics are served without authentication, and other machines can reach this address",
                    expected: "/PATH, @NAME, 127.0.0.1:PORT or [::1]:PORT"))
        }
        return found
    }
}
