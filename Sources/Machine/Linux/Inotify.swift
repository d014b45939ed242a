internal import CLinux
internal import Glibc

/// One change of a watched file or directory (inotify(7)).
package struct InotifyEvent: Hashable, Sendable {
    /// The watch that tells of it; nil for `overflow`, which concerns all.
    package let watch: Inotify.Watch?
    /// What happened.
    package let events: InotifyEvents
    /// The entry of the watched directory; empty when it is about the file itself.
    package let name: String
}

/// Watches of files and directories behind one descriptor (inotify(7)).
///
/// Not libsystemd's sources for it: those of 252 spin for ever when one is dropped while an event for it waits.
/// Closing it waits for a grace period of the kernel, some 15 ms.
package struct Inotify: ~Copyable, Sendable {
    /// One watch: of a file, whatever its names are.
    package struct Watch: Hashable, Sendable {
        fileprivate let number: Int32
    }

    private let descriptor: OwnedDescriptor

    /// Watches of nothing.
    package init() throws(LinuxError) {
        descriptor = OwnedDescriptor(adopting: try check(torpor_inotify_create(), "inotify_init1"))
    }

    /// The descriptor that has input when there is something to tell, borrowed.
    package var rawValue: Int32 { descriptor.rawValue }

    /// Watches what is at `path` for `events`, and for what it is watched for already.
    package borrowing func add(_ path: String, _ events: InotifyEvents) throws(LinuxError) -> Watch {
        Watch(
            number: try unsafe check(
                torpor_inotify_add(descriptor.rawValue, path, events.rawValue), "inotify_add_watch", path))
    }

    /// Ends a watch; one whose file is gone has ended already.
    package borrowing func remove(_ watch: Watch) {
        torpor_inotify_forget(descriptor.rawValue, watch.number)
    }

    /// Takes some of what there is to tell, without waiting; none when that was all.
    package borrowing func read() -> [InotifyEvent] {
        var buffer = [UInt8](repeating: 0, count: 8192)
        let count = unsafe Glibc.read(descriptor.rawValue, &buffer, buffer.count)
        return count > 0 ? Self.events(in: buffer[..<count]) : []
    }

    /// Reads the kernel's records, one after the other: watch, mask, cookie, length of the name, the name padded with NULs.
    static func events(in bytes: ArraySlice<UInt8>) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        var rest = bytes
        func word(_ offset: Int) -> UInt32 {
            (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(rest[rest.startIndex + offset + $1]) }
        }
        while rest.count >= 16 {
            let number = Int32(bitPattern: word(0))
            let length = Int(word(12))
            let name = rest.dropFirst(16).prefix(length).prefix { $0 != 0 }
            events.append(
                InotifyEvent(
                    watch: number < 0 ? nil : Watch(number: number), events: InotifyEvents(rawValue: word(4)),
                    name: String(decoding: name, as: UTF8.self)))
            rest = rest.dropFirst(16 + length)
        }
        return events
    }
}
