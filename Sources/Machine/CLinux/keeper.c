#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_SLEEPERS = 16384, NEWS = 0, FREEZER = 1 };

// What kill(1) and people find as its command line: not ours, which ends us both. The strings of the arguments follow
// each other from the first one on.
static void rename_self(void) {
    prctl(PR_SET_NAME, "torpor-keeper", 0, 0, 0);
    int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    static char text[1 << 16];
    ssize_t length = read(file, text, sizeof text);
    close(file);
    char *start = program_invocation_name;
    if (length <= 0 || !start || memcmp(start, text, strlen(start) + 1) != 0) return;
    static const char name[] = "torpor-keeper";
    for (ssize_t i = 0; i < length; i++) start[i] = i < (ssize_t)sizeof name - 1 && i < length - 1 ? name[i] : 0;
}

// All of it runs in a copy of a process that may have had threads: system calls alone.
static _Noreturn void keep(int news, int freezer) {
    // No terminal and no group of processes reaches it, and it keeps nothing open that was ours.
    setsid();
    dup2(news, NEWS);
    if (freezer >= 0) dup2(freezer, FREEZER);
    long closed = syscall(SYS_close_range, freezer >= 0 ? FREEZER + 1 : NEWS + 1, ~0U, 0);
    if (closed < 0)
        for (int descriptor = freezer >= 0 ? FREEZER + 1 : NEWS + 1; descriptor < 65536; descriptor++) close(descriptor);
    if (chdir("/") < 0) {
        // It stays where it is, and does its work there.
    }
    rename_self();
    static int32_t sleepers[MOST_SLEEPERS];
    size_t filled = 0;
    for (;;) {
        if (filled == sizeof sleepers) break;
        ssize_t count = read(NEWS, (char *)sleepers + filled, sizeof sleepers - filled);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        filled += (size_t)count;
    }
    // Full: what follows is not kept, and the end is still waited for.
    char rest[256];
    while (filled == sizeof sleepers && read(NEWS, rest, sizeof rest) > 0) {
    }
    if (freezer >= 0 && pwrite(FREEZER, "0", 1, 0) < 0) {
        // The group is gone, and everything in it.
    }
    for (size_t i = 0; i < filled / sizeof *sleepers; i++)
        if (sleepers[i] > 1) kill(sleepers[i], SIGCONT);
    _exit(0);
}

pid_t torpor_keep(int freezer, int *news) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    // Signals are for us: in the copy all stay blocked.
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = fork();
    int error = errno;
    if (pid == 0) keep(ends[0], freezer);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[0]);
    if (pid < 0) {
        close(ends[1]);
        return -error;
    }
    // A keeper that does not read keeps nobody waiting.
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    *news = ends[1];
    return pid;
}
