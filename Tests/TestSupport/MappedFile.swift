/// A file that one process alone has mapped and read: its pages can be had again from the disk.
package enum MappedFile {
    /// The Python that makes it, 32 MiB of it, in the directory that is the program's argument.
    package static let python = """
        import mmap, os, sys
        path = sys.argv[1] + "/file"
        with open(path, "wb") as f:
            f.write(b"x" * (32 << 20)); f.flush(); os.fsync(f.fileno())
        f = open(path, "r+b")
        m = mmap.mmap(f.fileno(), 0)
        sum(m[i] for i in range(0, len(m), 4096))
        """
}
