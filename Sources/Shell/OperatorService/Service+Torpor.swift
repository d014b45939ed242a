internal import ControlAPI
package import Varlink

extension Service {
    /// Who answers at a control socket of ours.
    package static func torpor(version: String) -> Service {
        Service(
            identity: Identity(vendor: "Torpor", product: "Torpor", version: version, url: ""),
            interfaces: [SupervisorInterface.definition], requiringMore: SupervisorInterface.requiringMore)
    }
}
