internal import Glibc
package import Testing

/// Something that a test needs and that not every machine or user has.
package struct Capability: Sendable {
    /// What it is called where it is missing.
    package let name: String
    /// Why it is missing here; nil when it is there.
    package let missing: @Sendable () -> String?

    /// A capability that is there when `missing` answers nil.
    package init(_ name: String, missing: @escaping @Sendable () -> String?) {
        self.name = name
        self.missing = missing
    }

    /// The rights of the superuser.
    package static let root = Capability("root") { geteuid() == 0 ? nil : "running as user \(geteuid())" }
}

/// Skips a test, with one printed line that says why, where a capability is missing.
package struct CapabilityTrait: TestTrait, SuiteTrait {
    let capability: Capability

    /// Says why and skips `test`, unless its capability is there.
    package func prepare(for test: Test) async throws {
        guard let reason = capability.missing() else { return }
        let comment = "needs \(capability.name): \(reason)"
        print("skipped: \(test.name) \(comment)")
        try await ConditionTrait.disabled(Comment(rawValue: comment)).prepare(for: test)
    }
}

extension Trait where Self == CapabilityTrait {
    /// Runs the test only where `capability` is there.
    package static func requires(_ capability: Capability) -> CapabilityTrait {
        CapabilityTrait(capability: capability)
    }
}

/// Leaves a test that takes long out of the quick set, `make test`, which says how many it left out; `make test-all` runs it.
package struct LongTrait: TestTrait, SuiteTrait {
    /// Skips `test` in the quick set.
    package func prepare(for test: Test) async throws {
        guard unsafe getenv("TORPOR_QUICK_TESTS") != nil else { return }
        try await ConditionTrait.disabled("long").prepare(for: test)
    }

    /// So are the tests of a suite.
    package var isRecursive: Bool { true }
}

extension Trait where Self == LongTrait {
    /// Takes longer than some seconds: left out of the quick set.
    package static var long: LongTrait { LongTrait() }
}
