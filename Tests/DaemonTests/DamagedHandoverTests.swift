import ControlServer
import Foundation
import Lifecycle
import SnapshotCoding
import TestSupport
import Testing
import Varlink

@testable import DaemonCore

/// The whole handover, changed at random: a target of the fuzzer would need every module of the daemon.
@Suite struct `A handover that is changed at random` {
    private static let now = Instant(microseconds: 1_000_000)

    /// One with every member that there is.
    private static let whole = #"""
        {"format":6,"began":500,"lock":3,"stateLock":4,"listeners":[{"descriptor":5,"ownsFile":true}],"isReady":true,
        "logLevel":"debug","groupWatches":6,"memoryWatches":7,"pressureSocket":8,"stored":["a","b"],"metrics":9,
        "workers":[{"name":"web","id":4,"isOrphaned":true,"awaitsPriorities":true,"doors":[{"descriptor":10}],
        "binds":[{"descriptor":11,"number":12,"idHigh":1,"idLow":2,"thread":3,"socket":4,"address":5,"length":6}],
        "life":{"record":{"name":"web","at":900,"since":800,"lastUsed":3,"life":{"goal":"notRunning",
        "goalRequester":{"kind":"supervisor"},"phase":{"kind":"notRunning","reason":"exited"}}},
        "tasks":[{"token":1,"since":700,"name":"sync","requester":{"kind":"worker"}}],"snapshot":["AAE="],
        "contents":[{"inbound":1,"kind":"url","url":"a:b","object":{}},{"inbound":2,"kind":"activity","object":{"x":[1]}}],
        "inbox":{"waiting":[{"sequence":1,"topic":"t","rule":"latest","count":2,"first":1,"last":2,"payload":"e30=",
        "added":["a"],"removed":["b"],"dropped":1,"survives":true,"deaths":1,"told":["x"]}],"inFlight":[],"known":[],
        "lastSequence":9,"schedules":[{"id":1,"topic":"t","rule":"each","due":5,"period":6,"wakes":true}]},
        "awaitsReattachment":true,"lastInheritedTask":7,"goalOrigin":{"worker":"app","tie":"isNeeded",
        "requester":{"kind":"dependency"}}},
        "running":{"main":12,"leader":12,"isAdopted":true,"isThawing":true,"isStopped":true,"expectsContinue":true,
        "freeze":"ours","group":"/sys/fs/cgroup/a","startTime":77,"notify":{"descriptor":13,"address":"@a"},"pidfd":14,
        "listener":15,"reaping":{"status":"killed","signal":9,"oomKilled":true,"killsAt":2000,"killed":true},
        "hooks":[{"id":1,"callback":"saveState","topic":"t","unwritten":"AAE=","pid":16,"lines":17,"answer":18,
        "answered":"AA==","isUnderway":true}],"unpassed":["AAE="],"tail":["a line"],"groupWatch":19,
        "connections":[{"number":1,"descriptor":20}],"memory":{"maximum":1,"high":2,"eventsLow":1,"eventsHigh":2,
        "eventsMax":3,"eventsOOM":4,"eventsOOMKill":5,"eventsOOMGroupKill":6,"watch":21},"prioritizedState":"background"}}],
        "operators":[{"descriptor":22,"worker":4,"partial":"AA==","output":"AAE=","isInputOver":true,
        "answers":[{"isMore":true,"isFinished":true,"held":"AAE="}],"calls":[{"place":0,"method":"a.B",
        "parameters":{"x":1},"isMore":true,"note":{"y":null},"isBegun":true}]}],
        "attachments":[{"descriptor":23,"worker":4}],"held":[{"worker":"web","descriptor":24,"slot":0,"name":"n",
        "isPolled":true,"keptAs":"k"}],"parked":[{"name":"gone","inbox":{"lastSequence":3}}]}
        """#

    /// What takes the place of a value.
    private static let values = [
        "null", "true", "false", "0", "1", "-1", "2147483648", "4294967296", "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615", "1e400", "0.5", #""""#, #""x""#, #""AAE""#, #""\u0000""#, #""notRunning""#,
        "[]", "[[]]", "[null]",
        "{}", #"{"kind":"running"}"#, "[{},{}]", "[1,2,3]", #"["a","a"]"#,
    ]

    /// Where each value stands, in the order in which they end.
    private static func spans(of text: [UInt8]) -> [Range<Int>] {
        var (found, open): ([Range<Int>], [Int]) = ([], [])
        var place = 0
        while place < text.count {
            let start = place
            place += 1
            switch text[start] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(start)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if let begin = open.popLast() { found.append(begin..<place) }
            case UInt8(ascii: "\""):
                while place < text.count, text[place] != UInt8(ascii: "\"") {
                    place += text[place] == UInt8(ascii: "\\") ? 2 : 1
                }
                place = min(place + 1, text.count)
                found.append(start..<place)
            case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: " "), UInt8(ascii: "\n"): break
            default:
                while place < text.count, !",:]} \n".utf8.contains(text[place]) { place += 1 }
                found.append(start..<place)
            }
        }
        return found
    }

    /// Changes one thing.
    private static func change(_ text: inout [UInt8], by random: inout SplitMix64) {
        let spans = spans(of: text)
        guard let span = spans.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: text[Int.random(in: text.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        case 1: text.removeSubrange(span)
        case 2: text.insert(contentsOf: [UInt8(ascii: ",")] + text[span], at: span.upperBound)
        case 3:
            // Another value of it: what fits elsewhere.
            guard let other = spans.randomElement(using: &random) else { return }
            text.replaceSubrange(span, with: Array(text[other]))
        default:
            guard let value = values.randomElement(using: &random) else { return }
            text.replaceSubrange(span, with: Array(value.utf8))
        }
    }

    private static let most =
        ProcessInfo.processInfo.environment["TORPOR_HANDOVERS"].flatMap { Int($0) } ?? 5_000

    @Test func `is read to the end or refused, and what was read is written as it was`() throws {
        let original = Array(Self.whole.utf8)
        _ = try DaemonHandover(reading: original, now: Self.now).workers.first?.life.get()
        var random = SplitMix64(seed: 1)
        var read = 0
        for _ in 0..<Self.most {
            var text = original
            for _ in 0..<Int.random(in: 1...4, using: &random) { Self.change(&text, by: &random) }
            guard let handover = try? DaemonHandover(reading: text, now: Self.now) else { continue }
            read += 1
            #expect(handover.descriptors.allSatisfy { $0 >= 0 } && handover.began <= Self.now)
            // A life that cannot be read belongs to no daemon that could hand it over.
            guard handover.workers.allSatisfy({ (try? $0.life.get()) != nil }) else { continue }
            let written = handover.text
            let again = try? DaemonHandover(reading: written, now: Self.now)
            #expect(again?.text == written, "\(String(decoding: text, as: UTF8.self))")
        }
        print("walked: \(Self.most) changed handovers, \(read) of them read")
        #expect(read > 0)
    }
}
