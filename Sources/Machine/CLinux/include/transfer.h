/// What the holder of a transfer waits for.
#pragma once

/// Has SIGCHLD, SIGTERM, SIGINT and SIGHUP end a wait instead of the process, and SIGPIPE and SIGXFSZ do nothing: 0 or -errno.
int torpor_transfer_signals(void);

/// Waits until `descriptor` (-1 for none) is readable or a signal of those has come, for `milliseconds` at most, -1 without a limit.
///
/// The answer has bit 1 where the descriptor is readable or at its end, and bit 2 where the process has been asked to end.
int torpor_transfer_wait(int descriptor, int milliseconds);

/// Takes the lock of an open file (flock(2)), without waiting: 0 or -errno.
int torpor_transfer_lock(int descriptor);

/// A pipe that is closed on exec: 0 or -errno.
int torpor_transfer_pipe(int ends[2]);

/// A file in memory alone, closed on exec (memfd_create(2)): its descriptor, or -errno.
int torpor_transfer_memory(void);
