import Cgroups
import Foundation
import Linux

/// Where something of a wrapper could be left.
enum Places {
    /// The group below which wrappers make their own groups; nil where they make none.
    static var base: String? {
        guard case .cgroup(let tree) = FreezeMethod.detect() else { return nil }
        return tree.base.path
    }

    /// The directory of the group that a process is in.
    static func group(of pid: Int32) throws -> String {
        let text = try String(contentsOfFile: "/proc/\(pid)/cgroup", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("0::") } ?? ""
        return (base ?? "") + "/" + (line.split(separator: "/").last ?? "")
    }

    /// Groups and sockets that carry the numbers of these wrappers.
    static func left(by pids: [Int32]) -> [String] {
        let places = [base, "/run"].compactMap(\.self)
        return places.flatMap { place in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
            return names.filter { name in
                pids.contains { name.hasPrefix("torpor-run-\($0)-") }
            }
        }
    }
}
