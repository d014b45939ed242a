internal import Linux

/// What a predecessor in this process has left of the output of one worker.
///
/// Its ends of the pipes stay open until this is gone: the worker may end before its pipes are opened again, by their names, and what waits in
/// a pipe that no process has open is lost.
package final class HandedOutputs {
    private let descriptors: [Int32]
    private var unpassed: ArraySlice<[UInt8]>

    /// Ends to read, which came through execve(2), and what was read and not passed on yet, in the order of the outputs.
    package init(_ descriptors: [Int32], _ unpassed: [[UInt8]]) {
        self.descriptors = descriptors.map { OwnedDescriptor(inheriting: $0).release() }
        self.unpassed = unpassed[...]
    }

    deinit { DescriptorCloser.close(descriptors) }

    /// What is to be passed on first of the next output.
    package func next() -> [UInt8] { unpassed.popFirst() ?? [] }
}
