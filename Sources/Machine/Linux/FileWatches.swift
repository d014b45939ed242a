internal import CLinux

/// Watches of many files' content behind one descriptor (inotify(7)).
package struct FileWatches: ~Copyable, Sendable {
    /// One of them.
    package struct Watch: Hashable, Sendable {
        /// Its number, by which the kernel knows it.
        package let number: Int32

        /// The watch of this number.
        package init(number: Int32) { self.number = number }
    }

    /// What there is to tell.
    package enum News: Hashable, Sendable {
        /// These have changed.
        case changed([Watch])
        /// The kernel lost count: any may have.
        case lost
    }

    private let descriptor: OwnedDescriptor

    /// Watches of none.
    package init() throws(LinuxError) {
        descriptor = OwnedDescriptor(adopting: try check(torpor_inotify_create(), "inotify_init1"))
    }

    /// Those of a descriptor that came through execve(2), with the watches that it has and what there is to tell of them.
    package init(inheriting descriptor: Int32) {
        self.descriptor = OwnedDescriptor(inheriting: descriptor)
    }

    /// The descriptor that has input when there is news, borrowed: to wait for.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Watches the file at `path`; the same file twice is the same watch.
    package func add(_ path: String) throws(LinuxError) -> Watch {
        Watch(
            number: try unsafe check(
                torpor_inotify_watch(descriptor.rawValue, path), "inotify_add_watch", path))
    }

    /// Ends a watch; one whose file is gone has ended already.
    package func remove(_ watch: Watch) {
        torpor_inotify_forget(descriptor.rawValue, watch.number)
    }

    /// Takes some of the news; without waiting.
    package func read() -> News {
        let numbers = unsafe [Int32](unsafeUninitializedCapacity: 64) { buffer, count in
            count = unsafe Int(torpor_inotify_read(descriptor.rawValue, buffer.baseAddress, 64))
        }
        return numbers.contains(-1) ? .lost : .changed(numbers.map(Watch.init(number:)))
    }
}
