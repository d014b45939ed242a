extension InterfaceDefinition {
    /// `org.varlink.service`, which every service offers (varlink.org, "Service Interface").
    public static let varlinkService = InterfaceDefinition(builtIn: varlinkServiceDescription)

    private static let varlinkServiceDescription = """
        # What every Varlink service can tell about itself.
        interface org.varlink.service

        # Who made the service, and the names of its interfaces.
        method GetInfo() -> (
          vendor: string,
          product: string,
          version: string,
          url: string,
          interfaces: []string
        )

        # The description of an interface, word for word.
        method GetInterfaceDescription(interface: string) -> (description: string)

        # The service has no such interface.
        error InterfaceNotFound (interface: string)

        # The interface has no such method.
        error MethodNotFound (method: string)

        # The interface describes the method, but this service does not offer it, or not in the way that was asked for.
        error MethodNotImplemented (method: string)

        # A parameter is missing, unknown or of the wrong type.
        error InvalidParameter (parameter: string)

        # The caller may not do this.
        error PermissionDenied ()

        # The method answers more than once and must be called with "more".
        error ExpectedMore ()

        """
}
