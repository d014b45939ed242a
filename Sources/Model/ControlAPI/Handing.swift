extension SupervisorInterface {
    /// Opens a URL with the worker that says so in `URLSchemes=`, and answers when the worker has taken it.
    public enum Open: Method {
        /// The name, in full `io.torpor.Supervisor.Open`.
        public static let member = "Open"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The URL.
            public var url: String

            /// Everything at once.
            public init(url: String) {
                self.url = url
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// The worker that took it.
            public var worker: String

            /// Everything at once.
            public init(worker: String) {
                self.worker = worker
            }
        }
    }

    /// Why a worker is no longer held although the connection is open.
    public enum HoldEnd: String, Codable, Hashable, Sendable, CaseIterable {
        /// The limit that the caller has set has passed; the worker lives on.
        case limit
        /// The worker has ended all the same.
        case workerEnded
    }

    /// Holds a worker awake: a background task that lasts until the connection is closed.
    public enum Hold: Method {
        /// The name, in full `io.torpor.Supervisor.Hold`.
        public static let member = "Hold"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The worker.
            public var name: String
            /// What for, in a word or two.
            public var purpose: String?
            /// How long at the most, in microseconds; as long as the call when left out.
            public var limitUsec: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(name: String, purpose: String? = nil, limitUsec: Int64? = nil) {
                self.name = name
                self.purpose = purpose
                self.limitUsec = limitUsec
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// What is left of the background time, where it is limited and runs, in microseconds.
            public var remainingUsec: Int64?
            /// Why the worker is no longer held; missing in the first reply.
            public var over: HoldEnd?
            /// What became of the worker, in words, where it has ended.
            public var reason: String?

            /// Everything at once; what may be missing is missing when left out.
            public init(remainingUsec: Int64? = nil, over: HoldEnd? = nil, reason: String? = nil) {
                self.remainingUsec = remainingUsec
                self.over = over
                self.reason = reason
            }
        }
    }
}
