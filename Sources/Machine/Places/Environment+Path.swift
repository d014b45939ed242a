package import Linux

extension Environment {
    /// The absolute path that variable `name` holds; nil where it does not.
    package func path(_ name: String) -> String? {
        guard let value = self[name]?.description, value.hasPrefix("/") else { return nil }
        return value.count > 1 && value.hasSuffix("/") ? String(value.dropLast()) : value
    }
}
