extension Confinement.ResourceLimit {
    /// The limit as an argument of a program that sets it for a child of its own: `1:4096:8192`.
    package var option: String { "\(resource):\(soft):\(hard)" }

    /// The limit that such an argument tells; nil for any other text.
    package init?(option: String) {
        let parts = option.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let resource = Int32(parts[0]), let soft = UInt64(parts[1]),
            let hard = UInt64(parts[2]), resource >= 0
        else { return nil }
        self.init(resource: resource, soft: soft, hard: hard)
    }
}
