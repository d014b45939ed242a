/// What a server offers: its identity, and its interfaces.
///
/// It is the one place through which every call goes.
///
/// `org.varlink.service` is part of every service and answered here.
public struct Service: Sendable {
    /// What GetInfo tells of the service.
    public struct Identity: Hashable, Sendable, Codable {
        /// The maker.
        public let vendor: String
        /// The product.
        public let product: String
        /// Its version.
        public let version: String
        /// Where to read about it.
        public let url: String

        /// An identity.
        public init(vendor: String, product: String, version: String, url: String) {
            self.vendor = vendor
            self.product = product
            self.version = version
            self.url = url
        }
    }

    /// What is to be done with a call.
    public enum Route: Hashable, Sendable {
        /// Answer it with these parameters; the service did it already.
        case reply(JSON.Object)
        /// Answer it with this error.
        case fail(MethodError)
        /// Do it: a method of this interface, with parameters that fit its description.
        case perform(interface: String, method: String)
    }

    /// The identity of the service.
    public let identity: Identity
    private let interfaces: [InterfaceDefinition]
    /// Every method by its full name: a call of one is told from all others by one look.
    private let methods: [String: KnownMethod]

    private final class KnownMethod: Sendable {
        let interface: InterfaceDefinition
        let input: [InterfaceField]
        let requiresMore: Bool
        let route: Route

        init(
            _ name: String, _ method: InterfaceDefinition.Method, of interface: InterfaceDefinition,
            requiresMore: Bool
        ) {
            self.interface = interface
            input = method.input
            self.requiresMore = requiresMore
            route = .perform(interface: interface.name, method: name)
        }
    }

    /// A service that offers `interfaces` besides `org.varlink.service`; of two with one name the first counts.
    ///
    /// `requiringMore` are the full names of methods that make no sense without `more`.
    public init(identity: Identity, interfaces: [InterfaceDefinition], requiringMore: Set<String> = []) {
        self.identity = identity
        self.interfaces = [InterfaceDefinition.varlinkService] + interfaces
        var methods: [String: KnownMethod] = [:]
        for (index, interface) in self.interfaces.enumerated()
        where self.interfaces.firstIndex(where: { $0.name == interface.name }) == index {
            for name in interface.methods {
                let full = "\(interface.name).\(name)"
                guard let method = interface.method(name) else { continue }
                methods[full] = KnownMethod(
                    name, method, of: interface, requiresMore: requiringMore.contains(full))
            }
        }
        self.methods = methods
    }

    /// Where `call` goes: to this type's own answer, to the first standard error that applies, or to the service proper.
    ///
    /// A method that the caller is not permitted, by its full name, is denied before the parameters are looked at; those of
    /// `org.varlink.service` are open to every caller.
    public func route(_ call: Call, permitting permits: (String) -> Bool = { _ in true }) -> Route {
        guard let known = methods[call.method] else {
            let name = call.interface
            return .fail(interface(name) == nil ? .interfaceNotFound(name) : .methodNotFound(call.method))
        }
        if known.interface.name != InterfaceDefinition.varlinkService.name, !permits(call.method) {
            return .fail(.permissionDenied)
        }
        if let path = known.interface.firstInvalid(call.parameters, of: known.input) {
            return .fail(.invalidParameter(path))
        }
        if known.requiresMore, call.mode != .more { return .fail(.expectedMore) }
        if known.interface.name == InterfaceDefinition.varlinkService.name { return answer(call) }
        return known.route
    }

    private func interface(_ name: String) -> InterfaceDefinition? {
        interfaces.first { $0.name == name }
    }

    /// The answer of `org.varlink.service`; the parameters fit its description.
    private func answer(_ call: Call) -> Route {
        guard call.member == "GetInterfaceDescription" else { return .reply(information) }
        let name = call.parameters["interface"]?.string ?? ""
        guard let interface = interface(name) else { return .fail(.interfaceNotFound(name)) }
        return .reply(["description": .string(interface.description)])
    }

    private var information: JSON.Object {
        [
            "vendor": .string(identity.vendor), "product": .string(identity.product),
            "version": .string(identity.version), "url": .string(identity.url),
            "interfaces": .array(interfaces.map { .string($0.name) }),
        ]
    }
}
