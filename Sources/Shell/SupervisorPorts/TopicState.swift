package import Linux
package import SnapshotCoding

/// What the topics of a worker stood at when it had heard of all that happened, or at its suspension.
///
/// It is recorded with the worker. What is queued of system topics dies with a supervisor that is killed, and nothing hears of changes
/// until there is another: that one compares.
package struct TopicState: Hashable, Sendable {
    /// What the clocks said.
    package struct Time: Hashable, Sendable {
        /// The wall clock's lead on the time since the start of the machine, in microseconds: only setting the clock changes it.
        package var lead: Int64
        /// How far local time was ahead of UTC, in seconds.
        package var offset: Int64
        /// The day of local time, counted from 1970.
        package var day: Int64

        package init(lead: Int64, offset: Int64, day: Int64) {
            self.lead = lead
            self.offset = offset
            self.day = day
        }

        /// What is told where the clock was set.
        package static let clockSet = "clock"
        /// A smaller step of the clock is not told: it is slewed by as much.
        private static let tolerance: Int64 = 1_000_000

        /// What has made local time not simply go on until `now`; nil where it has.
        package func reason(until now: Time) -> String? {
            let (step, isBeyond) = now.lead.subtractingReportingOverflow(lead)
            if isBeyond || step.magnitude > Self.tolerance.magnitude { return Self.clockSet }
            if offset != now.offset { return "offset" }
            return day != now.day ? "midnight" : nil
        }
    }

    /// What the paths that it hears of led to, of those that have been looked at.
    package var files: [String: FileFingerprint] = [:]
    /// The network, in the words of its notification; nil where it does not hear of it, or it was not known.
    package var network: [UInt8]?
    /// Whether its protected data was available.
    package var isDataAvailable: Bool?
    /// Whether the session was locked.
    package var isLocked = false
    /// The device nodes that it hears of.
    package var devices: Set<String>?
    /// What the clocks said, where it hears of the time.
    package var time: Time?
    /// Whether low-power mode was on, where it hears of power.
    package var isLowPower: Bool?

    /// Nothing.
    package init() {}

    /// Whether there is nothing to compare with.
    package var isEmpty: Bool { self == TopicState() }

    /// Takes from a later state what was not known yet.
    package mutating func complete(from later: TopicState) {
        files.merge(later.files) { own, _ in own }
        network = network ?? later.network
        isDataAvailable = isDataAvailable ?? later.isDataAvailable
        devices = devices ?? later.devices
        time = time ?? later.time
        isLowPower = isLowPower ?? later.isLowPower
        // Not known by looking: what we were told last.
        isLocked = later.isLocked
    }

    /// The most members of a list that are recorded.
    private static let most = 8192
}

extension TopicState: SnapshotObject {
    /// A file, by its path.
    private struct File: SnapshotObject {
        let path: String
        let fingerprint: FileFingerprint

        init(path: String, _ fingerprint: FileFingerprint) {
            self.path = path
            self.fingerprint = fingerprint
        }

        init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: File?) throws(C.Failure) {
            path = try c.required("path", 1, value?.path)
            // Among the fields of the file.
            fingerprint = try FileFingerprint(&c, value?.fingerprint)
        }
    }

    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: TopicState?) throws(C.Failure) {
        self.init()
        let known = value?.files.sorted { $0.key < $1.key }.prefix(Self.most).map {
            File(path: $0.key, $0.value)
        }
        files = Dictionary(try c.list("files", 1, known).map { ($0.path, $0.fingerprint) }) { $1 }
        network = try c.optional("network", 2, value?.network)
        isDataAvailable = try c.optional("isDataAvailable", 3, value?.isDataAvailable)
        isLocked = try c.flag("isLocked", 4, value?.isLocked)
        let nodes = value?.devices.map { Array($0.sorted().prefix(Self.most)) }
        devices = try c.texts("devices", 5, nodes).map { Set($0) }
        time = try c.optional("time", 6, value?.time)
        isLowPower = try c.optional("isLowPower", 7, value?.isLowPower)
    }
}

extension TopicState.Time: SnapshotObject {
    package init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: TopicState.Time?) throws(C.Failure) {
        lead = try c.required("lead", 1, value?.lead)
        offset = try c.required("offset", 2, value?.offset)
        day = try c.required("day", 3, value?.day)
    }
}

extension FileFingerprint {
    /// What a path led to that had changed before it was looked at: it equals nothing that is found later.
    package static var unseen: FileFingerprint { .content(size: -1, digest: 0) }

    private enum Kind: Int, CodingKey, SnapshotKind {
        case missing = 0, content = 1, status = 2, directory = 3
    }

    private struct Parts {
        let kind: Kind
        var size: Int64?
        var digest: UInt64?
        var device: UInt64?
        var inode: UInt64?
        var modified: Int64?
        var isEmpty: Bool?
    }

    private var parts: Parts {
        switch self {
        case .missing: Parts(kind: .missing)
        case .content(let size, let digest): Parts(kind: .content, size: size, digest: digest)
        case .status(let device, let inode, let size, let modified):
            Parts(kind: .status, size: size, device: device, inode: inode, modified: modified)
        case .directory(let digest, let isEmpty): Parts(kind: .directory, digest: digest, isEmpty: isEmpty)
        }
    }

    fileprivate init<C: SnapshotCoder & ~Copyable>(_ c: inout C, _ value: FileFingerprint?) throws(C.Failure)
    {
        let parts = value?.parts
        switch try c.required("kind", 2, parts?.kind) {
        case .missing: self = .missing
        case .content:
            let size = try c.required("size", 3, parts?.size)
            self = .content(size: size, digest: try c.required("digest", 4, parts?.digest))
        case .status:
            let size = try c.required("size", 3, parts?.size)
            let device = try c.required("device", 5, parts?.device)
            let inode = try c.required("inode", 6, parts?.inode)
            let modified = try c.required("modified", 7, parts?.modified)
            self = .status(device: device, inode: inode, size: size, modified: modified)
        case .directory:
            let digest = try c.required("digest", 4, parts?.digest)
            self = .directory(digest: digest, isEmpty: try c.flag("isEmpty", 8, parts?.isEmpty))
        }
    }
}
