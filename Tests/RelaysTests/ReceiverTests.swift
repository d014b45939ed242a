import Foundation
import Glibc
import Launching
import Linux
import Relaying
import TestSupport
import Testing

/// Programs that read the PROXY header, as the targets of a relay.
@Suite(.timeLimit(.minutes(60))) struct `A receiver of the PROXY header` {
    /// A server with a configuration in a file, ended at the end.
    private final class Server {
        let pid: Int32
        let directory: OwnDirectory

        init(_ program: String, _ arguments: (String) -> [String], _ configuration: (String) -> String) throws
        {
            directory = try OwnDirectory()
            // nginx leaves root for another user, which has to come here.
            chmod(directory.path, 0o755)
            let file = directory.path + "/server.conf"
            try configuration(directory.path).write(toFile: file, atomically: true, encoding: .utf8)
            var request = LaunchRequest(
                ByteString(program), arguments(file).map { ByteString($0) }, environment: .current)
            request.standardError = .copied(from: STDERR_FILENO)
            pid = try request.launch().pid
        }

        deinit {
            kill(pid, SIGTERM)
            var status: Int32 = 0
            waitpid(pid, &status, 0)
        }
    }

    /// Asks a server through a relay, and tells what it has seen of the client: address and port, twice.
    private func seen(by port: UInt16, _ header: ProxyHeader) throws -> (answer: String, expected: String) {
        try eventually("the server listens") { (try? Client(port: port)) == nil ? nil : () }
        let door = try Listener()
        let relay = try RelayUnderTest(
            RelayRoute(to: .ipv4(Loopback.address, port: port), header: header), listeners: [door])
        let client = try Client(port: door.port)
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            _ = pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getsockname(client.descriptor, $0, &length)
            }
        }
        try client.send("GET / HTTP/1.0\r\n\r\n")
        let answer = try #require(try client.readAll())
        _ = relay
        return (answer, "127.0.0.1 \(UInt16(bigEndian: address.sin_port)) 127.0.0.1 \(door.port)")
    }

    @Test(.requires(.nginx), arguments: ProxyHeader.allCases)
    func `nginx sees the client's address`(_ header: ProxyHeader) throws {
        let port = try freePort()
        let server = try Server("/usr/sbin/nginx", { ["-e", "stderr", "-c", $0] }) { directory in
            """
            daemon off; master_process off; pid \(directory)/pid; error_log stderr crit;
            events { worker_connections 64; }
            http {
              access_log off; client_body_temp_path \(directory)/a; proxy_temp_path \(directory)/b;
              fastcgi_temp_path \(directory)/c; uwsgi_temp_path \(directory)/d; scgi_temp_path \(directory)/e;
              server {
                listen 127.0.0.1:\(port) proxy_protocol;
                location / { return 200 "$proxy_protocol_addr $proxy_protocol_port $proxy_protocol_server_addr $proxy_protocol_server_port"; }
              }
            }
            """
        }
        let (answer, expected) = try seen(by: port, header)
        #expect(answer.hasSuffix("\r\n\r\n" + expected), "\(answer)")
        _ = server
    }

    @Test(.requires(.haproxy), arguments: ProxyHeader.allCases)
    func `haproxy sees the client's address`(_ header: ProxyHeader) throws {
        let port = try freePort()
        let server = try Server("/usr/sbin/haproxy", { ["-db", "-q", "-f", $0] }) { _ in
            """
            defaults
              mode http
              timeout client 10s
              timeout server 10s
              timeout connect 10s
            frontend f
              bind 127.0.0.1:\(port) accept-proxy
              http-request return status 200 content-type text/plain lf-string "%ci %cp %[dst] %[dst_port]"

            """
        }
        let (answer, expected) = try seen(by: port, header)
        #expect(answer.hasSuffix("\r\n\r\n" + expected), "\(answer)")
        _ = server
    }
}
