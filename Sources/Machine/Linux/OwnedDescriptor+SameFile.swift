internal import CLinux
internal import Glibc

extension OwnedDescriptor {
    /// Whether this and the open descriptor `other` are the same open file: one a duplicate of the other, not
    /// opened a second time.
    ///
    /// The kernel is asked (kcmp(2)). Where it may not answer, two descriptors of one device and inode and
    /// with the same access mode count as the same.
    package func isSameFile(as other: Int32) -> Bool {
        let same = torpor_same_description(rawValue, other)
        guard same < 0 else { return same == 1 }
        var (a, b) = (stat(), stat())
        guard unsafe fstat(rawValue, &a) == 0, unsafe fstat(other, &b) == 0 else { return false }
        return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_mode == b.st_mode
            && a.st_rdev == b.st_rdev
            && fcntl(rawValue, F_GETFL) == fcntl(other, F_GETFL)
    }
}
