/// The descriptors that belong to all workers: by which their groups are watched, and where they hear of memory, on their way from one supervisor to the next.
package struct WatchHandover {
    package var groups: Int32?
    package var memory: Int32?
    /// Where workers connect for memory warnings.
    package var pressureSocket: Int32?

    package init(groups: Int32? = nil, memory: Int32? = nil, pressureSocket: Int32? = nil) {
        self.groups = groups
        self.memory = memory
        self.pressureSocket = pressureSocket
    }

    package var descriptors: [Int32] { [groups, memory, pressureSocket].compactMap(\.self) }
}
