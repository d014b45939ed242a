/// A value that cannot be copied, on its way from the thread that made it to the one that will own it.
package final class Handoff<Value: ~Copyable>: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: what has sent it on touches it no more.
    private var value: Value?

    package init(_ value: consuming Value) { self.value = consume value }

    /// Takes it out, once; EBADF afterwards.
    package func take() throws(LinuxError) -> Value {
        guard let value = value.take() else {
            throw LinuxError(errno: 9, call: "take", subject: "a value that was already handed over")
        }
        return value
    }
}
