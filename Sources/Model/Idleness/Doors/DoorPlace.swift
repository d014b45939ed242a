/// Where a worker waits for its clients: the address of one listening or datagram socket of it.
package enum DoorPlace: Hashable, Sendable {
    case tcp(Endpoint)
    case udp(Endpoint)
    /// A Unix socket, by its path, or by its abstract name after an `@`.
    case unix(String)

    /// As operators are told.
    package var words: String {
        switch self {
        case .tcp(let endpoint): "tcp \(endpoint)"
        case .udp(let endpoint): "udp \(endpoint)"
        case .unix(let name): name
        }
    }
}
