/// What one account holds of our memory by its connections, and what all accounts of its kind do: whether more is taken in or made
/// for it.
///
/// It is pure. Input is what has come and was not carried out yet; output is what waits for answers or for the client to take
/// them. Only where an account holds nothing it always gets on with one message and one answer, so that no account waits for
/// another for ever.
package struct Allotment: Hashable, Sendable {
    /// Bytes that are held.
    package struct Holding: Hashable, Sendable {
        /// What has come.
        package var input = 0
        /// What is to go, and the calls that it answers.
        package var output = 0

        /// Nothing, unless said otherwise.
        package init(input: Int = 0, output: Int = 0) {
            self.input = input
            self.output = output
        }

        /// Replaces a part of it.
        package mutating func replace(_ old: Holding, by new: Holding) {
            input += new.input - old.input
            output += new.output - old.output
        }
    }

    /// Bytes of input and of output, each, that one account may hold before it waits.
    package var account: Int
    /// Those that all accounts of the kind may hold together.
    package var total: Int

    /// So much.
    package init(account: Int, total: Int) {
        self.account = account
        self.total = total
    }

    /// Whether more is read from a client of an account that holds this, where all of the kind hold `all`.
    package func mayRead(_ held: Holding, of all: Holding) -> Bool {
        held.input == 0 || (held.input < account && all.input < total)
    }

    /// Whether calls of the account are carried out.
    package func mayPerform(_ held: Holding, of all: Holding) -> Bool {
        held.output == 0 || (held.output < account && all.output < total)
    }
}
