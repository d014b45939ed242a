internal import CLinux
internal import Glibc
package import Linux

/// A launch that did not happen: at which step, why, and on what.
///
/// Nothing is left behind.
package struct LaunchError: Error, Hashable, Sendable {
    /// The step that failed, in the order they are taken.
    package enum Stage: Hashable, Sendable {
        /// Getting ready what it needs; the subject says in a clause what could not be done.
        case preparation
        /// What has to succeed before it: a command, or another worker; the subject says in a clause what did not.
        case precondition
        /// The request itself makes no sense.
        case request
        /// The process could not be made.
        case clone
        /// The process could not be made in its cgroup.
        case cgroup
        /// setsid(2) or setpgid(2).
        case session
        /// Placing the descriptors.
        case descriptors
        /// A resource limit.
        case limits
        /// The nice value or the I/O priority.
        case priority
        /// The out-of-memory score.
        case oomScore
        /// Becoming its user.
        case credentials
        /// Entering its directory.
        case workingDirectory
        /// Giving up privileges, or asking to die with the parent.
        case privileges
        /// Executing the program.
        case exec
    }

    package let stage: Stage
    /// The kernel's reason, as in errno(3).
    package let errno: Int32
    /// What the step was applied to: the program, the directory, the group; empty where the step says it all.
    package let subject: String
    /// What a program that is there needs in order to be executed, and is not there, as a clause; nil where nothing of that kind is known.
    let need: String?

    /// A failure of `stage` on `subject`.
    package init(stage: Stage, errno: Int32, subject: String = "") {
        self.init(stage: stage, errno: errno, subject: subject, need: nil)
    }

    init(stage: Stage, errno: Int32, subject: String, need: String?) {
        self.stage = stage
        self.errno = errno
        self.subject = subject
        self.need = need
    }

    /// A failure to get something ready: `clause` says what could not be done, `error` why.
    package init(_ error: LinuxError, preparing clause: String) {
        guard error.refusal != nil else {
            self.init(stage: .preparation, errno: error.errno, subject: clause)
            return
        }
        // The kernel's reason would say too little: what is refused may be any part of the path.
        self.init(stage: .preparation, errno: 0, subject: "\(clause): \(error)")
    }

    /// Whether another launch would fail alike, until what is in the way is mended: not where something was short, or slow.
    package var isLasting: Bool {
        if [EAGAIN, ENOMEM, EMFILE, ENFILE, ENOBUFS, EINTR, ETIMEDOUT, ETXTBSY, EBUSY].contains(errno) {
            return false
        }
        switch stage {
        case .exec, .credentials, .workingDirectory, .request, .preparation: return true
        case .precondition, .clone, .cgroup, .session, .descriptors, .limits, .priority, .oomScore,
            .privileges:
            return false
        }
    }

    /// The exit status that a shell would give for it: 127 when there is no such program, 126 for everything else.
    package var exitStatus: Int32 {
        stage == .exec && [ENOENT, ENOTDIR, ENAMETOOLONG, ELOOP].contains(errno) ? 127 : 126
    }
}

extension LaunchError: CustomStringConvertible {
    /// One line that says what could not be done, to what, and why.
    package var description: String {
        let what = subject.isEmpty ? "" : " \(subject)"
        let reason = errno == ETIMEDOUT ? "no answer within the time limit" : errorText(errno)
        if stage == .preparation || stage == .precondition {
            return errno == 0 ? subject : "\(subject): \(reason)"
        }
        if stage == .exec {
            if let need { return "cannot execute\(what): \(need)" }
            return exitStatus == 127 && errno == ENOENT
                ? "command not found:\(what)" : "cannot execute\(what): \(reason)"
        }
        return "\(attempt)\(what): \(reason)"
    }

    private var attempt: String {
        switch stage {
        case .preparation, .precondition: "cannot prepare"
        case .request: "cannot launch with"
        case .clone: "cannot create a process for"
        case .cgroup: "cannot start in cgroup"
        case .session: "cannot create a session or process group for"
        case .descriptors: "cannot pass the descriptors to"
        case .limits: "cannot set the resource limits of"
        case .priority: "cannot set the priority of"
        case .oomScore: "cannot set the out-of-memory score of"
        case .credentials: "cannot switch to the user of"
        case .workingDirectory: "cannot enter working directory"
        case .privileges: "cannot drop privileges for"
        case .exec: "cannot execute"
        }
    }
}

extension LaunchError.Stage {
    /// The step that the child's side reports by number; nil when it got through all of them.
    init?(_ stage: Int32) {
        switch torpor_stage(rawValue: UInt32(bitPattern: stage)) {
        case TORPOR_STAGE_NONE: return nil
        case TORPOR_STAGE_CGROUP: self = .cgroup
        case TORPOR_STAGE_SESSION: self = .session
        case TORPOR_STAGE_DESCRIPTORS: self = .descriptors
        case TORPOR_STAGE_LIMITS: self = .limits
        case TORPOR_STAGE_PRIORITY: self = .priority
        case TORPOR_STAGE_OOM_SCORE: self = .oomScore
        case TORPOR_STAGE_CREDENTIALS: self = .credentials
        case TORPOR_STAGE_WORKING_DIRECTORY: self = .workingDirectory
        case TORPOR_STAGE_PRIVILEGES: self = .privileges
        case TORPOR_STAGE_EXEC: self = .exec
        default: self = .clone
        }
    }
}
