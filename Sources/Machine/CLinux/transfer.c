#define _GNU_SOURCE
#include "transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t is_asked_to_end;
/// What is blocked while the process does not wait, and what is not while it does.
static sigset_t while_waiting;

static void noticed(int signal) {
    if (signal != SIGCHLD) is_asked_to_end = 1;
}

int torpor_transfer_signals(void) {
    static const int heard[] = {SIGCHLD, SIGTERM, SIGINT, SIGHUP};
    sigset_t blocked;
    struct sigaction action = {.sa_handler = noticed};
    struct sigaction ignoring = {.sa_handler = SIG_IGN};
    sigemptyset(&blocked);
    for (size_t index = 0; index < sizeof heard / sizeof *heard; index++) {
        sigaddset(&blocked, heard[index]);
        if (sigaction(heard[index], &action, NULL) != 0) return -errno;
    }
    if (sigaction(SIGPIPE, &ignoring, NULL) != 0) return -errno;
    if (sigaction(SIGXFSZ, &ignoring, NULL) != 0) return -errno;
    return -pthread_sigmask(SIG_BLOCK, &blocked, &while_waiting);
}

int torpor_transfer_wait(int descriptor, int milliseconds) {
    struct pollfd look = {.fd = descriptor, .events = POLLIN};
    struct timespec limit = {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
    int ready = ppoll(&look, 1, milliseconds < 0 ? NULL : &limit, &while_waiting);
    if (ready > 0) {
        // ppoll(2) that finds something at once lets no signal in: a command that writes all the time would hold them back for ever.
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, &while_waiting, &blocked);
        pthread_sigmask(SIG_SETMASK, &blocked, NULL);
    }
    return (ready > 0 ? 1 : 0) | (is_asked_to_end ? 2 : 0);
}

int torpor_transfer_lock(int descriptor) {
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 ? 0 : -errno;
}

int torpor_transfer_pipe(int ends[2]) {
    return pipe2(ends, O_CLOEXEC) == 0 ? 0 : -errno;
}

int torpor_transfer_memory(void) {
    int descriptor = memfd_create("torpor-transfer", MFD_CLOEXEC);
    return descriptor < 0 ? -errno : descriptor;
}
