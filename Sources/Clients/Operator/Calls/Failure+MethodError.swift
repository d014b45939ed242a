package import ControlAPI
package import Varlink

extension SupervisorInterface.PostObstacle {
    /// Whether the same post is not taken at another time either.
    package var isLasting: Bool {
        switch self {
        case .notWanted, .wrongRule, .tooLarge, .tooManyMembers, .past, .tooOften: true
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
                .noSuchWorker, "no worker is called “\(text("name"))”, or matches it; see 'torpor list'",
                isNoSuchWorker: true)
        case .invalidName:
            return Failure(.usage, "“\(text("name"))” cannot be the name of a worker: \(text("why"))")
        case .workerMasked:
            return Failure(
                .configuration,
                "\(text("name")) is masked: \(text("file")) is a link to /dev/null; remove it and 'torpor reload'"
            )
        case .badDefinition: return badDefinition(parameters)
        case .goalNotReached:
            // Its goal may be another one by now, and reached.
            let place = text("state") == text("goal") ? "" : ", not \(text("goal"))"
            return Failure(.tryAgain, "\(text("name")) is \(text("state"))\(place): \(text("why"))")
        case .launchFailed: return Failure(.configuration, "\(text("name")): \(text("why"))")
        case .unsupported: return Failure(.usage, "\(text("name")): \(text("why"))")
        case .refused: return Failure(.tryAgain, "\(text("name")) cannot do that now: \(text("why"))")
        case .hookFailed: return Failure(.tryAgain, "\(text("name")): \(text("why"))")
        case .tryAgain: return Failure(.tryAgain, text("why"))
        case .alreadyExists:
            return Failure(
                .usage, "there is a worker called “\(text("name"))” already; choose another --name")
        case .noSuchScheme:
            return Failure(
                .usage,
                "no worker opens “\(text("scheme"))” URLs; its file would say URLSchemes=\(text("scheme"))")
        case .notPosted:
            let obstacle = parameters["obstacle"]?.string.flatMap(SupervisorInterface.PostObstacle.init)
            let status: OperatorExit = obstacle?.isLasting ?? false ? .usage : .tryAgain
            return Failure(status, "\(text("name")) does not take that: \(text("why"))")
        case .noSuchNotification:
            let number = parameters["sequence"]?.int.map { "\($0)" } ?? "?"
            let isRetry = member == "RetryNotification"
            return Failure(
                .usage,
                "\(text("name")) has no notification of the number \(number)\(isRetry ? " that is set aside" : ""); see 'torpor notifications \(text("name"))'"
            )
        case .noSuchSchedule:
            let number = parameters["id"]?.int.map { "\($0)" } ?? "?"
            return Failure(.usage, "nothing of the number \(number) is scheduled for \(text("name"))")
        case .shuttingDown:
            return Failure(.tryAgain, "the supervisor is shutting down and starts nothing any more")
        case .notReplaced:
            return Failure(.tryAgain, "the supervisor goes on as it is: \(text("why"))")
        case .tooManyConnections:
            let limit = parameters["limit"]?.int.map { " (\($0) at most)" } ?? ""
            return Failure(
                .tryAgain, "you have too many connections to the supervisor\(limit); close some and try again"
            )
        case .slowReader:
            return Failure(.tryAgain, "cut off by the supervisor: its messages were not read fast enough")
        }
    }

    /// The errors that every Varlink service may answer.
    private static func general(_ error: MethodError, _ method: String, _ member: String) -> Failure? {
        func text(_ key: String) -> String { error.parameters[key]?.string ?? "?" }
        switch error.name {
        case "org.varlink.service.PermissionDenied":
            return Failure(
                .notAllowed,
                "not allowed: that is for root, the supervisor's own user and the operators' group")
        case "org.varlink.service.InvalidParameter":
            return Failure(.usage, Self.problem(with: text("parameter"), of: member))
        case "org.varlink.service.MethodNotImplemented":
            let reason = text("method")
            return Failure(
                .unavailable,
                "the supervisor there does not do that" + (reason == method ? "" : ": \(reason)"),
                isNotOffered: true)
        case "org.varlink.service.MethodNotFound",
            "org.varlink.service.InterfaceNotFound":
            return Failure(
                .unavailable,
                "the supervisor does not know \(member); it is of another version than this command, see 'torpor status'"
            )
        default: return nil
        }
    }

    /// What is wrong with what was typed, by the parameter that it came to be.
    private static func problem(with parameter: String, of method: String) -> String {
        switch "\(method).\(parameter)" {
        case "Post.topic":
            "that is no topic; expected a lowercase letter, then letters, digits, “.”, “-” and “_”, 128 at most"
        case "Post.rule": "members that are added or removed merge by the rule set; give that one, or none"
        case "Post.payload": "the payload is no JSON object"
        case "Open.url":
            "that is no URL; expected a scheme, a colon and the rest, without blanks and in 64 KiB, as https://example.org"
        case "Send.text": "the text has more than one line; send one line at a time"
        case "Hold.limitUsec": "the limit is no time that a worker could be held for"
        case "LaunchTransient.arguments": "there is no command; give one behind --"
        case "List.names", "Watch.names", "Report.names", "History.names":
            "too many names, or too long ones; ask for fewer at once"
        default: "the supervisor does not accept the value of “\(parameter)”"
        }
    }

    private static func badDefinition(_ parameters: JSON.Object) -> Failure {
        var place = parameters["file"]?.string ?? parameters["name"]?.string ?? "?"
        if let line = parameters["line"]?.int { place += ":\(line)" }
        if let key = parameters["key"]?.string { place += ": \(key)=" }
        return Failure(.configuration, "\(place): \(parameters["message"]?.string ?? "it does not hold")")
    }

    private static func unknown(_ error: MethodError) -> Failure {
        Failure(.unavailable, "the supervisor answers \(error.name) \(JSON.object(error.parameters).text)")
    }
}
