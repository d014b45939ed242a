import ArgumentParser
import ControlAPI

/// `torpor`: everything but the daemon.
@main
struct Torpor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "torpor", abstract: "Gives ordinary programs the life of an app.", version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(name: "Standalone", subcommands: [RunCommand.self]),
            CommandGroup(
                name: "Observing",
                subcommands: [
                    ListCommand.self, StatusCommand.self, WhyCommand.self, WatchCommand.self, CatCommand.self,
                ]),
            CommandGroup(
                name: "Steering",
                subcommands: [
                    LaunchCommand.self, GoalCommand<SupervisorInterface.Activate>.self,
                    GoalCommand<SupervisorInterface.Resign>.self,
                    GoalCommand<SupervisorInterface.Background>.self,
                    GoalCommand<SupervisorInterface.Suspend>.self,
                    GoalCommand<SupervisorInterface.Resume>.self,
                    GoalCommand<SupervisorInterface.Terminate>.self,
                    GoalCommand<SupervisorInterface.Kill>.self, ShutdownCommand.self,
                ]),
            CommandGroup(
                name: "Administering",
                subcommands: [
                    DoctorCommand.self, VerifyCommand.self, ReloadCommand.self, LogLevelCommand.self,
                ]),
        ])
}
