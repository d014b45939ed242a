/// What came of reloading a worker.
package enum ReloadOutcome: Hashable {
    case done
    /// It was not begun, or not brought to its end, for this reason.
    case refused(String)
    /// It has nothing to be reloaded by.
    case unsupported(String)
}
