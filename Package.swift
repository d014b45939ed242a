// swift-tools-version: 6.2
import PackageDescription

/// With TORPOR_SHIPS set it is the copy that ships (`make build`), from packaging/inlinable.
let ships = Context.environment["TORPOR_SHIPS"] != nil
/// With TORPOR_STRICT set a warning ends the build, as `.ci/run` wants it, also where only a part is built anew.
let common: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + (Context.environment["TORPOR_STRICT"] == nil || ships ? [] : [.treatAllWarnings(as: .error)])
/// Modules whose speed does not matter are built to be small when they ship (`make build`).
///
/// A package that depends on one of the libraries builds it as usual: packages with such flags cannot be depended on.
let compact = common + (ships ? [.unsafeFlags(["-Osize"])] : [])
/// The others may inline what modules share, when they ship (docs/decisions/21).
let settings = common + (ships ? [.unsafeFlags(["-cross-module-optimization"])] : [])
/// Where `torpor` stands in memory is chosen at build time: a quarter of what its start took was for moving it (docs/decisions/20).
let fixed: [LinkerSetting] =
    ships ? [.unsafeFlags(["-Xclang-linker", "-no-pie"])] : []
/// Tests that wait for others, or look at little, are not optimised.
///
/// That would take longer than they run; what explores and walks is.
let plain = settings + [.unsafeFlags(["-Onone"])]
/// The modules that touch C say where they do.
let strict = settings + [.strictMemorySafety()]
/// With TORPOR_TESTS set it is what the tests are linked to (`make test`).
let tested = Context.environment["TORPOR_TESTS"] != nil && !ships

/// The settings of a module that no walk and no exploration goes through: to optimise it for the tests would take longer than they run.
func aside(_ settings: [SwiftSetting]) -> [SwiftSetting] {
    tested ? settings + [.unsafeFlags(["-Onone"])] : settings
}

let package = Package(
    name: "torpor",
    // For the libraries for workers alone: a program that adopts them is built elsewhere too, where they do nothing.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "torpor", targets: ["torpor"]),
        .executable(name: "torpord", targets: ["torpord"]),
        .executable(name: "torpor-relay", targets: ["torpor-relay"]),
        .executable(name: "torpor-transfer", targets: ["torpor-transfer"]),
        .library(name: "Lifecycle", targets: ["Instants", "Lifecycle", "SnapshotCoding"]),
        .library(name: "Varlink", targets: ["Varlink"]),
        .library(name: "TorporWorker", targets: ["TorporWorker"]),
        .library(name: "TorporWorkerTesting", targets: ["TorporWorkerTesting"]),
        .library(name: "TorporServiceLifecycle", targets: ["TorporServiceLifecycle"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CSystemd", path: "Sources/Machine/CSystemd", pkgConfig: "libsystemd",
            providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/Machine/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CLinux", path: "Sources/Machine/CLinux"),
        // For torpor alone, most of whose verbs need no libsystemd.
        .target(name: "SystemdOnDemand", path: "Sources/Machine/SystemdOnDemand"),
        .target(name: "SnapshotCoding", path: "Sources/Model/SnapshotCoding", swiftSettings: settings),
        .target(name: "Instants", path: "Sources/Model/Instants", swiftSettings: settings),
        .target(
            name: "Lifecycle", dependencies: ["Instants", "SnapshotCoding"], path: "Sources/Model/Lifecycle",
            swiftSettings: settings),
        .target(
            name: "Foreground", dependencies: ["Lifecycle"], path: "Sources/Model/Foreground",
            swiftSettings: settings),
        .target(
            name: "Interrupting", dependencies: ["Lifecycle", "SnapshotCoding"],
            path: "Sources/Model/Interrupting", swiftSettings: settings),
        .target(
            name: "Transferring", dependencies: ["Lifecycle", "SnapshotCoding"],
            path: "Sources/Model/Transferring", swiftSettings: compact),
        .target(
            name: "Budgeting", dependencies: ["Lifecycle", "SnapshotCoding"],
            path: "Sources/Model/Budgeting", swiftSettings: settings),
        .target(
            name: "Processing",
            dependencies: ["Budgeting", "ConfigurationSyntax", "Lifecycle", "SnapshotCoding"],
            path: "Sources/Model/Processing", swiftSettings: settings),
        .target(
            name: "Continuing", dependencies: ["ConfigurationSyntax", "Lifecycle", "SnapshotCoding"],
            path: "Sources/Model/Continuing", swiftSettings: compact),
        .target(
            name: "Performing", dependencies: ["Lifecycle"], path: "Sources/Model/Performing",
            swiftSettings: settings),
        .target(
            name: "Notifications", dependencies: ["Lifecycle"], path: "Sources/Model/Notifications",
            swiftSettings: compact),
        .target(
            name: "Pressure", dependencies: ["Lifecycle"], path: "Sources/Model/Pressure",
            swiftSettings: compact),
        .target(
            name: "ConfigurationSyntax", dependencies: ["Lifecycle"],
            path: "Sources/Model/ConfigurationSyntax",
            swiftSettings: compact),
        .target(
            name: "WorkerFile",
            dependencies: [
                "Budgeting", "ConfigurationSyntax", "Idleness", "Lifecycle", "Pressure", "Processing",
                "Relaying",
            ],
            path: "Sources/Model/WorkerFile",
            swiftSettings: compact),
        .target(
            name: "Importing", dependencies: ["ConfigurationSyntax", "WorkerFile"],
            path: "Sources/Model/Importing", swiftSettings: aside(compact)),
        .target(
            name: "Scheduling", dependencies: ["Budgeting", "Lifecycle"],
            path: "Sources/Model/Scheduling", swiftSettings: settings),
        .target(
            name: "Idleness", dependencies: ["ConfigurationSyntax", "Lifecycle"],
            path: "Sources/Model/Idleness",
            swiftSettings: settings),
        .target(name: "Relaying", path: "Sources/Model/Relaying", swiftSettings: settings),
        .target(
            name: "Simulation",
            dependencies: [
                "Budgeting", "ConfigurationSyntax", "Continuing", "Foreground", "Idleness", "Interrupting",
                "Lifecycle", "Notifications", "Performing", "Pressure", "Processing", "Scheduling",
                "Transferring", "WorkerFile",
            ],
            path: "Sources/Model/Simulation", swiftSettings: compact
        ),
        .target(
            name: "Picture", dependencies: ["Lifecycle"], path: "Sources/Model/Picture",
            swiftSettings: aside(compact)),
        .target(
            name: "Metering", dependencies: ["Lifecycle"], path: "Sources/Model/Metering",
            swiftSettings: settings),
        .target(
            name: "Screen", dependencies: ["ControlAPI", "Picture"], path: "Sources/Model/Screen",
            swiftSettings: aside(compact)),
        .target(name: "Records", path: "Sources/Model/Records", swiftSettings: compact),
        .target(name: "Varlink", path: "Sources/Model/Varlink", swiftSettings: settings),
        .target(
            name: "ControlAPI", dependencies: ["Varlink"], path: "Sources/Model/ControlAPI",
            resources: [
                .embedInCode("io.torpor.Supervisor.varlink"), .embedInCode("io.torpor.Worker.varlink"),
            ], swiftSettings: compact),
        .target(
            name: "Systemd", dependencies: ["CSystemd", "Cgroups", "Linux", "Processes"],
            path: "Sources/Machine/Systemd",
            swiftSettings: aside(strict)),
        .target(
            name: "Linux", dependencies: ["CLinux"], path: "Sources/Machine/Linux",
            swiftSettings: strict),
        .target(
            name: "Processes", dependencies: ["CLinux", "Linux"], path: "Sources/Machine/Processes",
            swiftSettings: aside(strict)),
        .target(
            name: "Cgroups", dependencies: ["CLinux", "Linux", "Processes"], path: "Sources/Machine/Cgroups",
            swiftSettings: aside(strict)),
        .target(
            name: "Sockets",
            dependencies: ["CLinux", "ConfigurationSyntax", "Idleness", "Lifecycle", "Linux"],
            path: "Sources/Machine/Sockets", swiftSettings: aside(strict)),
        .target(
            name: "Relays", dependencies: ["CLinux", "Linux", "Relaying"],
            path: "Sources/Machine/Relays", swiftSettings: aside(strict)),
        .target(
            name: "Scraping",
            dependencies: [
                "CLinux", "Cgroups", "ConfigurationSyntax", "Idleness", "Linux", "Metering", "Sockets",
            ],
            path: "Sources/Machine/Scraping", swiftSettings: aside(strict)),
        .target(
            name: "Transfers",
            dependencies: ["CLinux", "Launching", "Linux", "Processes", "Transferring"],
            path: "Sources/Machine/Transfers", swiftSettings: aside(strict)),
        .target(
            name: "Launching", dependencies: ["CLinux", "Cgroups", "Linux"],
            path: "Sources/Machine/Launching", swiftSettings: aside(strict)),
        .target(
            name: "Store",
            dependencies: [
                "CSQLite", "Lifecycle", "Linux", "Records",
            ], path: "Sources/Machine/Store",
            swiftSettings: strict),
        .target(
            name: "Places",
            dependencies: ["ConfigurationSyntax", "Linux", "Processes", "WorkerFile"],
            path: "Sources/Machine/Places", swiftSettings: aside(compact)),
        .target(
            name: "SupervisorPorts",
            dependencies: [
                "Budgeting", "Cgroups", "ConfigurationSyntax", "Continuing", "Idleness", "Interrupting",
                "Launching", "Lifecycle",
                "Linux", "Notifications", "Places", "Pressure", "Processing", "Relaying", "SnapshotCoding",
                "Systemd", "Varlink", "WorkerFile",
            ],
            path: "Sources/Shell/SupervisorPorts", swiftSettings: settings),
        .target(
            name: "WorkerIO",
            dependencies: [
                "Cgroups", "ConfigurationSyntax", "Idleness", "Launching", "Lifecycle", "Linux", "Places",
                "Pressure", "Processes", "Scheduling", "SnapshotCoding", "SupervisorPorts", "Systemd",
                "WorkerFile",
            ],
            path: "Sources/Shell/WorkerIO", swiftSettings: aside(settings)),
        .target(
            name: "Waking",
            dependencies: [
                "Cgroups", "Idleness", "Launching", "Lifecycle", "Linux", "Processes", "Relaying", "Relays",
                "SnapshotCoding", "Sockets", "SupervisorPorts", "Systemd", "WorkerIO",
            ],
            path: "Sources/Shell/Waking", swiftSettings: settings),
        .target(
            name: "TransferShell",
            dependencies: [
                "Cgroups", "History", "Launching", "Lifecycle", "Linux", "Pressure", "Processes",
                "SnapshotCoding", "Supervisor", "SupervisorPorts", "Systemd", "Transferring", "Transfers",
                "Varlink", "WorkerIO",
            ],
            path: "Sources/Shell/TransferShell", swiftSettings: aside(compact)),
        .target(
            name: "LinuxHost",
            dependencies: [
                "Cgroups", "ConfigurationSyntax", "Idleness", "Launching", "Lifecycle", "Linux", "Pressure",
                "Processes", "SnapshotCoding", "SupervisorPorts", "Systemd", "Waking", "WorkerFile",
                "WorkerIO",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Sources/Shell/LinuxHost", swiftSettings: aside(settings)),
        .target(
            name: "Supervisor",
            dependencies: [
                "Budgeting", "ConfigurationSyntax", "Continuing", "ControlAPI", "Foreground", "Idleness",
                "Interrupting", "Launching",
                "Lifecycle", "Linux", "Notifications", "Performing", "Pressure", "Processing", "Scheduling",
                "SnapshotCoding", "SupervisorPorts",
                "Systemd",
                "Varlink", "WorkerFile",
            ],
            path: "Sources/Shell/Supervisor", swiftSettings: settings),
        .target(
            name: "SystemEvents",
            dependencies: [
                "Budgeting",
                "ConfigurationSyntax", "Interrupting", "Lifecycle", "Linux", "Notifications", "Processes",
                "Processing",
                "Scheduling", "Supervisor",
                "SupervisorPorts", "Systemd", "Varlink", "WorkerFile", "WorkerIO",
            ],
            path: "Sources/Shell/SystemEvents", swiftSettings: aside(compact)),
        .target(
            name: "BackgroundWork",
            dependencies: [
                "Budgeting", "ConfigurationSyntax", "Lifecycle", "Linux", "Processing", "Scheduling",
                "Supervisor", "SupervisorPorts", "SystemEvents", "Systemd", "WorkerFile",
            ],
            path: "Sources/Shell/BackgroundWork", swiftSettings: compact),
        .target(
            name: "MemoryPressureShell",
            dependencies: [
                "Cgroups", "ConfigurationSyntax", "ControlAPI", "Lifecycle", "Linux", "Pressure",
                "Supervisor", "SupervisorPorts", "Systemd", "WorkerFile",
            ],
            path: "Sources/Shell/MemoryPressureShell", swiftSettings: aside(compact)),
        .target(
            name: "ControlServer",
            dependencies: [
                "ConfigurationSyntax", "ControlAPI", "Lifecycle", "Linux", "Processes", "SnapshotCoding",
                "SupervisorPorts", "Systemd", "Varlink",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Sources/Shell/ControlServer", swiftSettings: aside(settings)),
        .target(
            name: "History",
            dependencies: [
                "Budgeting", "ConfigurationSyntax", "Continuing", "ControlAPI", "Interrupting", "Launching",
                "Lifecycle", "Linux",
                "Notifications", "Places", "Pressure", "Processing", "Records", "SupervisorPorts", "Systemd",
                "Varlink", "WorkerFile", .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Sources/Shell/History", swiftSettings: settings),
        .target(
            name: "MetricsShell",
            dependencies: [
                "Cgroups", "ConfigurationSyntax", "Lifecycle", "Linux", "Metering", "Notifications",
                "Processes",
                "Scraping", "Sockets", "Supervisor", "SupervisorPorts", "Systemd", "WorkerIO",
            ],
            path: "Sources/Shell/MetricsShell", swiftSettings: aside(settings)),
        .target(
            name: "OperatorService",
            dependencies: [
                "Budgeting", "Cgroups", "ConfigurationSyntax", "Continuing", "ControlAPI", "ControlServer",
                "History", "Idleness",
                "Interrupting", "Launching",
                "Lifecycle", "Linux", "LinuxHost", "Metering", "MetricsShell", "Notifications", "Pressure",
                "Processes", "Processing", "Records", "Supervisor", "SupervisorPorts", "Systemd",
                "TransferShell",
                "Transferring", "Varlink", "Waking", "WorkerFile", "WorkerIO",
            ],
            path: "Sources/Shell/OperatorService", swiftSettings: settings),
        .target(
            name: "CallbackService",
            dependencies: [
                "ControlAPI", "ControlServer", "Launching", "Lifecycle", "Linux", "LinuxHost",
                "Notifications", "Processes",
                "OperatorService", "Supervisor", "SupervisorPorts", "Systemd", "TransferShell",
                "Transferring",
                "Varlink", "Waking", "WorkerIO",
            ],
            path: "Sources/Shell/CallbackService", swiftSettings: settings),
        .target(
            name: "Examining",
            dependencies: [
                "Cgroups", "ConfigurationSyntax", "ControlAPI", "Idleness", "Lifecycle", "Linux",
                "LinuxHost", "MemoryPressureShell", "Pressure", "Processes", "Sockets", "SystemEvents",
                "Systemd",
            ],
            path: "Sources/Shell/Examining", swiftSettings: aside(compact)),
        .target(
            name: "Definitions",
            dependencies: [
                "Cgroups", "ConfigurationSyntax", "ControlAPI", "Idleness", "Launching", "Lifecycle", "Linux",
                "MemoryPressureShell", "OperatorService", "Places", "Relaying", "Supervisor",
                "SupervisorPorts", "Systemd", "Varlink", "WorkerFile",
            ],
            path: "Sources/Shell/Definitions", swiftSettings: aside(compact)),
        .target(
            name: "DaemonCore",
            dependencies: [
                "BackgroundWork", "Budgeting", "CallbackService", "Cgroups", "ConfigurationSyntax",
                "Continuing", "ControlAPI", "Definitions",
                "ControlServer", "Examining", "History", "Idleness",
                "Launching",
                "Lifecycle", "Linux", "LinuxHost", "MemoryPressureShell", "Metering", "MetricsShell",
                "OperatorService", "Places",
                "Pressure", "Processes", "Processing", "Records", "Relaying", "Scheduling", "SnapshotCoding",
                "Sockets",
                "Store",
                "Supervisor",
                "SupervisorPorts", "SystemEvents", "Systemd", "TransferShell", "Transferring", "Varlink",
                "Waking", "WorkerFile", "WorkerIO",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Sources/Shell/DaemonCore", swiftSettings: aside(compact)),
        .target(
            name: "Standalone",
            dependencies: [
                "BackgroundWork", "Budgeting", "Cgroups", "ConfigurationSyntax", "Continuing", "ControlAPI",
                "ControlServer", "Examining", "History", "Idleness", "Launching",
                "Lifecycle", "Linux", "LinuxHost", "MemoryPressureShell", "MetricsShell", "Notifications",
                "OperatorService", "Places", "Pressure", "Processes", "Supervisor", "SupervisorPorts",
                "SystemEvents", "Systemd", "TransferShell", "Transferring", "Varlink", "Waking", "WorkerFile",
                "WorkerIO",
            ],
            path: "Sources/Shell/Standalone", swiftSettings: aside(compact)),
        .target(
            name: "ControlClient",
            dependencies: ["ControlAPI", "Launching", "Lifecycle", "Linux", "Places", "Varlink"],
            path: "Sources/Clients/ControlClient", swiftSettings: aside(compact)),
        .target(
            name: "Operator",
            dependencies: [
                "Budgeting", "ConfigurationSyntax", "Continuing", "ControlAPI", "Importing", "Lifecycle",
                "Notifications", "Picture", "Pressure", "Processing", "Simulation", "Varlink", "WorkerFile",
            ],
            path: "Sources/Clients/Operator",
            swiftSettings: aside(compact)),
        .target(
            name: "SimulationText",
            dependencies: [
                "Continuing", "ControlAPI", "Interrupting", "Lifecycle", "Notifications", "Operator",
                "Picture",
                "Pressure", "Simulation", "Varlink", "WorkerFile",
            ],
            path: "Sources/Clients/SimulationText", swiftSettings: aside(compact)),
        .target(
            name: "LiveScreen",
            dependencies: [
                "ControlAPI", "ControlClient", "Idleness", "Linux", "Operator", "Screen", "Sockets",
                "Varlink",
            ],
            path: "Sources/Clients/LiveScreen", swiftSettings: aside(compact)),
        .target(
            name: "TorporWorker",
            dependencies: [
                "ControlAPI", .target(name: "Linux", condition: .when(platforms: [.linux])), "Varlink",
            ], path: "Sources/Clients/TorporWorker", swiftSettings: settings),
        .target(
            name: "TorporWorkerTesting",
            dependencies: [
                "ControlAPI", .target(name: "Linux", condition: .when(platforms: [.linux])), "TorporWorker",
                "Varlink",
            ], path: "Sources/Clients/TorporWorkerTesting", swiftSettings: settings),
        .target(
            name: "TorporServiceLifecycle",
            dependencies: [
                "TorporWorker", .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "Sources/Clients/TorporServiceLifecycle", swiftSettings: settings),
        .executableTarget(
            name: "torpord",
            dependencies: [
                "DaemonCore", "Linux", "Places", "Supervisor", "WorkerFile",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/torpord", swiftSettings: aside(compact)),
        .executableTarget(
            name: "torpor",
            dependencies: [
                "ConfigurationSyntax", "Continuing", "ControlAPI", "ControlClient", "Importing", "Launching",
                "Lifecycle", "Linux", "LiveScreen", "MemoryPressureShell", "Operator", "Picture", "Places",
                "Processes",
                "Screen", "Simulation", "SimulationText", "Standalone", "Supervisor", "SupervisorPorts",
                "SystemdOnDemand", "Varlink", "WorkerFile",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/torpor", swiftSettings: aside(compact), linkerSettings: fixed),
        .executableTarget(
            name: "torpor-relay", dependencies: ["Linux", "Relays"], path: "Sources/Programs/torpor-relay",
            swiftSettings: aside(settings)),
        .executableTarget(
            name: "torpor-transfer", dependencies: ["Launching", "Linux", "Transfers"],
            path: "Sources/Programs/torpor-transfer", swiftSettings: aside(settings)),
        .executableTarget(
            name: "demo",
            dependencies: [
                "Cgroups", "HostContract", "Launching", "Lifecycle", "Linux", "LinuxHost", "Supervisor",
                "SupervisorPorts", "Systemd", "WorkerIO",
            ], path: "Tests/Demo",
            exclude: ["run"], swiftSettings: aside(settings)),
        .executableTarget(
            name: "TorporBench",
            dependencies: [
                "Cgroups", "DaemonCore", "History", "Launching", "Lifecycle", "Linux", "Notifications",
                "SupervisorPorts", "Systemd",
            ],
            path: "Tests/Benchmarks/TorporBench",
            swiftSettings: aside(settings)),
        // Writes the Swift types of the interfaces in ControlAPI: `make generate`.
        .executableTarget(
            name: "InterfaceGenerator", dependencies: ["Varlink"], path: "Tests/InterfaceGenerator",
            swiftSettings: aside(settings)),
        .target(
            name: "TestSupport", dependencies: ["Cgroups", "Linux", "Simulation", "WorkerFile"],
            path: "Tests/TestSupport",
            swiftSettings: aside(settings)),
        .executableTarget(
            name: "TestWorker", dependencies: ["ControlAPI", "Linux", "Varlink"],
            path: "Tests/Apps/TestWorker",
            swiftSettings: aside(settings)),
        .executableTarget(
            name: "LibraryWorker", dependencies: ["TorporWorker"], path: "Tests/Apps/LibraryWorker",
            swiftSettings: aside(settings)),
        .target(
            name: "HostContract",
            dependencies: [
                "ConfigurationSyntax", "Idleness", "Launching", "Lifecycle", "Linux", "Pressure",
                "Supervisor",
                "SupervisorPorts", "Systemd", "WorkerFile",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            path: "Tests/HostContract", swiftSettings: aside(settings)),
        // The whole shell on a simulated machine, from a seed: `make simulate`.
        .target(
            name: "ShellWalk",
            dependencies: [
                "CallbackService", "Cgroups", "ConfigurationSyntax", "ControlAPI", "ControlServer",
                "DaemonCore", "Definitions", "History", "HostContract",
                "Idleness", "Interrupting", "Launching", "Lifecycle",
                "Linux", "Notifications", "OperatorService", "Pressure", "Processes", "Records", "Simulation",
                "SnapshotCoding", "Store", "Supervisor",
                "SupervisorPorts", "Systemd", "Varlink", "WorkerFile", "WorkerIO",
            ],
            path: "Tests/ShellWalk", exclude: ["README.md"], swiftSettings: settings),
        .executableTarget(
            name: "walk", dependencies: ["ShellWalk"], path: "Tests/Walk", swiftSettings: settings),
        .executableTarget(
            name: "contract",
            dependencies: [
                "Cgroups", "HostContract", "Launching", "Lifecycle", "Linux", "LinuxHost", "Supervisor",
                "SupervisorPorts", "Systemd", "WorkerIO",
            ],
            path: "Tests/Contract", swiftSettings: aside(settings)),
        // Reads the tree alone: which module is where, and what it imports.
        .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: plain),
        .testTarget(
            name: "SupervisorTests",
            dependencies: [
                "BackgroundWork", "Cgroups", "ConfigurationSyntax", "Continuing", "ControlAPI", "DaemonCore",
                "Definitions", "History",
                "HostContract",
                "Idleness", "Launching", "Lifecycle", "Linux", "MemoryPressureShell", "Notifications",
                "CallbackService", "OperatorService",
                "Pressure", "SnapshotCoding", "Standalone", "Supervisor", "SupervisorPorts", "Systemd",
                "TestSupport", "Varlink", "WorkerFile", "WorkerIO", "contract", "walk",
            ],
            swiftSettings: plain),
        .testTarget(
            name: "ContinuingTests",
            dependencies: [
                "ConfigurationSyntax", "Continuing", "Lifecycle", "SnapshotCoding", "TestSupport",
            ],
            swiftSettings: plain),
        .testTarget(
            name: "InterruptingTests", dependencies: ["Interrupting", "Lifecycle", "SnapshotCoding"],
            swiftSettings: settings),
        .testTarget(
            name: "TransferringTests", dependencies: ["Lifecycle", "Transferring"], swiftSettings: plain),
        .testTarget(
            name: "ProcessingTests",
            dependencies: ["Budgeting", "ConfigurationSyntax", "Lifecycle", "Processing", "SnapshotCoding"],
            swiftSettings: settings),
        .testTarget(
            name: "BudgetingTests",
            dependencies: ["Budgeting", "Lifecycle", "SnapshotCoding", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "LifecycleTests",
            dependencies: [
                "Budgeting",
                "Foreground", "Idleness", "Interrupting", "Lifecycle", "SnapshotCoding", "SupervisorPorts",
                "TestSupport",
            ],
            swiftSettings: settings),
        // Its Invariants.swift is LifecycleTests' own, by a link: what must hold of a step holds in a world too.
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "ConfigurationSyntax", "Lifecycle", "Notifications", "Operator", "Pressure", "Simulation",
                "SimulationText", "TestSupport",
                "WorkerFile",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "MeteringTests", dependencies: ["Lifecycle", "Metering", "TestSupport"],
            swiftSettings: settings),
        .testTarget(name: "PerformingTests", dependencies: ["Performing"], swiftSettings: settings),
        .testTarget(
            name: "IdlenessTests",
            dependencies: ["ConfigurationSyntax", "Idleness", "Lifecycle", "TestSupport"],
            swiftSettings: settings),
        .testTarget(name: "RelayingTests", dependencies: ["Relaying"], swiftSettings: plain),
        .testTarget(
            name: "SchedulingTests", dependencies: ["Budgeting", "Lifecycle", "Scheduling", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "NotificationsTests", dependencies: ["Lifecycle", "Notifications", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "PressureTests", dependencies: ["Lifecycle", "Pressure", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SystemdTests", dependencies: ["Linux", "Systemd", "TestSupport"], swiftSettings: plain),
        .testTarget(
            name: "ImportingTests",
            dependencies: ["ConfigurationSyntax", "Importing", "TestSupport", "WorkerFile"],
            exclude: ["yaml_nodes.py"], swiftSettings: plain),
        .testTarget(
            name: "WorkerFileTests",
            dependencies: [
                "ConfigurationSyntax", "Idleness", "Lifecycle", "Notifications", "Pressure", "Relaying",
                "TestSupport",
                "WorkerFile",
            ],
            swiftSettings: plain),
        .testTarget(name: "VarlinkTests", dependencies: ["TestSupport", "Varlink"], swiftSettings: plain),
        .testTarget(
            name: "ControlAPITests",
            dependencies: ["ControlAPI", "InterfaceGenerator", "TestSupport", "Varlink"],
            swiftSettings: plain),
        .testTarget(
            name: "TorporWorkerTests",
            dependencies: [
                "ControlAPI", "Linux", "TestSupport", "TorporServiceLifecycle", "TorporWorker",
                "TorporWorkerTesting", "Varlink",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: plain),
        .testTarget(
            name: "ScreenTests", dependencies: ["ControlAPI", "Screen", "TestSupport"],
            swiftSettings: plain),
        .testTarget(
            name: "PictureTests", dependencies: ["Lifecycle", "Picture", "TestSupport"],
            swiftSettings: plain),
        .testTarget(
            name: "OperatorTests",
            dependencies: [
                "ConfigurationSyntax", "ControlAPI", "Lifecycle", "Operator", "Picture", "TestSupport",
                "Varlink", "WorkerFile",
            ],
            swiftSettings: plain),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "Cgroups", "ConfigurationSyntax", "ControlAPI", "ControlServer", "DaemonCore",
                "Definitions", "Examining",
                "History", "Launching", "Lifecycle", "Linux", "LinuxHost", "MemoryPressureShell", "Places",
                "Pressure", "Processes", "Records", "SnapshotCoding", "Store", "Supervisor",
                "SupervisorPorts", "Systemd",
                "TestSupport", "Varlink", "WorkerFile", "WorkerIO",
            ],
            swiftSettings: plain),
        .testTarget(
            name: "ControlTests",
            dependencies: [
                "CallbackService", "ControlAPI", "ControlClient", "ControlServer", "Lifecycle", "Linux",
                "Notifications",
                "OperatorService", "Places", "Pressure", "Records", "Supervisor", "SupervisorPorts",
                "Systemd", "TestSupport", "Varlink", "WorkerFile",
            ],
            swiftSettings: plain),
        // What the tests have instead of login1, on a bus of their own.
        .executableTarget(
            name: "login", dependencies: ["CSystemd"], path: "Tests/Apps/Login"),
        .testTarget(
            name: "SystemMonitorsTests",
            dependencies: [
                "Budgeting",
                "Cgroups", "ConfigurationSyntax", "Launching", "Lifecycle", "Linux", "LinuxHost",
                "MemoryPressureShell", "Notifications", "Pressure", "Processes", "SnapshotCoding",
                "Supervisor", "SupervisorPorts", "SystemEvents", "Systemd", "TestSupport", "WorkerFile",
                "WorkerIO", "login",
            ],
            swiftSettings: plain),
        // What the tests of the store kill while it writes.
        .executableTarget(
            name: "scribe",
            dependencies: [
                "Records", "Store",
            ], path: "Tests/Scribe", swiftSettings: settings),
        .testTarget(
            name: "StoreTests",
            dependencies: [
                "Launching", "Lifecycle", "Linux", "Records", "Store", "TestSupport", "scribe",
            ],
            swiftSettings: plain),
        .testTarget(
            name: "LinuxTests", dependencies: ["Cgroups", "Launching", "Linux", "Processes", "TestSupport"],
            swiftSettings: plain),
        .testTarget(
            name: "SocketsTests",
            dependencies: [
                "Cgroups", "Idleness", "Launching", "Linux", "Processes", "Sockets", "TestSupport",
            ], swiftSettings: plain),
        .testTarget(
            name: "RelaysTests",
            dependencies: [
                "Idleness", "Launching", "Linux", "Relaying", "Relays", "Sockets", "TestSupport",
                "torpor-relay",
            ],
            swiftSettings: plain),
        // Drives the built program from outside; building the tests builds it too.
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Cgroups", "ConfigurationSyntax", "ControlAPI", "Launching", "LibraryWorker", "Linux",
                "Operator", "Processes", "TestSupport", "TestWorker", "Varlink", "attacker", "demo",
            ],
            exclude: ["Import"], swiftSettings: plain),
        // What attacks the built program, and what gives it a bad kernel, disk or clock; each of its commands is one of these.
        .executableTarget(name: "attacker", path: "Tests/Apps/Attacker"),
        // Drives the attacks. Its Wrapper.swift and Places.swift are EndToEndTests' own, by links.
        .testTarget(
            name: "HostileTests",
            dependencies: ["Cgroups", "Launching", "Linux", "Processes", "TestSupport", "attacker"],
            swiftSettings: plain),
    ]
)
