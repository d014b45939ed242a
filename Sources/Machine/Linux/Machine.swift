internal import Glibc

/// What the kernel calls the machine, as uname(2) tells it.
package struct Machine: Hashable, Sendable {
    package let hostName: String
    package let kernelRelease: String
    /// The hardware, as `uname -m` prints it.
    package let hardware: String

    /// This machine, now.
    package static var current: Machine {
        var name = utsname()
        // It fails for a bad address only.
        _ = unsafe uname(&name)
        return Machine(
            hostName: text(&name.nodename), kernelRelease: text(&name.release), hardware: text(&name.machine))
    }

    /// The id of this boot (random(4)); empty where the kernel does not say.
    package static var bootID: String {
        let text = try? KernelFile.text("/proc/sys/kernel/random/boot_id")
        return String((text ?? "").prefix { $0 != "\n" })
    }

    /// Whether systemd is the first process, as sd_booted(3) tells; a directory of it may be the host's, seen from inside a
    /// container.
    package static var isUnderSystemd: Bool {
        let name = (try? KernelFile.text("/proc/1/comm")) ?? "systemd\n"
        return unsafe access("/run/systemd/system", F_OK) == 0 && name == "systemd\n"
    }

    /// The hardware as systemd.unit(5) names it under ConditionArchitecture=.
    package var architecture: String {
        switch hardware {
        case "x86_64": "x86-64"
        case "i386", "i486", "i586", "i686": "x86"
        case "aarch64": "arm64"
        case "aarch64_be": "arm64-be"
        case "ppc64le": "ppc64-le"
        case "ppcle": "ppc-le"
        case _ where hardware.hasPrefix("armv"): hardware.hasSuffix("b") ? "arm-be" : "arm"
        default: hardware
        }
    }

    private static func text<Field>(_ field: inout Field) -> String {
        unsafe withUnsafeBytes(of: &field) {
            unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
