// The worker of the comparison with other supervisors, the same for all of them: it reports READY=1 to $NOTIFY_SOCKET if
// there is one, tells $BENCH_REPORTS, a FIFO, its pid and the time, and sleeps. SIGUSR1 makes it spin, the next one sleep.
//
// A FIFO, since what is written to one waits there: no report waits until the process that measures reads it.
#include "launch.h"

static volatile sig_atomic_t spins;

static void toggle(int signal) {
    (void)signal;
    spins = !spins;
}

struct report {
    pid_t pid;
    double at;
};

int main(void) {
    const char *notify = getenv("NOTIFY_SOCKET"), *reports = getenv("BENCH_REPORTS");
    struct sockaddr_un address;
    signal(SIGUSR1, toggle);
    if (notify) {
        socklen_t length = unix_address(&address, notify);
        int socket_ = must(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        must(sendto(socket_, "READY=1", 7, 0, (struct sockaddr *)&address, length));
        close(socket_);
    }
    if (reports) {
        struct report report = {getpid(), now()};
        int file = must(open(reports, O_WRONLY | O_CLOEXEC));
        must(write(file, &report, sizeof report));
        close(file);
    }
    // A signal between the look and pause(2) would be slept through.
    sigset_t usual, held;
    sigemptyset(&held);
    sigaddset(&held, SIGUSR1);
    must(sigprocmask(SIG_BLOCK, &held, &usual));
    for (;;) {
        while (!spins) sigsuspend(&usual);
        must(sigprocmask(SIG_SETMASK, &usual, 0));
        while (spins) continue;
        must(sigprocmask(SIG_BLOCK, &held, 0));
    }
}
