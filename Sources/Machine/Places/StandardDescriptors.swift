internal import Glibc

/// Descriptors 0, 1 and 2.
package enum StandardDescriptors {
    /// Puts /dev/null where one is closed, so that no file of this process ever takes its number and gets the child's output.
    ///
    /// With `takesOutput` what is written there is lost; without, it fails with EBADF, as it did while the descriptor was closed.
    package static func fill(takesOutput: Bool = true) {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is this one: all below are taken.
            _ = open("/dev/null", descriptor == 0 || !takesOutput ? O_RDONLY : O_WRONLY)
        }
    }
}
