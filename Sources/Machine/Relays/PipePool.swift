internal import CLinux
internal import Glibc

/// Pipes for bytes that are under way: taken when some come, given back when they are through.
///
/// So a connection on which nothing happens has none.
struct PipePool {
    /// The two ends of a pipe.
    struct Pipe {
        let output: Int32
        let input: Int32
    }

    /// How many bytes a pipe takes, as the kernel makes it.
    static let capacity = 64 << 10
    /// How many are kept for those that come next.
    private static let spare = 16

    private var free: [Pipe] = []
    private(set) var taken = 0

    /// An empty pipe; nil where no descriptor is left.
    mutating func take() -> Pipe? {
        if let pipe = free.popLast() {
            taken += 1
            return pipe
        }
        var ends: [Int32] = [-1, -1]
        guard unsafe torpor_relay_pipe(&ends) == 0 else { return nil }
        taken += 1
        return Pipe(output: ends[0], input: ends[1])
    }

    /// Takes a pipe back, which may hold bytes that are not wanted any more.
    mutating func give(_ pipe: Pipe, isEmpty: Bool) {
        taken -= 1
        if isEmpty, free.count < Self.spare { return free.append(pipe) }
        close(pipe.output)
        close(pipe.input)
    }
}
