package import Launching
package import Linux

/// A launch with everything at hand that it takes: files opened, directories made.
///
/// The descriptors that were opened for it are closed when the value ends, which is right after the launch: the child has
/// copies.
package struct PreparedLaunch: ~Copyable {
    /// What is launched.
    package var request: LaunchRequest
    /// What was found out about its program.
    package var program = LaunchedProgram()
    private var descriptors: [Int32] = []

    /// A launch that needs nothing more.
    package init(_ request: LaunchRequest) {
        self.request = request
    }

    deinit {
        for descriptor in descriptors { _ = OwnedDescriptor(adopting: descriptor) }
    }

    /// Keeps `descriptor` open until the launch is over and returns its number.
    package mutating func keep(_ descriptor: consuming OwnedDescriptor) -> Int32 {
        let number = descriptor.release()
        descriptors.append(number)
        return number
    }
}
