package import Cgroups
internal import Linux

/// The memory controller, handed down to the group of `torpor run --memory-max`, and taken back at its end.
package struct ControllerDelegation {
    /// Why there is none, in words; nil when there is.
    package let gap: String?
    private let base: Cgroup?

    /// Hands it down, where the group above belongs to the supervisor or has it already.
    package init(_ method: FreezeMethod) {
        guard case .cgroup(let tree) = method else {
            base = nil
            gap = "no usable cgroup v2 tree"
            return
        }
        guard !tree.base.enabledControllers().contains(.memory) else {
            base = nil
            gap = nil
            return
        }
        guard tree.base.availableControllers().contains(.memory) else {
            base = nil
            gap = "the memory controller is not available in \(tree.base.path)"
            return
        }
        do throws(LinuxError) {
            try tree.moveIntoLeaf()
            try tree.base.enable(.memory)
            base = tree.base
            gap = nil
        } catch {
            base = nil
            gap = "\(error)"
        }
    }

    /// Takes it back; the next program finds the group as it was.
    package func withdraw() {
        // Ignoring a failure: the group may be gone, or another run may need it still.
        try? base?.disable(.memory)
    }
}
