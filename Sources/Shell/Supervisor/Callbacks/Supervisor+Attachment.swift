internal import Continuing
package import Lifecycle
internal import Notifications
package import SupervisorPorts

/// What a worker's own connection does.
extension Supervisor {
    /// The worker receives its callbacks by `receiver` from now on.
    package func attach(_ receiver: any CallbackReceiver, to id: WorkerID) {
        guard let worker = workers[id] else { return }
        worker.receiver = receiver
        let isAnew = worker.awaitsReattachment
        tellPlan(.connected, of: worker)
        // First, so that what it is told from now on is told against what it finds.
        attachmentObserver?.receiverChanged(of: id)
        worker.awaitsReattachment = false
        submit(.attached(receiver.callbacks), to: worker)
        if isAnew { deliverAgain(to: worker) }
        tellPlan(.receiversChanged, of: worker)
    }

    /// The connection has gone away.
    package func detach(_ receiver: any CallbackReceiver, from id: WorkerID) {
        guard let worker = workers[id], worker.receiver === receiver else { return }
        worker.receiver = nil
        attachmentObserver?.receiverChanged(of: id)
        guard worker.life.pid != nil else { return }
        tellPlan(.disconnected, of: worker)
        submit(.detached, to: worker)
        settleActivities(of: id, .disconnected)
        // No connection is left that would end them; a client that connects anew begins its tasks anew.
        for (token, task) in worker.tasks where task.requester == .worker {
            endTask(token, of: id, by: .worker)
        }
        // With a hook for the same callback the model goes on waiting; but what the connection had is not taken by any receiver.
        for entry in worker.onItsWay
        where !entry.isHook && entry.delivery.callback == .didReceiveNotifications {
            submit(.completed(id: entry.delivery.id, .failed), to: worker)
        }
    }

    /// What the connection of a worker receives; nothing where there is none.
    ///
    /// A connection that a worker had with a predecessor counts until the worker has had the time to make it anew.
    package func connection(of id: WorkerID) -> CallbackSet {
        guard let worker = workers[id] else { return CallbackSet() }
        let inherited = worker.awaitsReattachment ? worker.life.attachedCallbacks : nil
        return worker.receiver?.callbacks ?? inherited ?? CallbackSet()
    }

    /// Completes what was delivered to a connection; false when that is not awaited any more.
    ///
    /// Calls `kept` once what that changes is on the disk, where it is kept there.
    package func complete(
        _ delivery: UInt32, _ completion: Completion, failure: String?, state: [UInt8]?, of id: WorkerID,
        then kept: @escaping () -> Void = {}
    ) -> Bool {
        guard let worker = workers[id],
            let entry = worker.onItsWay.first(where: { $0.delivery.id == delivery && !$0.isHook }),
            worker.life.awaits(delivery)
        else { return false }
        if entry.delivery.callback == .didReceiveNotifications, completion != .done {
            tellPlan(.refused(delivery, failure ?? "the worker refused them"), of: worker)
        }
        if let failure {
            hookFailed(entry.delivery.callback, failure, worker)
        } else if completion == .done, entry.delivery.callback != .saveState || state == nil {
            worker.hookSucceeded(entry.delivery.callback)
        }
        if entry.delivery.callback == .saveState, completion == .done, let state {
            save(state, of: worker, for: delivery)
        } else {
            submit(.completed(id: delivery, completion), to: worker)
        }
        if entry.delivery.callback == .didReceiveNotifications, completion == .done {
            // Behind what the completion has left there; a disk that takes nothing is not the worker's trouble.
            keepChanges(of: worker) { _ in kept() }
        } else {
            kept()
        }
        return true
    }

    /// What is left of a worker's background time, as of now; nil where nothing limits it.
    package func backgroundTimeRemaining(of id: WorkerID) -> TimeSpan? {
        workers[id]?.life.backgroundTimeRemaining(at: host.now)
    }
}
