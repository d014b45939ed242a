extension SupervisorInterface {
    /// A deadline that runs now.
    public struct Deadline: Codable, Hashable, Sendable {
        /// What must be done by then: a callback's name, launch, stop, backgroundTasks, watchdog, restart.
        public var name: String
        /// When it passes: microseconds of the monotonic clock.
        public var at: Int64
        /// How long that is from now, in microseconds.
        public var remainingUsec: Int64
        /// What happens past it, in words.
        public var then: String

        /// Everything at once.
        public init(name: String, at: Int64, remainingUsec: Int64, then: String) {
            self.name = name
            self.at = at
            self.remainingUsec = remainingUsec
            self.then = then
        }
    }

    /// A background task that keeps a worker awake.
    public struct BackgroundTask: Codable, Hashable, Sendable {
        /// As it was named when it began; empty for a caller that is no operator.
        public var name: String
        /// When it began: microseconds since 1970.
        public var since: Int64
        /// Who holds it, when that is not the worker itself.
        public var by: Caller?

        /// Everything at once; what may be missing is missing when left out.
        public init(name: String, since: Int64, by: Caller? = nil) {
            self.name = name
            self.since = since
            self.by = by
        }
    }

    /// What a worker holds.
    public struct Memory: Codable, Hashable, Sendable {
        /// Now.
        public var currentBytes: Int64
        /// At most so far.
        public var peakBytes: Int64?
        /// The limit in force.
        public var limitBytes: Int64?
        /// What its present sleep gave back.
        public var givenBackBytes: Int64?
        /// How often it has stood still at a limit of its own since it was launched; missing where the kernel does not count that.
        public var throttleCount: Int64?

        /// Everything at once; what may be missing is missing when left out.
        public init(
            currentBytes: Int64, peakBytes: Int64? = nil, limitBytes: Int64? = nil,
            givenBackBytes: Int64? = nil, throttleCount: Int64? = nil
        ) {
            self.throttleCount = throttleCount
            self.currentBytes = currentBytes
            self.peakBytes = peakBytes
            self.limitBytes = limitBytes
            self.givenBackBytes = givenBackBytes
        }
    }
}
