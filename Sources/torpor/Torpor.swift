import ArgumentParser

/// `torpor`: everything but the daemon.
@main
struct Torpor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torpor", abstract: "Gives ordinary programs the life of an app.", version: "0.1.0",
        subcommands: [RunCommand.self])
}
