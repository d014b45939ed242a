public import Lifecycle
public import Linux

/// What happened to a worker, for whoever watches: the log, subscribers, whoever waits for a goal.
public enum Notice: Hashable, Sendable {
    /// Its state changed.
    case changed(Transition)
    /// A process of it ended, or did not come to be.
    case ended(TerminationRecord)
    /// A launch did not happen.
    case launchFailed(LaunchError)
    /// didFinishLaunching is complete.
    case launchCompleted
    /// It said something on its notify socket.
    case said(Saying)
    /// Something went wrong that supervision goes on without.
    case warned(Warning, detail: String?)
    /// Something that was asked will not be done.
    case refused(Refusal, Requester)
    /// An event that means nothing here.
    case surprised(Surprise)
    /// A hook failed, and how.
    case hookFailed(Callback, String)
    /// A line that a hook printed.
    case hookPrinted(Callback, String)
    /// A message of a worker, or of a stranger, that was not taken.
    case ignored(String)
}
