import Lifecycle
import Scheduling
import Testing

@Suite struct `The rule of protected data` {
    typealias Paths = ProtectedDataRule.Paths

    @Test(
        arguments: [
            // Paths; whether it is there by the paths, locked and not locked, where the lock is heard of and where it is not; what is
            // told when the session is locked and unlocked.
            (.none, [false, true, nil, nil], [false, true]),
            (.unknown, [nil, nil, nil, nil], [false, true]),
            (.there, [false, true, false, true], [false, true]),
            (.missing, [false, false, false, false], [nil, nil]),
        ] as [(Paths, [Bool?], [Bool?])])
    func `makes data depend on the paths and on the lock`(
        _ paths: Paths, _ available: [Bool?], _ told: [Bool?]
    ) {
        let cases = [(true, true), (false, true), (true, false), (false, false)]
        #expect(
            cases.map { ProtectedDataRule.isAvailable(paths, isLocked: $0, hearsLock: $1) } == available)
        #expect([true, false].map { ProtectedDataRule.sessionTurned(paths, isLocked: $0) } == told)
    }

    @Test(
        arguments: [
            (false, false, false, nil), (false, true, false, true), (true, false, false, false),
            (true, true, false, nil), (false, false, true, nil), (false, true, true, nil),
            (true, false, true, nil), (true, true, true, nil),
        ] as [(Bool, Bool, Bool, Bool?)])
    func `tells of paths that come or go where that is an edge and the session is not locked`(
        _ before: Bool, _ now: Bool, _ isLocked: Bool, _ told: Bool?
    ) {
        let given = ProtectedDataRule.pathsTurned(wereThere: before, areThere: now, isLocked: isLocked)
        #expect(given == told)
    }

    /// What a worker is told and what is there never contradict each other.
    @Test(arguments: Paths.allCases) func `tells what is so`(_ paths: Paths) {
        for isLocked in [false, true] {
            guard let told = ProtectedDataRule.sessionTurned(paths, isLocked: isLocked),
                let isSo = ProtectedDataRule.isAvailable(paths, isLocked: isLocked, hearsLock: true)
            else { continue }
            #expect(told == isSo)
        }
    }

    @Test(
        arguments: [
            (false, false, false, .nothing), (false, false, true, .callback), (true, true, false, .nothing),
            (true, true, true, .callback), (false, true, false, .everything),
            (true, false, true, .everything),
        ] as [(Bool, Bool, Bool, ProtectedDataRule.Telling)])
    func `tells after a takeover what has changed, and takes back what waits and is not so`(
        _ before: Bool, _ now: Bool, _ awaits: Bool, _ telling: ProtectedDataRule.Telling
    ) {
        let given = ProtectedDataRule.compared(before: before, now: now, awaitsOpposite: awaits)
        #expect(given == telling)
    }

    @Test func `has a callback for each`() {
        #expect(Callback.protectedData(isAvailable: true) == .protectedDataDidBecomeAvailable)
        #expect(Callback.protectedData(isAvailable: false) == .protectedDataWillBecomeUnavailable)
    }
}
