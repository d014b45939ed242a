import Glibc

/// A directory of its own for the server's socket and log.
struct Scratch {
    let path: String

    init() throws(DemoFailure) {
        var template = Array("/tmp/torpor-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw DemoFailure("no directory can be made in /tmp: \(String(cString: strerror(errno)))")
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() {
        for name in ["redis.sock", "redis.log"] { unlink("\(path)/\(name)") }
        rmdir(path)
    }
}

/// A step that did not come about.
struct DemoFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
