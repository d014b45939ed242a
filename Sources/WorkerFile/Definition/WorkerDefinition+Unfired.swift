extension WorkerDefinition {
    /// What is read and comes to nothing: what is not acted on yet, hooks that nothing fires, a delay that nothing holds off.
    var unfired: [Contradiction] {
        notActedOn + callbacks.actions.keys.sorted { $0.rawValue < $1.rawValue }.compactMap(unfired)
            + blindIdle + unopened
    }

    /// `URLSchemes=` of a worker that has nothing to take a URL by.
    private var unopened: [Contradiction] {
        guard !urlSchemes.isEmpty, type != .app, callbacks.actions[.openURL] == nil,
            command?.contains(marker: UInt8(ascii: "u")) != true
        else { return [] }
        return [
            Contradiction(
                .advice, key: "URLSchemes", problem: "nothing of the worker takes a URL",
                expected: "OpenURL= in [Callbacks], %u in ExecStart=, or Type=app")
        ]
    }

    private var notActedOn: [Contradiction] {
        func advice(_ key: String, _ what: String) -> Contradiction {
            Contradiction(
                .advice, key: key, problem: "\(what): it is read, and not acted on yet", expected: "")
        }
        var found: [Contradiction] = []
        if !foreground.listenStreams.isEmpty {
            found.append(advice("ListenStream", "no socket is held for the worker"))
        }
        if execution.descriptorStoreMax > 0 {
            found.append(advice("FileDescriptorStoreMax", "no descriptors are stored for the worker"))
        }
        for mode in [BackgroundMode.processing, .transfer] where background.modes.contains(mode) {
            found.append(advice("Modes", "the mode \(mode.rawValue) wakes nothing"))
        }
        return found
    }

    /// What is missing for a callback with a hook to come at all; nil where it comes.
    private func unfired(_ callback: CallbackName) -> Contradiction? {
        func advice(_ expected: String) -> Contradiction {
            Contradiction(.advice, key: callback.key, problem: "nothing fires this hook", expected: expected)
        }
        switch callback {
        case .performFetch: return background.modes.contains(.fetch) ? nil : advice("Modes=fetch too")
        case .openURL: return urlSchemes.isEmpty ? advice("URLSchemes= too") : nil
        case .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable:
            return notifications.protectedPaths.isEmpty ? advice("WatchProtectedPaths= too") : nil
        case .continueActivity, .handleTransferEvents:
            return Contradiction(
                .advice, key: callback.key,
                problem: "nothing fires this hook yet: it is read, and not acted on",
                expected: "")
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive,
            .didEnterBackground,
            .willEnterForeground, .willTerminate, .didReceiveMemoryWarning, .backgroundTaskWillExpire,
            .didReceiveNotifications, .significantTimeChange, .shouldSaveState, .saveState, .restoreState:
            return nil
        }
    }

    /// `IdleSec=` of a worker whose use the supervisor cannot see: a worker with a connection tells of its work itself.
    private var blindIdle: [Contradiction] {
        guard foreground.idle.span != nil, type != .app, !background.modes.contains(.continuous) else {
            return []
        }
        return [
            Contradiction(
                .advice, key: "IdleSec",
                problem:
                    "no use of the worker can be seen, so that the time runs from its activation on, however busy it is",
                expected: "Type=app, or a client that activates the worker for as long as it uses it")
        ]
    }
}
