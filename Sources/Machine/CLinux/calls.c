#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <malloc.h>
#include <sched.h>
#include <linux/magic.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

int torpor_wait(int kind, id_t id, int options, struct torpor_child *child) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    // The kernel's own call also tells what the child has used, which the C library's hides.
    struct rusage usage;
    memset(&usage, 0, sizeof usage);
    int result = (int)syscall(SYS_waitid, kind, id, &info, options, &usage);
    *child = (struct torpor_child){
        .pid = info.si_pid, .code = info.si_code, .status = info.si_status, .peak = usage.ru_maxrss};
    return result;
}

void torpor_return_memory(void) {
    mallopt(M_MMAP_THRESHOLD, 256 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

void torpor_share_arena(void) {
    mallopt(M_ARENA_MAX, 1);
}

void torpor_trim_memory(void) {
    malloc_trim(0);
}

int torpor_pidfd_open(pid_t pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int torpor_pidfd_send_signal(int pidfd, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, pidfd, signal, 0, 0);
}

// Constants that this kernel's headers may be too old for.
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

int torpor_pidfd_getfd(int pidfd, int descriptor) {
    return (int)syscall(SYS_pidfd_getfd, pidfd, descriptor, 0);
}

int torpor_getfd_of_child(int *opened) {
    *opened = 1;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    // It shares the table of descriptors, tells nobody of its end but __WALL, and does nothing but wait: the pipe is never written.
    long child = syscall(SYS_clone, CLONE_FILES, 0, 0, 0, 0);
    if (child == 0) {
        syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        for (;;) syscall(SYS_ppoll, 0, 0, 0, 0, 0);
    }
    int result = child < 0 ? -errno : 0;
    if (child > 0) {
        int pidfd = torpor_pidfd_open((int)child);
        *opened = pidfd >= 0;
        int duplicate = pidfd < 0 ? -1 : torpor_pidfd_getfd(pidfd, ends[0]);
        if (duplicate < 0) result = -errno;
        syscall(SYS_kill, child, SIGKILL);
        while (waitpid((pid_t)child, 0, __WALL) < 0 && errno == EINTR) {}
        if (duplicate >= 0) close(duplicate);
        if (pidfd >= 0) close(pidfd);
    }
    close(ends[0]);
    close(ends[1]);
    return result;
}

int torpor_link_is_fifo(int directory, const char *name, uint64_t *inode) {
    struct statx status;
    if (statx(directory, name, AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT, STATX_TYPE | STATX_INO, &status) < 0) return 0;
    *inode = status.stx_ino;
    return S_ISFIFO(status.stx_mode);
}

int torpor_kernel_device(int descriptor, uint64_t *device) {
    struct statx status;
    if (statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &status) < 0) return -1;
    // Inside the kernel a number of a device has 20 bits for its minor part, other than what stat(2) tells.
    *device = (uint64_t)status.stx_dev_major << 20 | status.stx_dev_minor;
    return 0;
}

// The first size of linux/pidfd.h's struct pidfd_info, which Debian 12 does not have.
struct pidfd_record {
    uint64_t mask, cgroup;
    uint32_t pid, tgid, ppid, ids[8];
    int32_t exit_code;
};
_Static_assert(sizeof(struct pidfd_record) == 64, "PIDFD_INFO_SIZE_VER0");

static const uint64_t PIDFD_WITH_CGROUP = 1 << 2, PIDFD_WITH_EXIT = 1 << 3;

int torpor_pidfd_exit_status(int pidfd, int *status) {
    struct pidfd_record record = {.mask = PIDFD_WITH_EXIT};
    if (ioctl(pidfd, _IOWR(0xFF, 11, struct pidfd_record), &record) < 0) {
        // ESRCH: reaped, and this kernel keeps no record. ENOTTY and EINVAL: it never does.
        return errno == ESRCH || errno == ENOTTY || errno == EINVAL ? 0 : -1;
    }
    *status = record.exit_code;
    return (record.mask & PIDFD_WITH_EXIT) != 0;
}

int torpor_pidfd_cgroup(int pidfd, uint64_t *cgroup) {
    struct pidfd_record record = {.mask = PIDFD_WITH_CGROUP | PIDFD_WITH_EXIT};
    if (ioctl(pidfd, _IOWR(0xFF, 11, struct pidfd_record), &record) < 0) return 0;
    *cgroup = record.cgroup;
    return (record.mask & PIDFD_WITH_CGROUP) != 0;
}

pid_t torpor_pidfd_pid(int pidfd) {
    struct pidfd_record record = {.mask = 0};
    if (ioctl(pidfd, _IOWR(0xFF, 11, struct pidfd_record), &record) == 0) return (pid_t)record.tgid;
    if (errno == ESRCH || errno == EREMOTE) return -1;
    // Before Linux 6.13.
    char path[64], text[1024];
    // By hand: no formatting, no allocation.
    static const char prefix[] = "/proc/self/fdinfo/";
    memcpy(path, prefix, sizeof prefix - 1);
    int length = sizeof prefix - 1;
    char digits[12];
    int count = 0;
    for (int rest = pidfd; rest > 0 || count == 0; rest /= 10) digits[count++] = (char)('0' + rest % 10);
    while (count > 0) path[length++] = digits[--count];
    path[length] = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    if (size <= 0) return -1;
    text[size] = 0;
    char *line = strstr(text, "\nPid:");
    if (!line) return -1;
    line += 5;
    while (*line == ' ' || *line == '\t') line++;
    if (*line < '0' || *line > '9') return -1;
    pid_t pid = 0;
    while (*line >= '0' && *line <= '9') pid = pid * 10 + (*line++ - '0');
    return pid > 0 ? pid : -1;
}

// IOPRIO_WHO_PROCESS of linux/ioprio.h: one thread, whatever its name says.
enum { TORPOR_ONE_THREAD = 1 };

int torpor_ioprio_get(pid_t thread) {
    return (int)syscall(SYS_ioprio_get, TORPOR_ONE_THREAD, thread);
}

int torpor_ioprio_set(pid_t thread, int priority) {
    return (int)syscall(SYS_ioprio_set, TORPOR_ONE_THREAD, thread, priority);
}

ssize_t torpor_pidfd_pageout(int pidfd, const struct iovec *ranges, size_t count) {
    return syscall(SYS_process_madvise, pidfd, ranges, count, MADV_PAGEOUT, 0);
}

int torpor_open_directory(const char *path) {
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int torpor_open_path(int directory, const char *name) {
    return openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
}

int torpor_is_proc(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

int torpor_group_open(const char *group, const char *name, int flags) {
    char path[PATH_MAX];
    size_t length = strlen(group), rest = strlen(name) + 1;
    if (length + 1 + rest > sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(path, group, length);
    path[length] = '/';
    memcpy(path + length + 1, name, rest);
    return open(path, flags | O_CLOEXEC);
}

int torpor_clear_inheritable(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    // What is ambient has to be inheritable: it goes first.
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (syscall(SYS_capget, &header, data) < 0) return -1;
    for (int i = 0; i < 2; i++) data[i].inheritable = 0;
    return (int)syscall(SYS_capset, &header, data);
}

int torpor_prctl(int option, unsigned long argument) {
    return prctl(option, argument, 0, 0, 0);
}

int torpor_terminal_acquire(int terminal) {
    return ioctl(terminal, TIOCSCTTY, 0);
}

// Keeps `signal` from acting on us; returns whether it was pending already, and so is not ours to swallow.
static int shield(int signal, const sigset_t *pending, struct sigaction *before) {
    if (sigismember(pending, signal)) return 1;
    // For the threads that do not block it. Ignoring one that is pending would throw it away.
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(signal, &ignore, before);
    return 0;
}

int torpor_terminal_release(int terminal) {
    const int signals[] = {SIGHUP, SIGCONT};
    sigset_t both, before, pending;
    sigemptyset(&both);
    for (int i = 0; i < 2; i++) sigaddset(&both, signals[i]);
    pthread_sigmask(SIG_BLOCK, &both, &before);
    sigpending(&pending);
    struct sigaction actions[2];
    int kept[2];
    for (int i = 0; i < 2; i++) kept[i] = shield(signals[i], &pending, &actions[i]);

    int result = ioctl(terminal, TIOCNOTTY);
    int error = errno;

    for (int i = 0; i < 2; i++)
        if (kept[i]) sigdelset(&both, signals[i]);
    const struct timespec at_once = {0, 0};
    while (sigtimedwait(&both, 0, &at_once) > 0) {
    }
    for (int i = 0; i < 2; i++)
        if (!kept[i]) sigaction(signals[i], &actions[i], 0);
    pthread_sigmask(SIG_SETMASK, &before, 0);
    errno = error;
    return result;
}

int torpor_terminal_set_foreground(int terminal, pid_t group) {
    sigset_t output, before;
    sigemptyset(&output);
    sigaddset(&output, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &output, &before);
    int result = tcsetpgrp(terminal, group);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, 0);
    errno = error;
    return result;
}

int torpor_attribute_is_one(const char *path, const char *name) {
    char value[4];
    return getxattr(path, name, value, sizeof value) == 1 && value[0] == '1';
}

const char *torpor_error_text(int error) {
    return strerrordesc_np(error);
}

const char *torpor_signal_name(int signal) {
    return sigabbrev_np(signal);
}

extern char **environ;

char **torpor_environment(void) {
    return environ;
}

int torpor_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

int torpor_epoll_add(int epoll, int descriptor, uint64_t number) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = number};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int torpor_epoll_add_edge(int epoll, int descriptor, uint64_t number) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = number};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

int torpor_epoll_remove(int epoll, int descriptor) {
    return epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, 0);
}

int torpor_epoll_ready(int epoll, uint64_t *numbers, int room) {
    struct epoll_event events[64];
    int count = epoll_wait(epoll, events, room < 64 ? room : 64, 0);
    for (int i = 0; i < count; i++) numbers[i] = events[i].data.u64;
    return count;
}

int torpor_inotify_create(void) {
    return inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
}

int torpor_inotify_watch(int inotify, const char *path) {
    return inotify_add_watch(inotify, path, IN_MODIFY);
}

int torpor_inotify_add(int inotify, const char *path, uint32_t events) {
    return inotify_add_watch(inotify, path, events | IN_MASK_ADD);
}

void torpor_inotify_forget(int inotify, int watch) {
    inotify_rm_watch(inotify, watch);
}

int torpor_inotify_read(int inotify, int *watches, int room) {
    // What is watched are files: their events carry no names, so that each has this size.
    struct inotify_event events[64];
    ssize_t size = read(inotify, events, (size_t)(room < 64 ? room : 64) * sizeof *events);
    int count = 0;
    for (ssize_t i = 0; (i + 1) * (ssize_t)sizeof *events <= size; i++) {
        if (events[i].mask & IN_IGNORED) continue;
        watches[count++] = events[i].mask & IN_Q_OVERFLOW ? -1 : events[i].wd;
    }
    return count;
}

int torpor_is_pipe(int descriptor) {
    // A FIFO of a file system of others may ask that when it is closed.
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 && system.f_type == PIPEFS_MAGIC;
}

int torpor_eventfd(void) {
    int result = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return result < 0 ? -errno : result;
}
