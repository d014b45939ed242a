internal import CLinux

/// What may happen to a watched file, as inotify(7) has it, and how to watch it.
package struct InotifyEvents: OptionSet, Hashable, Sendable {
    /// The bits of `struct inotify_event`.
    package let rawValue: UInt32

    /// The events whose bits are set.
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    private init(_ bits: some BinaryInteger) {
        self.init(rawValue: UInt32(truncatingIfNeeded: bits))
    }

    /// It was written (`IN_MODIFY`).
    package static let modified = InotifyEvents(IN_MODIFY)
    /// It was opened (`IN_OPEN`).
    package static let opened = InotifyEvents(IN_OPEN)
    /// Its metadata or its link count changed (`IN_ATTRIB`).
    package static let attributes = InotifyEvents(IN_ATTRIB)
    /// It was closed by a process that could write to it (`IN_CLOSE_WRITE`).
    package static let closedAfterWriting = InotifyEvents(IN_CLOSE_WRITE)
    /// An entry was moved out of the directory (`IN_MOVED_FROM`).
    package static let movedFrom = InotifyEvents(IN_MOVED_FROM)
    /// An entry was moved into the directory (`IN_MOVED_TO`).
    package static let movedTo = InotifyEvents(IN_MOVED_TO)
    /// An entry was made in the directory (`IN_CREATE`).
    package static let created = InotifyEvents(IN_CREATE)
    /// An entry was deleted from the directory (`IN_DELETE`).
    package static let deleted = InotifyEvents(IN_DELETE)
    /// The file itself was deleted (`IN_DELETE_SELF`).
    package static let deletedSelf = InotifyEvents(IN_DELETE_SELF)
    /// The file itself was moved (`IN_MOVE_SELF`).
    package static let movedSelf = InotifyEvents(IN_MOVE_SELF)

    /// Watches a symbolic link rather than what it leads to (`IN_DONT_FOLLOW`).
    package static let dontFollow = InotifyEvents(IN_DONT_FOLLOW)
    /// Refuses what is not a directory (`IN_ONLYDIR`).
    package static let onlyDirectory = InotifyEvents(IN_ONLYDIR)

    /// The watch is gone, with the file or its file system (`IN_IGNORED`); reported unasked.
    package static let ignored = InotifyEvents(IN_IGNORED)
    /// The file system was unmounted (`IN_UNMOUNT`); reported unasked.
    package static let unmounted = InotifyEvents(IN_UNMOUNT)
    /// Events were lost: look at everything again (`IN_Q_OVERFLOW`); reported unasked.
    package static let overflow = InotifyEvents(IN_Q_OVERFLOW)
    /// The entry is a directory (`IN_ISDIR`); reported along with others.
    package static let directory = InotifyEvents(IN_ISDIR)
}
