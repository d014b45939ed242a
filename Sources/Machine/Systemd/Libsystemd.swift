internal import Glibc

/// The library behind this module.
package enum Libsystemd {
    #if arch(x86_64)
    private static let multiarch = "x86_64-linux-gnu"
    #else
    private static let multiarch = "aarch64-linux-gnu"
    #endif

    /// Whether it is where distributions have it, so that it need not be loaded to know that it can be.
    package static var isAtItsPlace: Bool {
        ["/usr/lib/\(multiarch)", "/usr/lib64", "/usr/lib"].contains {
            unsafe access("\($0)/libsystemd.so.0", R_OK) == 0
        }
    }
}
