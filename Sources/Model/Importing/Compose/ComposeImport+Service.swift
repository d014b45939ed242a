internal import ConfigurationSyntax

extension ComposeImport {
    /// Takes one key of a service that is no part of its command or environment.
    mutating func take(
        _ entry: ComposeDocument.Entry, _ document: inout ComposeDocument, _ draft: inout WorkerDraft
    )
        throws(ImportFailure)
    {
        func text() throws(ImportFailure) -> String { try document.text(entry.value, of: entry.key) ?? "" }
        func set(_ key: String, _ value: String, in section: String = "Worker") {
            draft.set(key, value, in: section, from: entry.source)
        }
        switch entry.key {
        case "command", "entrypoint", "working_dir", "environment", "env_file", "profiles", "scale": break
        case "user":
            let parts = try text().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            let (user, group) = (parts[0], parts.count > 1 ? parts[1] : "")
            if !user.isEmpty {
                draft.setUser(WrittenValue.plain(user), from: entry.source)
            } else if group.isEmpty {
                draft.refuseUser(entry.source)
            }
            if !group.isEmpty { set("Group", WrittenValue.plain(group)) }
        case "group_add":
            for group in try document.texts(entry.value, of: entry.key) {
                set("SupplementaryGroups", WrittenValue.plain(group))
            }
        case "stop_signal": set("KillSignal", try text())
        case "stop_grace_period":
            guard let span = ComposeDuration.written(try text()) else {
                throw document.failure(
                    entry.value, "got \(try text().quoted)", "a duration such as 1m30s", key: entry.key)
            }
            // 0 is no limit in a worker file, and none to wait for in a compose file.
            set("TimeoutStopSec", span == "0s" || span == "0" ? "1ms" : span)
        case "restart": try takeRestart(entry, try text(), document, &draft)
        case "depends_on": try takeDependencies(entry, &document, &draft)
        case "ports": try takePorts(entry, &document, &draft)
        case "ulimits": try takeLimits(entry, &document, &draft)
        case "mem_limit": set("MemoryMax", ComposeSize.written(try text()), in: "Memory")
        case "pids_limit": set("TasksMax", try text() == "-1" ? "infinity" : try text())
        case "oom_score_adj": set("OOMScoreAdjust", try text())
        case "cpu_shares":
            draft.note(entry.source, "set CPUWeight= in [Foreground]: 100 is what 1024 shares are")
        case "security_opt":
            for option in try document.texts(entry.value, of: entry.key) {
                if ["no-new-privileges", "no-new-privileges:true", "no-new-privileges=true"].contains(option)
                {
                    set("NoNewPrivileges", "yes")
                } else {
                    draft.note(entry.source, "\(option): sandboxing has no counterpart")
                }
            }
        case "deploy": try takeDeploy(entry, &document, &draft)
        default:
            if let reason = Self.reason(ofService: entry.key) { draft.note(entry.source, reason) }
        }
        if entry.key == "scale", try text() != "1" {
            draft.note(entry.source, "one worker is one process tree; write a template NAME@.worker for more")
        }
    }

    private static func reason(ofService key: String) -> String? {
        switch key {
        case "image", "build", "platform", "pull_policy":
            "images have no counterpart: the program, and an entry point of the image in front of it, must be installed here"
        case "volumes", "volumes_from", "tmpfs", "devices", "configs", "secrets", "shm_size", "read_only",
            "storage_opt":
            "the worker sees the directories and devices of the machine"
        case "networks", "network_mode", "expose", "links", "external_links", "extra_hosts", "dns",
            "dns_search", "dns_opt", "hostname",
            "domainname", "mac_address":
            "the worker uses the network and the name of the machine"
        case "cap_add", "cap_drop", "privileged", "userns_mode", "ipc", "pid", "uts", "cgroup",
            "cgroup_parent", "sysctls", "isolation",
            "device_cgroup_rules", "runtime":
            "the worker has the rights of its user, and no namespaces of its own"
        case "healthcheck": "WatchdogSec=, ReadyWhen= and 'torpor status' take the place of health checks"
        case "cpus", "cpu_quota", "cpu_period", "cpuset", "cpu_percent", "cpu_count", "cpu_rt_runtime",
            "cpu_rt_period", "blkio_config":
            "of resource control CPUWeight=, IOWeight=, MemoryMax= and TasksMax= have counterparts"
        case "mem_reservation", "memswap_limit", "mem_swappiness", "oom_kill_disable":
            "of the limits of memory MemoryMax= and MemoryHigh= have counterparts"
        case "logging": "output goes to the journal; StandardOutput= can send it to a file"
        case "labels", "annotations", "container_name": "workers have no labels, and the name of their file"
        case "init": nil
        case "tty", "stdin_open", "attach":
            "workers have no terminal; 'torpor attach' shows output and sends lines"
        case "develop", "post_start", "pre_stop", "provider", "models", "gpus", "credential_spec",
            "use_api_socket", "label_file":
            "it has no counterpart"
        default: key.hasPrefix("x-") ? nil : "compose files have no such key"
        }
    }

    private func takeRestart(
        _ entry: ComposeDocument.Entry, _ text: String, _ document: ComposeDocument,
        _ draft: inout WorkerDraft
    )
        throws(ImportFailure)
    {
        let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
        func set(_ key: String, _ value: String) { draft.set(key, value, from: entry.source) }
        switch parts.first ?? "no" {
        case "no", "false": return set("Restart", "no")
        case "always", "unless-stopped": set("Restart", "always")
        case "on-failure":
            set("Restart", "on-failure")
            // Its exit status is then above 128.
            set("RestartForceExitStatus", "SIGHUP SIGINT SIGTERM SIGPIPE")
        default:
            throw document.failure(
                entry.value, "got \(text.quoted)", "no, always, unless-stopped or on-failure[:TIMES]",
                key: "restart")
        }
        // The engine waits 0.1 s, then twice as long each time.
        set("RestartSec", "100ms")
        set("RestartSteps", "9")
        set("RestartMaxDelaySec", "1min")
        guard parts.count > 1 else { return set("StartLimitIntervalSec", "0") }
        guard let count = ForeignText.integer(parts[1]), (0...1_000).contains(count) else {
            throw document.failure(entry.value, "got \(text.quoted)", "on-failure:TIMES", key: "restart")
        }
        set("StartLimitBurst", "\(count + 1)")
        set("StartLimitIntervalSec", "1d")
    }

    private mutating func takeDependencies(
        _ entry: ComposeDocument.Entry, _ document: inout ComposeDocument, _ draft: inout WorkerDraft
    )
        throws(ImportFailure)
    {
        if case .sequence = entry.value.content {
            for name in try document.texts(entry.value, of: entry.key) {
                for key in ["Requires", "After"] {
                    draft.refer(key, to: "\(document.path):\(name)", called: name, from: entry.source)
                }
            }
            return
        }
        for other in try document.entries(entry.value, of: entry.key) {
            var isRequired = true
            for part in try document.entries(other.value, of: entry.key) {
                let text = try document.text(part.value, of: part.key) ?? ""
                switch part.key {
                case "required": isRequired = text != "false"
                case "condition" where text == "service_completed_successfully":
                    completing["\(document.path):\(other.key)"] = part.source
                case "condition" where text != "service_started":
                    draft.note(
                        part.source,
                        "the worker waits until \(other.key) is ready, as its Type= and ReadyWhen= tell")
                case "restart" where text == "true":
                    draft.note(part.source, "a worker is restarted by itself")
                default: continue
                }
            }
            for key in [isRequired ? "Requires" : "Wants", "After"] {
                draft.refer(key, to: "\(document.path):\(other.key)", called: other.key, from: other.source)
            }
        }
    }

    /// A port that is published under another number is forwarded; one with its own number needs nothing.
    private func takePorts(
        _ entry: ComposeDocument.Entry, _ document: inout ComposeDocument, _ draft: inout WorkerDraft
    )
        throws(ImportFailure)
    {
        guard case .sequence(let items) = entry.value.content else {
            throw document.failure(entry.value, "got no list", "a list of ports", key: entry.key)
        }
        for item in items {
            let port: ComposePort
            if item.text != nil {
                let text = try document.text(item, of: entry.key) ?? ""
                guard let short = ComposePort(text) else {
                    throw document.failure(
                        item, "got \(text.quoted)", "[[ADDRESS:]PUBLISHED:]PORT[/PROTOCOL]", key: entry.key)
                }
                port = short
            } else {
                var long = ComposePort()
                for part in try document.entries(item, of: entry.key) {
                    let text = try document.text(part.value, of: part.key) ?? ""
                    switch part.key {
                    case "target": long.target = text
                    case "published": long.published = text
                    case "host_ip": long.address = text
                    case "protocol": long.isTCP = text == "tcp"
                    default: continue
                    }
                }
                port = long
            }
            let source = ForeignLine(file: document.path, line: item.line, text: "ports: \(port.spelling)")
            if port.published.isEmpty || port.published == port.target {
                draft.note(
                    source,
                    "the program listens at the port \(port.target) itself, at the addresses of its own configuration"
                )
            } else if !port.isTCP || UInt16(port.target) == nil || UInt16(port.published) == nil {
                draft.note(
                    source,
                    "ports of UDP and ranges of ports are not forwarded; let the program listen at them")
            } else if draft.has("ForwardTo") {
                draft.note(source, "one port of a worker is forwarded; let the program listen at this one")
            } else {
                let address = port.address.isEmpty ? port.published : "\(port.address):\(port.published)"
                draft.set("ListenStream", address, in: "Foreground", from: source)
                if draft.has("ListenStream") {
                    draft.set("ForwardTo", port.target, in: "Foreground", from: source)
                }
            }
        }
    }

    private func takeLimits(
        _ entry: ComposeDocument.Entry, _ document: inout ComposeDocument, _ draft: inout WorkerDraft
    )
        throws(ImportFailure)
    {
        for limit in try document.entries(entry.value, of: entry.key) {
            var value: String
            if limit.value.text != nil {
                value = Self.limit(try document.text(limit.value, of: limit.key) ?? "")
            } else {
                var (soft, hard) = ("", "")
                for part in try document.entries(limit.value, of: limit.key) {
                    let text = Self.limit(try document.text(part.value, of: part.key) ?? "")
                    if part.key == "soft" { soft = text }
                    if part.key == "hard" { hard = text }
                }
                value = soft.isEmpty || hard.isEmpty ? soft + hard : "\(soft):\(hard)"
            }
            if limit.key == "rttime", value != "infinity" {
                value = value.split(separator: ":").map { "\($0)us" }.joined(separator: ":")
            }
            let key = "Limit" + limit.key.uppercased()
            draft.set(
                key, value,
                from: ForeignLine(
                    file: document.path, line: limit.source.line, text: "ulimits: \(limit.source.text)"))
        }
    }

    private static func limit(_ text: String) -> String { text == "-1" ? "infinity" : text }

    private func takeDeploy(
        _ entry: ComposeDocument.Entry, _ document: inout ComposeDocument, _ draft: inout WorkerDraft
    )
        throws(ImportFailure)
    {
        for part in try document.entries(entry.value, of: entry.key) {
            guard part.key == "resources" else {
                draft.note(part.source, "deploy: the supervisor is that of one machine")
                continue
            }
            for kind in try document.entries(part.value, of: part.key) {
                for value in try document.entries(kind.value, of: kind.key) {
                    let source = ForeignLine(
                        file: document.path, line: value.source.line,
                        text: "deploy: resources: \(kind.key): \(value.source.text)")
                    let text =
                        value.value.text == nil ? "" : try document.text(value.value, of: value.key) ?? ""
                    switch (kind.key, value.key) {
                    case ("limits", "memory"):
                        draft.set("MemoryMax", ComposeSize.written(text), in: "Memory", from: source)
                    case ("limits", "pids"): draft.set("TasksMax", text, from: source)
                    default: draft.note(source, "of the limits those of memory and pids have counterparts")
                    }
                }
            }
        }
    }
}

/// A published port, in its short or long form.
struct ComposePort {
    var address = ""
    var published = ""
    var target = ""
    var isTCP = true

    init() {}

    /// Reads `[[ADDRESS:]PUBLISHED:]PORT[/PROTOCOL]`.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        isTCP = parts.count < 2 || parts[1] == "tcp"
        var ports = parts[0].split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let target = ports.popLast(), !target.isEmpty,
            target.utf8.allSatisfy({ $0.isDigit || $0 == .dash })
        else { return nil }
        self.target = target
        published = ports.popLast() ?? ""
        guard published.utf8.allSatisfy({ $0.isDigit || $0 == .dash }) else { return nil }
        address = ports.joined(separator: ":")
    }

    /// The short form.
    var spelling: String {
        (address.isEmpty ? "" : "\(address):") + (published.isEmpty ? "" : "\(published):") + target
            + (isTCP ? "" : "/udp")
    }
}

/// A duration of a compose file, such as `1m30s`.
enum ComposeDuration {
    /// The same for a worker file; nil where it is none.
    static func written(_ text: String) -> String? {
        var result: [String] = []
        var digits = ""
        var unit = ""
        func close() -> Bool {
            guard !digits.isEmpty,
                let known = ["us": "us", "µs": "us", "ms": "ms", "s": "s", "m": "min", "h": "h"][unit]
            else { return false }
            result.append(digits + known)
            (digits, unit) = ("", "")
            return true
        }
        for scalar in text.unicodeScalars {
            if scalar.isASCII, UInt8(scalar.value).isDigit || scalar == "." {
                if !unit.isEmpty, !close() { return nil }
                digits.unicodeScalars.append(scalar)
            } else {
                unit.unicodeScalars.append(scalar)
            }
        }
        guard close() else { return nil }
        return result.joined(separator: " ")
    }
}

/// A size of a compose file, such as `512m` or `1gb`.
enum ComposeSize {
    /// The same for a worker file, as far as it is one; no limit for 0 and -1.
    static func written(_ text: String) -> String {
        let lower = text.lowercased()
        if lower == "0" || lower == "-1" { return "infinity" }
        for (unit, known) in [
            ("kb", "K"), ("mb", "M"), ("gb", "G"), ("tb", "T"), ("k", "K"), ("m", "M"), ("g", "G"),
            ("t", "T"), ("b", ""),
        ]
        where lower.hasSuffix(unit) {
            return String(lower.dropLast(unit.count)).trimmed + known
        }
        return lower
    }
}
