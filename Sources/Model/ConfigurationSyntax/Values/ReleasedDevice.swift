/// Devices that a worker has to close (`ReleaseInBackground=`): a pattern, and from when on.
package struct ReleasedDevice: Hashable, Sendable, PlainValue, CustomStringConvertible {
    /// The devices, by the paths that they were opened by.
    package let devices: PathGlob
    /// Whether they must be closed in the background too (`:always`), and not only when it is suspended.
    package let isAlways: Bool

    /// Reads `/dev/dri/*` or `/dev/dri/*:always`.
    package init(parsing text: String) throws(ValueError) {
        isAlways = text.hasSuffix(Self.mark)
        let pattern = isAlways ? String(text.dropLast(Self.mark.count)) : text
        guard let devices = try? PathGlob(parsing: pattern) else {
            throw ValueError(text, isNot: Self.expectation)
        }
        self.devices = devices
    }

    private static let mark = ":always"

    /// What it looks like.
    package static var expectation: String {
        "\(PathGlob.expectation), with an optional “\(mark)” at its end"
    }
    /// A pattern is a path.
    package static var takesSpecifiers: Bool { true }
    /// The pattern, with its mark.
    package var description: String { isAlways ? devices.pattern + Self.mark : devices.pattern }
}
