internal import Idleness
internal import Linux
internal import Sockets

extension SleeperWatch {
    /// Of how many connections the other end is asked for.
    private static let mostAsked = 64

    /// Asks the sleeper's Unix connections whose other ends sock_diag(7) does not tell for them, by a duplicate of each for that moment.
    ///
    /// A supervisor that was killed leaves connections with what it had answered and the worker had not read when it was frozen: to the next
    /// one they look like those of any program that is gone.
    func learnPeers(of others: inout OtherSockets, _ inventory: Inventory) {
        let unknown = others.withUnknownPeers.intersection(owner.inodes)
        for (inode, place) in inventory.places(of: unknown).prefix(Self.mostAsked) {
            // Ignoring why there is none: it stays unknown then.
            guard let pidfd = try? Pidfd(pid: place.process),
                let connection = try? BorrowedDescriptor(
                    place.descriptor, of: pidfd, expecting: .socket(inode: inode)),
                let peer = connection.unixPeer()
            else { continue }
            others.learn(peer, of: inode) { tools.isServer($0) }
        }
    }
}
