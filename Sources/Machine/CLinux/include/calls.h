/// Calls that Swift cannot import: variadic ones, ones by number, and answers that hide in unions.
#pragma once
#include <errno.h>
#include <stdint.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/uio.h>

/// What waitid(2) tells of a child: `code` is one of CLD_*, `status` the exit code or the signal; pid 0 is nobody.
/// `peak` is ru_maxrss of getrusage(2), in kilobytes.
struct torpor_child {
    pid_t pid;
    int code;
    int status;
    long peak;
};

/// waitid(2); -1 with errno set.
int torpor_wait(int kind, id_t id, int options, struct torpor_child *child);

/// mallopt(3): blocks of 256 KiB and more are mapped for themselves, whatever was freed before, and the end of the heap is given back from
/// 1 MiB on.
void torpor_return_memory(void);

/// mallopt(3): all threads allocate from one arena.
void torpor_share_arena(void);

/// malloc_trim(3).
void torpor_trim_memory(void);

/// ioprio_get(2) of one thread; -1 with errno set.
int torpor_ioprio_get(pid_t thread);

/// ioprio_set(2) of one thread; -1 with errno set.
int torpor_ioprio_set(pid_t thread, int priority);

/// pidfd_open(2); -1 with errno set.
int torpor_pidfd_open(pid_t pid);

/// The process of a pidfd, as our pid namespace numbers it; -1 once it has been reaped, and for what is no pidfd.
pid_t torpor_pidfd_pid(int pidfd);

/// The id of the v2 group that the process of a pidfd is in, or was in when it ended: 1 where the kernel tells (6.13, of
/// reaped ones 6.15), else 0.
int torpor_pidfd_cgroup(int pidfd, uint64_t *cgroup);

/// pidfd_send_signal(2); -1 with errno set.
int torpor_pidfd_send_signal(int pidfd, int signal);

/// pidfd_getfd(2): a duplicate of a descriptor of the process of a pidfd, closed on exec; -1 with errno set.
int torpor_pidfd_getfd(int pidfd, int descriptor);

/// What pidfd_getfd(2) says to a descriptor of a child, which is made for that and is gone when this returns: 0, or -errno. Any thread
/// may call it. `opened` becomes 0 where it was pidfd_open(2) that said so, before it.
int torpor_getfd_of_child(int *opened);

/// Whether the entry `name` of a /proc/PID/fd that is open is a FIFO: 1 with its inode, or 0. No file system is asked whether
/// what it told before still holds (AT_STATX_DONT_SYNC): one of FUSE would ask a process.
int torpor_link_is_fifo(int directory, const char *name, uint64_t *inode);

/// The number of the file system of an open descriptor, as fdinfo's `sdev` of proc_pid_fdinfo(5) has it: 0, or -1 with errno set.
int torpor_kernel_device(int descriptor, uint64_t *device);

/// Whether the pidfd's kernel record tells how its process ended: 1 with `status` as wait(2) has it, 0 when it does
/// not tell (not ended, not reaped, Linux before 6.15), -1 with errno set.
int torpor_pidfd_exit_status(int pidfd, int *status);

/// process_madvise(2) with MADV_PAGEOUT: how many bytes of `ranges` were gone through, up to the first that could not be; -1
/// with errno set.
ssize_t torpor_pidfd_pageout(int pidfd, const struct iovec *ranges, size_t count);

/// Opens directory `path` only to name it (O_PATH), which costs half of opening it to read; -1 with errno set.
int torpor_open_directory(const char *path);

/// Opens the entry `name` of `directory` itself, whatever it is and without its being read (O_PATH and O_NOFOLLOW); returns -1
/// and sets errno when it fails.
int torpor_open_path(int directory, const char *name);

/// Whether a descriptor is of proc(5).
int torpor_is_proc(int descriptor);

/// Opens the file `name` of the control group at `group`, closed on exec, with flags as open(2) has them; -1 with errno
/// set. It puts the path together without taking memory: each freeze and thaw waits for two.
int torpor_group_open(const char *group, const char *name, int flags);

/// Empties the inheritable and the ambient set of the calling thread (capabilities(7)): 0, or -1 with errno.
int torpor_clear_inheritable(void);

/// prctl(2) with one argument; -1 with errno set.
int torpor_prctl(int option, unsigned long argument);

/// ioctl(2) TIOCSCTTY without stealing; -1 with errno set.
int torpor_terminal_acquire(int terminal);

/// ioctl(2) TIOCNOTTY; the SIGHUP and SIGCONT that the kernel sends us for it are swallowed. -1 with errno set.
int torpor_terminal_release(int terminal);

/// tcsetpgrp(3) that SIGTTOU cannot stop; -1 with errno set.
int torpor_terminal_set_foreground(int terminal, pid_t group);

/// Whether extended attribute `name` of `path` is there and reads `1`.
int torpor_attribute_is_one(const char *path, const char *name);

/// The sentence for `error`, or null when there is none; unlike strerror(3) fit for any thread.
const char *torpor_error_text(int error);

/// What `signal` is called without `SIG`, by sigabbrev_np(3), or null when it has no name.
const char *torpor_signal_name(int signal);

/// environ(7), as it is now.
char **torpor_environment(void);

/// epoll_create1(2), closed on exec; -1 with errno set.
int torpor_epoll_create(void);

/// Has `epoll` tell of input at `descriptor` by `number`, for as long as that is open; -1 with errno set.
int torpor_epoll_add(int epoll, int descriptor, uint64_t number);

/// The same, once for each time that something comes (EPOLLET).
int torpor_epoll_add_edge(int epoll, int descriptor, uint64_t number);

/// Puts the numbers of up to `room` descriptors that have input into `numbers`, without waiting: how many, or -1 with
/// Takes a descriptor out: 0, or -1 with errno.
int torpor_epoll_remove(int epoll, int descriptor);

/// errno set.
int torpor_epoll_ready(int epoll, uint64_t *numbers, int room);

/// inotify_init1(2), closed on exec and never waited for; -1 with errno set.
int torpor_inotify_create(void);

/// inotify_add_watch(2) for changes of a file's content: the number of the watch, or -1 with errno set.
int torpor_inotify_watch(int inotify, const char *path);

/// inotify_add_watch(2) for `events`, besides those for which the file is watched already: the number of the watch, or -1
/// with errno set.
int torpor_inotify_add(int inotify, const char *path, uint32_t events);

/// inotify_rm_watch(2); a watch that is gone is no failure.
void torpor_inotify_forget(int inotify, int watch);

/// Puts the watches that have something to tell into `watches`, up to `room`; -1 among them when the kernel lost count.
/// Without waiting: how many there are; what watches tell at their end is passed over.
int torpor_inotify_read(int inotify, int *watches, int room);

/// Whether it is a pipe without a name, whose close(2) waits for nothing: 1 or 0.
int torpor_is_pipe(int descriptor);

/// A counter that poll(2) can wait for (eventfd(2)), closed on exec and non-blocking; or -errno.
int torpor_eventfd(void);
