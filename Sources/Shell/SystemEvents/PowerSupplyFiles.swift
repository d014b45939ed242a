internal import Linux

/// What the kernel says of the supplies of power: a directory for each, with a file for each property (sysfs(5)).
enum PowerSupplyFiles {
    /// Where they are.
    static let directory = "/sys/class/power_supply"
    /// More supplies than any machine has.
    private static let most = 64

    /// The content of the files `names` of each supply below `directory`, by their names; what cannot be read is left out.
    ///
    /// The firmware may take its time to answer: not for the loop.
    static func read(_ names: [String], in directory: String = Self.directory) -> [[String: String]] {
        Directory.entries(of: directory).sorted().prefix(most).map { supply in
            var files: [String: String] = [:]
            for name in names {
                // Ignoring a failure: most supplies have only some of them.
                guard let bytes = try? RegularFile.read("\(directory)/\(supply)/\(name)", limit: 4096) else {
                    continue
                }
                files[name] = String(decoding: bytes, as: UTF8.self)
            }
            return files
        }
    }
}
