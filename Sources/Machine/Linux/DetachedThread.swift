internal import CLinux
internal import Glibc

/// A thread of its own, for what must wait without keeping others waiting (pthread_create(3)).
package enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new thread that is never joined, with every signal blocked: signals are for the others.
    ///
    /// Its stack has `stackSize` bytes; nil is the system's default, some 8 MiB of addresses.
    package static func start(
        stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(LinuxError) {
        var all = sigset_t()
        var before = sigset_t()
        unsafe sigfillset(&all)
        // The new thread inherits the mask.
        unsafe pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        var thread = pthread_t()
        let box = unsafe Unmanaged.passRetained(Body(body))
        let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            // It was retained for this thread.
            if let argument = unsafe argument {
                unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
            }
            return nil
        }
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        if let stackSize { unsafe pthread_attr_setstacksize(&attributes, stackSize) }
        let result = unsafe pthread_create(&thread, &attributes, start, box.toOpaque())
        guard result == 0 else {
            unsafe box.release()
            throw LinuxError(errno: result, call: "pthread_create")
        }
        pthread_detach(thread)
    }
}
