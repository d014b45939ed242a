internal import ConfigurationSyntax
package import Pressure

extension PressureSettings {
    /// What `[Memory]` of torpord.conf says, and the rules that it leaves alone.
    package init(_ definition: DaemonDefinition) {
        self.init()
        warningStall = definition.warningPressure.percent
        criticalStall = definition.criticalPressure.percent
        warningAvailable = definition.warningAvailable.percent
        criticalAvailable = definition.criticalAvailable.percent
        longestWarning = definition.warningMax.span
        observes = definition.memoryPolicy == .observe
        biggestFirst = definition.evictionOrder == .size
    }
}

extension Share {
    /// The share in percent.
    var percent: Double { Double(permyriad) / 100 }
}
