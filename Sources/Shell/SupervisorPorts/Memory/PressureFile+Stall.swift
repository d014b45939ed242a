internal import Cgroups
package import Pressure

extension PressureFile {
    /// What it says now; nil where it says nothing.
    package var stall: PressureStall? { text().flatMap { PressureStall(parsing: $0) } }
}
