/// Serves a store in the place of its thread, whenever its owner says so: for a program that decides itself when time passes.
///
/// It belongs to one thread with the store that has it, which does everything else of the store, too.
@safe package final class StoreServer: @unchecked Sendable {
    // Proof of `@unchecked Sendable`: its owner and the store's user are one thread, as is said above; no other is made.

    /// What is about to be done with the file.
    package enum DiskStep: Hashable, Sendable {
        /// Rows are about to be committed.
        case committing
        /// Rows are about to be read.
        case reading
    }

    private var thread: StoreThread?
    /// Called when something was left or asked, so that it is served.
    package var wanted: () -> Void = {}
    /// Asked before each step: the error with which the disk fails it; nil where it does not.
    package var failure: (DiskStep) -> StoreError? = { _ in nil }
    /// Whether the store can be served at all: it is as if its thread could not be created where it cannot.
    package var canBegin: () -> Bool = { true }

    /// A server of the one store that is given it.
    package init() {}

    /// Does what is due; returns the moment of the store's clock, in microseconds, at which it is to be called again, and nil where only
    /// something new asks for that.
    @discardableResult
    package func serve() -> Int64? { thread?.serve() }

    /// Ends as a process does that is killed: what was not committed is lost, and nothing more is done or told.
    package func kill() {
        thread?.abandon()
        thread = nil
    }

    func begin(_ thread: StoreThread) throws(StoreError) {
        guard canBegin() else { throw StoreError(.failed, "cannot create the store thread") }
        self.thread = thread
    }
}

extension StoreError {
    /// A disk that fails so, for a walk that decides itself when one does.
    package static func simulated(_ code: Code) -> StoreError {
        StoreError(code, "the disk fails: \(code.rawValue)")
    }
}
