package import Linux

extension Signal {
    /// Sends this signal to a child that is not reaped, and to its process group where it leads one: to what it has started by now, too.
    package func send(toChild pid: Int32) {
        // Ignoring failures: before it leads a group there is none of its number, and what has gone needs no signal.
        try? send(toGroup: pid)
        try? send(toProcess: pid)
    }
}
