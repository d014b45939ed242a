internal import ControlAPI
internal import ControlServer
internal import SupervisorPorts
internal import Varlink

/// Posts that were read by themselves, and their answers.
extension ControlConnection {
    /// The posts that are answered with this commit; answers whether they are the first.
    func posts(of commit: UInt64) -> (run: PostRun, isFirst: Bool) {
        if let last = batches.last as? PostRun, last.commit == commit { return (last, false) }
        let run = PostRun(commit)
        batches.append(run)
        return (run, true)
    }

    /// Answers a post that need not be kept.
    func answer(_ post: PostRun.Posted) {
        let result = SupervisorInterface.PostResult(name: post.entry.name, sequence: post.number)
        let reply = SupervisorInterface.Post.Reply(results: [result])
        answer(post.id, PostRun.method, EncodedMessage(reply: reply.json))
    }

    /// Answers posts that are kept now, or are not for this reason; those that their workers have been handed are not refused.
    func answer(_ run: PostRun, problem: String?, handedOut: [WorkerID: Set<UInt64>]) {
        batches.removeAll { $0 === run }
        for post in run.posts where awaitsAnswer {
            do throws(ReplyError) {
                if let problem, !post.isAmong(handedOut) {
                    try varlink.fail(post.id, post.refusal(problem))
                } else {
                    try varlink.reply(to: post.id) { post.entry.postAnswer.write(post.number, into: &$0) }
                }
            } catch {
                report(.badAnswer(method: PostRun.method, why: "\(error)"))
            }
        }
        if !isPerforming { server.settleSoon(self) }
    }
}
