"""This process as a worker of Torpor: its callbacks, and its calls to the supervisor."""

from __future__ import annotations

import enum
import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from types import TracebackType
from typing import Any, Literal, TypeVar

from ._varlink import Connection, ConnectionLost, MethodError, Object, TorporError, connect

Rule = Literal["latest", "net", "set", "count", "each"]
State = Literal["notRunning", "inactive", "active", "background", "suspended"]

#: The callbacks that a worker can get, in the words of the interface io.torpor.Worker.
CALLBACKS = (
    "willFinishLaunching",
    "didFinishLaunching",
    "didBecomeActive",
    "willResignActive",
    "didEnterBackground",
    "willEnterForeground",
    "willTerminate",
    "didReceiveMemoryWarning",
    "backgroundTaskWillExpire",
    "performFetch",
    "didReceiveNotifications",
    "openURL",
    "continueActivity",
    "handleTransferEvents",
    "protectedDataWillBecomeUnavailable",
    "protectedDataDidBecomeAvailable",
    "significantTimeChange",
    "shouldSaveState",
    "saveState",
    "restoreState",
    "performProcessing",
)
#: Those that may overlap with others.
ACTIVITIES = frozenset({"performFetch", "performProcessing", "didReceiveNotifications", "handleTransferEvents"})
#: What a worker without a handler refuses: it opens nothing, continues nothing and has nothing to save.
_REFUSED_UNHANDLED = frozenset({"openURL", "continueActivity", "saveState"})
#: What is done once at a time, though a supervisor that was started anew may ask for it again.
_ALONE = frozenset({"performFetch", "performProcessing"})
_INTERFACE = "io.torpor.Worker."


class Refused(Exception):
    """Raised by a handler: the launch, the URL or the activity is refused, or there is nothing to save."""


@dataclass(frozen=True)
class Launch:
    """The launch of the present process."""

    #: Why it was launched: operator, boot, socket, url, notification, schedule, fetch, restore and so on.
    reason: str = "operator"
    #: Whether into the foreground (inactive first) or into the background.
    into_foreground: bool = True
    #: Whether saved state is restored.
    restores_state: bool = False
    #: The details: the URL, the notification, the path.
    options: Object = field(default_factory=dict)


@dataclass(frozen=True)
class MemoryWarning:
    """How short memory is; `normal` is told when that is over, to workers that were warned."""

    level: str
    #: How many bytes the worker may still use; None where that is not known.
    available: int | None


@dataclass(frozen=True)
class Notification:
    """A posted notification, or several of one topic merged by its rule."""

    topic: str
    #: With the topic it identifies a notification that is delivered twice.
    sequence: int
    #: How many posts it stands for.
    count: int
    payload: Object | None
    added: tuple[str, ...]
    removed: tuple[str, ...]
    #: How many were dropped before it because there were too many.
    dropped: int
    #: When the first and the last of them were posted, in seconds since 1970.
    first: float
    last: float


class _Work:
    """A callback that is being answered."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.answer: Object = {"failure": "it was not answered"}
        # How many others wait for the answer.
        self.waiters = 0


class Callback:
    """A callback of the supervisor's. What the handler returns is the answer."""

    def __init__(self, message: Object) -> None:
        #: As the supervisor sent it.
        self.message = message
        self.name: str = message["name"]
        self.id: int = message["id"]
        #: With performProcessing: set shortly before its time is over.
        self.expired = threading.Event()

    def __repr__(self) -> str:
        return f"<Callback {self.name} {self.id}>"

    def _seconds(self, key: str) -> float | None:
        value = self.message.get(key)
        return None if value is None else value / 1e6

    @property
    def time_limit(self) -> float | None:
        """How many seconds it may take; None without a limit."""
        return self._seconds("timeLimitUsec")

    @property
    def suspended_for(self) -> float | None:
        """How many seconds the worker slept before it; its clocks have jumped by that."""
        return self._seconds("suspendedForUsec")

    @property
    def background_time_remaining(self) -> float | None:
        """With didEnterBackground and backgroundTaskWillExpire: the seconds that are left, where they are limited."""
        return self._seconds("backgroundTimeRemainingUsec")

    @property
    def launch(self) -> Launch:
        """With willFinishLaunching and didFinishLaunching: the launch."""
        return _launch(self.message.get("launch") or {})

    @property
    def url(self) -> str | None:
        """With openURL: the URL."""
        return self.message.get("url")

    @property
    def source_application(self) -> Object | None:
        """With openURL: the program that opened it, with the members uid, pid and, where it is known, program."""
        return self.message.get("sourceApplication")

    @property
    def activity(self) -> Object:
        """With continueActivity: what is to be continued."""
        return self.message.get("activity") or {}

    @property
    def transfer(self) -> Object:
        """With handleTransferEvents: what has ended."""
        return self.message.get("transfer") or {}

    @property
    def state(self) -> Any:
        """With restoreState: what was saved."""
        return _unwrapped(self.message.get("state"))

    @property
    def state_version(self) -> str | None:
        """With restoreState: the version that saved it, if it is not that of this program; empty if it is not known."""
        return self.message.get("stateVersion")

    @property
    def memory_warning(self) -> MemoryWarning:
        """With didReceiveMemoryWarning: the level, and what is left."""
        return MemoryWarning(self.message.get("memoryLevel") or "warning", self.message.get("memoryAvailableBytes"))

    @property
    def notifications(self) -> tuple[Notification, ...]:
        """With didReceiveNotifications: the notifications, oldest topic first."""
        return tuple(
            Notification(
                topic=each["topic"],
                sequence=each["sequence"],
                count=each["count"],
                payload=each.get("payload"),
                added=tuple(each.get("added") or ()),
                removed=tuple(each.get("removed") or ()),
                dropped=each.get("dropped") or 0,
                first=each["first"] / 1e6,
                last=each["last"] / 1e6,
            )
            for each in self.message.get("notifications") or ()
        )


Handler = Callable[[Callback], Any]
AnyHandler = TypeVar("AnyHandler", bound=Callable[..., Any])


class BackgroundTask:
    """Work in the background: while it runs, and time is left, the worker is not suspended.

    A context manager; `end` may also be called, once or more often. After the supervisor was restarted it is begun again.
    """

    def __init__(self, worker: Worker, name: str) -> None:
        self.name = name
        #: Set shortly before the background time is over: stop soon, or the worker is killed.
        self.expired = threading.Event()
        self._worker = worker
        self._token: int | None = None
        self._told: list[Callable[[], object]] = []

    def _expire(self) -> None:
        self.expired.set()
        for tell in self._told:
            tell()

    def _when_expired(self, tell: Callable[[], object]) -> None:
        """Has `tell` called, on another thread, when the time is nearly over; at once where it is already."""
        self._told.append(tell)
        if self.expired.is_set():
            tell()

    def end(self) -> None:
        self._worker._end(self)

    def __enter__(self) -> BackgroundTask:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


class _Serving(enum.Enum):
    IDLE = 0
    RUNNING = 1
    TERMINATING = 2
    STOPPED = 3


class Worker:
    """This process as a worker, for programs with threads.

    Register a handler per callback with `on`, then `run`. What a handler returns is the answer: `False` refuses, any other value
    completes; that of saveState is the state. For performFetch `False` says that there was no new data: the next one comes later. `Refused` refuses too, and any other exception is a failure, which the supervisor logs.
    Handlers are called one at a time and in order on the thread of `run`; those of `ACTIVITIES` each on a thread of its own.

    Without a supervisor, in a program that was started by hand, everything works and has no effect: `run` calls the handlers of the
    launch and then waits for `terminate`, and calls return what a worker in the foreground would be told.
    """

    _pauses = (0.05, 5.0)

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        #: The name of the worker; None without a supervisor.
        self.name = environ.get("TORPOR_WORKER") or None
        #: The launch of this process, from its environment.
        self.launch = _launch_of(environ)
        self._path = environ.get("TORPOR_SOCKET") or None
        self._handlers: dict[str, Handler] = {}
        self._calls: Connection | None = None
        # Held for the length of a call: calls go over one connection.
        self._calling = threading.RLock()
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._tasks: list[BackgroundTask] = []
        self._processing: list[Callback] = []
        self._works: dict[str, _Work] = {}
        self._activities: dict[str, Callable[[], Object]] = {}
        # Whether it is in use, and whether that is still to be said to the supervisor.
        self._in_use = False
        self._owes_in_use = False
        self._attached: Connection | None = None
        self._attachment = 0
        self._serving = _Serving.IDLE

    @property
    def is_supervised(self) -> bool:
        """Whether there is a supervisor."""
        return self._path is not None

    # Callbacks.

    def on(self, *names: str) -> Callable[[AnyHandler], AnyHandler]:
        """Makes the function that follows the handler of these callbacks: `@worker.on("openURL")`."""
        for name in names:
            if name not in CALLBACKS:
                raise ValueError(f"{name} is no callback; there are {', '.join(CALLBACKS)}")

        def register(handler: AnyHandler) -> AnyHandler:
            for name in names:
                self._handlers[name] = handler
            return handler

        return register

    def run(self) -> None:
        """Serves callbacks until willTerminate; the program should exit then, which completes it.

        A supervisor that is away is waited for: workers live on without one, and are attached again.
        """
        with self._lock:
            if self._serving is not _Serving.IDLE:
                raise TorporError("callbacks are already being served")
            self._serving = _Serving.RUNNING
        try:
            if self._path is None:
                self._run_alone()
            else:
                self._run_attached(self._path)
        finally:
            with self._lock:
                self._serving = _Serving.IDLE

    def start(self) -> threading.Thread:
        """Does `run` on a daemon thread, and returns that."""
        thread = threading.Thread(target=self.run, name="torpor", daemon=True)
        thread.start()
        return thread

    def terminate(self) -> None:
        """Ends `run` as willTerminate does, with that handler: for a program that is asked to end by other means, such as SIGTERM."""
        self._leave(_Serving.TERMINATING)

    def stop(self) -> None:
        """Ends `run` without willTerminate, and detaches."""
        self._leave(_Serving.STOPPED)

    def close(self) -> None:
        """Does `stop`, and closes the connection for calls, which the next one makes anew; the end of the process does that too."""
        self.stop()
        self._lose()

    def _leave(self, how: _Serving) -> None:
        with self._lock:
            if self._serving is not _Serving.RUNNING:
                return
            self._serving = how
            if self._attached is not None:
                self._attached.interrupt()
            self._changed.notify_all()

    def _is_running(self) -> bool:
        with self._lock:
            return self._serving is _Serving.RUNNING

    def _run_alone(self) -> None:
        launch: Object = {
            "reason": self.launch.reason,
            "intoForeground": self.launch.into_foreground,
            "options": self.launch.options,
        }
        for name in ("willFinishLaunching", "didFinishLaunching", "didBecomeActive"):
            self._answer({"id": 0, "name": name, "launch": launch})
        with self._lock:
            while self._serving is _Serving.RUNNING:
                self._changed.wait()
            terminates = self._serving is _Serving.TERMINATING
        if terminates:
            for name in ("willResignActive", "willTerminate"):
                self._answer({"id": 0, "name": name})

    def _run_attached(self, path: str) -> None:
        pause = self._pauses[0]
        while self._is_running():
            try:
                for message in self._attach(path):
                    pause = self._pauses[0]
                    if self._take(message):
                        return
            except (TorporError, OSError):
                pass  # It is away, or another process of the worker is attached: again, a little later.
            finally:
                self._detach()
            if self._is_running():
                self._lose()
            with self._lock:
                if self._serving is _Serving.RUNNING:
                    self._changed.wait(pause)
            pause = min(pause * 2, self._pauses[1])
        with self._lock:
            terminates = self._serving is _Serving.TERMINATING
        if terminates:
            self._answer({"id": 0, "name": "willTerminate"})

    def _attach(self, path: str) -> Iterator[Object]:
        wanted = set(self._handlers) | {"backgroundTaskWillExpire"}
        # State is saved by its three callbacks together; without them the supervisor need not ask.
        if "saveState" in wanted:
            wanted.add("shouldSaveState")
        # A willTerminate that no handler wants is told all the same: `run` returns with it.
        wanted.add("willTerminate")
        connection = Connection(connect(path, timeout=1))
        connection.timeout(None)
        with self._lock:
            self._attached = connection
            self._attachment += 1
            if self._serving is not _Serving.RUNNING:
                connection.interrupt()
        # One supervisor has both connections: tasks are begun again with a new one.
        self._begin_again()
        for reply in connection.more(_INTERFACE + "Attach", {"callbacks": sorted(wanted)}):
            if question := reply.get("question"):
                # On a thread of its own: it takes no turn among the callbacks.
                threading.Thread(
                    target=self._tell_activity, args=(question,), name="torpor activity", daemon=True
                ).start()
            if message := reply.get("callback"):
                yield message

    def _detach(self) -> None:
        with self._lock:
            connection, self._attached = self._attached, None
        if connection is not None:
            connection.close()

    def _lose(self) -> None:
        """Lets go of the connection for calls: the end of either is the end of both, which stand for one supervisor."""
        with self._calling:
            connection, self._calls = self._calls, None
            if connection is not None:
                connection.close()
            # It holds for as long as the connection, or the process, does.
            self._owes_in_use = self._owes_in_use or self._in_use
            with self._lock:
                for task in self._tasks:
                    task._token = None

    def _take(self, message: Object) -> bool:
        """Deals with a callback; True when the worker is to end."""
        name = message.get("name")
        attachment = self._attachment
        if name in ACTIVITIES:
            threading.Thread(
                target=self._complete, args=(message, attachment), name=f"torpor {name}", daemon=True
            ).start()
            return False
        if name == "backgroundTaskWillExpire":
            with self._lock:
                tasks = list(self._tasks)
                processing = list(self._processing)
            for task in tasks:
                task._expire()
            for callback in processing:
                callback.expired.set()
        self._complete(message, attachment)
        return name == "willTerminate"

    def _complete(self, message: Object, attachment: int) -> None:
        answer = self._answer_once(message) if message.get("name") in _ALONE else self._answer(message)
        # The exit of the process completes this one.
        if message.get("name") == "willTerminate" and "failure" not in answer:
            return
        error = self._complete_with(message, answer, attachment)
        # State that was not taken, since it is too large: the supervisor shall not wait in vain.
        if error is not None and error.name != "NoSuchCallback" and "state" in answer:
            self._complete_with(message, {"failure": str(error)}, attachment)

    def _complete_with(self, message: Object, answer: Object, attachment: int) -> MethodError | None:
        with self._calling:
            # An answer belongs to its attachment: a new supervisor counts its callbacks anew.
            if attachment != self._attachment or self._attached is None:
                return None
            try:
                self._call("Complete", id=message.get("id"), **answer)
            except ConnectionLost:
                pass  # The attached connection ends too, and is made again.
            except MethodError as error:
                return error
            return None

    def _answer_once(self, message: Object) -> Object:
        """As `_answer`; what is asked for again while it is done, by a supervisor that was started anew, is answered with that."""
        name = message["name"]
        with self._lock:
            work = self._works.get(name)
            is_first = work is None
            if work is None:
                work = self._works[name] = _Work()
            else:
                work.waiters += 1
        if not is_first:
            work.done.wait()
            return work.answer
        try:
            work.answer = self._answer(message)
        finally:
            with self._lock:
                del self._works[name]
            work.done.set()
        return work.answer

    def _answer(self, message: Object) -> Object:
        name = message.get("name")
        if name not in CALLBACKS:
            return {"failure": f"the callback {name} is unknown to this version of the library"}
        handler = self._handlers.get(name)
        if handler is None:
            return {"refused": True} if name in _REFUSED_UNHANDLED else {}
        callback = Callback(message)
        if name == "performProcessing":
            with self._lock:
                self._processing.append(callback)
        try:
            result = handler(callback)
        except Refused:
            return {"fetched": "noData"} if name == "performFetch" else {"refused": True}
        except Exception as error:
            return {"failure": f"{type(error).__name__}: {error}"}
        finally:
            if name == "performProcessing":
                with self._lock:
                    self._processing.remove(callback)
        if result is False:
            return {"fetched": "noData"} if name == "performFetch" else {"refused": True}
        if name == "saveState":
            try:
                return {"refused": True} if result is None else {"state": _wrapped(result)}
            except (TypeError, ValueError) as error:
                return {"failure": f"the state is not JSON: {error}"}
        return {}

    # Calls.

    def state(self) -> State:
        """The state of the worker; active without a supervisor."""
        if self._path is None:
            return "active"
        state: State = self._call("GetState")["state"]
        return state

    def is_low_power_mode(self) -> bool:
        """Whether low-power mode is on, so that what can wait should; False without a supervisor."""
        return self._path is not None and bool(self._call("GetState").get("lowPower"))

    def background_time_remaining(self) -> float | None:
        """The seconds of background time that are left; None while they are not limited, and without a supervisor."""
        if self._path is None:
            return None
        left = self._call("BackgroundTimeRemaining").get("remainingUsec")
        return None if left is None else left / 1e6

    def background_task(self, name: str) -> BackgroundTask:
        """Begins a background task: `with worker.background_task("upload"):`. Begin it before the work starts, also in the foreground.

        Raises `MethodError` NotNow or TooManyTasks. While the supervisor is away the task begins, and is told to it later.
        """
        task = BackgroundTask(self, name)
        with self._calling:
            if self._path is not None:
                try:
                    self._begin(task)
                except ConnectionLost:
                    pass
            with self._lock:
                self._tasks.append(task)
        return task

    def _begin(self, task: BackgroundTask) -> None:
        task._token = self._call("BeginBackgroundTask", name=task.name)["token"]

    def _begin_again(self) -> None:
        with self._calling:
            with self._lock:
                tasks = [task for task in self._tasks if task._token is None]
            for task in tasks:
                try:
                    self._begin(task)
                except TorporError:
                    pass  # The work goes on, without the supervisor's leave.
            try:
                self._say_in_use()
            except TorporError:
                pass  # It is said with the next attachment.

    def _end(self, task: BackgroundTask) -> None:
        with self._calling:
            with self._lock:
                if task not in self._tasks:
                    return
                self._tasks.remove(task)
            token, task._token = task._token, None
            if token is None:
                return
            try:
                self._call("EndBackgroundTask", token=token)
            except TorporError:
                pass  # One whose time was over has ended already.

    def save_state(self, state: Any) -> None:
        """Saves state of any JSON type, to be restored once at the next launch."""
        wrapped = _wrapped(state)
        if self._path is not None:
            self._call("SaveState", state=wrapped)

    def discard_state(self) -> None:
        """Discards the saved state."""
        if self._path is not None:
            self._call("SaveState", state={})

    def post(
        self,
        topic: str,
        payload: Object | None = None,
        *,
        rule: Rule | None = None,
        added: Iterable[str] | None = None,
        removed: Iterable[str] | None = None,
        transient: bool = False,
    ) -> int | None:
        """Posts a notification to this worker itself; when it returns, the post is on disk, unless it is `transient`.

        Returns the number of the queued notification: None where the post cancelled it, and without a supervisor.
        """
        if self._path is None:
            return None
        return self._call(
            "Post",
            topic=topic,
            payload=payload,
            rule=rule,
            added=None if added is None else list(added),
            removed=None if removed is None else list(removed),
            transient=transient or None,
        ).get("sequence")

    def schedule(
        self,
        topic: str,
        payload: Object | None = None,
        *,
        at: datetime | None = None,
        after: float | None = None,
        every: float | None = None,
        rule: Rule | None = None,
        wake: bool = False,
    ) -> int | None:
        """Posts to this worker `at` a time or `after` so many seconds, and then `every` so many, whether it runs then or not.

        Returns the number for `cancel`; None without a supervisor.
        """
        if (at is None) == (after is None):
            raise TypeError("schedule takes either at or after")
        moment = at.timestamp() if at is not None else time.time() + (after or 0)
        if self._path is None:
            return None
        number: int = self._call(
            "Schedule",
            topic=topic,
            at=round(moment * 1e6),
            everyUsec=None if every is None else round(every * 1e6),
            payload=payload,
            rule=rule,
            wake=wake or None,
        )["id"]
        return number

    def cancel(self, number: int) -> None:
        """Cancels a scheduled post."""
        if self._path is not None:
            self._call("Cancel", id=number)

    def begin_transfer(
        self, command: Sequence[str], purpose: str | None = None, directory: str | None = None, limit: float | None = None
    ) -> int:
        """Begins a command that goes on when the worker sleeps or ends; returns its number.

        Its end is told by handleTransferEvents, to this process or a later one; with `Modes=transfer` the worker is woken or
        launched for that. Raises `MethodError` TransferNotBegun.
        """
        number: int = self._call(
            "BeginTransfer",
            command=list(command),
            purpose=purpose,
            workingDirectory=directory,
            limitUsec=None if limit is None else round(limit * 1e6),
        )["number"]
        return number

    def cancel_transfer(self, number: int) -> None:
        """Has a transfer of the worker end; that is told as any other end. Raises `MethodError` NoSuchTransfer."""
        self._call("CancelTransfer", number=number)

    @contextmanager
    def interruption(self, purpose: str, limit: float | None = None) -> Iterator[None]:
        """`with worker.interruption("unlock keys", limit=60):`; meanwhile the worker is inactive where it would be active.

        For a dialog or a question that must be answered first. Interruptions nest; this one ends with the block, after `limit`
        seconds, or with the process. Raises `MethodError` TooManyInterruptions.
        """
        number: int | None = None
        if self._path is not None:
            try:
                number = self._call(
                    "Interrupt", purpose=purpose, limitUsec=None if limit is None else round(limit * 1e6)
                )["number"]
            except ConnectionLost:
                pass  # A supervisor that is away interrupts nothing.
        try:
            yield
        finally:
            if number is not None:
                try:
                    self._call("EndInterruption", number=number)
                except TorporError:
                    pass  # One whose time is over has ended already.

    def offer_activity(
        self, type: str, state: Object | Callable[[], Object], *, title: str | None = None
    ) -> None:
        """Offers an activity that this worker does now: another worker, here or on another machine, can continue it.

        `state` is what that one needs, or a function that returns it, which is called on a thread of its own when the activity is
        handed over. When another worker has taken it, the offer is over. Raises `MethodError` NotOffered.
        """
        if self._path is None:
            return
        if callable(state):
            with self._lock:
                self._activities[type] = state
            self._call("OfferActivity", type=type, title=title, asks=True)
        else:
            with self._lock:
                self._activities.pop(type, None)
            self._call("OfferActivity", type=type, title=title, payload=state)

    def withdraw_activity(self, type: str | None = None) -> None:
        """Takes back the offer of an activity; all offers without a type."""
        if self._path is not None:
            self._call("WithdrawActivity", type=type)

    def _tell_activity(self, question: Object) -> None:
        number = question.get("number")
        with self._lock:
            state = self._activities.get(question.get("type", ""))
        answer: Object
        try:
            answer = {"failure": "the worker does not offer it any more"} if state is None else {"payload": state()}
        except Exception as error:
            answer = {"failure": f"{type(error).__name__}: {error}"}
        try:
            self._call("AnswerActivity", number=number, **answer)
        except TorporError:
            pass  # The question is not open any more: the activity stays here.

    def set_in_use(self, in_use: bool) -> None:
        """Says whether the worker is in use: while it is, it is not suspended for idleness (`IdleSec=`), however long no data has passed.

        For what only the worker knows, such as a game with players who wait or a job that runs elsewhere. It holds until it is taken
        back, also after the supervisor has been restarted; an operator can suspend the worker all the same.
        """
        with self._calling:
            self._in_use, self._owes_in_use = in_use, True
            try:
                self._say_in_use()
            except ConnectionLost:
                pass  # It is said when there is a supervisor.

    def _say_in_use(self) -> None:
        if self._path is not None and self._owes_in_use:
            self._call("SetInUse", inUse=self._in_use)
            self._owes_in_use = False

    def request_activation(self) -> None:
        """Requests the foreground, as an operator's activate does."""
        if self._path is not None:
            self._call("RequestActivation")

    def _call(self, method: str, **parameters: Any) -> Object:
        if self._path is None:
            raise ConnectionLost("there is no supervisor")
        given = {key: value for key, value in parameters.items() if value is not None}
        with self._calling:
            if self._calls is None:
                self._calls = Connection(connect(self._path, timeout=1))
                self._calls.timeout(None)
            try:
                return self._calls.call(_INTERFACE + method, given)
            except (ConnectionLost, OSError) as error:
                self._lose()
                with self._lock:
                    if self._attached is not None:
                        self._attached.interrupt()
                raise error if isinstance(error, ConnectionLost) else ConnectionLost(str(error)) from error


def _launch(message: Object) -> Launch:
    return Launch(
        reason=message.get("reason") or "operator",
        into_foreground=message.get("intoForeground") is not False,
        restores_state=message.get("restoresState") is True,
        options=message.get("options") or {},
    )


def _launch_of(environ: Mapping[str, str]) -> Launch:
    try:
        options = json.loads(environ.get("TORPOR_LAUNCH_OPTIONS") or "{}")
    except ValueError:
        options = {}  # It came from elsewhere, and willFinishLaunching tells it again.
    return Launch(
        reason=environ.get("TORPOR_LAUNCH_REASON") or "operator",
        into_foreground=environ.get("TORPOR_LAUNCH_STATE") != "background",
        restores_state=bool(environ.get("TORPOR_RESTORE")),
        options=options if isinstance(options, dict) else {},
    )


def _wrapped(state: Any) -> Object:
    """State as it is stored, as TorporWorker does: an object, and never one that would mean something else."""
    json.dumps(state, allow_nan=False)
    if isinstance(state, dict) and state and list(state) != ["$value"]:
        return state
    return {"$value": state}


def _unwrapped(state: Any) -> Any:
    return state["$value"] if isinstance(state, dict) and list(state) == ["$value"] else state
