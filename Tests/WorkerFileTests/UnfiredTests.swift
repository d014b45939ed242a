import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

@Suite struct `What comes to nothing` {
    struct Case: Sendable {
        let lines: String
        let keys: [String]
    }

    @Test(arguments: [
        Case(lines: "", keys: []),
        Case(lines: "[Foreground]\nListenStream=80\nListenStream=81", keys: []),
        Case(lines: "FileDescriptorStoreMax=1", keys: []),
        Case(lines: "[Background]\nModes=processing transfer\nProcessingIdleSec=0", keys: []),
        Case(
            lines: "[Background]\nConditionACPower=any\nProcessingIdleSec=1h",
            keys: ["ConditionACPower", "ProcessingIdleSec"]),
        Case(
            lines: "[Background]\nModes=fetch path device remote-notification continuous",
            keys: ["Modes", "Modes"]),
        Case(
            lines:
                "[Background]\nModes=fetch path device\n[Notifications]\nWatchPaths=/x\nWatchDevices=/dev/y",
            keys: []),
        Case(lines: "[Background]\nFetchIntervalSec=10min", keys: ["FetchIntervalSec"]),
        Case(
            lines: """
                [Notifications]
                settingsChanged=signal:USR1
                accountChanged=signal:USR1
                pathsChanged=signal:USR1
                devicesChanged=signal:USR1
                screenChanged=signal:USR1
                signalReceived=signal:USR1
                networkChanged=signal:USR1
                news=signal:USR1
                """,
            keys: [
                "settingsChanged", "accountChanged", "pathsChanged", "screenChanged", "signalReceived",
            ]),
        Case(
            lines:
                "[Notifications]\nWatchSettings=/x\nWatchAccounts=/y\nsettingsChanged=signal:USR1\naccountChanged=signal:USR1",
            keys: []),
        Case(lines: "[Callbacks]\nPerformFetch=signal:USR1", keys: ["PerformFetch"]),
        Case(lines: "[Callbacks]\nPerformFetch=signal:USR1\n[Background]\nModes=fetch", keys: []),
        Case(lines: "[Callbacks]\nPerformProcessing=signal:USR1", keys: ["PerformProcessing"]),
        Case(lines: "[Callbacks]\nPerformProcessing=signal:USR1\n[Background]\nModes=processing", keys: []),
        Case(lines: "[Callbacks]\nOpenURL=exec:/bin/true", keys: ["OpenURL"]),
        Case(lines: "URLSchemes=game\n[Callbacks]\nOpenURL=exec:/bin/true", keys: []),
        Case(lines: "URLSchemes=game", keys: ["URLSchemes"]),
        Case(lines: "URLSchemes=game\nType=app", keys: []),
        Case(
            lines: "[Callbacks]\nProtectedDataDidBecomeAvailable=signal:USR1",
            keys: []),
        Case(
            lines:
                "[Callbacks]\nProtectedDataDidBecomeAvailable=signal:USR1\n[Notifications]\nWatchProtectedPaths=/x",
            keys: []),
        Case(
            lines: "[Callbacks]\nContinueActivity=signal:USR1\nHandleTransferEvents=signal:USR1",
            keys: ["ContinueActivity"]),
        Case(lines: "ActivityTypes=a.b\n[Callbacks]\nContinueActivity=exec:/bin/true", keys: []),
        Case(lines: "ActivityTypes=a.b c.d\n[Callbacks]\nUserActivity=exec:/bin/true", keys: []),
        Case(lines: "[Callbacks]\nUserActivity=exec:/bin/true", keys: ["UserActivity"]),
        Case(lines: "[Callbacks]\nDidEnterBackground=signal:USR1\nWillTerminate=signal:USR1", keys: []),
        Case(lines: "[Foreground]\nIdleSec=10", keys: []),
        Case(lines: "[Foreground]\nIdleSec=infinity", keys: []),
        Case(
            lines: "[Foreground]\nIdleWhen=unconnected\nIdleCPU=5%\nIdlePendingSec=1min\nIdle=observe",
            keys: ["IdleWhen", "IdleCPU", "IdlePendingSec", "Idle"]),
        Case(
            lines:
                "[Foreground]\nIdleSec=1h\nIdleWhen=unconnected\nIdleCPU=infinity\nIdlePendingSec=1min\nIdle=observe",
            keys: []),
        Case(lines: "[Foreground]\nIdleSec=1h\nIdleMaxSec=10s", keys: ["IdleMaxSec"]),
        Case(lines: "[Foreground]\nIdleSec=2h", keys: []),
        Case(lines: "[Foreground]\nIdleSec=0\nIdleCPU=5%", keys: ["IdleCPU"]),
        // What wakes it matters to one that an operator suspends, too.
        Case(
            lines:
                "[Foreground]\nWake=listen\nWakeOn=request\nWakeFrom=any\nWakeNotFrom=10.0.0.5\nWakeLingerSec=0",
            keys: []),
        Case(
            lines: "[Foreground]\nWake=no\nWakeOn=data\nWakeFrom=any\nWakeNotFrom=::1\nWakeLingerSec=1",
            keys: ["WakeOn", "WakeFrom", "WakeNotFrom", "WakeLingerSec"]),
        Case(lines: "[Foreground]\nWake=no\nIdleSec=1h", keys: []),
        Case(lines: "[Foreground]\nWake=held\nWakeFrom=any", keys: ["Wake"]),
        Case(lines: "[Foreground]\nWake=held\nWakeFrom=any\nListenStream=80", keys: []),
    ])
    func `is said with the line, and the definition counts`(_ test: Case) {
        let text = "[Worker]\nExecStart=/bin/true\n\(test.lines)\n"
        let file = ConfigurationFile(
            path: "/w/web.worker", bytes: Array(text.utf8), sections: WorkerDefinition.sectionNames)
        let reading = DefinitionReading<WorkerDefinition>([file], named: "web", context: SpecifierContext())
        #expect(reading.definition != nil)
        #expect(reading.diagnostics.map(\.key) == test.keys, "\(reading.diagnostics)")
        #expect(reading.diagnostics.allSatisfy { $0.severity == .advice && $0.line > 2 })
    }
}
