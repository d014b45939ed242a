"""A client for operators: what `torpor list`, `status`, `watch`, `post` and the verbs that set goals do."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, List, TypedDict

from ._varlink import Connection, ConnectionLost, Object, connect
from .worker import Rule, State

_INTERFACE = "io.torpor.Supervisor."
_SOCKET = "io.torpor.Supervisor"


class _WorkerSummary(TypedDict):
    name: str
    state: State
    since: int
    goal: str
    held: bool


class WorkerSummary(_WorkerSummary, total=False):
    """One worker, as `torpor list` has it. Times are microseconds since 1970; what is not known is missing."""

    description: str
    reason: str
    pid: int
    memoryBytes: int
    adopted: bool
    launching: bool
    fileProblem: str
    wakesBy: str


class _GoalResult(TypedDict):
    name: str
    state: State
    goal: str
    reached: bool


class GoalResult(_GoalResult, total=False):
    """What became of a goal that was set for one worker."""

    wanted: str
    error: str
    message: str
    lastOutput: list[str]


class _PostResult(TypedDict):
    name: str


class PostResult(_PostResult, total=False):
    """What became of a post to one worker; with `obstacle`, it was not accepted."""

    sequence: int
    schedule: int
    obstacle: str
    message: str


class _Change(TypedDict):
    worker: str
    goal: str
    reason: str
    at: int
    monotonic: int
    notTold: list[str]


# `from` is a word of Python's, hence the other way to write it.
_States = TypedDict("_States", {"from": State, "to": State, "uid": int, "pid": int}, total=False)


class Change(_Change, _States):
    """A change of state: `from` and `to`, of which one is missing where a worker was defined or is no longer."""


class Supervisor:
    """A connection to a supervisor. A context manager; for one thread at a time.

    Without `address`, the path of a control socket, it is the one of `$TORPOR_SUPERVISOR`, or that of the system for root, or the
    user's own. With `host` it is one of another machine, by ssh (`torpor --host`). A call takes at most `timeout` seconds, or
    raises TimeoutError, after which the connection is of no further use.
    """

    def __init__(
        self, address: str | None = None, *, host: str | None = None, timeout: float | None = 60
    ) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._timeout = timeout
        if host is None:
            connected = connect(address or _usual(os.environ), timeout)
        else:
            connected, self._process = _bridge(host, address)
        connected.settimeout(timeout)
        self._connection = Connection(connected)

    def close(self) -> None:
        self._connection.close()
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def call(self, method: str, **parameters: Any) -> Object:
        """Calls any method of io.torpor.Supervisor, such as `call("Why", name="web")`; None leaves a parameter out."""
        return self._connection.call(_INTERFACE + method, _given(parameters))

    def list(self, *names: str) -> List[WorkerSummary]:
        """The workers with these names or shell patterns; all without any."""
        workers: List[WorkerSummary] = self.call("List", names=[*names] or None)["workers"]
        return workers

    def status(self, name: str) -> Object:
        """Everything about one worker; raises `MethodError` NoSuchWorker."""
        worker: Object = self.call("Describe", name=name)["worker"]
        return worker

    def why(self, name: str) -> Object:
        """Why a worker is in its state, and what would change it."""
        return self.call("Why", name=name)

    def watch(self, *names: str) -> Iterator[List[WorkerSummary] | Change]:
        """The workers as they are, a list, and then each change as it happens, without end.

        The connection serves no other call after that.
        """
        parameters = _given({"names": [*names] or None})
        for reply in self._connection.more(_INTERFACE + "Watch", parameters):
            if (present := reply.get("present")) is not None:
                yield present
                # Changes take their time.
                self._connection.timeout(None)
            elif change := reply.get("change"):
                yield change

    def post(
        self,
        names: str | Iterable[str],
        topic: str,
        payload: Object | None = None,
        *,
        rule: Rule | None = None,
        added: Iterable[str] | None = None,
        removed: Iterable[str] | None = None,
        wake: bool = False,
        foreground: bool = False,
        transient: bool = False,
        alert: bool = False,
        alert_limit: float | None = None,
    ) -> List[PostResult]:
        """Posts a notification to workers; an `alert` interrupts them until it is answered, or for `alert_limit` seconds."""
        results: List[PostResult] = self.call(
            "Post",
            names=_names(names),
            topic=topic,
            payload=payload,
            rule=rule,
            added=None if added is None else [*added],
            removed=None if removed is None else [*removed],
            wake=wake or None,
            foreground=foreground or None,
            transient=transient or None,
            alert=alert or None,
            alertLimitUsec=None if alert_limit is None else round(alert_limit * 1e6),
        )["results"]
        return results

    def begin_transfer(
        self, name: str, command: Sequence[str], purpose: str | None = None, limit: float | None = None
    ) -> int:
        """Begins a command beside a worker, which is told of its end; returns the number of the transfer."""
        number: int = self.call(
            "BeginTransfer",
            name=name,
            command=list(command),
            purpose=purpose,
            limitUsec=None if limit is None else round(limit * 1e6),
        )["number"]
        return number

    def cancel_transfer(self, name: str, number: int) -> None:
        """Has a transfer end, or forgets one that has ended and whose worker has not been told."""
        self.call("CancelTransfer", name=name, number=number)

    def transfers(self, name: str | None = None) -> list[dict[str, Any]]:
        """The transfers of a worker, or of all, that run or whose end has not been told."""
        transfers: list[dict[str, Any]] = self.call("Transfers", name=name)["transfers"]
        return transfers

    def interrupt(self, name: str, purpose: str | None = None, limit: float | None = None) -> int:
        """Interrupts a worker until `end_interruption`, or for `limit` seconds; returns the number of the interruption."""
        number: int = self.call(
            "Interrupt", name=name, purpose=purpose, limitUsec=None if limit is None else round(limit * 1e6)
        )["number"]
        return number

    def end_interruption(self, name: str, number: int | None = None) -> None:
        """Ends an interruption that `interrupt` began: the last one, or the one with this number."""
        self.call("EndInterruption", name=name, number=number)

    def answer(self, name: str, number: int | None = None) -> str:
        """Answers an alert, the oldest one or the one with this number; returns its topic."""
        topic: str = self.call("Answer", name=name, number=number)["topic"]
        return topic

    # Goals. Each waits until it is reached, or cannot be, with `wait`.

    def launch(
        self, *names: str, background: bool = False, options: Object | None = None, wait: bool = True
    ) -> List[GoalResult]:
        """Starts workers, into the foreground or the `background`.

        A worker finds `options` in `Launch.options`; one that runs already is refused them.
        """
        return self._goal("Launch", names, wait, background=background or None, options=options)

    def activate(self, *names: str, wait: bool = True) -> List[GoalResult]:
        """Moves workers to the foreground."""
        return self._goal("Activate", names, wait)

    def resign(self, *names: str, wait: bool = True) -> List[GoalResult]:
        """Makes active workers inactive, until `activate`."""
        return self._goal("Resign", names, wait)

    def background(self, *names: str, wait: bool = True) -> List[GoalResult]:
        """Moves workers to the background, where they stay."""
        return self._goal("Background", names, wait)

    def suspend(self, *names: str, wait: bool = True) -> List[GoalResult]:
        """Suspends workers, by way of the background."""
        return self._goal("Suspend", names, wait)

    def resume(self, *names: str, wait: bool = True) -> List[GoalResult]:
        """Restores the goal before suspension."""
        return self._goal("Resume", names, wait)

    def restart(self, *names: str, wait: bool = True) -> List[GoalResult]:
        """Stops workers and starts them again."""
        return self._goal("Restart", names, wait)

    def terminate(self, *names: str, wait: bool = True) -> List[GoalResult]:
        """Stops workers."""
        return self._goal("Terminate", names, wait)

    def kill(self, *names: str, wait: bool = True) -> List[GoalResult]:
        """Kills workers, which no event in the background starts again."""
        return self._goal("Kill", names, wait)

    def _goal(self, method: str, names: tuple[str, ...], wait: bool, **others: Any) -> List[GoalResult]:
        limit = None if self._timeout is None else round(self._timeout * 900)
        results: List[GoalResult] = self.call(
            method, names=[*names], wait=None if wait else False, timeoutMs=limit if wait else None, **others
        )["results"]
        return results


def _given(parameters: Object) -> Object:
    return {key: value for key, value in parameters.items() if value is not None}


def _names(names: str | Iterable[str]) -> List[str]:
    return [names] if isinstance(names, str) else [*names]


def _usual(environ: Mapping[str, str]) -> str:
    named = environ.get("TORPOR_SUPERVISOR") or ("system" if os.geteuid() == 0 else "")
    system = f"/run/torpor/{_SOCKET}"
    if named not in ("", "system", "user"):
        return named
    # Another user's calls are taken by the system's where it runs.
    if named == "system" or (named == "" and os.access(system, os.W_OK)):
        return system
    runtime = environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.geteuid()}"
    return f"{runtime}/torpor/{_SOCKET}"


def _bridge(host: str, address: str | None) -> tuple[socket.socket, subprocess.Popen[bytes]]:
    if not host or host.startswith("-"):
        raise ValueError(f"invalid host {host!r}")
    ours, theirs = socket.socketpair()
    there = ["torpor", "bridge"] + (["--socket", address] if address else [])
    line = [*shlex.split(os.environ.get("TORPOR_SSH") or "ssh"), "-xT", "--", host, shlex.join(there)]
    try:
        process = subprocess.Popen(line, stdin=theirs.fileno(), stdout=theirs.fileno())
    except OSError as error:
        ours.close()
        raise ConnectionLost(f"cannot reach {host}: {line[0]}: {error.strerror}") from error
    finally:
        theirs.close()
    return ours, process
