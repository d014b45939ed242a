/// The version of the programs, which is one for all of them.
public enum Version {
    /// As `--version` and the control interface tell it.
    public static let current = "0.1.0"
}
