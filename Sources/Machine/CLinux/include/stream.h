/// Stream sockets (unix(7)): who is at the other end, and what Swift cannot import of accepting and locking.
#pragma once
#include <stddef.h>
#include <sys/types.h>

/// accept4(2), close-on-exec and non-blocking: the new socket, or -errno.
int torpor_unix_accept(int listener);

/// Who connected, as it was then (SO_PEERCRED): 0 or -errno.
int torpor_unix_peer(int socket, pid_t *pid, uid_t *uid, gid_t *gid);

/// The supplementary groups of who connected (SO_PEERGROUPS, Linux 4.13): how many there are, of which at most
/// `capacity` are written, and none when they do not fit; or -errno.
int torpor_unix_peer_groups(int socket, gid_t *groups, int capacity);

/// Whether `socket` is a Unix stream socket that listens: 1 or 0, or -errno.
int torpor_unix_is_listener(int socket);

/// Takes a POSIX lock for writing on the whole of a file without waiting (F_SETLK, fcntl_locking(2)): 0, or -errno;
/// -EAGAIN when another process has one, which `holder` names then (0 where our pid namespace does not know it).
int torpor_file_lock(int file, pid_t *holder);
