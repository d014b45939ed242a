package import Lifecycle
internal import Linux

/// Where saved state is kept, outlasting processes and the supervisor.
///
/// Asked on the loop's thread; nothing of it waits there, and answers come in a later turn of the loop, in the order of the
/// questions.
package protocol StateStore: AnyObject {
    /// Keeps `bytes` as the state of a worker that the version `version` of its program has saved, in the place of what was kept; answers
    /// nil, or why it could not.
    ///
    /// Of each worker one state is written and one waits: a newer one takes the place of the one that waits, and both are answered when the
    /// newer one is kept. `owner` may read the file: the user that the worker runs as; nil is that of the supervisor.
    func save(
        _ bytes: [UInt8], for worker: String, owner: StateOwner?, version: String?,
        then answer: @escaping (String?) -> Void)
    /// Keeps that there is no state, in the place of what was kept; answers nil, or why it could not.
    func forget(_ worker: String, then answer: @escaping (String?) -> Void)
    /// Hands the state back: answers the file (`TORPOR_RESTORE`) that lasts as long as the process; nil when it is not there.
    func hand(to worker: String) -> HandedState?
    /// The process is over that had it.
    func takeBack(from worker: String)
    /// What was handed back to a worker; nil when there is nothing to be read.
    func load(_ worker: String, then answer: @escaping ([UInt8]?) -> Void)
    /// Carries out what becomes of it.
    func apply(_ fate: SavedStateFate, to worker: String)
}
