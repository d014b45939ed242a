package import Lifecycle

/// How the fake machine tells its facts: kernels are not always prompt.
package struct FakeManners: Sendable {
    /// The longest that a fact is underway; zero tells it while the call still runs.
    package var longestDelay = TimeSpan.zero
    /// How many facts in a hundred come twice.
    package var doubled = 0
    /// How many freezes in a hundred fail.
    package var failingFreezes = 0
    /// How many launches in a hundred fail.
    package var failingLaunches = 0

    /// At once, and once.
    package static let prompt = FakeManners()
    /// Later, in order of asking only by chance.
    package static let late = FakeManners(longestDelay: .milliseconds(20))
    /// Everything that a kernel might do to us.
    package static let terrible = FakeManners(
        longestDelay: .seconds(3), doubled: 20, failingFreezes: 10, failingLaunches: 5)

    /// Manners, one by one.
    package init(
        longestDelay: TimeSpan = .zero, doubled: Int = 0, failingFreezes: Int = 0, failingLaunches: Int = 0
    ) {
        self.longestDelay = longestDelay
        self.doubled = doubled
        self.failingFreezes = failingFreezes
        self.failingLaunches = failingLaunches
    }
}
