internal import ControlAPI

/// What keys do.
extension TopScreen {
    /// A key was pressed; what the program is to do about it, where that is more than to draw.
    package mutating func press(_ key: Key, at now: Int64) -> TopIntent? {
        settle(at: now)
        defer { settle(at: now) }
        switch key {
        case .control("c"): return .quit
        case .control("z"): return .stop
        case .control("l"): return .redraw
        default: break
        }
        switch mode {
        case .list:
            message = nil
            return pressInList(key, at: now)
        case .filtering(let before):
            type(key, before)
            return nil
        case .confirming(let verb, let names, _):
            mode = .list
            // Anything but a yes is a no.
            guard key == .character("y") || key == .character("Y") else {
                say("\(verb.rawValue): nothing was done", at: now)
                return nil
            }
            return .steer(verb, names)
        case .paging(var pager):
            if turn(&pager, key) { mode = .paging(pager) } else { mode = .list }
            return nil
        }
    }

    private mutating func pressInList(_ key: Key, at now: Int64) -> TopIntent? {
        switch key {
        case .up, .character("k"): choose(chosenIndex - 1)
        case .down, .character("j"): choose(chosenIndex + 1)
        case .pageUp: choose(chosenIndex - max(listHeight, 1))
        case .pageDown: choose(chosenIndex + max(listHeight, 1))
        case .home, .character("g"): choose(0)
        case .end, .character("G"): choose(shown.count - 1)
        case .right: unfold(true)
        case .left: unfold(false)
        case .character(" "): unfold(nil)
        case .enter: return aboutOne(at: now) { .status($0) }
        case .character(let scalar): return pressInList(scalar, at: now)
        case .escape where !filter.isEmpty:
            filter.set("")
            isStale = true
        case .escape, .tab, .backspace, .delete, .control, .pasted, .other: break
        }
        return nil
    }

    private mutating func pressInList(_ scalar: Unicode.Scalar, at now: Int64) -> TopIntent? {
        switch scalar {
        case "q": return .quit
        case "?", "h": open("keys", Self.help)
        case "/":
            mode = .filtering(before: filter.text)
            filter.set("")
            isStale = true
        case "w": return aboutOne(at: now) { .why($0) }
        case "l": return aboutOne(at: now) { .output($0) }
        case "o": turnOrder(by: 1)
        case "O": turnOrder(by: -1)
        case "v":
            isReversed.toggle()
            isStale = true
        case "f":
            let all = Folding.allCases
            folding = all[((all.firstIndex(of: folding) ?? 0) + 1) % all.count]
            isStale = true
        default:
            if let verb = TopVerb.allCases.first(where: { $0.key == scalar }) {
                ask(verb, at: now)
            } else {
                say("\(scalar) is not a key here: ? lists them", at: now)
            }
        }
        return nil
    }

    private mutating func turnOrder(by step: Int) {
        let all = TopColumn.ordering
        let index = all.firstIndex(of: order) ?? 0
        order = all[(index + step + all.count) % all.count]
        isStale = true
    }

    /// Shows or hides the workers of the chosen group; nil is the other way round.
    private mutating func unfold(_ isOpen: Bool?) {
        switch chosenRow {
        case .group(let name, _)?:
            if isOpen ?? !unfolded.contains(name) { unfolded.insert(name) } else { unfolded.remove(name) }
            // It is chosen from here on, wherever it is.
            choose(chosenIndex)
            isStale = true
        case .worker(let place, true)? where isOpen == false:
            let name = folding == .template ? workers[place].template : workers[place].group
            guard let name else { return }
            unfolded.remove(name)
            choice = .group(name)
            isStale = true
        case .worker?, nil: break
        }
    }

    private mutating func aboutOne(at now: Int64, _ intent: (String) -> TopIntent) -> TopIntent? {
        guard case .worker(let place, _)? = chosenRow else {
            if chosenRow != nil {
                say("These are several workers: press space to see them, and choose one", at: now)
            }
            return nil
        }
        guard absence == nil else {
            say(
                isSilent ? "The supervisor does not answer" : "There is no supervisor to ask", isBad: true,
                at: now)
            return nil
        }
        return intent(workers[place].name)
    }

    /// Says what a verb will do, and waits for a yes.
    private mutating func ask(_ verb: TopVerb, at now: Int64) {
        let names = chosenNames
        guard let first = names.first else { return }
        guard absence == nil else {
            return say(
                "\(verb.rawValue): \(isSilent ? "the supervisor does not answer" : "there is no supervisor to call")",
                isBad: true, at: now)
        }
        let sentence: String
        let subject: String
        if case .group(let group, _)? = chosenRow {
            subject = "\(TopWords.number(names.count, "worker")) of \(group)"
            sentence = "each of them: \(verb.sentence)"
        } else {
            subject = first
            sentence = places[first].map { verb.sentence(from: workers[$0].state) } ?? verb.sentence
        }
        // What is asked for is what was seen, wherever rows move meanwhile.
        mode = .confirming(verb, names: names, question: "\(verb.rawValue) \(subject)? y/n: \(sentence)")
    }

    // MARK: the filter

    private mutating func type(_ key: Key, _ before: String) {
        isStale = true
        switch key {
        case .enter, .up, .down, .pageUp, .pageDown: mode = .list
        case .escape:
            filter.set(before)
            mode = .list
        case .backspace where filter.text.isEmpty: mode = .list
        case .backspace, .delete: filter.set(String(filter.text.dropLast()))
        case .control("u"): filter.set("")
        case .control("w"):
            var words = filter.text.split(separator: " ").dropLast().joined(separator: " ")
            if !words.isEmpty { words += " " }
            filter.set(words)
        case .character(let scalar): filter.set(filter.text + String(scalar))
        case .pasted(let text): filter.set(filter.text + text)
        case .tab, .left, .right, .home, .end, .control, .other: break
        }
    }

    // MARK: texts

    /// Moves in a text; false where it is to be closed.
    private func turn(_ pager: inout TopPager, _ key: Key) -> Bool {
        let height = max(rows - 2, 1)
        let total = pager.wrapped(to: columns).count
        switch key {
        case .up, .character("k"): pager.move(by: -1, height: height, of: total)
        case .down, .character("j"): pager.move(by: 1, height: height, of: total)
        case .pageUp, .character("b"): pager.move(by: -height, height: height, of: total)
        case .pageDown, .character(" "): pager.move(by: height, height: height, of: total)
        case .home, .character("g"): pager.move(by: .min, height: height, of: total)
        case .end, .character("G"): pager.move(by: .max, height: height, of: total)
        case .escape, .enter, .left, .backspace, .character("q"): return false
        case .right, .tab, .delete, .character, .control, .pasted, .other: break
        }
        return true
    }

    /// The keys, in words.
    static let help: [String] =
        [
            "arrows  choose a worker (also page up and down, home and end, k and j, g and G)",
            "enter   its status",
            "w       why it is in its state, and what would change it",
            "l       the last lines of its output",
            "/       show only rows with these words in name, state, group or description;",
            "        !word shows only rows without it",
            "o, O    order by the next or the previous column",
            "v       the other way round",
            "f       fold instances of templates, workers of a ForegroundGroup=, nothing",
            "space   show or hide the workers of a folded row (also right and left)",
            "q       quit",
            "",
            "Each of these says first what it will do, and does it after y:",
        ]
        + TopVerb.allCases.map { verb in
            let name = verb.rawValue
            let padding = String(repeating: " ", count: max(11 - name.utf8.count, 1))
            return "\(verb.key)       \(name)\(padding)\(verb.summary)"
        } + [
            "",
            "FOR     how long it has been in its state",
            "MEM     memory held; BACK: memory given back in its present sleep",
            "CPU%    of one processor",
            "CON     open TCP connections; QUE: queued notifications",
            "W/H     how often an event has woken or launched it in the last hour",
            "NEXT    in which time the next deadline passes, and which",
            "PAST    its states, 15 seconds a column: the higher, the more it does",
            "",
            "A folded row counts its workers by state: a active, i inactive,",
            "b background, s suspended, - not running.",
        ]
}
