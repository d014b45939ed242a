internal import Glibc

/// A moment as file systems have it: of the coarse clock, by which they say when something was written.
package struct FileTime: Comparable, Hashable, Sendable {
    /// Since 1970.
    private let nanoseconds: Int64

    private init(_ time: timespec) { nanoseconds = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) }

    /// The moment at which what is written now is said to be written (clock_gettime(2), CLOCK_REALTIME_COARSE).
    package static var now: FileTime {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME_COARSE, &time)
        return FileTime(time)
    }

    /// When what `path` leads to was written last; nil where nothing is there, and it may wait for a disk.
    package init?(of path: String) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        self.init(status.st_mtim)
    }

    package static func < (a: FileTime, b: FileTime) -> Bool { a.nanoseconds < b.nanoseconds }
}
