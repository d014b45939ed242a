import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Linux

/// Work that is left to a thread, also where none can be created: never does the caller do it.
@Suite(.timeLimit(.minutes(60))) struct `Jobs of a thread` {
    /// What was done, and whether a thread can be created.
    private final class Place: Sendable {
        let done = Mutex<[Int]>([])
        let isFull = Mutex(false)
        let tries = Mutex(0)

        var thread: JobThread {
            JobThread { [self] (body) throws(LinuxError) in
                tries.withLock { $0 += 1 }
                if isFull.withLock({ $0 }) { throw LinuxError(errno: EAGAIN, call: "pthread_create") }
                try DetachedThread.start(body)
            }
        }

        func job(_ number: Int) -> @Sendable () -> Void { { [self] in done.withLock { $0.append(number) } } }

        func set(full: Bool) { isFull.withLock { $0 = full } }

        func await(_ expected: [Int]) throws {
            _ = try eventually { done.withLock { $0 } == expected ? true : nil }
        }
    }

    @Test func `are done in order, by one thread while there are some`() throws {
        let place = Place()
        let thread = place.thread
        for number in 0..<100 { try thread.perform(place.job(number)) }
        try place.await(Array(0..<100))
    }

    @Test func `are refused where no thread can be created, and never done`() throws {
        let place = Place()
        let thread = place.thread
        place.set(full: true)
        let error = #expect(throws: LinuxError.self) { try thread.perform(place.job(1)) }
        #expect(error?.errno == EAGAIN)
        place.set(full: false)
        try thread.perform(place.job(2))
        try place.await([2])
    }

    @Test func `that are left wait for a thread, in order, and one caller tries again`() throws {
        let place = Place()
        let thread = place.thread
        place.set(full: true)
        #expect(thread.leave(place.job(1)))
        #expect(!thread.leave(place.job(2)), "one tries again already")
        #expect(throws: LinuxError.self) { try thread.perform(place.job(3)) }
        #expect(!thread.goOn() && place.done.withLock { $0 }.isEmpty)
        place.set(full: false)
        #expect(thread.goOn())
        try place.await([1, 2])
        // Nothing waits: no thread is created for nothing.
        let tries = place.tries.withLock { $0 }
        _ = try eventually { thread.goOn() ? true : nil }
        #expect(place.tries.withLock { $0 } == tries)
    }

    @Test func `that wait go with the next one, where that gets a thread`() throws {
        let place = Place()
        let thread = place.thread
        place.set(full: true)
        #expect(thread.leave(place.job(1)))
        place.set(full: false)
        try thread.perform(place.job(2))
        try place.await([1, 2])
        #expect(thread.goOn())
        place.set(full: true)
        #expect(thread.leave(place.job(3)), "who tried again has stopped")
        place.set(full: false)
        #expect(thread.goOn())
        try place.await([1, 2, 3])
    }
}
