/// The version of the programs, which is one for all of them.
package enum Version {
    /// As `--version` and the control interface tell it.
    package static let current = "0.1.0"
}
