internal import Glibc
internal import Linux

extension ProcessStat {
    private static let longestPath = 4096

    /// The program of process `pid`: the path of its file, or its name where that is not to be read; nil when it is gone.
    ///
    /// The number alone says which process it is: another may have it by now.
    package static func program(of pid: Int32) -> String? {
        guard pid > 0 else { return nil }
        var bytes = [CChar](repeating: 0, count: longestPath)
        let count = unsafe readlink("/proc/\(pid)/exe", &bytes, longestPath)
        if count > 0 {
            return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        guard let name = try? KernelFile.text("/proc/\(pid)/comm") else { return nil }
        let line = name.split(separator: "\n").first.map(String.init) ?? ""
        return line.isEmpty ? nil : line
    }
}
