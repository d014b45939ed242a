/// A place for a handle that comes later than its owner.
package final class SourceBox<Handle: ~Copyable> {
    package var handle: Handle?

    package init() {
        handle = nil
    }
}
