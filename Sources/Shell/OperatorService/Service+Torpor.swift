internal import ControlAPI
package import Varlink

extension Service {
    /// The service at a supervisor's control socket.
    package static func torpor(version: String) -> Service {
        Service(
            identity: Identity(vendor: "Torpor", product: "Torpor", version: version, url: ""),
            interfaces: [SupervisorInterface.definition], requiringMore: SupervisorInterface.requiringMore)
    }
}
