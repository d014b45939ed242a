internal import SnapshotCoding

extension Process: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Process?) throws(C.Failure) {
        var facts = ProcessFacts(
            launch: try c.required("launch", 1, value?.launch), pid: value?.pid ?? 0, position: .inactive,
            times: Times(started: .zero, stateSince: .zero))
        if let value { facts = value.facts }
        try facts.code(&c)
        self = value ?? Process(facts)
    }
}

extension ProcessFacts {
    /// All fields but the launch.
    fileprivate mutating func code<C: SnapshotCoder & ~Copyable>(_ c: inout C) throws(C.Failure) {
        try c.code("pid", 2, &pid)
        try c.code("position", 3, &position)
        try c.code("launching", 4, &launching)
        try c.code("slot", 5, &slot)
        try c.code("ending", 6, &ending)
        try c.code("attached", 7, &attached)
        try c.code("announcements", 8, &announcements, or: [])
        try c.code("toldDataAvailable", 9, &toldDataAvailable)
        // In an order that is always the same.
        let ordered = try c.list("tasks", 10, tasks.isEmpty ? nil : tasks.sorted())
        if C.reads { tasks = Set(ordered) }
        try c.code("holds", 11, &holds)
        try c.code("activities", 12, &activities)
        try c.code("isReady", 13, &isReady)
        try c.code("reloading", 14, &reloading)
        try c.code("refusedLaunch", 15, &refusedLaunch)
        try c.code("throttled", 16, &throttled)
        try c.code("expiryTold", 17, &expiryTold)
        try c.code("backgroundEnds", 18, &backgroundEnds)
        try c.code("watchdog", 19, &watchdog)
        try c.code("unconfirmed", 20, &unconfirmed)
        try c.code("started", 21, &times.started)
        try c.code("stateSince", 22, &times.stateSince)
        try c.code("inBackground", 23, &times.inBackground, or: .zero)
        try c.code("suspended", 24, &times.suspended, or: .zero)
        try c.code("freezeFailures", 25, &freezeFailures, or: 0)
        try c.code("saysInUse", 26, &saysInUse)
        freezeFailures = min(freezeFailures, WorkerLifecycle.mostFreezeFailures)
        try c.checkPast("started", times.started.microseconds)
        try c.checkPast("stateSince", times.stateSince.microseconds)
    }
}

extension InFlight: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: InFlight?) throws(C.Failure) {
        id = try c.required("id", 1, value?.id)
        callback = try c.required("callback", 2, value?.callback)
        since = try c.past("since", 3, value?.since)
        limit = try c.optional("limit", 4, value?.limit)
        inbound = try c.optional("inbound", 5, value?.inbound)
        then = try c.value("then", 6, value?.then, or: .none)
    }
}

extension Activity: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Activity?) throws(C.Failure) {
        id = try c.required("id", 1, value?.id)
        callback = try c.required("callback", 2, value?.callback)
        inbound = try c.optional("inbound", 3, value?.inbound)
        limit = try c.optional("limit", 4, value?.limit)
        expiryTold = try c.flag("expiryTold", 5, value?.expiryTold)
    }
}

extension Hold: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Hold?) throws(C.Failure) {
        token = try c.required("token", 1, value?.token)
        until = try c.optional("until", 2, value?.until)
    }
}

extension Watchdog: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Watchdog?) throws(C.Failure) {
        period = try c.required("period", 1, value?.period)
        due = try c.required("due", 2, value?.due)
    }
}

extension Unconfirmed: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Unconfirmed?) throws(C.Failure) {
        until = try c.optional("until", 1, value?.until)
        isReading = try c.flag("isReading", 2, value?.isReading)
        last = try c.optional("last", 3, value?.last)
    }
}

extension Unconfirmed.Look: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Unconfirmed.Look?) throws(C.Failure) {
        used = try c.required("used", 1, value?.used)
        at = try c.past("at", 2, value?.at)
    }
}

extension Ending: SnapshotObject {
    init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: Ending?) throws(C.Failure) {
        cause = try c.required("cause", 1, value?.cause)
        requester = try c.optional("requester", 2, value?.requester)
        stage = try c.required("stage", 3, value?.stage)
        grace = try c.optional("grace", 4, value?.grace)
        relaunch = try c.optional("relaunch", 5, value?.relaunch)
    }
}
