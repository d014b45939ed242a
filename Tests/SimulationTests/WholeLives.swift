// Whole lives, as they are printed: what a reader of the model can check by eye against 1.2 to 1.6.

extension `Whole lives` {
    /// How every life begins that begins with a launch into the foreground.
    static let launched = """
        00:00:00.000  app  goal active set by an operator
        00:00:00.000  app  launch into the foreground: operator
        00:00:00.001  app  notRunning → inactive (launch: operator)
        00:00:00.101  app  attached to its socket
        00:00:00.101  app    willFinishLaunching
        00:00:00.111  app    didFinishLaunching
        00:00:00.121  app  launch complete
        00:00:00.121  app  inactive → active (an operator)
        00:00:00.121  app    didBecomeActive (at most 10s)
        """

    /// How it goes on where the worker is to sleep a second after.
    static let asleep =
        launched + "\n" + """
            00:00:01.000  app  goal suspended set by an operator
            00:00:01.000  app    willResignActive (at most 10s)
            00:00:01.010  app  active → inactive (an operator)
            00:00:01.010  app  inactive → background (an operator)
            00:00:01.010  app    didEnterBackground (at most 5s)
            00:00:01.020  app    shouldSaveState (at most 5s)
            00:00:01.030  app    shouldSaveState: refused
            """

    static let lives: [WholeLife] = [
        WholeLife(
            "a foreground launch",
            events: """
                At=0 app launch
                """,
            printed: """
                00:00:00.000  app  goal active set by an operator
                00:00:00.000  app  launch into the foreground: operator
                00:00:00.001  app  notRunning → inactive (launch: operator)
                00:00:00.101  app  attached to its socket
                00:00:00.101  app    willFinishLaunching
                00:00:00.111  app    didFinishLaunching
                00:00:00.121  app  launch complete
                00:00:00.121  app  inactive → active (an operator)
                00:00:00.121  app    didBecomeActive (at most 10s)
                """),
        WholeLife(
            "a background launch",
            events: """
                At=0 app background
                """,
            printed: """
                00:00:00.000  app  goal background set by an operator
                00:00:00.000  app  launch into the background: operator
                00:00:00.001  app  notRunning → background (launch: operator)
                00:00:00.101  app  attached to its socket
                00:00:00.101  app    willFinishLaunching
                00:00:00.111  app    didFinishLaunching
                00:00:00.121  app  launch complete
                """),
        WholeLife(
            "a URL, cold and warm",
            events: """
                At=0 app url
                At=5s app url
                """,
            printed: """
                00:00:00.000  app  woken into the foreground: url
                00:00:00.000  app  launch into the foreground: url
                00:00:00.001  app  notRunning → inactive (launch: url)
                00:00:00.101  app  attached to its socket
                00:00:00.101  app    willFinishLaunching
                00:00:00.111  app    didFinishLaunching
                00:00:00.121  app  launch complete
                00:00:00.121  app    openURL (url, at most 10s)
                00:00:00.131  app  inactive → active (wake source)
                00:00:00.131  app    didBecomeActive (at most 10s)
                00:00:05.000  app  woken into the foreground: url
                00:00:05.000  app    openURL (url, at most 10s)
                """),
        WholeLife(
            "an interruption that ends",
            events: """
                At=0 app launch
                At=1s app interrupt 5s
                """,
            begins: launched,
            printed: """
                00:00:01.000  app  interruption begins
                00:00:01.000  app    willResignActive (at most 10s)
                00:00:01.010  app  active → inactive (interruption)
                00:00:06.000  app  interruption over
                00:00:06.000  app  inactive → active (an operator)
                00:00:06.000  app    didBecomeActive (at most 10s)
                """),
        WholeLife(
            "an interruption that ends in leaving",
            events: """
                At=0 app launch
                At=1s app interrupt
                At=2s app suspend
                At=3s app interruption-over
                """,
            begins: launched,
            printed: """
                00:00:01.000  app  interruption begins
                00:00:01.000  app    willResignActive (at most 10s)
                00:00:01.010  app  active → inactive (interruption)
                00:00:02.000  app  goal suspended set by an operator
                00:00:02.000  app  inactive → background (an operator)
                00:00:02.000  app    didEnterBackground (at most 5s)
                00:00:02.010  app    shouldSaveState (at most 5s)
                00:00:02.020  app    shouldSaveState: refused
                00:00:02.021  app  background → suspended (an operator)
                00:00:03.000  app  interruption over
                """),
        WholeLife(
            "leaving and returning",
            events: """
                At=0 app launch
                At=1s app suspend
                At=61s app activate
                """,
            begins: asleep,
            printed: """
                00:00:01.031  app  background → suspended (an operator)
                00:01:01.000  app  goal active set by an operator
                00:01:01.001  app  suspended → background (an operator, asleep for 59.970s)
                00:01:01.001  app    willEnterForeground (at most 10s)
                00:01:01.011  app  background → inactive (an operator)
                00:01:01.011  app  inactive → active (an operator)
                00:01:01.011  app    didBecomeActive (at most 10s)
                """),
        WholeLife(
            "a background task that ends",
            program: "TaskSec=20s",
            events: """
                At=0 app launch
                At=1s app suspend
                """,
            begins: launched,
            printed: """
                00:00:01.000  app  goal suspended set by an operator
                00:00:01.000  app    willResignActive (at most 10s)
                00:00:01.010  app  active → inactive (an operator)
                00:00:01.010  app  inactive → background (an operator)
                00:00:01.010  app    didEnterBackground (at most 5s)
                00:00:01.010  app  background task 1 began
                00:00:01.020  app    shouldSaveState (at most 5s)
                00:00:01.030  app    shouldSaveState: refused
                00:00:21.010  app  background task 1 ended
                00:00:21.011  app  background → suspended (an operator)
                """),
        WholeLife(
            "a background task that ends when it is told to",
            program: "TaskSec=infinity",
            events: """
                At=0 app launch
                At=1s app suspend
                """,
            begins: launched,
            printed: """
                00:00:01.000  app  goal suspended set by an operator
                00:00:01.000  app    willResignActive (at most 10s)
                00:00:01.010  app  active → inactive (an operator)
                00:00:01.010  app  inactive → background (an operator)
                00:00:01.010  app    didEnterBackground (at most 5s)
                00:00:01.010  app  background task 1 began
                00:00:01.020  app    shouldSaveState (at most 5s)
                00:00:01.030  app    shouldSaveState: refused
                00:09:56.010  app  the background time is nearly over
                00:09:56.010  app    backgroundTaskWillExpire (at most 10s)
                00:09:56.020  app  background task 1 ended
                00:09:56.021  app  background → suspended (an operator)
                """),
        WholeLife(
            "a background task that expires",
            program: "TaskSec=infinity\nEndsTasksOnExpiry=no",
            events: """
                At=0 app launch
                At=1s app suspend
                """,
            begins: launched,
            printed: """
                00:00:01.000  app  goal suspended set by an operator
                00:00:01.000  app    willResignActive (at most 10s)
                00:00:01.010  app  active → inactive (an operator)
                00:00:01.010  app  inactive → background (an operator)
                00:00:01.010  app    didEnterBackground (at most 5s)
                00:00:01.010  app  background task 1 began
                00:00:01.020  app    shouldSaveState (at most 5s)
                00:00:01.030  app    shouldSaveState: refused
                00:09:56.010  app  the background time is nearly over
                00:09:56.010  app    backgroundTaskWillExpire (at most 10s)
                00:10:01.010  app  the background time is over
                00:10:01.010  app  SIGKILL
                00:10:01.011  app  ended: background task, 0x2182bad2, signal 9, ran 10min 1s, asleep 0
                00:10:01.011  app  background → notRunning (background task)
                """),
        WholeLife(
            "being resumed for an event and suspended again",
            program: "PerformFetchSec=2s",
            events: """
                At=0 app launch
                At=1s app suspend
                At=10s app post
                At=1h app fetch
                """,
            begins: asleep,
            printed: """
                00:00:01.031  app  background → suspended (an operator)
                00:00:10.000  app  posted: message 1
                01:00:00.000  app  woken into the background: fetch
                01:00:00.001  app  suspended → background (woken, asleep for 59min 58s)
                01:00:00.001  app    didReceiveNotifications (at most 30s)
                01:00:00.001  app    performFetch (fetch, at most 30s)
                01:00:00.001  app    notifications to its connection: message 1
                01:00:02.002  app  background → suspended (an operator)
                """),
        WholeLife(
            "a memory warning",
            events: """
                At=0 app launch
                At=1s app announce didReceiveMemoryWarning
                At=2s app suspend
                At=3s app announce didReceiveMemoryWarning
                """,
            begins: launched,
            printed: """
                00:00:01.000  app    didReceiveMemoryWarning (at most 10s)
                00:00:02.000  app  goal suspended set by an operator
                00:00:02.000  app    willResignActive (at most 10s)
                00:00:02.010  app  active → inactive (an operator)
                00:00:02.010  app  inactive → background (an operator)
                00:00:02.010  app    didEnterBackground (at most 5s)
                00:00:02.020  app    shouldSaveState (at most 5s)
                00:00:02.030  app    shouldSaveState: refused
                00:00:02.031  app  background → suspended (an operator)
                00:00:03.000  app  ignored: didReceiveMemoryWarning
                """),
        WholeLife(
            "termination while inactive",
            events: """
                At=0 app launch
                At=1s app resign
                At=2s app terminate
                """,
            begins: launched,
            printed: """
                00:00:01.000  app  goal inactive set by an operator
                00:00:01.000  app    willResignActive (at most 10s)
                00:00:01.010  app  active → inactive (an operator)
                00:00:02.000  app  goal notRunning set by an operator
                00:00:02.000  app    willTerminate
                00:00:02.010  app  ended: stopped, status 0, ran 2.009s, asleep 0, 10ms in willTerminate
                00:00:02.010  app  inactive → notRunning (stopped)
                """),
        WholeLife(
            "termination while active",
            events: """
                At=0 app launch
                At=1s app terminate
                """,
            begins: launched,
            printed: """
                00:00:01.000  app  goal notRunning set by an operator
                00:00:01.000  app    willResignActive (at most 10s)
                00:00:01.010  app  active → inactive (an operator)
                00:00:01.010  app    willTerminate
                00:00:01.020  app  ended: stopped, status 0, ran 1.019s, asleep 0, 10ms in willTerminate
                00:00:01.020  app  inactive → notRunning (stopped)
                """),
        WholeLife(
            "termination in the background",
            events: """
                At=0 app background
                At=1s app terminate
                """,
            printed: """
                00:00:00.000  app  goal background set by an operator
                00:00:00.000  app  launch into the background: operator
                00:00:00.001  app  notRunning → background (launch: operator)
                00:00:00.101  app  attached to its socket
                00:00:00.101  app    willFinishLaunching
                00:00:00.111  app    didFinishLaunching
                00:00:00.121  app  launch complete
                00:00:01.000  app  goal notRunning set by an operator
                00:00:01.000  app    willTerminate
                00:00:01.010  app  ended: stopped, status 0, ran 1.009s, asleep 0, 10ms in willTerminate
                00:00:01.010  app  background → notRunning (stopped)
                """),
        WholeLife(
            "termination while suspended",
            events: """
                At=0 app launch
                At=1s app suspend
                At=2s app terminate
                """,
            begins: asleep,
            printed: """
                00:00:01.031  app  background → suspended (an operator)
                00:00:02.000  app  goal notRunning set by an operator
                00:00:02.000  app  SIGKILL
                00:00:02.001  app  ended: stopped, signal 9, ran 2s, asleep 970ms
                00:00:02.001  app  suspended → notRunning (stopped)
                """),
        WholeLife(
            "a callback that hangs",
            program: "DidEnterBackgroundSec=infinity",
            events: """
                At=0 app launch
                At=1s app background
                """,
            begins: launched,
            printed: """
                00:00:01.000  app  goal background set by an operator
                00:00:01.000  app    willResignActive (at most 10s)
                00:00:01.010  app  active → inactive (an operator)
                00:00:01.010  app  inactive → background (an operator)
                00:00:01.010  app    didEnterBackground (at most 5s)
                00:00:06.010  app  the deadline of didEnterBackground has expired
                00:00:06.010  app  SIGKILL
                00:00:06.011  app  ended: watchdog, 0x8badf00d, signal 9, ran 6.010s, asleep 0, 5.001s in didEnterBackground
                00:00:06.011  app  background → notRunning (watchdog)
                """),
        WholeLife(
            "an end that is not obeyed",
            program: "WillTerminateSec=infinity\nStopSec=infinity",
            events: """
                At=0 app launch
                At=1s app terminate
                """,
            begins: launched,
            printed: """
                00:00:01.000  app  goal notRunning set by an operator
                00:00:01.000  app    willResignActive (at most 10s)
                00:00:01.010  app  active → inactive (an operator)
                00:00:01.010  app    willTerminate
                00:00:06.010  app  the deadline of the stop has expired
                00:00:06.010  app  SIGKILL
                00:00:06.011  app  ended: watchdog, 0x8badf00d, signal 9, ran 6.010s, asleep 0, 5.001s in willTerminate
                00:00:06.011  app  inactive → notRunning (watchdog)
                """),
        WholeLife(
            "force-quit, and what comes after",
            events: """
                At=0 app launch
                At=1s app kill
                At=2s app fetch
                At=3s app url
                """,
            begins: launched,
            printed: """
                00:00:01.000  app  force-quit by an operator
                00:00:01.000  app  SIGKILL
                00:00:01.001  app  ended: force-quit, 0xdeadfa11, signal 9, ran 1s, asleep 0
                00:00:01.001  app  active → notRunning (force-quit)
                00:00:02.000  app  woken into the background: fetch
                00:00:02.000  app  fetch dropped: it was force-quit, and only an operator can launch it
                00:00:03.000  app  woken into the foreground: url
                00:00:03.000  app  launch into the foreground: url
                00:00:03.001  app  notRunning → inactive (launch: url)
                00:00:03.101  app  attached to its socket
                00:00:03.101  app    willFinishLaunching
                00:00:03.111  app    didFinishLaunching
                00:00:03.121  app  launch complete
                00:00:03.121  app    openURL (url, at most 10s)
                00:00:03.131  app  inactive → active (wake source)
                00:00:03.131  app    didBecomeActive (at most 10s)
                """),
        WholeLife(
            "somebody else's stop",
            events: """
                At=0 app launch
                At=1s app stop
                At=2s app fetch
                At=10s app continue
                """,
            begins: launched,
            printed: """
                00:00:01.000  app  stopped by another program
                00:00:01.000  app  active → inactive (another program, not delivered: willResignActive)
                00:00:01.000  app  inactive → background (another program, not delivered: didEnterBackground)
                00:00:01.000  app  background → suspended (another program)
                00:00:02.000  app  woken into the background: fetch
                00:00:10.000  app  continued by another program
                00:00:10.000  app  suspended → background (another program, asleep for 9s)
                00:00:10.000  app    performFetch (fetch, at most 30s)
                00:00:10.000  app    willEnterForeground (at most 10s)
                00:00:10.010  app  background → inactive (an operator)
                00:00:10.010  app  inactive → active (an operator)
                00:00:10.010  app    didBecomeActive (at most 10s)
                """),
        WholeLife(
            "a transfer that ends when its worker has been evicted",
            program: """
                [Background app]
                Modes=transfer
                """,
            events: """
                At=0 app launch
                At=1s app suspend
                At=2s app transfer 10s
                At=3s app evict
                """, begins: asleep,
            printed: """
                00:00:01.031  app  background → suspended (an operator)
                00:00:03.000  app  eviction requested: memory pressure
                00:00:03.000  app  SIGKILL
                00:00:03.001  app  ended: evicted, signal 9, ran 3s, asleep 1.970s
                00:00:03.001  app  suspended → notRunning (evicted)
                00:00:12.000  app  woken into the background: transfer
                00:00:12.000  app  launch into the background: transfer, a restore
                00:00:12.001  app  notRunning → background (launch: transfer)
                00:00:12.101  app  attached to its socket
                00:00:12.101  app    willFinishLaunching
                00:00:12.111  app    didFinishLaunching
                00:00:12.121  app  launch complete
                00:00:12.121  app    handleTransferEvents (transfer, at most 30s)
                00:00:12.132  app  background → suspended (wake source)
                """),
        WholeLife(
            "two transfers that end while their worker sleeps, which may not wake it",
            events: """
                At=0 app launch
                At=1s app suspend
                At=2s app transfer 1s
                At=3s app transfer 1s
                At=10s app activate
                """, begins: asleep,
            printed: """
                00:00:01.031  app  background → suspended (an operator)
                00:00:10.000  app  goal active set by an operator
                00:00:10.001  app  suspended → background (an operator, asleep for 8.970s)
                00:00:10.001  app    willEnterForeground (at most 10s)
                00:00:10.001  app  woken into the background: transfer
                00:00:10.011  app  background → inactive (an operator)
                00:00:10.011  app    handleTransferEvents (transfer, at most 30s)
                00:00:10.011  app  inactive → active (an operator)
                00:00:10.011  app    didBecomeActive (at most 10s)
                """),
    ]
}
