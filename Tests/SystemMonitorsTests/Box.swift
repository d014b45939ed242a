/// A place for a handle that its own handler can reach.
final class Box<Value: ~Copyable> {
    var value: Value?

    init() {
        value = nil
    }
}
