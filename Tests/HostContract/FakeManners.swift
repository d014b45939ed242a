public import Lifecycle

/// How the fake machine tells its facts: kernels are not always prompt.
public struct FakeManners: Sendable {
    /// The longest that a fact is underway; zero tells it while the call still runs.
    public var longestDelay = TimeSpan.zero
    /// How many facts in a hundred come twice.
    public var doubled = 0
    /// How many freezes in a hundred fail.
    public var failingFreezes = 0
    /// How many launches in a hundred fail.
    public var failingLaunches = 0

    /// At once, and once.
    public static let prompt = FakeManners()
    /// Later, in order of asking only by chance.
    public static let late = FakeManners(longestDelay: .milliseconds(20))
    /// Everything that a kernel might do to us.
    public static let terrible = FakeManners(
        longestDelay: .seconds(3), doubled: 20, failingFreezes: 10, failingLaunches: 5)

    /// Manners, one by one.
    public init(
        longestDelay: TimeSpan = .zero, doubled: Int = 0, failingFreezes: Int = 0, failingLaunches: Int = 0
    ) {
        self.longestDelay = longestDelay
        self.doubled = doubled
        self.failingFreezes = failingFreezes
        self.failingLaunches = failingLaunches
    }
}
