public import Varlink

extension WorkerInterface {
    /// Attaches the caller as the receiver of callbacks; the first reply tells how the worker stands, each further one is a
    /// callback.
    public enum Attach: Method {
        /// The name, in full `io.torpor.Worker.Attach`.
        public static let member = "Attach"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The callbacks that it wants; others complete at once.
            ///
            /// All when left out.
            public var callbacks: [CallbackName]?

            /// Everything at once; what may be missing is missing when left out.
            public init(callbacks: [CallbackName]? = nil) {
                self.callbacks = callbacks
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// How the worker stands; in the first reply only.
            public var standing: Standing?
            /// A callback; in every reply but the first.
            public var callback: Callback?

            /// Everything at once; what may be missing is missing when left out.
            public init(standing: Standing? = nil, callback: Callback? = nil) {
                self.standing = standing
                self.callback = callback
            }
        }
    }

    /// Completes a callback: oneway on the attached connection, or on a second one.
    public enum Complete: Method {
        /// The name, in full `io.torpor.Worker.Complete`.
        public static let member = "Complete"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The callback's id.
            public var id: Int64
            /// Whether the answer is no: the launch options are refused, there is nothing to save.
            public var refused: Bool?
            /// That it could not be done, and why.
            public var failure: String?
            /// The state: with saveState.
            public var state: JSON?

            /// Everything at once; what may be missing is missing when left out.
            public init(id: Int64, refused: Bool? = nil, failure: String? = nil, state: JSON? = nil) {
                self.id = id
                self.refused = refused
                self.failure = failure
                self.state = state
            }
        }

        /// Nothing comes out.
        public typealias Reply = Nothing
    }

    /// Begins a background task: until it ends, or the time for all is over, the worker is not suspended.
    public enum BeginBackgroundTask: Method {
        /// The name, in full `io.torpor.Worker.BeginBackgroundTask`.
        public static let member = "BeginBackgroundTask"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// What for, in a word or two.
            public var name: String

            /// Everything at once.
            public init(name: String) {
                self.name = name
            }
        }

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// By this it is ended.
            public var token: Int64
            /// What is left of the background time, where it is limited and runs.
            public var remainingUsec: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(token: Int64, remainingUsec: Int64? = nil) {
                self.token = token
                self.remainingUsec = remainingUsec
            }
        }
    }

    /// Ends a background task, once.
    public enum EndBackgroundTask: Method {
        /// The name, in full `io.torpor.Worker.EndBackgroundTask`.
        public static let member = "EndBackgroundTask"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// What BeginBackgroundTask answered.
            public var token: Int64

            /// Everything at once.
            public init(token: Int64) {
                self.token = token
            }
        }

        /// Nothing comes out.
        public typealias Reply = Nothing
    }

    /// How much background time is left.
    public enum BackgroundTimeRemaining: Method {
        /// The name, in full `io.torpor.Worker.BackgroundTimeRemaining`.
        public static let member = "BackgroundTimeRemaining"

        /// Nothing goes in.
        public typealias Parameters = Nothing

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// What is left; missing while nothing limits it.
            public var remainingUsec: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(remainingUsec: Int64? = nil) {
                self.remainingUsec = remainingUsec
            }
        }
    }

    /// How the worker stands.
    public enum GetState: Method {
        /// The name, in full `io.torpor.Worker.GetState`.
        public static let member = "GetState"

        /// Nothing goes in.
        public typealias Parameters = Nothing

        /// What comes out.
        public struct Reply: Codable, Hashable, Sendable {
            /// Its state.
            public var state: State
            /// How long it has been in it.
            public var sinceUsec: Int64
            /// What is left of the background time, where it is limited and runs.
            public var backgroundTimeRemainingUsec: Int64?

            /// Everything at once; what may be missing is missing when left out.
            public init(state: State, sinceUsec: Int64, backgroundTimeRemainingUsec: Int64? = nil) {
                self.state = state
                self.sinceUsec = sinceUsec
                self.backgroundTimeRemainingUsec = backgroundTimeRemainingUsec
            }
        }
    }

    /// Saves state, to be handed back once at the next launch; an empty object drops what was saved.
    ///
    /// The answer comes when this state is on the disk, or a newer one that was saved before this one was written and that is kept
    /// instead.
    public enum SaveState: Method {
        /// The name, in full `io.torpor.Worker.SaveState`.
        public static let member = "SaveState"

        /// What goes in.
        public struct Parameters: Codable, Hashable, Sendable {
            /// The state.
            public var state: JSON

            /// Everything at once.
            public init(state: JSON) {
                self.state = state
            }
        }

        /// Nothing comes out.
        public typealias Reply = Nothing
    }

    /// Asks for the foreground, as an operator's activate would.
    public enum RequestActivation: Method {
        /// The name, in full `io.torpor.Worker.RequestActivation`.
        public static let member = "RequestActivation"

        /// Nothing goes in.
        public typealias Parameters = Nothing

        /// Nothing comes out.
        public typealias Reply = Nothing
    }
}
