/// Something that was stored, with what the store adds to it.
package struct Stored<Content: Sendable>: Sendable {
    /// Its number: what came later has a greater one.
    package let id: Int64
    /// The boot in which it happened (/proc/sys/kernel/random/boot_id).
    package let bootID: String
    package let content: Content

    /// What the store has given this number in this boot.
    package init(id: Int64, bootID: String, content: Content) {
        self.id = id
        self.bootID = bootID
        self.content = content
    }
}

extension Stored: Equatable where Content: Equatable {}
