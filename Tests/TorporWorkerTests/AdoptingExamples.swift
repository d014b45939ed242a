// The snippets of the article "Adopting the life cycle", word for word between their marks; a test compares them.

// snippet: delegate
import Foundation
import TorporWorker

struct Gallery: LifecycleDelegate {
    struct State: Codable {
        var page = 1
    }

    let model = GalleryModel()

    func didFinishLaunching(_ launch: Launch) async throws -> Bool {
        try await model.open()
        return true
    }

    func didEnterBackground() async throws {
        try await model.save()
    }

    func openURL(_ url: URL) async throws -> Bool {
        await model.show(url)
    }

    func saveState() async throws -> State {
        State(page: await model.page)
    }

    func restoreState(_ state: State) async throws {
        await model.turn(to: state.page)
    }
}
// end

actor GalleryModel {
    var page = 1

    func open() async throws {}
    func save() async throws {}
    func show(_ url: URL) -> Bool { url.scheme == "gallery" }
    func turn(to page: Int) { self.page = page }
    func upload() async throws {}
}

/// What the article does with a worker, each piece within a function.
enum Adopting {
    static func run() async throws {
        // snippet: run
        try await Worker.shared.run(Gallery())
        // end
    }

    static func upload(_ model: GalleryModel) async throws {
        // snippet: task
        try await Worker.shared.withBackgroundTask(named: "upload") {
            try await model.upload()
        }
        // end
    }

    static func remaining() async throws {
        // snippet: remaining
        if let remaining = try await Worker.shared.backgroundTimeRemaining, remaining < .seconds(10) {
            print("no time for another page")
        }
        // end
    }

    static func loop(_ model: GalleryModel) async throws {
        // snippet: loop
        for await callback in try Worker.shared.callbacks([.didEnterBackground, .openURL, .willTerminate]) {
            switch callback.name {
            case .openURL:
                if let url = callback.url, await model.show(url) {
                    try await callback.complete()
                } else {
                    try await callback.refuse()
                }
            case .willTerminate:
                return
            default:
                try await model.save()
                try await callback.complete()
            }
        }
        // end
    }

    static func play(_ game: Game) async throws {
        // snippet: in use
        try await Worker.shared.setInUse(!game.players.isEmpty)
        // end
    }

    struct Game { let players: [String] }

    static func fetch(_ url: String) async throws -> Int64 {
        // snippet: transfer
        let number = try await Worker.shared.beginTransfer(["curl", "-fsS", "-o", "/var/lib/web/feed", url])
        // end
        return number
    }

    static func ask(_ vault: Vault) async throws {
        // snippet: interruption
        try await Worker.shared.withInterruption(for: "unlock keys", limit: .seconds(60)) {
            await vault.unlock()
        }
        // end
    }

    struct Vault { func unlock() async {} }

    static func note() async throws {
        // snippet: note
        try await Worker.shared.post("index.stale", payload: ["album": "summer"], rule: .each)
        let reminder = try await Worker.shared.schedule("backup.due", after: .seconds(3600))
        if let reminder { try await Worker.shared.cancelSchedule(reminder) }
        // end
    }

    static func save() async throws {
        // snippet: save
        try await Worker.shared.saveState(["page": 3])
        // end
    }
}
