internal import ControlServer

/// Questions that take a while, as those to the store: a few at once, the others in line, with the accounts taking turns.
///
/// It is pure.
package struct QuestionLine<Account: Hashable & Sendable, Question> {
    /// How many of one account are under way at once.
    let mostPerAccount: Int
    /// How many of all accounts are.
    let most: Int
    private var underWay: [Account: Int] = [:]
    private var count = 0
    private var waiting = FairQueue<Account, Question>()

    /// With these bounds.
    init(mostPerAccount: Int, most: Int) {
        self.mostPerAccount = mostPerAccount
        self.most = most
    }

    /// How many wait.
    var waitingCount: Int { waiting.count }

    /// Takes a question in; ``next()`` says when it is to be asked.
    mutating func append(_ question: Question, of account: Account) { waiting.append(question, of: account) }

    /// A question that is to be asked now; nil when none waits, or enough are under way.
    mutating func next() -> (account: Account, question: Question)? {
        guard count < most else { return nil }
        let (underWay, mostPerAccount) = (underWay, mostPerAccount)
        guard let next = waiting.popFirst(where: { underWay[$0, default: 0] < mostPerAccount }) else {
            return nil
        }
        count += 1
        self.underWay[next.account, default: 0] += 1
        return (next.account, next.item)
    }

    /// A question of that account has been answered.
    mutating func answered(_ account: Account) {
        guard let number = underWay[account] else { return }
        count -= 1
        underWay[account] = number > 1 ? number - 1 : nil
    }
}
