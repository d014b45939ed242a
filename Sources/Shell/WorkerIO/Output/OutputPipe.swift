package import Launching
package import Linux
package import SupervisorPorts

/// Where the pipe is made through which a worker prints to the log of its supervisor.
package struct OutputPlace: Sendable {
    /// The worker's name.
    let worker: String
    /// The paths that are tried for it; where none can be made it is a pipe without a name.
    let paths: [String]

    /// In a directory of `places`, as it is found again by the name of the worker's group.
    package init(of configuration: WorkerConfiguration, in places: SocketPlaces) {
        worker = configuration.name
        paths = places.pipes(for: configuration.groupName, "output")
    }
}

/// That pipe, with our end of it open.
///
/// On the thread of a launch it is made without a turn of the loop between the preparation and the process, and whatever may fail of it fails
/// before there is a process.
package struct OutputPipe: ~Copyable, Sendable {
    /// The pipe; nil when that was taken.
    package var fifo: Fifo?
    /// The end that is read; nil when that was taken.
    package var ours: OwnedDescriptor?

    /// Gives `launch` the pipe in the place of our own standard output and error, as far as it was to have those.
    package init(for launch: inout PreparedLaunch, at place: OutputPlace) throws(LaunchError) {
        do throws(LinuxError) {
            let credentials = launch.request.credentials
            var fifo = try Fifo.make(
                atFirstOf: place.paths, or: .reading, user: credentials?.user, group: credentials?.group)
            let theirs = launch.keep(try fifo.openForWorker())
            let (output, errors) = (launch.request.standardOutput, launch.request.standardError)
            if output == .inherited { launch.request.standardOutput = .copied(from: theirs) }
            if errors == .inherited { launch.request.standardError = .copied(from: theirs) }
            ours = try fifo.openOurs(for: .reading)
            self.fifo = consume fifo
        } catch {
            throw LaunchError(
                stage: .preparation, errno: error.errno, subject: "cannot create the pipes of \(place.worker)"
            )
        }
    }
}

extension Fifo {
    /// Makes one at the first of `paths` where that is possible, and else a pipe without a name, which we read or write as `direction` says.
    package static func make(
        atFirstOf paths: [String], or direction: SharedStream.Direction, user: UInt32?, group: UInt32?
    ) throws(LinuxError) -> Fifo {
        for path in paths {
            if let pipe = try? Fifo(at: path, user: user, group: group) { return pipe }
        }
        return try Fifo(anonymous: direction)
    }
}
