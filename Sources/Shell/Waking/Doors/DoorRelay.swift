/// Passes the bytes of connections on that were accepted for a worker which is being launched.
package protocol DoorRelay: AnyObject {
    /// Keeps these, which are its own from here on, until the worker is there.
    func take(_ connections: [Int32])
    /// The worker listens where the clients connected: each is connected from and to the address that it used itself, at the pace of the
    /// worker's backlog. It goes on by itself until none is left.
    func open()
    /// Closes those that wait.
    func dismiss()
}
