"""This process as a worker of Torpor, for asyncio: handlers are coroutines, and every call is awaited."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, TypeVar

from . import worker as threads
from ._varlink import Object
from .worker import Callback, Launch, Rule, State

Handler = Callable[[Callback], Awaitable[Any]]
AnyHandler = TypeVar("AnyHandler", bound=Callable[..., Awaitable[Any]])

__all__ = ["Worker"]


class Worker:
    """As `torpor.Worker`, whose documentation says what each method does; handlers run in the event loop of `run`.

    Two connections and their threads are behind it: the loop never waits for the supervisor.
    """

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        self._worker = threads.Worker(environ)
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def name(self) -> str | None:
        """The name of the worker; None without a supervisor."""
        return self._worker.name

    @property
    def launch(self) -> Launch:
        """The launch of this process, from its environment."""
        return self._worker.launch

    @property
    def is_supervised(self) -> bool:
        """Whether there is a supervisor."""
        return self._worker.is_supervised

    def on(self, *names: str) -> Callable[[AnyHandler], AnyHandler]:
        """Makes the coroutine function that follows the handler of these callbacks."""

        def register(handler: AnyHandler) -> AnyHandler:
            def in_loop(callback: Callback) -> Any:
                if self._loop is None:
                    raise RuntimeError("callbacks are not being served")
                return asyncio.run_coroutine_threadsafe(_awaited(handler, callback), self._loop).result()

            self._worker.on(*names)(in_loop)
            return handler

        return register

    async def run(self) -> None:
        """Serves callbacks until willTerminate; when the task is cancelled, it ends without that."""
        self._loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = self._loop.create_future()
        loop = self._loop

        def finish(error: BaseException | None) -> None:
            if done.done():
                return
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)

        def serve() -> None:
            failure: BaseException | None = None
            try:
                self._worker.run()
            except BaseException as error:
                failure = error
            try:
                loop.call_soon_threadsafe(finish, failure)
            except RuntimeError:
                pass  # The loop is closed: there is no one left to tell.

        # Not in the executor, which the program may need, and whose threads are joined at its exit.
        threading.Thread(target=serve, name="torpor", daemon=True).start()
        try:
            await asyncio.shield(done)
        except asyncio.CancelledError:
            self._worker.stop()
            raise

    def terminate(self) -> None:
        """Ends `run` as willTerminate does, with that handler."""
        self._worker.terminate()

    async def close(self) -> None:
        """Closes the connection for calls; the end of the process does that too."""
        await asyncio.to_thread(self._worker.close)

    async def state(self) -> State:
        """The state of the worker."""
        return await asyncio.to_thread(self._worker.state)

    async def is_low_power_mode(self) -> bool:
        """As that of `torpor.Worker`."""
        return await asyncio.to_thread(self._worker.is_low_power_mode)

    async def background_time_remaining(self) -> float | None:
        """The seconds of background time that are left; None while they are not limited."""
        return await asyncio.to_thread(self._worker.background_time_remaining)

    @asynccontextmanager
    async def background_task(self, name: str) -> AsyncIterator[asyncio.Event]:
        """`async with worker.background_task("upload") as expired:`; the event is set shortly before the time is over."""
        task = await asyncio.to_thread(self._worker.background_task, name)
        expired = asyncio.Event()
        loop = asyncio.get_running_loop()
        task._when_expired(lambda: loop.call_soon_threadsafe(expired.set))
        try:
            yield expired
        finally:
            await asyncio.shield(asyncio.to_thread(task.end))

    async def save_state(self, state: Any) -> None:
        """Saves state, to be restored once at the next launch."""
        await asyncio.to_thread(self._worker.save_state, state)

    async def discard_state(self) -> None:
        """Discards the saved state."""
        await asyncio.to_thread(self._worker.discard_state)

    async def post(
        self,
        topic: str,
        payload: Object | None = None,
        *,
        rule: Rule | None = None,
        added: Iterable[str] | None = None,
        removed: Iterable[str] | None = None,
        transient: bool = False,
    ) -> int | None:
        """Posts a notification to this worker itself."""
        return await asyncio.to_thread(
            self._worker.post, topic, payload, rule=rule, added=added, removed=removed, transient=transient
        )

    async def schedule(
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
        """Posts to this worker later."""
        return await asyncio.to_thread(
            self._worker.schedule, topic, payload, at=at, after=after, every=every, rule=rule, wake=wake
        )

    async def cancel(self, number: int) -> None:
        """Cancels a scheduled post."""
        await asyncio.to_thread(self._worker.cancel, number)

    async def begin_transfer(
        self, command: Sequence[str], purpose: str | None = None, directory: str | None = None, limit: float | None = None
    ) -> int:
        """Begins a command that goes on when the worker sleeps or ends; returns its number."""
        return await asyncio.to_thread(self._worker.begin_transfer, command, purpose, directory, limit)

    async def cancel_transfer(self, number: int) -> None:
        """Has a transfer of the worker end."""
        await asyncio.to_thread(self._worker.cancel_transfer, number)

    @asynccontextmanager
    async def interruption(self, purpose: str, limit: float | None = None) -> AsyncIterator[None]:
        """`async with worker.interruption("unlock keys"):`; meanwhile the worker is inactive where it would be active."""
        interruption = self._worker.interruption(purpose, limit)
        await asyncio.to_thread(interruption.__enter__)
        try:
            yield
        finally:
            await asyncio.shield(asyncio.to_thread(interruption.__exit__, None, None, None))

    async def offer_activity(
        self, type: str, state: Object | Callable[[], Object], *, title: str | None = None
    ) -> None:
        """Offers an activity that another worker can continue; a function for `state` is called on a thread of its own."""
        await asyncio.to_thread(self._worker.offer_activity, type, state, title=title)

    async def withdraw_activity(self, type: str | None = None) -> None:
        """Takes back the offer of an activity; all offers without a type."""
        await asyncio.to_thread(self._worker.withdraw_activity, type)

    async def set_in_use(self, in_use: bool) -> None:
        """Says whether the worker is in use: while it is, it is not suspended for idleness."""
        await asyncio.to_thread(self._worker.set_in_use, in_use)

    async def request_activation(self) -> None:
        """Requests the foreground."""
        await asyncio.to_thread(self._worker.request_activation)


async def _awaited(handler: Handler, callback: Callback) -> Any:
    return await handler(callback)
