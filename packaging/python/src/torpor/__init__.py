"""The life cycle of a Torpor worker, and a client for its supervisor.

`Worker` is this process as a worker, for programs with threads; `torpor.aio.Worker` is the same for asyncio.
`Supervisor` lists, watches and controls workers, here or on another machine.
"""

from ._varlink import ConnectionLost, MethodError, TorporError
from .supervisor import Supervisor
from .worker import BackgroundTask, Callback, Launch, MemoryWarning, Notification, Refused, Worker

__all__ = [
    "BackgroundTask",
    "Callback",
    "ConnectionLost",
    "Launch",
    "MemoryWarning",
    "MethodError",
    "Notification",
    "Refused",
    "Supervisor",
    "TorporError",
    "Worker",
]
__version__ = "0.1.0"
