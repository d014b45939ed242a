// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]
/// Where nobody waits for the processor, what ships is built to be small (`make build`).
///
/// Whoever uses one of the libraries builds it as usual: packages that ask for flags cannot be depended on.
let compact =
    settings + (Context.environment["TORPOR_SHIPS"] == nil ? [] : [.unsafeFlags(["-Osize"])])
/// The modules that touch C say where they do.
let strict = settings + [.strictMemorySafety()]

let package = Package(
    name: "torpor",
    // For the libraries for workers alone: a program that adopts them is built elsewhere too, where they do nothing.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .executable(name: "torpor", targets: ["torpor"]),
        .executable(name: "torpord", targets: ["torpord"]),
        .library(name: "Lifecycle", targets: ["Lifecycle"]),
        .library(name: "Varlink", targets: ["Varlink"]),
        .library(name: "TorporWorker", targets: ["TorporWorker"]),
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
        .target(name: "Lifecycle", path: "Sources/Model/Lifecycle", swiftSettings: settings),
        .target(name: "Notifications", path: "Sources/Model/Notifications", swiftSettings: settings),
        .target(
            name: "Pressure", dependencies: ["Lifecycle"], path: "Sources/Model/Pressure",
            swiftSettings: compact),
        .target(
            name: "WorkerFile", dependencies: ["Lifecycle", "Pressure"], path: "Sources/Model/WorkerFile",
            swiftSettings: compact),
        .target(
            name: "Simulation", dependencies: ["Lifecycle", "Pressure", "WorkerFile"],
            path: "Sources/Model/Simulation", swiftSettings: compact
        ),
        .target(name: "Varlink", path: "Sources/Model/Varlink", swiftSettings: settings),
        .target(
            name: "ControlAPI", dependencies: ["Varlink"], path: "Sources/Model/ControlAPI",
            resources: [
                .embedInCode("io.torpor.Supervisor.varlink"), .embedInCode("io.torpor.Worker.varlink"),
            ], swiftSettings: compact),
        .target(
            name: "Systemd", dependencies: ["CSystemd", "Linux"], path: "Sources/Machine/Systemd",
            swiftSettings: strict),
        .target(
            name: "Linux", dependencies: ["CLinux"], path: "Sources/Machine/Linux", swiftSettings: strict),
        .target(
            name: "Store", dependencies: ["CSQLite"], path: "Sources/Machine/Store", swiftSettings: strict),
        .target(
            name: "Places",
            dependencies: ["Linux", "WorkerFile"],
            path: "Sources/Machine/Places", swiftSettings: compact),
        .target(
            name: "SupervisorPorts",
            dependencies: [
                "Lifecycle", "Linux", "Notifications", "Pressure", "Systemd", "Varlink", "WorkerFile",
                .product(name: "HeapModule", package: "swift-collections"),
            ],
            path: "Sources/Shell/SupervisorPorts", swiftSettings: settings),
        .target(
            name: "WorkerIO",
            dependencies: [
                "Lifecycle", "Linux", "Places", "Pressure", "SupervisorPorts", "Systemd", "WorkerFile",
            ],
            path: "Sources/Shell/WorkerIO", swiftSettings: settings),
        .target(
            name: "LinuxHost",
            dependencies: [
                "Lifecycle", "Linux", "Pressure", "SupervisorPorts", "Systemd", "WorkerFile", "WorkerIO",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Sources/Shell/LinuxHost", swiftSettings: settings),
        .target(
            name: "Supervisor",
            dependencies: [
                "ControlAPI", "Lifecycle", "Linux", "Notifications", "Places", "Pressure", "SupervisorPorts",
                "Systemd", "Varlink", "WorkerFile",
            ],
            path: "Sources/Shell/Supervisor", swiftSettings: settings),
        .target(
            name: "SystemEvents",
            dependencies: [
                "Lifecycle", "Linux", "Notifications", "Supervisor", "SupervisorPorts", "Systemd", "Varlink",
                "WorkerFile", "WorkerIO",
            ],
            path: "Sources/Shell/SystemEvents", swiftSettings: compact),
        .target(
            name: "MemoryPressureShell",
            dependencies: [
                "ControlAPI", "Lifecycle", "Linux", "Pressure", "Supervisor", "SupervisorPorts", "Systemd",
                "WorkerFile",
            ],
            path: "Sources/Shell/MemoryPressureShell", swiftSettings: compact),
        .target(
            name: "ControlServer",
            dependencies: [
                "ControlAPI", "Lifecycle", "Linux", "SupervisorPorts", "Systemd", "Varlink",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Sources/Shell/ControlServer", swiftSettings: settings),
        .target(
            name: "History",
            dependencies: [
                "ControlAPI", "Lifecycle", "Linux", "LinuxHost", "Notifications", "Places", "Pressure",
                "Store", "Supervisor", "SupervisorPorts", "Systemd", "Varlink", "WorkerFile",
                .product(name: "DequeModule", package: "swift-collections"),
            ],
            path: "Sources/Shell/History", swiftSettings: settings),
        .target(
            name: "OperatorService",
            dependencies: [
                "ControlAPI", "ControlServer", "History", "Lifecycle", "Linux", "LinuxHost", "Notifications",
                "Pressure", "Store", "Supervisor", "SupervisorPorts", "Systemd", "Varlink", "WorkerFile",
                "WorkerIO",
            ],
            path: "Sources/Shell/OperatorService", swiftSettings: settings),
        .target(
            name: "DaemonCore",
            dependencies: [
                "ControlAPI", "ControlServer", "History", "Lifecycle", "Linux", "LinuxHost",
                "MemoryPressureShell", "OperatorService", "Places", "Pressure", "Store", "Supervisor",
                "SupervisorPorts", "SystemEvents", "Systemd", "Varlink", "WorkerFile", "WorkerIO",
            ],
            path: "Sources/Shell/DaemonCore", swiftSettings: compact),
        .target(
            name: "Standalone",
            dependencies: [
                "ControlAPI", "ControlServer", "DaemonCore", "History", "Lifecycle", "Linux", "LinuxHost",
                "MemoryPressureShell", "Notifications", "OperatorService", "Places", "Pressure", "Supervisor",
                "SupervisorPorts", "SystemEvents", "Systemd", "Varlink", "WorkerFile", "WorkerIO",
            ],
            path: "Sources/Shell/Standalone", swiftSettings: compact),
        .target(
            name: "ControlClient",
            dependencies: ["ControlAPI", "Lifecycle", "Linux", "Places", "Systemd", "Varlink"],
            path: "Sources/Clients/ControlClient", swiftSettings: compact),
        .target(
            name: "Operator",
            dependencies: ["ControlAPI", "Lifecycle", "Pressure", "Simulation", "Varlink", "WorkerFile"],
            path: "Sources/Clients/Operator",
            swiftSettings: compact),
        .target(
            name: "TorporWorker",
            dependencies: [
                "ControlAPI", .target(name: "Linux", condition: .when(platforms: [.linux])), "Varlink",
            ], path: "Sources/Clients/TorporWorker", swiftSettings: settings),
        .target(
            name: "TorporServiceLifecycle",
            dependencies: [
                "TorporWorker",
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "Sources/Clients/TorporServiceLifecycle", swiftSettings: settings),
        .executableTarget(
            name: "torpord",
            dependencies: [
                "DaemonCore", "Linux", "Places", "Supervisor", "WorkerFile",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/torpord", swiftSettings: compact),
        .executableTarget(
            name: "torpor",
            dependencies: [
                "ControlAPI", "ControlClient", "DaemonCore", "Lifecycle", "Linux", "MemoryPressureShell",
                "Operator", "Places", "Simulation", "Standalone", "Supervisor", "SupervisorPorts", "Varlink",
                "WorkerFile", .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ], path: "Sources/Programs/torpor", swiftSettings: compact),
        .executableTarget(
            name: "demo",
            dependencies: [
                "HostContract", "Lifecycle", "Linux", "LinuxHost", "Supervisor", "SupervisorPorts", "Systemd",
                "WorkerIO",
            ], path: "Tests/Demo",
            exclude: ["run"], swiftSettings: settings),
        .executableTarget(
            name: "TorporBench",
            dependencies: ["History", "Lifecycle", "Linux", "Notifications", "Supervisor", "Systemd"],
            path: "Tests/Benchmarks/TorporBench",
            swiftSettings: settings),
        .target(
            name: "TestSupport", dependencies: ["Simulation", "WorkerFile"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .executableTarget(
            name: "TestWorker", dependencies: ["ControlAPI", "Linux", "Varlink"],
            path: "Tests/Apps/TestWorker",
            swiftSettings: settings),
        .executableTarget(
            name: "LibraryWorker", dependencies: ["TorporWorker"], path: "Tests/Apps/LibraryWorker",
            swiftSettings: settings),
        .target(
            name: "HostContract",
            dependencies: [
                "Lifecycle", "Linux", "Pressure", "Supervisor", "SupervisorPorts", "Systemd", "WorkerFile",
            ],
            path: "Tests/HostContract", swiftSettings: settings),
        .executableTarget(
            name: "contract",
            dependencies: [
                "Lifecycle", "Linux", "LinuxHost", "Supervisor", "SupervisorPorts", "Systemd", "WorkerIO",
                "HostContract",
            ],
            path: "Tests/Contract", swiftSettings: settings),
        // Reads the tree alone: which module is where, and what it imports.
        .testTarget(name: "ArchitectureTests", dependencies: ["TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "SupervisorTests",
            dependencies: [
                "ControlAPI", "DaemonCore", "History", "Lifecycle", "Linux", "MemoryPressureShell",
                "Notifications", "OperatorService", "Pressure", "Standalone", "Supervisor", "SupervisorPorts",
                "Systemd", "Varlink", "WorkerFile", "WorkerIO", "HostContract", "TestSupport", "contract",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "LifecycleTests", dependencies: ["Lifecycle", "TestSupport"], swiftSettings: settings),
        // Its Invariants.swift is LifecycleTests' own, by a link: what must hold of a step holds in a world too.
        .testTarget(
            name: "SimulationTests",
            dependencies: ["Lifecycle", "Operator", "Pressure", "Simulation", "TestSupport", "WorkerFile"],
            swiftSettings: settings),
        .testTarget(
            name: "NotificationsTests", dependencies: ["Notifications", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "PressureTests", dependencies: ["Pressure", "Lifecycle", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SystemdTests", dependencies: ["Systemd", "Linux", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "WorkerFileTests", dependencies: ["WorkerFile", "Lifecycle", "Pressure", "TestSupport"],
            swiftSettings: settings),
        .testTarget(name: "VarlinkTests", dependencies: ["Varlink", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "ControlAPITests", dependencies: ["ControlAPI", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "TorporWorkerTests",
            dependencies: [
                "ControlAPI", "Linux", "TestSupport", "TorporServiceLifecycle", "TorporWorker", "Varlink",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: settings),
        .testTarget(
            name: "OperatorTests",
            dependencies: ["Operator", "ControlAPI", "Lifecycle", "Varlink", "WorkerFile", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "DaemonTests",
            dependencies: [
                "ControlAPI", "DaemonCore", "History", "Lifecycle", "Linux", "LinuxHost",
                "MemoryPressureShell", "Places", "Pressure", "Store", "Supervisor", "SupervisorPorts",
                "Systemd", "WorkerFile", "WorkerIO", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ControlTests",
            dependencies: [
                "ControlAPI", "ControlClient", "ControlServer", "Lifecycle", "Linux", "OperatorService",
                "Places", "Supervisor", "Systemd", "Varlink", "TestSupport",
            ],
            swiftSettings: settings),
        // What the tests have instead of login1, on a bus of their own.
        .executableTarget(
            name: "login", dependencies: ["CSystemd"], path: "Tests/Apps/Login"),
        .testTarget(
            name: "SystemMonitorsTests",
            dependencies: [
                "Lifecycle", "Linux", "LinuxHost", "MemoryPressureShell", "Notifications", "Pressure",
                "Supervisor", "SupervisorPorts", "SystemEvents", "Systemd", "WorkerFile", "WorkerIO", "login",
                "TestSupport",
            ],
            swiftSettings: settings),
        // What the tests of the store kill while it writes.
        .executableTarget(
            name: "scribe", dependencies: ["Store"], path: "Tests/Scribe", swiftSettings: settings),
        .testTarget(
            name: "StoreTests", dependencies: ["Linux", "Store", "TestSupport", "scribe"],
            swiftSettings: settings),
        .testTarget(name: "LinuxTests", dependencies: ["Linux", "TestSupport"], swiftSettings: settings),
        // Drives the built program from outside; building the tests builds it too.
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["ControlAPI", "Linux", "LibraryWorker", "TestSupport", "TestWorker", "Varlink"],
            swiftSettings: settings),
        // What attacks the built program; each of its commands is one attack.
        .executableTarget(name: "attacker", path: "Tests/Apps/Attacker"),
        // Drives the attacks. Its Wrapper.swift and Places.swift are EndToEndTests' own, by links.
        .testTarget(
            name: "HostileTests", dependencies: ["Linux", "TestSupport", "attacker"],
            swiftSettings: settings),
    ]
)
