internal import Lifecycle
public import WorkerFile

/// What `--on` and `--completes` of `torpor run` say, by the rules of a worker file's `[Callbacks]`.
public struct RunCallbacks: Hashable, Sendable {
    /// What was read so far.
    public private(set) var callbacks = WorkerDefinition.Callbacks()

    /// Nothing.
    public init() {}

    /// Reads one `CALLBACK=ACTION` of `--on`.
    public mutating func add(on text: String) throws(Problem) {
        let (callback, value) = try Self.split(text, option: "--on", "ACTION")
        guard callbacks.actions[callback] == nil else {
            throw Problem("--on \(text): \(callback.rawValue) has an action already")
        }
        do throws(ValueError) {
            callbacks.actions[callback] = try CallbackAction(
                parsing: value, in: SpecifierContext(place: .here()))
        } catch {
            throw Problem("--on \(text): \(error)")
        }
    }

    /// Reads one `CALLBACK=COMPLETION` of `--completes`.
    public mutating func add(completes text: String) throws(Problem) {
        let (callback, value) = try Self.split(text, option: "--completes", "COMPLETION")
        do throws(ValueError) {
            callbacks.completions[callback] = try CallbackCompletion(parsing: value)
        } catch {
            throw Problem("--completes \(text): \(error)")
        }
    }

    /// Throws what does not fit together.
    public func check() throws(Problem) {
        for (callback, completion) in callbacks.completions {
            guard let action = callbacks.actions[callback] else {
                throw Problem(
                    "--completes \(callback.rawValue): there is nothing to complete; give --on \(callback.rawValue)= too"
                )
            }
            if case .exec = action { continue }
            if completion == .exit {
                throw Problem(
                    "--completes \(callback.rawValue)=exit: only commands exit; give immediately, notify or output:REGEX"
                )
            }
        }
    }

    private static func split(
        _ text: String, option: String, _ value: String
    ) throws(Problem) -> (CallbackName, String) {
        guard let equals = text.firstIndex(of: "=") else {
            throw Problem("\(option) \(text) is not CALLBACK=\(value)")
        }
        let name = text[..<equals]
        // As the worker hears it, or as a worker file has it.
        let callback = CallbackName.allCases.first { $0.rawValue == name || $0.key == name }
        guard let callback else {
            throw Problem("\(option) \(text): there is no callback “\(name)”; one is didEnterBackground")
        }
        return (callback, String(text[text.index(after: equals)...]))
    }

    /// An option that makes no sense, and what to give instead.
    public struct Problem: Error, Hashable, CustomStringConvertible {
        /// One line.
        public let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
