from __future__ import annotations

import threading
import time
import unittest
from datetime import datetime, timezone
from typing import Any

from fake import LIMIT, FakeSupervisor

import torpor
from torpor.worker import _unwrapped, _wrapped


class AttachedWorker(unittest.TestCase):
    def setUp(self) -> None:
        self.supervisor = FakeSupervisor()
        self.addCleanup(self.supervisor.close)
        self.worker = torpor.Worker(self.supervisor.environ)
        self.addCleanup(self.worker.close)
        self.thread: threading.Thread | None = None

    def serve(self) -> None:
        self.thread = self.worker.start()
        self.addCleanup(self.worker.stop)

    def completes(self, identifier: int, **answer: Any) -> None:
        self.assertEqual(self.supervisor.hear(), ("Complete", {"id": identifier, **answer}))

    def ended(self) -> None:
        assert self.thread is not None
        self.thread.join(LIMIT)
        self.assertFalse(self.thread.is_alive())

    def test_answers_callbacks_in_order_until_it_is_to_end(self) -> None:
        told: list[str] = []

        @self.worker.on("willFinishLaunching", "didEnterBackground", "willTerminate")
        def note(callback: torpor.Callback) -> None:
            told.append(callback.name)
            if callback.name == "willFinishLaunching":
                told.append(f"{callback.launch.reason} {callback.launch.options}")

        @self.worker.on("openURL")
        def show(callback: torpor.Callback) -> bool:
            return (callback.url or "").startswith("gallery:")

        @self.worker.on("willResignActive")
        def fail(callback: torpor.Callback) -> None:
            raise ValueError("no")

        self.serve()
        self.assertEqual(
            self.supervisor.attached(),
            [
                "backgroundTaskWillExpire",
                "didEnterBackground",
                "openURL",
                "willFinishLaunching",
                "willResignActive",
                "willTerminate",
            ],
        )
        launch = {"reason": "url", "intoForeground": True, "restoresState": False, "options": {"url": "x:"}}
        self.supervisor.deliver(1, "willFinishLaunching", launch=launch)
        self.completes(1)
        self.supervisor.deliver(2, "openURL", url="gallery:1")
        self.completes(2)
        self.supervisor.deliver(3, "openURL", url="x:1")
        self.completes(3, refused=True)
        self.supervisor.deliver(4, "willResignActive")
        self.completes(4, failure="ValueError: no")
        self.supervisor.deliver(5, "didGrowWings")
        self.completes(5, failure="the callback didGrowWings is unknown to this version of the library")
        self.supervisor.deliver(6, "didEnterBackground")
        self.completes(6)
        self.supervisor.deliver(7, "willTerminate")
        self.ended()
        self.assertEqual(told, ["willFinishLaunching", "url {'url': 'x:'}", "didEnterBackground", "willTerminate"])
        # The end of the process completes it.
        self.assertTrue(self.supervisor.heard.empty())

    def test_saves_state_and_gets_it_back(self) -> None:
        state: list[Any] = [7]
        self.worker.on("saveState")(lambda callback: state[0])
        self.worker.on("restoreState")(lambda callback: state.append(callback.state))
        self.serve()
        self.assertIn("shouldSaveState", self.supervisor.attached())
        self.supervisor.deliver(1, "shouldSaveState")
        self.completes(1)
        self.supervisor.deliver(2, "saveState")
        self.completes(2, state={"$value": 7})
        self.supervisor.deliver(3, "restoreState", state={"$value": 7})
        self.completes(3)
        self.assertEqual(state, [7, 7])
        state[0] = None
        self.supervisor.deliver(4, "saveState")
        self.completes(4, refused=True)
        state[0] = object()
        self.supervisor.deliver(5, "saveState")
        self.assertIn("failure", self.supervisor.hear()[1])
        state[0] = {"page": 3}
        self.supervisor.answers["Complete"] = Exception("StateTooLarge", {"limit": 9})
        self.supervisor.deliver(6, "saveState")
        self.completes(6, state={"page": 3})
        self.completes(6, failure="StateTooLarge (limit: 9)")

    def test_reads_what_callbacks_bring(self) -> None:
        seen: list[Any] = []
        self.worker.on("didReceiveMemoryWarning")(lambda callback: seen.append(callback.memory_warning))
        self.worker.on("didReceiveNotifications")(
            lambda callback: seen.append((callback.suspended_for, callback.notifications))
        )
        self.serve()
        self.supervisor.attached()
        self.supervisor.deliver(1, "didReceiveMemoryWarning", memoryLevel="critical", memoryAvailableBytes=5)
        self.completes(1)
        posted = {"topic": "news", "sequence": 7, "count": 2, "first": 1_000_000, "last": 2_500_000, "payload": {"a": 1}}
        self.supervisor.deliver(2, "didReceiveNotifications", notifications=[posted], suspendedForUsec=1_500_000)
        self.completes(2)
        self.assertEqual(seen[0], torpor.MemoryWarning("critical", 5))
        self.assertEqual(
            seen[1], (1.5, (torpor.Notification("news", 7, 2, {"a": 1}, (), (), 0, 1.0, 2.5),))
        )

    def test_lets_fetches_overlap_with_other_callbacks(self) -> None:
        gate = threading.Event()
        self.worker.on("performFetch")(lambda callback: gate.wait(LIMIT) and None)
        self.worker.on("didEnterBackground")(lambda callback: None)
        self.serve()
        self.supervisor.attached()
        self.supervisor.deliver(1, "performFetch")
        self.supervisor.deliver(2, "didEnterBackground")
        self.completes(2)
        gate.set()
        self.completes(1)

    def test_says_what_came_of_a_fetch(self) -> None:
        answers = iter((None, False, torpor.Refused()))

        def fetch(callback: torpor.Callback) -> object:
            answer = next(answers)
            if isinstance(answer, Exception):
                raise answer
            return answer

        self.worker.on("performFetch")(fetch)
        self.serve()
        self.supervisor.attached()
        self.supervisor.deliver(1, "performFetch")
        self.completes(1)
        for number in (2, 3):
            self.supervisor.deliver(number, "performFetch")
            self.completes(number, fetched="noData")

    def test_tells_long_work_of_its_end(self) -> None:
        begun = threading.Event()

        def work(callback: torpor.Callback) -> object:
            begun.set()
            return not callback.expired.wait(LIMIT)

        self.worker.on("performProcessing")(work)
        self.serve()
        self.supervisor.attached()
        self.supervisor.deliver(1, "performProcessing", timeLimitUsec=1_800_000_000)
        self.assertTrue(begun.wait(LIMIT))
        self.supervisor.deliver(2, "backgroundTaskWillExpire")
        self.completes(2)
        self.completes(1, refused=True)

    def test_begins_and_ends_background_tasks_and_hears_that_they_expire(self) -> None:
        self.serve()
        self.supervisor.attached()
        with self.worker.background_task("upload") as task:
            self.assertEqual(self.supervisor.hear(), ("BeginBackgroundTask", {"name": "upload"}))
            self.supervisor.deliver(1, "backgroundTaskWillExpire", backgroundTimeRemainingUsec=5_000_000)
            self.assertTrue(task.expired.wait(LIMIT))
            self.completes(1)
        self.assertEqual(self.supervisor.hear(), ("EndBackgroundTask", {"token": 1}))
        task.end()
        self.supervisor.answers["BeginBackgroundTask"] = Exception("NotNow", {"why": "ending"})
        with self.assertRaises(torpor.MethodError) as caught:
            self.worker.background_task("late")
        self.assertEqual(caught.exception.name, "NotNow")

    def test_attaches_again_with_its_tasks_after_the_supervisor_was_restarted(self) -> None:
        begun, gate = threading.Event(), threading.Event()

        @self.worker.on("didEnterBackground")
        def enter(callback: torpor.Callback) -> None:
            begun.set()
            gate.wait(LIMIT)

        self.serve()
        self.supervisor.attached()
        task = self.worker.background_task("long")
        self.assertEqual(self.supervisor.hear()[0], "BeginBackgroundTask")
        self.worker.set_in_use(True)
        self.assertEqual(self.supervisor.hear()[0], "SetInUse")
        self.supervisor.deliver(1, "didEnterBackground")
        self.assertTrue(begun.wait(LIMIT))
        self.supervisor.drop()
        gate.set()
        self.supervisor.attached()
        # The answer was for a supervisor that is no more: this one hears of the task and the use alone.
        self.assertEqual(self.supervisor.hear(), ("BeginBackgroundTask", {"name": "long"}))
        self.assertEqual(self.supervisor.hear(), ("SetInUse", {"inUse": True}))
        self.supervisor.deliver(1, "didEnterBackground")
        self.completes(1)
        task.end()
        self.assertEqual(self.supervisor.hear(), ("EndBackgroundTask", {"token": 2}))

    def test_does_long_work_once_though_a_supervisor_that_was_restarted_asks_again(self) -> None:
        begun, gate = threading.Event(), threading.Event()
        count: list[int] = []

        @self.worker.on("performProcessing")
        def work(callback: torpor.Callback) -> bool:
            count.append(callback.id)
            begun.set()
            gate.wait(LIMIT)
            return False

        self.serve()
        self.supervisor.attached()
        self.supervisor.deliver(1, "performProcessing")
        self.assertTrue(begun.wait(LIMIT))
        self.supervisor.drop()
        self.supervisor.attached()
        self.supervisor.deliver(7, "performProcessing")
        while not self.worker._works["performProcessing"].waiters:
            time.sleep(0.001)
        gate.set()
        self.assertEqual(self.supervisor.hear(), ("Complete", {"id": 7, "refused": True}))
        self.assertEqual(count, [1])

    def test_attaches_again_while_another_process_is_attached(self) -> None:
        self.supervisor.answers["Attach"] = Exception("AlreadyAttached", {})
        self.serve()
        self.assertIn("willTerminate", self.supervisor.attached())

    def test_asks_and_posts(self) -> None:
        self.assertEqual(self.worker.state(), "background")
        self.assertIsNone(self.worker.background_time_remaining())
        self.supervisor.answers["BackgroundTimeRemaining"] = {"remainingUsec": 2_500_000}
        self.assertEqual(self.worker.background_time_remaining(), 2.5)
        for _ in range(3):
            self.supervisor.hear()
        self.assertFalse(self.worker.is_low_power_mode())
        self.supervisor.answers["GetState"] = {"state": "background", "sinceUsec": 1, "lowPower": True}
        self.assertTrue(self.worker.is_low_power_mode())
        for _ in range(2):
            self.supervisor.hear()
        self.assertEqual(self.worker.post("news", {"a": 1}, rule="each", transient=True), 7)
        self.assertEqual(
            self.supervisor.hear(),
            ("Post", {"topic": "news", "payload": {"a": 1}, "rule": "each", "transient": True}),
        )
        self.worker.post("set", added=["a"], removed=[])
        self.assertEqual(self.supervisor.hear(), ("Post", {"topic": "set", "added": ["a"], "removed": []}))
        moment = datetime(2030, 1, 1, tzinfo=timezone.utc)
        self.assertEqual(self.worker.schedule("due", at=moment, every=60, wake=True), 3)
        self.assertEqual(
            self.supervisor.hear(),
            (
                "Schedule",
                {"topic": "due", "at": round(moment.timestamp() * 1e6), "everyUsec": 60_000_000, "wake": True},
            ),
        )
        self.worker.cancel(3)
        self.assertEqual(self.supervisor.hear(), ("Cancel", {"id": 3}))
        self.worker.request_activation()
        self.assertEqual(self.supervisor.hear(), ("RequestActivation", {}))
        for in_use in (True, False):
            self.worker.set_in_use(in_use)
            self.assertEqual(self.supervisor.hear(), ("SetInUse", {"inUse": in_use}))
        self.assertEqual(self.worker.begin_transfer(["cp", "a", "b"], limit=1), 4)
        self.assertEqual(self.supervisor.hear(), ("BeginTransfer", {"command": ["cp", "a", "b"], "limitUsec": 1_000_000}))
        self.worker.cancel_transfer(4)
        self.assertEqual(self.supervisor.hear(), ("CancelTransfer", {"number": 4}))
        with self.worker.interruption("unlock", limit=2.5):
            self.assertEqual(self.supervisor.hear(), ("Interrupt", {"purpose": "unlock", "limitUsec": 2_500_000}))
        self.assertEqual(self.supervisor.hear(), ("EndInterruption", {"number": 9}))
        self.worker.offer_activity("a.b", {"line": 7}, title="notes")
        self.assertEqual(
            self.supervisor.hear(), ("OfferActivity", {"type": "a.b", "title": "notes", "payload": {"line": 7}})
        )
        self.worker.withdraw_activity("a.b")
        self.assertEqual(self.supervisor.hear(), ("WithdrawActivity", {"type": "a.b"}))
        self.worker.save_state([1])
        self.assertEqual(self.supervisor.hear(), ("SaveState", {"state": {"$value": [1]}}))
        self.worker.discard_state()
        self.assertEqual(self.supervisor.hear(), ("SaveState", {"state": {}}))
        self.supervisor.answers["Post"] = Exception("NotPosted", {"obstacle": "full", "why": "x"})
        with self.assertRaises(torpor.MethodError) as caught:
            self.worker.post("news")
        self.assertEqual(caught.exception.parameters["obstacle"], "full")

    def test_is_asked_for_an_activity(self) -> None:
        self.serve()
        self.supervisor.attached()
        self.worker.offer_activity("a.b", lambda: {"line": 8})
        self.assertEqual(self.supervisor.hear(), ("OfferActivity", {"type": "a.b", "asks": True}))
        self.supervisor.ask(3, "a.b")
        self.assertEqual(self.supervisor.hear(), ("AnswerActivity", {"number": 3, "payload": {"line": 8}}))
        self.worker.offer_activity("a.b", lambda: {}["x"])
        self.supervisor.hear()
        self.supervisor.ask(4, "a.b")
        self.assertEqual(self.supervisor.hear(), ("AnswerActivity", {"number": 4, "failure": "KeyError: 'x'"}))
        self.supervisor.ask(5, "other")
        self.assertEqual(self.supervisor.hear()[1]["failure"], "the worker does not offer it any more")

    def test_makes_its_calls_anew_after_the_supervisor_was_away(self) -> None:
        self.worker.state()
        self.supervisor.drop()
        with self.assertRaises(torpor.ConnectionLost):
            self.worker.state()
        self.assertEqual(self.worker.state(), "background")

    def test_ends_by_itself_with_the_handler(self) -> None:
        told = threading.Event()
        self.worker.on("willTerminate")(lambda callback: told.set())
        self.serve()
        self.supervisor.attached()
        self.worker.terminate()
        self.ended()
        self.assertTrue(told.is_set())

    def test_serves_one_at_a_time(self) -> None:
        self.serve()
        self.supervisor.attached()
        with self.assertRaises(torpor.TorporError):
            self.worker.run()


class LoneWorker(unittest.TestCase):
    def test_is_launched_and_ends_as_an_app_that_a_user_opens(self) -> None:
        worker = torpor.Worker({})
        told: list[str] = []
        active = threading.Event()

        @worker.on("willFinishLaunching", "didFinishLaunching", "willResignActive", "willTerminate")
        def note(callback: torpor.Callback) -> None:
            told.append(callback.name)

        worker.on("didBecomeActive")(lambda callback: active.set())
        thread = worker.start()
        self.assertTrue(active.wait(LIMIT))
        worker.terminate()
        thread.join(LIMIT)
        self.assertEqual(told, ["willFinishLaunching", "didFinishLaunching", "willResignActive", "willTerminate"])

    def test_calls_without_effect(self) -> None:
        worker = torpor.Worker({})
        self.assertFalse(worker.is_supervised)
        self.assertEqual(worker.state(), "active")
        self.assertIsNone(worker.background_time_remaining())
        self.assertFalse(worker.is_low_power_mode())
        with worker.background_task("upload") as task:
            self.assertFalse(task.expired.is_set())
        worker.save_state(1)
        worker.discard_state()
        self.assertIsNone(worker.post("news"))
        self.assertIsNone(worker.schedule("due", after=5))
        worker.cancel(1)
        with worker.interruption("unlock"):
            pass
        worker.request_activation()

    def test_knows_its_launch_from_the_environment(self) -> None:
        worker = torpor.Worker(
            {
                "TORPOR_LAUNCH_REASON": "url",
                "TORPOR_LAUNCH_STATE": "background",
                "TORPOR_LAUNCH_OPTIONS": '{"url": "x:y"}',
                "TORPOR_RESTORE": "/r",
            }
        )
        self.assertEqual(worker.launch, torpor.Launch("url", False, True, {"url": "x:y"}))

    def test_says_what_is_wrong_with_a_call(self) -> None:
        worker = torpor.Worker({})
        with self.assertRaises(ValueError):
            worker.on("didGrowWings")
        with self.assertRaises(TypeError):
            worker.schedule("due")
        with self.assertRaises(torpor.ConnectionLost):
            torpor.Worker({"TORPOR_SOCKET": "/nonexistent/x"}).state()

    def test_keeps_state_as_it_was(self) -> None:
        states: list[Any] = [{}, {"a": 1}, {"$value": 1}, {"$value": 1, "b": 2}, [], 7, "x", None]
        for state in states:
            self.assertEqual(_unwrapped(_wrapped(state)), state)
            self.assertNotEqual(_wrapped(state), {})


if __name__ == "__main__":
    unittest.main()
