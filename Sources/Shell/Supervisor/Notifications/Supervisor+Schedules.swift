internal import Lifecycle
package import Notifications
package import SupervisorPorts

/// Posts that are due at a time of the wall clock (2.4): one alarm serves all workers.
extension Supervisor {
    /// Schedules a post for a worker; answers its entry, or why it is not scheduled, and `kept` when it is on the disk.
    package func schedule(
        _ post: Post, for id: WorkerID, at due: Int64, every period: Int64?, waking wakes: Bool,
        by poster: CallerIdentity? = nil, now: Int64, then kept: ((String?) -> Void)? = nil
    ) -> Result<ScheduleBook.Entry, ScheduleRefusal> {
        guard let worker = workers[id] else { return .failure(.post(.noSuchWorker)) }
        guard wants(post.topic, worker) else { return .failure(.post(.notWanted)) }
        guard post.payload?.count ?? 0 <= Self.largestPayload else {
            return .failure(.post(.tooLarge(Self.largestPayload)))
        }
        if let system = post.topic.system, system.rule != post.rule {
            return .failure(.post(.queue(.wrongRule)))
        }
        if let obstacle = notifications?.obstacle { return .failure(.post(.notStored(obstacle))) }
        let result = openInbox(of: worker).book.add(
            post, wakes: wakes, at: due, every: period, by: poster, now: now)
        switch result {
        case .failure(let error): return .failure(.book(error.reason))
        case .success(let entry):
            if let notifications {
                notifications.keep(entry, of: worker.configuration.name) { problem in
                    // What is refused is not delivered; one that was due meanwhile has been posted.
                    let isRefused = problem != nil && self.cancelSchedule(entry.id, of: id)
                    kept?(isRefused ? problem : nil)
                }
            } else {
                kept?(nil)
            }
            rearmSchedules()
            return .success(entry)
        }
    }

    /// Takes a scheduled post back; false when there is none of that number.
    ///
    /// Answers `kept` when that is on the disk.
    package func cancelSchedule(_ number: UInt64, of id: WorkerID, then kept: ((String?) -> Void)? = nil)
        -> Bool
    {
        guard let worker = workers[id], worker.inbox?.book.cancel(number) != nil else { return false }
        if let notifications {
            notifications.drop(schedule: number, of: worker.configuration.name, then: kept)
        } else {
            kept?(nil)
        }
        rearmSchedules()
        return true
    }

    /// Posts what is due at `now`, in microseconds since 1970.
    package func schedulesDue(at now: Int64) {
        for worker in workers.values.sorted(by: { $0.id < $1.id }) {
            while let (entry, again) = worker.inbox?.book.takeDue(at: now) {
                post(entry, to: worker, at: now)
                // After the post: the other way round it could be lost between the two.
                keepAllChanges()
                if let again {
                    notifications?.keep(again, of: worker.configuration.name, then: nil)
                } else {
                    notifications?.drop(schedule: entry.id, of: worker.configuration.name, then: nil)
                }
            }
        }
        rearmSchedules()
    }

    private func post(_ entry: ScheduleBook.Entry, to worker: Worker, at now: Int64) {
        var due = entry.post
        due.time = now
        let outcome = post(due, to: worker.id)
        if case .refused(let refusal) = outcome, refusal != .notRunning {
            notify(worker, .ignored("a scheduled post to \(due.topic) was not accepted: \(refusal.sentence)"))
        }
        guard entry.wakes else { return }
        wakeSilently(
            worker, WakeOrigin(.schedule, "\(due.topic.name), number \(entry.id)", by: entry.poster),
            options: Self.options(of: due, by: entry.poster, schedule: entry.id))
    }

    /// The wall clock was set: what repeats is not left waiting until the clock has caught up.
    package func wallClockSet(to now: Int64) {
        for worker in workers.values {
            for entry in worker.inbox?.book.clockSet(to: now) ?? [] {
                notifications?.keep(entry, of: worker.configuration.name, then: nil)
            }
        }
        schedulesDue(at: now)
    }

    /// Sets the alarm to the soonest of all that is scheduled.
    package func rearmSchedules() {
        wallAlarm?.setWallAlarm(workers.values.compactMap { $0.inbox?.book.next }.min())
    }

    /// What waits for a worker, is on its way to it, and is scheduled for it; nil when there is no such worker.
    package func notifications(of id: WorkerID) -> PendingView? {
        workers[id].map { PendingView(of: $0.inbox, at: host.now) }
    }
}
