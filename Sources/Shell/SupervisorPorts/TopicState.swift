package import Lifecycle
package import Linux

/// What the topics of a worker stood at when it had heard of all that happened, or at its suspension (2.4).
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

    /// Nothing.
    package init() {}

    /// Whether there is nothing to compare with.
    package var isEmpty: Bool { self == TopicState() }

    /// Takes from a later standing what was not known yet.
    package mutating func complete(from later: TopicState) {
        files.merge(later.files) { own, _ in own }
        network = network ?? later.network
        isDataAvailable = isDataAvailable ?? later.isDataAvailable
        devices = devices ?? later.devices
        time = time ?? later.time
        // Not known by looking: what we were told last.
        isLocked = later.isLocked
    }

    // MARK: recording

    /// The most members of a list that are recorded.
    private static let most = 8192

    package func write(to writer: inout SnapshotWriter) {
        writer.write(all: files.sorted { $0.key < $1.key }.prefix(Self.most)) { writer, file in
            writer.write(file.key)
            file.value.write(to: &writer)
        }
        writer.write(network) { $0.write($1) }
        writer.write(isDataAvailable) { $0.write($1) }
        writer.write(isLocked)
        writer.write(devices) { writer, devices in
            writer.write(all: devices.sorted().prefix(Self.most)) { $0.write($1) }
        }
        writer.write(time) { writer, time in
            writer.write(time.lead)
            writer.write(time.offset)
            writer.write(time.day)
        }
    }

    package init(reading reader: inout SnapshotReader) throws(SnapshotError) {
        let pairs = try reader.list { (reader) throws(SnapshotError) in
            (try reader.text(), try FileFingerprint(reading: &reader))
        }
        files = Dictionary(pairs) { $1 }
        network = try reader.optional { (reader) throws(SnapshotError) in try reader.content() }
        isDataAvailable = try reader.optional { (reader) throws(SnapshotError) in try reader.flag() }
        isLocked = try reader.flag()
        devices = try reader.optional { (reader) throws(SnapshotError) in
            Set(try reader.list { (reader) throws(SnapshotError) in try reader.text() })
        }
        time = try reader.optional { (reader) throws(SnapshotError) in
            Time(lead: try reader.signed(), offset: try reader.signed(), day: try reader.signed())
        }
    }
}

extension FileFingerprint {
    fileprivate func write(to writer: inout SnapshotWriter) {
        switch self {
        case .missing: writer.write(UInt64(0))
        case .content(let size, let digest):
            writer.write(UInt64(1))
            writer.write(size)
            writer.write(digest)
        case .status(let device, let inode, let size, let modified):
            writer.write(UInt64(2))
            writer.write(device)
            writer.write(inode)
            writer.write(size)
            writer.write(modified)
        case .directory(let digest, let isEmpty):
            writer.write(UInt64(3))
            writer.write(digest)
            writer.write(isEmpty)
        }
    }

    fileprivate init(reading reader: inout SnapshotReader) throws(SnapshotError) {
        switch try reader.number() {
        case 0: self = .missing
        case 1: self = .content(size: try reader.signed(), digest: try reader.number())
        case 2:
            self = .status(
                device: try reader.number(), inode: try reader.number(), size: try reader.signed(),
                modified: try reader.signed())
        case 3: self = .directory(digest: try reader.number(), isEmpty: try reader.flag())
        default: throw .broken
        }
    }
}
