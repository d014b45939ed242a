package import ControlAPI

/// What can be done with a worker by a key, and what that does, in words.
package enum TopVerb: String, Hashable, Sendable, CaseIterable {
    case launch, activate, resign, background, suspend, resume, restart, reload, terminate, kill

    /// The key.
    package var key: Unicode.Scalar {
        switch self {
        case .launch: "L"
        case .activate: "a"
        case .resign: "i"
        case .background: "b"
        case .suspend: "s"
        case .resume: "r"
        case .restart: "R"
        case .reload: "e"
        case .terminate: "t"
        case .kill: "K"
        }
    }

    /// What it does, of whatever worker.
    package var sentence: String {
        switch self {
        case .launch: "launches those that do not run, and moves the others to the foreground"
        case .activate: "moves it to the foreground, and launches it if it does not run"
        case .resign: "makes an active worker inactive until it is activated"
        case .background: "moves it to the background and keeps it there"
        case .suspend: "moves it to the background, then stops it; its memory is kept"
        case .resume: "wakes it and restores the goal that it had"
        case .restart: "stops it gracefully and launches it again"
        case .reload: "has it read its own configuration again (ExecReload=)"
        case .terminate: "stops it gracefully; its stop time limits how long that takes"
        case .kill: "kills it at once, without telling it; no event launches it again until an operator does"
        }
    }

    /// What it does, in a few words.
    var summary: String {
        switch self {
        case .launch: "launches it, or moves it to the foreground"
        case .activate: "moves it to the foreground, or launches it"
        case .resign: "makes an active worker inactive"
        case .background: "moves it to the background and keeps it there"
        case .suspend: "stops it, through the background; its memory is kept"
        case .resume: "wakes it and restores the goal that it had"
        case .restart: "stops it gracefully and launches it again"
        case .reload: "has it read its own configuration again"
        case .terminate: "stops it gracefully"
        case .kill: "kills it at once; no event launches it again"
        }
    }

    /// What it does with a worker in that state.
    package func sentence(from state: SupervisorInterface.State) -> String {
        switch (self, state) {
        case (.launch, .notRunning), (.activate, .notRunning): "launches it into the foreground"
        case (.launch, .suspended), (.activate, .suspended): "wakes it and moves it to the foreground"
        case (.launch, .active), (.activate, .active): "changes nothing: it is in the foreground"
        case (.launch, .inactive), (.activate, .inactive), (.launch, .background), (.activate, .background):
            "moves it to the foreground"
        case (.resign, .active): "makes it inactive until it is activated"
        case (.resign, _): "is refused: it is not active"
        case (.background, .notRunning): "launches it into the background"
        case (.background, .suspended): "wakes it and keeps it in the background"
        case (.background, .background): "keeps it in the background"
        case (.background, .active), (.background, .inactive): sentence
        case (.suspend, .notRunning): "is refused: it does not run"
        case (.suspend, .suspended): "keeps it suspended"
        case (.suspend, .background): "stops it; its memory is kept"
        case (.suspend, .active), (.suspend, .inactive): sentence
        case (.resume, .notRunning): "is refused: it does not run"
        case (.resume, .suspended): sentence
        case (.resume, _): "changes nothing unless another program has stopped it: it is awake"
        case (.restart, .notRunning): "launches it into the foreground"
        case (.restart, _): sentence
        case (.reload, .notRunning): "is refused: it does not run"
        case (.reload, .suspended): "wakes it, and " + sentence
        case (.reload, _): sentence
        case (.terminate, .notRunning): "drops a restart that is due; it does not run"
        case (.terminate, _): sentence
        case (.kill, .notRunning): "keeps every event from launching it until an operator does"
        case (.kill, _): sentence
        }
    }
}
