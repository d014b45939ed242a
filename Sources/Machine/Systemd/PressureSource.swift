package import Cgroups
internal import Glibc
internal import Linux

/// Calls its handler when a pressure file's threshold is passed, once in each window at most.
@safe package struct PressureSource: ~Copyable {
    /// What there is to tell.
    package enum News: Hashable, Sendable {
        /// So much time was lost to memory pressure within one window.
        case pressed
        /// The group is gone; nothing more will come.
        case gone
    }

    private let source = SourceBox<IOSource>()
    private let descriptor: Int32

    /// Sets `threshold`, as `some 200000 2000000`, on `file`.
    ///
    /// It is taken away soon after the source is dropped: the kernel waits then until it has no reader of the trigger any more, which takes
    /// 8 to 16 ms, and ends a thread of its own with the last one. The loop does not wait for that.
    package init(
        on loop: EventLoop, _ file: PressureFile, threshold: String, priority: Priority = .deadlines,
        handler: @escaping (News) -> Void
    ) throws(PressureSourceError) {
        let opened = try Self.open(file, threshold)
        source.handle = try Self.source(on: loop, opened.rawValue, priority, handler)
        descriptor = opened.release()
    }

    deinit {
        source.handle = nil
        DescriptorCloser.close([descriptor])
    }

    private static func open(
        _ file: PressureFile, _ threshold: String
    ) throws(PressureSourceError) -> OwnedDescriptor {
        do throws(PressureFileError) { return try file.open(threshold: threshold) } catch {
            throw .file(error)
        }
    }

    private static func source(
        on loop: EventLoop, _ descriptor: Int32, _ priority: Priority,
        _ handler: @escaping (News) -> Void
    ) throws(PressureSourceError) -> IOSource {
        do throws(SystemdError) {
            return try IOSource(on: loop, descriptor: descriptor, events: .urgent, priority: priority) {
                events in
                handler(events.contains(.error) ? .gone : .pressed)
            }
        } catch {
            throw .loop(error)
        }
    }
}

/// Why a pressure file cannot be heard.
package enum PressureSourceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kernel has refused it.
    case file(PressureFileError)
    /// The loop has.
    case loop(SystemdError)

    /// Which, in words.
    package var description: String {
        switch self {
        case .file(let error): error.description
        case .loop(let error): "\(error)"
        }
    }
}
