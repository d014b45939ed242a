internal import ConfigurationSyntax

/// The words of `Wake=`.
extension WakeRules.Watching: Keyword {}

/// The words of `WakeOn=`.
extension WakeRules.Kind: Keyword {}
