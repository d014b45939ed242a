internal import CLinux
internal import Glibc

extension ThisProcess {
    /// The program that we are, as it is installed: where it was replaced meanwhile, its successor (proc_pid_exe(5)).
    package static var program: String? {
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = unsafe readlink("/proc/self/exe", &target, target.count)
        guard length > 0 else { return nil }
        let path = String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let mark = " (deleted)"
        return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
    }

    /// Where this program is installed: to be asked at the start, since a file may be renamed later.
    ///
    /// The path by which it was executed, where that is one from the root and leads to it: a link that is pointed elsewhere later leads to
    /// its successor. Else ``program``.
    package static var installedProgram: String? {
        guard let first = CommandLine.arguments.first, first.hasPrefix("/") else { return program }
        var (named, own) = (stat(), stat())
        guard unsafe stat(first, &named) == 0, unsafe stat("/proc/self/exe", &own) == 0,
            named.st_dev == own.st_dev, named.st_ino == own.st_ino
        else { return program }
        return first
    }

    /// Becomes the program at `path`, with these arguments and the environment of this process (execve(2)); returns only by failing.
    ///
    /// `descriptors` go along, and those that are not closed on exec anyway; after a failure they are closed on exec again. Threads
    /// are gone, signals stay blocked and pending, children stay children of this process.
    package static func become(
        _ path: String, _ arguments: [String], keeping descriptors: [Int32]
    ) throws(LinuxError) -> Never {
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, 0) }
        // That one raises it for itself.
        let isRaised = initialDescriptorLimit != nil
        restoreDescriptorLimit()
        var vector = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        unsafe execve(path, &vector, torpor_environment())
        let reason = errno
        if isRaised { raiseDescriptorLimit() }
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        unsafe vector.forEach { unsafe free($0) }
        throw LinuxError(errno: reason, call: "execve", subject: path)
    }
}
