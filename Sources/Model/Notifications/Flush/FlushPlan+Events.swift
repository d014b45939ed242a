package import Lifecycle

extension FlushPlan {
    /// A flush that the model of the worker's life asks for, and what takes it.
    package struct Request: Hashable, Sendable {
        /// The delivery by which it is completed.
        package let delivery: Delivery
        /// What takes notifications now.
        package let receivers: NotificationReceivers
        /// Whether the worker is in the foreground, or on the way there.
        package let isForeground: Bool

        /// A request, by its parts.
        package init(_ delivery: Delivery, to receivers: NotificationReceivers, isForeground: Bool = true) {
            self.delivery = delivery
            self.receivers = receivers
            self.isForeground = isForeground
        }
    }

    /// How a flush ended.
    package enum Outcome: Hashable, Sendable {
        /// The worker has taken it.
        case taken
        /// The worker or a hook of it has not.
        case refused
        /// The time for it was over, and the worker lives on.
        case overdue
        /// The process has ended: no process is left to take it.
        case abandoned

        /// How a flush ended that was completed in this way, or that the life gave up without; `hasProcess` is whether the worker runs on.
        package init(_ completion: Completion?, hasProcess: Bool) {
            self =
                switch completion {
                case .done: .taken
                case .refused, .failed: hasProcess ? .refused : .abandoned
                case nil: hasProcess ? .overdue : .abandoned
                }
        }
    }

    /// What has happened.
    package enum Event: Hashable, Sendable {
        /// Something was put into the queue.
        case queued
        /// A notification was dropped: it may have been the one that was not taken.
        case dropped
        /// What takes notifications has changed: what the life was told may have come to nothing.
        case receiversChanged
        /// A life was taken over from a predecessor, which had told it that notifications wait, or had not.
        case restored(isAnnounced: Bool)
        /// The life is ready for what waits.
        case asked(Request)
        /// The worker is about to be thawed, for the foreground or not; these take its notifications.
        case thawing(NotificationReceivers, isForeground: Bool = true)
        /// A hook is over; `problem` is nil where its notifications were taken.
        case hookEnded(UInt32, problem: FlushProblem?)
        /// The worker's connection has refused the delivery of this id, for this reason.
        case refused(UInt32, String?)
        /// The worker has made a connection.
        case connected
        /// The connection has gone away, with what it had in hand.
        case disconnected
        /// The life no longer waits for the flush of this delivery.
        case ended(UInt32, Outcome)
        /// The worker has been suspended.
        case suspended
        /// The process has ended; `died` where its cause is a death.
        case processEnded(died: Bool)
        /// The moment has come at which something is due.
        case due
        /// The worker is no longer defined.
        case parked
    }

    /// What is to be done, in this order.
    package enum Effect: Hashable, Sendable {
        /// Tell the life that notifications wait.
        case announce
        /// Tell the life that notifications wait for the foreground.
        case announceForeground
        /// Give these to the worker's connection, as a whole.
        case deliver(Delivery, [QueuedNotification])
        /// Hooks carry out this delivery from now on.
        case beginHooks(Delivery)
        /// Run a hook under this id.
        case run(HookRun.Job, id: UInt32)
        /// Give up the hook of this id.
        case cancel(UInt32)
        /// Tell the life that the delivery of this id is over.
        case complete(UInt32, isTaken: Bool)
        /// Store what has changed in the queue.
        case store
        /// The worker has taken all that was handed out.
        case taken
        /// Say `due` at this moment: the last flush was not taken, for this reason.
        case arm(Instant, FlushProblem)
        /// Nothing is due any more.
        case disarm
        /// The process has died of this notification twice: it is set aside.
        case setAside(QueuedNotification)
        /// This one was set aside before and is removed, because there are too many.
        case removed(QueuedNotification)
    }
}

extension TerminationRecord.Cause {
    /// Whether the worker died, rather than that it was ended: what it was being told may be why.
    package var isDeath: Bool {
        switch self {
        case .exited, .failed, .crashed, .watchdog, .backgroundCPU, .memoryLimit, .kernelOOM: true
        case .stopped, .backgroundTask, .transfer, .fetch, .heldResource, .forceQuit, .evicted, .launchFailed:
            false
        }
    }
}
