import Idleness
import Lifecycle
import Testing

@testable import ConfigurationSyntax
@testable import WorkerFile

@Suite struct `Worker definition` {
    private func read(_ texts: String..., name: String = "web") -> DefinitionReading<WorkerDefinition> {
        let files = texts.enumerated().map { index, text in
            ConfigurationFile(
                path: "f\(index)", bytes: Array(text.utf8), sections: Set(WorkerDefinition.sections))
        }
        return DefinitionReading(files, named: "f0", context: SpecifierContext(worker: try? WorkerName(name)))
    }

    /// The example of the specification, whose comments stand behind values.
    private let example = """
        [Worker]
        Description=Minecraft
        ExecStart=/usr/bin/java -Xmx4G -jar server.jar nogui
        WorkingDirectory=/srv/minecraft
        User=minecraft
        Type=simple                      # notify (sd_notify), app (the whole contract)
        Launch=on-demand                 # boot, boot-background, on-demand, prelaunch
        Restart=on-failure

        [Foreground]
        ListenStream=0.0.0.0:25565       # held by the supervisor while nobody is there to accept
        IdleSec=10min
        ForegroundGroup=games

        [Background]
        Modes=remote-notification        # continuous, fetch, remote-notification
        TaskLimitSec=10min
        FetchIntervalSec=1h
        CPUWeight=10

        [Memory]
        MemoryMax=6G
        Evictable=graceful               # silent, graceful, no
        Priority=10

        [Callbacks]
        DidEnterBackground=stdin:save-all flush
        DidEnterBackgroundCompletes=output:Saved the game
        WillTerminate=stdin:stop

        [Notifications]
        settingsChanged=stdin:reload
        WatchSettings=/srv/minecraft/server.properties
        significantTimeChange=signal:SIGUSR1
        """

    @Test func `reads the specification's example`() throws {
        let reading = read(example)
        let worker = try #require(reading.definition, "\(reading.diagnostics)")
        let warnings = reading.diagnostics.filter { $0.severity == .warning }
        #expect(warnings.map(\.line) == [6, 7, 11, 16, 23], "comments behind values are warned of")
        let advice = reading.diagnostics.filter { $0.severity == .advice }
        #expect(advice.isEmpty)
        #expect(
            worker.command?.argumentVector() == ["/usr/bin/java", "-Xmx4G", "-jar", "server.jar", "nogui"])
        #expect(worker.execution.user == .name("minecraft") && worker.restart.policy == .onFailure)
        #expect(worker.foreground.listens == [HeldSocket(.stream, .ipv4(address: 0, port: 25565))])
        #expect(worker.foreground.idle == .after(.seconds(600)) && worker.foreground.group?.text == "games")
        #expect(
            worker.background.modes == [.remoteNotification] && worker.background.cpuWeight == .weight(10))
        #expect(worker.memory.max == .bytes(ByteSize(bytes: 6 << 30)) && worker.memory.priority == 10)
        #expect(worker.evictability() == .graceful)
        #expect(worker.callbacks.actions[.didEnterBackground] == .stdin("save-all flush"))
        #expect(
            worker.completion(of: .didEnterBackground)
                == .output(try OutputPattern(parsing: "Saved the game")))
        #expect(worker.completion(of: .willTerminate) == .immediately)
        #expect(worker.notifications.actions["settingsChanged"] == .stdin("reload"))
        #expect(worker.notifications.actions["significantTimeChange"] == .signal(SignalNumber(number: 10)))
        #expect(worker.effectiveStandardInput == .pipe)
    }

    @Test func `later files go over earlier ones, and an empty value resets`() throws {
        let base = "[Worker]\nExecStart=a\nEnvironment=A=1 'B=2 3'\nNice=5\nKillSignal=INT\nLimitNOFILE=5\n"
        let worker = try #require(
            read(
                base + "[Background]\nModes=fetch path\n",
                "[Worker]\nExecStart=\nExecStart=b\nEnvironment=C=4\nNice=\nLimitNOFILE=\n[Background]\nModes=\nModes=device\n"
            ).definition)
        #expect(worker.command?.program == "b")
        #expect(worker.execution.environment.map(\.description) == ["A=1", "B=2 3", "C=4"])
        #expect(worker.execution.nice == nil && worker.restart.stopSignal.name == "INT")
        #expect(worker.execution.limits.isEmpty && worker.background.modes == [.device])
        #expect(read(base, "[Worker]\nEnvironment=\n").definition?.execution.environment.isEmpty == true)
        #expect(read(base, "[Worker]\nExecStart=b\n").definition == nil, "a second command is an error")
    }

    struct Bad: Sendable, CustomTestStringConvertible {
        let text: String, diagnostic: String
        var testDescription: String { text }
    }

    @Test(arguments: [
        Bad(
            text: "[Worker]\nExecStart=a\nRestart=sometimes",
            diagnostic:
                "f0:3: Restart=: got “sometimes”; expected no, always, on-success, on-failure, on-abnormal, on-watchdog or on-abort"
        ),
        Bad(
            text: "[Worker]\nExecStart=a\n[Memory]\nMemoryMax=6GB",
            diagnostic:
                "f0:4: MemoryMax=: got “6GB”; expected a size above 0 such as 512M or 6G, a percentage of memory, or infinity"
        ),
        Bad(
            text: "[Worker]\nExecStart=a\nNice=20",
            diagnostic: "f0:3: Nice=: got “20”; expected an integer from -20 to 19"),
        Bad(
            text: "[Worker]\nNice=1",
            diagnostic: "f0: ExecStart=: missing; expected a command line: a program and its arguments"),
        Bad(
            text: "[Worker]\nExecStart=a\n[Callbacks]\nWillTerminate=signal:INT\nWillTerminateCompletes=exit",
            diagnostic:
                "f0:5: WillTerminateCompletes=: only a command can exit; expected immediately, notify or output:REGEX for “signal:” and “stdin:”"
        ),
        Bad(
            text: "[Worker]\nExecStart=a\n[Callbacks]\nOpenURLCompletes=exit",
            diagnostic: "f0:4: OpenURLCompletes=: no hook to complete; expected OpenURL= as well"),
        Bad(
            text: "[Worker]\nExecStart=a\nStandardInput=null\n[Callbacks]\nWillTerminate=stdin:x",
            diagnostic:
                "f0:3: StandardInput=: a “stdin:” hook has nothing to write to; expected pipe, or no StandardInput="
        ),
        Bad(
            text: "[Worker]\nExecStart=a\n[Notifications]\nb/c=signal:INT",
            diagnostic:
                "f0:4: b/c=: got “b/c”; expected a topic: a lowercase letter, then letters, digits, “.”, “-” and “_”, at most 128"
        ),
    ])
    func `a bad value is an error that says what was expected`(_ row: Bad) {
        let reading = read(row.text)
        #expect(reading.definition == nil)
        #expect(reading.diagnostics.map(\.description) == [row.diagnostic])
    }

    @Test func `an unknown key is a warning, an X- key is nothing`() throws {
        let reading = read(
            "[Worker]\nExecStart=a\nX-Foo=1\nMemoryMax=1G\nType\u{0301}=b\nColour=red\n[Notifications]\nWatchFoo=/x"
        )
        #expect(reading.definition != nil)
        #expect(reading.diagnostics.map(\.severity) == [.warning, .warning, .warning, .warning])
        #expect(
            reading.diagnostics.first?.description
                == "f0:4: MemoryMax=: ignoring an unknown key in [Worker]; expected it in [Memory]")
    }

    @Test func `what is wrong is told in the order of its lines, syntax and values alike`() {
        let reading = read(
            "[Worker]\nExecStart=a\nType=sometimes\nno assignment\nRestartSec=soon\n[Nothing]\nA=1\n")
        #expect(reading.diagnostics.map(\.line) == [3, 4, 5, 6], "\(reading.diagnostics)")
    }

    @Test(arguments: [
        ("[Worker]\nExecStrat=a", "did you mean ExecStart=?"),
        ("[Worker]\nexecstart=a", "did you mean ExecStart=?"),
        ("[Worker]\nMemoryMaxx=1G", "did you mean MemoryMax= in [Memory]?"),
        ("[Wroker]\nExecStart=a", "did you mean [Worker]?"),
        ("[worker]\nExecStart=a", "did you mean [Worker]?"),
    ])
    func `an unknown key or section is told with the one that was meant`(_ row: (text: String, hint: String))
    {
        let told = read(row.text).diagnostics.map(\.description)
        #expect(told.contains { $0.hasSuffix(row.hint) }, "\(told)")
    }

    @Test func `a value that is bad in its middle leaves nothing behind`() {
        let reading = read("[Worker]\nExecStart=a\nEnvironment=A=1 B")
        #expect(reading.definition == nil && reading.diagnostics.count == 1)
    }

    @Test func `defaults depend on the type`() throws {
        let simple = try #require(read("[Worker]\nExecStart=a").definition)
        let app = try #require(read("[Worker]\nExecStart=a\nType=app").definition)
        #expect(simple.startTimeout == .after(.seconds(90)) && app.startTimeout == .after(.seconds(20)))
        #expect(simple.stopTimeout == .after(.seconds(90)) && app.stopTimeout == .after(.seconds(5)))
        #expect(simple.timeout(for: .didEnterBackground) == .after(.seconds(30)) && !simple.overrunKills)
        #expect(app.timeout(for: .didEnterBackground) == .after(.seconds(5)) && app.overrunKills)
        #expect(
            app.timeout(for: .willResignActive) == .after(.seconds(10))
                && app.resumeTimeout == .after(.seconds(10)))
        #expect(
            app.timeout(for: .performFetch) == .after(.seconds(30))
                && app.timeout(for: .willTerminate) == app.stopTimeout)
        #expect(simple.effectiveNotifyAccess == .none && app.effectiveNotifyAccess == .main)
        #expect(simple.evictability() == .graceful && simple.evictability(hasReceiver: true) == .silent)
        #expect(simple.effectiveStandardInput == .null && simple.watchdog == nil)
        #expect(simple.weights(inForeground: true) == (.weight(100), 100))
        #expect(simple.weights(inForeground: false) == (.weight(10), 10))
        for (lines, access) in [
            ("Type=notify\nNotifyAccess=none", NotifyAccess.main), ("Type=notify", .main),
            ("WatchdogSec=3", .main), ("WatchdogSec=3\nNotifyAccess=none", .main),
            ("NotifyAccess=none", .none), ("Type=app\nNotifyAccess=none", .none),
            ("Type=notify\nNotifyAccess=exec", .exec), ("NotifyAccess=all", .all),
        ] {
            let definition = try #require(read("[Worker]\nExecStart=a\n" + lines).definition)
            #expect(definition.effectiveNotifyAccess == access, "\(lines)")
        }
        let set = try #require(
            read(
                "[Worker]\nExecStart=a\nTimeoutSec=0\nWatchdogSec=3\n[Background]\nTaskLimitSec=20s\n[Callbacks]\nSaveStateTimeoutSec=1"
            ).definition)
        #expect(set.startTimeout == .infinity && set.stopTimeout == .infinity && set.watchdog == .seconds(3))
        // It is not written, so it is a tenth.
        #expect(set.taskWarning == .seconds(2) && set.timeout(for: .saveState) == .after(.seconds(1)))
    }

    @Test(arguments: [
        ("", 6_000_000, 600_000), ("TaskWarningSec=5s", 6_000_000, 5_000_000),
        ("TaskWarningSec=9s", 6_000_000, 6_000_000),
    ])
    func `TaskWarningSec= is obeyed as it is written`(_ line: String, _ limit: Int64, _ warning: Int64) throws
    {
        let definition = try #require(
            read("[Worker]\nExecStart=a\n[Background]\nTaskLimitSec=\(limit)us\n\(line)\n").definition)
        #expect(definition.taskWarning.microseconds == warning)
        let limits = Policy(definition).limits
        #expect(limits.taskWarning == (line.isEmpty ? nil : definition.background.taskWarning))
    }

    @Test func `hooks that complete immediately prove nothing`() throws {
        let definition = try #require(
            read(
                """
                [Worker]
                ExecStart=a
                [Callbacks]
                DidEnterBackground=signal:USR1
                WillResignActive=signal:USR1
                WillResignActiveCompletes=notify
                DidBecomeActive=exec:/bin/a
                PerformFetch=stdin:fetch
                SaveState=exec:/bin/b
                SaveStateCompletes=immediately
                [Notifications]
                settingsChanged=signal:HUP
                """
            ).definition)
        let policy = Policy(definition)
        #expect(
            policy.immediateHooks
                == CallbackSet([.didEnterBackground, .performFetch, .saveState, .didReceiveNotifications]))
        #expect(policy.quiet == QuietPolicy())
        #expect(definition.evictability() == .graceful)
        #expect(definition.evictability(hasReceiver: true) == .silent)
    }

    @Test func `QuietSec= is how long a worker has to be quiet, and zero waits for nothing`() throws {
        for (text, window) in [("2s", TimeSpan?.some(.seconds(2))), ("0", nil)] {
            let definition = try #require(
                read("[Worker]\nExecStart=a\n[Background]\nQuietSec=\(text)\n").definition)
            #expect(Policy(definition).quiet?.window == window)
        }
    }

    @Test func `PerformFetchTimeoutSec= is no limit of notifications`() throws {
        let definition = try #require(
            read("[Worker]\nExecStart=a\n[Callbacks]\nPerformFetchTimeoutSec=5min\n").definition)
        #expect(Policy(definition).limits.activity == .seconds(30))
        #expect(Policy(definition).limits.own[.performFetch] == .some(.seconds(300)))
    }

    @Test func `tells which keys changed`() throws {
        let old = try #require(
            read("[Worker]\nExecStart=a\nNice=1\n[Callbacks]\nOpenURL=signal:HUP").definition)
        let new = try #require(
            read("[Worker]\nExecStart=a\nNice=2\nLimitNPROC=5\n[Notifications]\nx.y=signal:HUP").definition)
        #expect(old.changedKeys(from: old).isEmpty)
        #expect(
            new.changedKeys(from: old) == [
                "Worker.Nice", "Worker.LimitNPROC", "Callbacks.OpenURL", "Notifications.x.y",
            ])
    }

    @Test func `every directive takes something, refuses garbage and is told apart`() {
        let context = SpecifierContext(worker: try? WorkerName("web"))
        #expect(WorkerDefinition.index.count == WorkerDefinition.directives.count, "no key stands twice")
        #expect(DaemonDefinition.index.count == DaemonDefinition.directives.count)
        for directive in WorkerDefinition.directives where directive.key != "Description" {
            #expect(!directive.summary.isEmpty && !directive.expectation.isEmpty)
            var worker = WorkerDefinition()
            #expect(throws: ValueError.self, "\(directive.key)") {
                try directive.assign(&worker, "\u{1}'(%", context)
            }
            #expect(worker == WorkerDefinition())
        }
    }

    /// Ten thousand workers are to fit into some dozen megabytes.
    @Test func `is small enough to keep for every worker`() {
        #expect(MemoryLayout<WorkerDefinition>.size <= 1536, "\(MemoryLayout<WorkerDefinition>.size)")
    }
}
