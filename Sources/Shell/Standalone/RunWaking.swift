internal import ConfigurationSyntax
internal import Idleness
package import WorkerFile

/// What `--listen`, `--wake-on`, `--wake-from` and `--wake-not-from` of `torpor run` say, by the rules of a worker file's `[Foreground]`.
package struct RunWaking: Hashable, Sendable {
    /// What was read so far.
    package private(set) var foreground = WorkerDefinition.Foreground()

    /// Nothing: the defaults of a worker file.
    package init() {}

    /// Reads one `KIND[,KIND…]` of `--wake-on`.
    package mutating func add(on text: String) throws(Problem) {
        let kinds: [WakeRules.Kind] = try Self.values("--wake-on", text)
        foreground.wakeOn.formUnion(kinds)
    }

    /// Reads one `NETWORK[,NETWORK…]` of `--wake-from`.
    package mutating func add(from text: String) throws(Problem) {
        foreground.wakeFrom += try Self.values("--wake-from", text)
    }

    /// Reads one `NETWORK[,NETWORK…]` of `--wake-not-from`.
    package mutating func add(notFrom text: String) throws(Problem) {
        foreground.wakeNotFrom += try Self.values("--wake-not-from", text)
    }

    /// Reads one `ADDRESS` of `--listen`.
    package mutating func add(listen text: String) throws(Problem) {
        let address: ListenAddress
        do throws(ValueError) {
            address = try ListenAddress(parsing: text)
        } catch {
            throw Problem(error.said(of: "--listen", text))
        }
        let socket = HeldSocket(.stream, address)
        guard !foreground.listens.contains(where: { $0.excludes(socket) }) else {
            throw Problem("--listen \(text) takes an address that is taken already")
        }
        foreground.listens.append(socket)
    }

    /// Throws what does not fit together.
    package func check() throws(Problem) {
        guard foreground.tooLongWakeLists.isEmpty else {
            throw Problem(
                "--wake-from and --wake-not-from take at most \(WakeRules.mostNetworks) networks each; use shorter prefixes"
            )
        }
        if foreground.wakeRules.admitsNoPeer {
            throw Problem("--wake-not-from excludes every address of --wake-from")
        }
    }

    private static func values<Value: PlainValue>(
        _ option: String, _ text: String
    ) throws(Problem) -> [Value] {
        var values: [Value] = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            do throws(ValueError) {
                values.append(try Value(parsing: String(word)))
            } catch {
                throw Problem(error.said(of: option, String(word)))
            }
        }
        return values
    }

    /// An option that does not say anything that can be done.
    package struct Problem: Error, CustomStringConvertible {
        /// What is wrong, and what was expected.
        package let description: String

        fileprivate init(_ description: String) { self.description = description }
    }
}
