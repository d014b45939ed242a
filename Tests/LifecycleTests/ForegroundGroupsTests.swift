import Foreground
import Testing

/// Which group a worker belongs to, and when that is told how it stands.
@Suite struct `All foreground groups` {
    private static let idle = ForegroundEligibility(wants: false, isInForeground: false, isReady: true)
    private static let wanting = ForegroundEligibility(wants: true, isInForeground: false, isReady: true)
    private static let there = ForegroundEligibility(wants: true, isInForeground: true, isReady: false)

    @Test func `have one holder each`() {
        var groups = ForegroundGroups<String>()
        #expect(groups.isEmpty)
        #expect(groups.join("a", "x", Self.wanting) == [.setTaken("a", false)])
        #expect(groups.join("b", "y", Self.wanting) == [.setTaken("b", false)])
        #expect(groups.holder(before: "a") == nil && groups.holder(before: "b") == nil)
        #expect(groups.settle("a", Self.there) == [])
        #expect(groups.join("c", "x", Self.wanting) == [.setTaken("c", true), .leave("a")])
        #expect(groups.holder(before: "c") == "a")
        #expect(groups.rival(of: "a") == "c" && groups.rival(of: "c") == "a")
    }

    @Test func `are told of a change only`() {
        var groups = ForegroundGroups<String>()
        _ = groups.join("a", "x", Self.there)
        _ = groups.join("b", "x", Self.idle)
        #expect(groups.settle("b", Self.idle) == [])
        #expect(groups.settle("b", Self.wanting) == [.leave("a")])
        #expect(groups.settle("b", Self.wanting) == [])
        // As after a restart of the supervisor: the group hears it again, and what it has decided stands.
        groups.tellAgain("b")
        #expect(groups.settle("b", Self.wanting) == [])
        #expect(groups.holder(before: "b") == "a")
    }

    @Test func `let none enter before one has left that was leaving when the supervisor was killed`() {
        let leaving = ForegroundEligibility(wants: false, isInForeground: true, isReady: false)
        var groups = ForegroundGroups<String>()
        _ = groups.join("a", "x", Self.idle)
        _ = groups.join("b", "x", Self.idle)
        #expect(groups.settle("a", leaving) == [.setTaken("b", true)])
        #expect(groups.settle("b", Self.wanting) == [])
        #expect(groups.holder(before: "b") == "a")
        #expect(groups.settle("a", Self.idle) == [.setTaken("a", true), .setTaken("b", false)])
    }

    @Test func `release the foreground of a worker that leaves, or changes its group`() {
        var groups = ForegroundGroups<String>()
        _ = groups.join("a", "x", Self.there)
        _ = groups.join("b", "x", Self.wanting)
        let orders = groups.join("a", "y", Self.there)
        #expect(orders.contains(.setTaken("b", false)))
        #expect(groups.holder(before: "b") == nil)
        #expect(groups.leave("a") == [.setTaken("a", false)])
        #expect(groups.leave("a") == [])
        #expect(groups.join("b", nil, Self.idle) == [.setTaken("b", false)])
        #expect(groups.isEmpty)
        #expect(groups.settle("b", Self.wanting) == [])
    }
}
