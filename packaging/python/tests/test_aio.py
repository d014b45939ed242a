from __future__ import annotations

import asyncio
import unittest

from fake import LIMIT, FakeSupervisor

import torpor.aio


class AsyncWorker(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        self.supervisor = FakeSupervisor()
        self.addCleanup(self.supervisor.close)
        self.worker = torpor.aio.Worker(self.supervisor.environ)
        self.addAsyncCleanup(self.worker.close)

    async def hear(self) -> tuple[str, dict[str, object]]:
        return await asyncio.to_thread(self.supervisor.hear)

    async def test_answers_in_the_loop(self) -> None:
        told: list[str] = []

        @self.worker.on("openURL")
        async def show(callback: torpor.Callback) -> bool:
            await asyncio.sleep(0)
            told.append(str(callback.url))
            return callback.url == "a:1"

        @self.worker.on("willTerminate")
        async def end(callback: torpor.Callback) -> None:
            told.append("end")

        run = asyncio.create_task(self.worker.run())
        await asyncio.to_thread(self.supervisor.attached)
        self.supervisor.deliver(1, "openURL", url="a:1")
        self.assertEqual(await self.hear(), ("Complete", {"id": 1}))
        self.supervisor.deliver(2, "openURL", url="a:2")
        self.assertEqual(await self.hear(), ("Complete", {"id": 2, "refused": True}))
        async with self.worker.background_task("upload") as expired:
            self.assertEqual((await self.hear())[0], "BeginBackgroundTask")
            self.supervisor.deliver(3, "backgroundTaskWillExpire")
            await asyncio.wait_for(expired.wait(), LIMIT)
            self.assertEqual(await self.hear(), ("Complete", {"id": 3}))
        self.assertEqual(await self.hear(), ("EndBackgroundTask", {"token": 1}))
        self.assertEqual(await self.worker.state(), "background")
        self.assertEqual(await self.worker.post("news"), 7)
        self.supervisor.deliver(4, "willTerminate")
        await asyncio.wait_for(run, LIMIT)
        self.assertEqual(told, ["a:1", "a:2", "end"])

    async def test_detaches_when_it_is_cancelled(self) -> None:
        run = asyncio.create_task(self.worker.run())
        await asyncio.to_thread(self.supervisor.attached)
        run.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await run

    async def test_runs_alone(self) -> None:
        worker = torpor.aio.Worker({})
        active = asyncio.Event()

        @worker.on("didBecomeActive")
        async def become(callback: torpor.Callback) -> None:
            active.set()

        run = asyncio.create_task(worker.run())
        await asyncio.wait_for(active.wait(), LIMIT)
        async with worker.background_task("upload") as expired:
            self.assertFalse(expired.is_set())
        self.assertIsNone(await worker.schedule("due", after=1))
        worker.terminate()
        await asyncio.wait_for(run, LIMIT)


if __name__ == "__main__":
    unittest.main()
