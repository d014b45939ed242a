package import Systemd

/// Runs tasks on the thread of a loop: a story that waits is written in the order in which it is told.
///
/// The shell itself awaits nothing.
package final class LoopExecutor: TaskExecutor {
    private let loop: EventLoop

    package init(_ loop: EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.call { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Begins `story` on the loop's thread.
    package func tell(_ story: @escaping () async -> Void) {
        let story = LoopConfined(story, on: loop)
        Task(executorPreference: self) { await story.value() }
    }
}
