internal import ConfigurationSyntax
internal import Lifecycle
internal import Processing

extension WorkerDefinition {
    /// What is read and comes to nothing: hooks that nothing fires, a delay that nothing holds off.
    var unfired: [Contradiction] {
        callbacks.actions.keys.sorted { $0.rawValue < $1.rawValue }.compactMap(unfired)
            + unfiredTopics + blindModes + idleAdvice + unopened + unoffered
    }

    /// `URLSchemes=` of a worker that has nothing to take a URL by.
    private var unopened: [Contradiction] {
        guard !urlSchemes.isEmpty, type != .app, callbacks.actions[.openURL] == nil,
            command?.contains(marker: UInt8(ascii: "u")) != true
        else { return [] }
        return [
            Contradiction(
                .advice, key: "URLSchemes", problem: "the worker has no receiver for URLs",
                expected: "OpenURL= in [Callbacks], %u in ExecStart=, or Type=app")
        ]
    }

    /// `UserActivity=` without a type of activity.
    private var unoffered: [Contradiction] {
        guard callbacks.userActivity != nil, activityTypes.isEmpty else { return [] }
        return [
            Contradiction(
                .advice, key: "UserActivity", problem: "this hook is never called",
                expected: "ActivityTypes= as well")
        ]
    }

    /// What is missing for a callback with a hook to come at all; nil where it comes.
    private func unfired(_ callback: Callback) -> Contradiction? {
        func advice(_ expected: String) -> Contradiction {
            Contradiction(
                .advice, key: callback.key, problem: "this hook is never called", expected: expected)
        }
        switch callback {
        case .performProcessing:
            return background.modes.contains(.processing) ? nil : advice("Modes=processing as well")
        case .performFetch: return background.modes.contains(.fetch) ? nil : advice("Modes=fetch as well")
        case .openURL: return urlSchemes.isEmpty ? advice("URLSchemes= as well") : nil
        case .continueActivity: return activityTypes.isEmpty ? advice("ActivityTypes= as well") : nil
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive,
            .didEnterBackground,
            .willEnterForeground, .willTerminate, .didReceiveMemoryWarning, .backgroundTaskWillExpire,
            .didReceiveNotifications, .handleTransferEvents, .significantTimeChange, .shouldSaveState,
            .saveState, .restoreState,
            // The lock of the session fires these, without any WatchProtectedPaths=.
            .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable:
            return nil
        }
    }

    /// Hooks for topics of the supervisor's own that it never posts to this worker.
    private var unfiredTopics: [Contradiction] {
        notifications.actions.keys.sorted().compactMap { topic in
            let missing: String? =
                switch topic {
                case "settingsChanged": notifications.settings.isEmpty ? "WatchSettings= as well" : nil
                case "accountChanged": notifications.accounts.isEmpty ? "WatchAccounts= as well" : nil
                case "pathsChanged": notifications.paths.isEmpty ? "WatchPaths= as well" : nil
                case "screenChanged", "signalReceived": "'torpor run', the only program that posts it"
                default: nil
                }
            return missing.map {
                Contradiction(
                    .advice, key: topic, problem: "the supervisor never posts this topic to the worker",
                    expected: $0)
            }
        }
    }

    /// The directives for long work that say something else than the defaults.
    private var unusedProcessing: [String] {
        let (own, usual) = (background.processing, ProcessingSettings())
        let said: [(String, Bool)] = [
            ("ProcessingIntervalSec", own.interval != usual.interval),
            ("ProcessingLimitSec", own.limit != usual.limit),
            ("ProcessingIdleSec", own.idle != usual.idle), ("ConditionACPower", own.power != usual.power),
            ("ConditionCPUPressure", own.cpu != usual.cpu),
            ("ConditionMemoryPressure", own.memory != usual.memory),
            ("ConditionIOPressure", own.io != usual.io),
        ]
        return said.filter(\.1).map(\.0)
    }

    /// Wakes that cannot come: a mode without what it watches, an interval without the mode.
    private var blindModes: [Contradiction] {
        var found: [Contradiction] = []
        if background.modes.contains(.path), notifications.paths.isEmpty {
            found.append(
                Contradiction(
                    .advice, key: "Modes", problem: "the mode path wakes nothing",
                    expected: "WatchPaths= in [Notifications]"))
        }
        if background.modes.contains(.device), notifications.devices.isEmpty {
            found.append(
                Contradiction(
                    .advice, key: "Modes", problem: "the mode device wakes nothing",
                    expected: "WatchDevices= in [Notifications]"))
        }
        if background.fetchInterval != Background().fetchInterval, !background.modes.contains(.fetch) {
            found.append(
                Contradiction(
                    .advice, key: "FetchIntervalSec", problem: "this interval is not used",
                    expected: "Modes=fetch"))
        }
        if !background.modes.contains(.processing) {
            found += unusedProcessing.map {
                Contradiction(
                    .advice, key: $0, problem: "this directive is not used", expected: "Modes=processing")
            }
        }
        let waking: Set<BackgroundMode> = [.fetch, .remoteNotification, .path, .device]
        if background.wakeBudget != Background().wakeBudget, background.modes.isDisjoint(with: waking) {
            found.append(
                Contradiction(
                    .advice, key: "WakeBudget", problem: "nothing is counted against this budget",
                    expected: "Modes=fetch, remote-notification, path or device"))
        }
        return found
    }
}
