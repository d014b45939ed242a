/// The network as it stands: links, their addresses, and the ways to everywhere.
///
/// Two that are equal mean the same to a worker: links count by their names, so that one that comes back as another number is
/// the same.
package struct NetworkSnapshot: Hashable, Sendable {
    private struct Link: Hashable {
        var name: String
        var isUp: Bool
    }

    private var links: [Int32: Link] = [:]
    private var addresses: Set<NetworkAddress> = []
    private var routes: Set<DefaultRoute> = []

    /// Nothing.
    package init() {}

    /// Takes in a message; in whatever order, what came last counts.
    package mutating func apply(_ message: RouteMessage) {
        switch message {
        case .link(let index, let name, let isUp): links[index] = Link(name: name, isUp: isUp)
        case .linkGone(let index):
            links[index] = nil
            // The kernel need not tell of what goes with it.
            addresses = addresses.filter { $0.link != index }
            routes = routes.filter { $0.link != index }
        case .address(let address): addresses.insert(address)
        case .addressGone(let address): addresses.remove(address)
        case .route(let route): routes.insert(route)
        case .routeGone(let route): routes.remove(route)
        case .done, .interrupted, .refused, .other: break
        }
    }

    /// The names of the links, each with whether it is up, in order.
    package var linkStates: [(name: String, isUp: Bool)] {
        links.values.map { ($0.name, $0.isUp) }.sorted { $0.name < $1.name }
    }

    /// The addresses as `eth0 192.0.2.1/24`, in order.
    package var addressTexts: [String] {
        addresses.map { "\(name($0.link)) \(Self.text($0.bytes))/\($0.prefix)" }.sorted()
    }

    /// The default routes as `eth0 192.0.2.254`, IPv6's as `eth0 fe80::1`, in order.
    package var routeTexts: [String] {
        Set(
            routes.map {
                let hop = $0.gateway.isEmpty ? ($0.isIPv6 ? "IPv6" : "IPv4") : Self.text($0.gateway)
                return "\(name($0.link)) \(hop)"
            }
        ).sorted()
    }

    /// Whether anything leads anywhere.
    package var isOnline: Bool { !routes.isEmpty }

    private func name(_ link: Int32) -> String { links[link]?.name ?? "\(link)" }

    /// As people write it (RFC 5952).
    static func text(_ bytes: [UInt8]) -> String {
        guard bytes.count == 16 else { return bytes.map { String($0) }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        // The longest run of zeroes, the first of those that are equal, if it is one at all.
        var longest = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || groups[index] != 0 {
            if index - start > max(longest.count, 1) { longest = start..<index }
            start = index + 1
        }
        func part(_ range: Range<Int>) -> String {
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return part(0..<8) }
        return "\(part(0..<longest.lowerBound))::\(part(longest.upperBound..<8))"
    }
}
