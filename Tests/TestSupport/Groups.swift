package import Cgroups
import Foundation
import Testing

/// A cgroup of its own for the length of `body`, killed and removed after.
package func withGroup<Result>(_ body: (Cgroup) throws -> Result) throws -> Result {
    guard case .cgroup(let tree) = FreezeMethod.detect() else { throw TimedOut() }
    let name = try #require(CgroupName("torpor-test-\(UUID().uuidString)"))
    let group = try tree.base.makeChild(name)
    defer {
        try? group.kill()
        #expect(throws: Never.self) { try group.remove(patience: 10_000_000) }
    }
    return try body(group)
}
