package import ControlAPI
package import Varlink

extension SupervisorInterface.PostObstacle {
    /// Whether the same post is not taken at another time either.
    package var isLasting: Bool {
        switch self {
        case .notWanted, .wrongRule, .tooLarge, .tooManyMembers, .past, .tooOften, .notAllowed: true
        case .notRunning, .tooManyTopics, .full, .notKept, .tooManySchedules: false
        }
    }
}

extension Failure {
    /// What an error that the supervisor answered to `method` means to the operator.
    package init(_ error: MethodError, calling method: String) {
        let member = method.split(separator: ".").last.map(String.init) ?? method
        if let name = SupervisorInterface.ErrorName(rawValue: error.name) {
            self = Self.known(name, error.parameters, member)
        } else {
            self = Self.general(error, method, member) ?? Self.unknown(error)
        }
    }

    private static func known(
        _ error: SupervisorInterface.ErrorName, _ parameters: JSON.Object, _ member: String
    ) -> Failure {
        func text(_ key: String) -> String { parameters[key]?.string ?? "?" }
        switch error {
        case .noSuchWorker:
            return Failure(
                .noSuchWorker, "no worker is named “\(text("name"))” or matches it; see 'torpor list'",
                isNoSuchWorker: true)
        case .invalidName:
            return Failure(.usage, "invalid worker name “\(text("name"))”: \(text("why"))")
        case .workerMasked:
            return Failure(
                .configuration,
                "\(text("name")) is masked: \(text("file")) is a link to /dev/null; remove it and run 'torpor reload'"
            )
        case .badDefinition: return badDefinition(parameters)
        case .goalNotReached:
            // Its goal may be another one by now, and reached.
            let place = text("state") == text("goal") ? "" : ", not \(text("goal"))"
            return Failure(.tryAgain, "\(text("name")) is \(text("state"))\(place): \(text("why"))")
        case .launchFailed: return Failure(.configuration, "\(text("name")): \(text("why"))")
        case .unsupported: return Failure(.usage, "\(text("name")): \(text("why"))")
        case .refused:
            return Failure(
                .tryAgain, "\(text("name")) cannot \(Self.deeds[member] ?? "do that") now: \(text("why"))")
        case .hookFailed: return Failure(.tryAgain, "\(text("name")): \(text("why"))")
        case .tryAgain: return Failure(.tryAgain, text("why"))
        case .alreadyExists:
            return Failure(
                .usage, "a worker named “\(text("name"))” already exists; choose another --name")
        case .noSuchScheme:
            return Failure(
                .usage,
                "no worker opens “\(text("scheme"))” URLs; set URLSchemes=\(text("scheme")) in the file of one"
            )
        case .noTaker:
            return Failure(
                .usage,
                "no other worker continues activities of the type “\(text("type"))”; set ActivityTypes=\(text("type")) in the file of one"
            )
        case .noSuchHandoff:
            return Failure(
                .tryAgain, "the handoff is over: the supervisor does not wait for its end any more")
        case .notPosted:
            let obstacle = parameters["obstacle"]?.string.flatMap(SupervisorInterface.PostObstacle.init)
            let status: OperatorExit = obstacle?.isLasting ?? false ? .usage : .tryAgain
            return Failure(status, "\(text("name")) does not accept the post: \(text("why"))")
        case .noSuchInterruption:
            return Failure(.usage, "\(text("name")): \(text("why")); see 'torpor status \(text("name"))'")
        case .noSuchTransfer:
            return Failure(.usage, "\(text("name")): \(text("why")); see 'torpor transfers'")
        case .transferNotBegun:
            return Failure(.configuration, "\(text("name")): the transfer was not begun: \(text("why"))")
        case .noSuchNotification:
            let number = parameters["sequence"]?.int.map { "\($0)" } ?? "?"
            let isRetry = member == "RetryNotification"
            return Failure(
                .usage,
                "\(text("name")) has no notification with number \(number)\(isRetry ? " that is set aside" : ""); see 'torpor notifications \(text("name"))'"
            )
        case .noSuchSchedule:
            let number = parameters["id"]?.int.map { "\($0)" } ?? "?"
            return Failure(.usage, "no post with number \(number) is scheduled for \(text("name"))")
        case .shuttingDown:
            return Failure(.tryAgain, "the supervisor is shutting down and does not start workers")
        case .notReplaced:
            return Failure(.tryAgain, "the supervisor was not replaced: \(text("why"))")
        case .tooManyConnections:
            guard parameters["why"]?.string == nil else {
                return Failure(.tryAgain, "the supervisor cannot accept another connection: \(text("why"))")
            }
            let limit = parameters["limit"]?.int.map { " (limit: \($0))" } ?? ""
            return Failure(
                .tryAgain,
                "too many connections to the supervisor for this user\(limit); close some and try again"
            )
        case .slowReader:
            return Failure(
                .tryAgain, "disconnected by the supervisor: its messages were not read fast enough")
        }
    }

    /// What a worker cannot do that refuses a call, by the call.
    private static let deeds = [
        "Launch": "be launched", "Restart": "be restarted", "Activate": "become active",
        "Resign": "become inactive",
        "Background": "go to the background", "Suspend": "be suspended", "Resume": "be resumed",
        "Terminate": "be stopped",
        "Kill": "be killed", "Open": "open the URL", "Send": "be sent to", "Attach": "be attached to",
    ]

    /// The errors that every Varlink service may answer.
    private static func general(_ error: MethodError, _ method: String, _ member: String) -> Failure? {
        func text(_ key: String) -> String { error.parameters[key]?.string ?? "?" }
        switch error.name {
        case "org.varlink.service.PermissionDenied":
            let group =
                SupervisorInterface.defining.contains(method)
                ? "definers' group (DefinersGroup=)" : "operators' group (OperatorsGroup=)"
            return Failure(
                .notAllowed,
                "permission denied: only root, the supervisor's own user and members of the \(group) may do this"
            )
        case "org.varlink.service.InvalidParameter":
            return Failure(.usage, Self.problem(with: text("parameter"), of: member))
        case "org.varlink.service.MethodNotImplemented":
            let reason = text("method")
            return Failure(
                .unavailable,
                "the supervisor does not support this" + (reason == method ? "" : ": \(reason)"),
                isNotOffered: true)
        case "org.varlink.service.MethodNotFound",
            "org.varlink.service.InterfaceNotFound":
            return Failure(
                .unavailable,
                "the supervisor does not know \(member); its version differs from that of this command, see 'torpor status'",
                isNotOffered: true)
        default: return nil
        }
    }

    /// What is wrong with what was typed, by the parameter that it came to be.
    private static func problem(with parameter: String, of method: String) -> String {
        switch "\(method).\(parameter)" {
        case "Post.topic":
            "invalid topic; expected a lowercase letter, then letters, digits, “.”, “-” and “_”, at most 128 characters"
        case "Post.rule": "--add and --remove require the rule set; use --rule=set, or omit --rule"
        case "Post.payload": "the payload is not a JSON object"
        case "Open.url", "CanOpen.url":
            "invalid URL; expected a scheme, a colon and the rest, without spaces and at most 64 KiB, such as https://example.org"
        case "GiveActivity.type":
            "invalid type of activity; expected a letter, then letters, digits, “.”, “-” and “_”, at most 128, such as org.example.editing"
        case "GiveActivity.payload", "TakeActivity.payload": "the state is larger than 64 KiB"
        case "Send.text": "the text has more than one line; send one line at a time"
        case "Hold.limitUsec": "invalid limit for a hold"
        case "Interrupt.limitUsec", "Post.alertLimitUsec": "invalid limit for an interruption"
        case "Post.alert": "an alert cannot be scheduled, and cannot wake or move the worker"
        case "BeginTransfer.command": "the command is too long: at most 64 KiB and 4096 words"
        case "BeginTransfer.limitUsec": "invalid limit for a transfer"
        case "LaunchTransient.arguments": "no command given; put it after --"
        case "List.names", "Watch.names", "Report.names", "History.names", "Activities.names":
            "too many names, or names that are too long; request fewer at once"
        default: "the supervisor does not accept the value of “\(parameter)”"
        }
    }

    private static func badDefinition(_ parameters: JSON.Object) -> Failure {
        var place = parameters["file"]?.string ?? parameters["name"]?.string ?? "?"
        if let line = parameters["line"]?.int { place += ":\(line)" }
        if let key = parameters["key"]?.string { place += ": \(key)=" }
        return Failure(.configuration, "\(place): \(parameters["message"]?.string ?? "it is invalid")")
    }

    private static func unknown(_ error: MethodError) -> Failure {
        Failure(
            .unavailable,
            "unexpected error from the supervisor: \(error.name) \(JSON.object(error.parameters).text)")
    }
}
