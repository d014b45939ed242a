// What waking costs: one client before a worker that is awake, one that is frozen and woken by bare system calls, and
// one that torpord has suspended and wakes, in turns request by request, so that all figures come out of the same
// moments of the machine.
//
// `waking new|kept COUNT IDLE SOCKET NAME TORPORD PORT GROUP PID BARE PROXY` prints `name value unit` lines:
//   new        connects for each request; kept: one connection for all, beside IDLE others that are quiet
//   SOCKET     torpord's control socket, TORPORD its process; its worker NAME is a redis-server at PORT
//   GROUP      a cgroup in which there is another, the process PID, at port BARE
//   PROXY      the port of a proxy before that one, or 0 without
// `waking sleeper` listens at a port of its own and waits for ever, as a worker of which there are many.
// `waking once` serves one client of descriptor 3, and ends.
// `waking refuse PROGRAM…` executes PROGRAM where pidfd_getfd(2) is refused, as in a container by default.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 10000, WARM_UP = 20, SETTLE = 4000 };

#define must(call) \
    ({ \
        long must_result = (long)(call); \
        if (must_result < 0) { \
            fprintf(stderr, "waking: %s: %s\n", #call, strerror(errno)); \
            exit(1); \
        } \
        must_result; \
    })

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "waking: %s\n", what);
    exit(1);
}

// MARK: Figures

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void tell(const char *name, const char *which, double *values, int count) {
    qsort(values, count, sizeof *values, ascending);
    printf("%s.%s.median %.2f us\n", name, which, values[count / 2]);
    printf("%s.%s.p99 %.2f us\n", name, which, values[count * 99 / 100]);
}

// The CPU time of a process, in µs: of its first thread alone, which runs the loop, and of all its threads.
struct meter {
    int loop;
    clockid_t clock;
};

static struct meter meter_of(pid_t pid) {
    struct meter meter;
    char path[100];
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", pid, pid);
    meter.loop = must(open(path, O_RDONLY | O_CLOEXEC));
    if ((errno = clock_getcpuclockid(pid, &meter.clock))) must(-1);
    return meter;
}

static double loop_time(struct meter meter) {
    char text[100];
    text[must(pread(meter.loop, text, sizeof text - 1, 0))] = 0;
    return strtod(text, 0) / 1e3;
}

static double whole_time(struct meter meter) {
    struct timespec time;
    must(clock_gettime(meter.clock, &time));
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

// MARK: The bare sequence

// How many of a process's descriptors are epoll instances, and the first one.
static int epoll_instances(pid_t pid, int *first) {
    char path[300], link[100];
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    DIR *directory = opendir(path);
    if (!directory) must(-1);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(directory));) {
        ssize_t length = readlinkat(dirfd(directory), entry->d_name, link, sizeof link - 1);
        if (length < 0) continue;
        link[length] = 0;
        if (strcmp(link, "anon_inode:[eventpoll]") == 0 && count++ == 0 && first) *first = atoi(entry->d_name);
    }
    closedir(directory);
    return count;
}

static void confirm(int events, char wanted) {
    for (;;) {
        char text[200];
        text[must(pread(events, text, sizeof text - 1, 0))] = 0;
        char *frozen = strstr(text, "frozen ");
        if (frozen && frozen[7] == wanted) return;
        struct pollfd changed = {events, POLLPRI, 0};
        must(poll(&changed, 1, 1000));
    }
}

// For each byte of standard input: freezes the group, duplicates the epoll instance, answers with a byte, and wakes the
// group when that is readable.
static _Noreturn void hold(const char *group, pid_t pid) {
    char path[5000], byte;
    snprintf(path, sizeof path, "%s/cgroup.freeze", group);
    int freeze = must(open(path, O_WRONLY | O_CLOEXEC));
    snprintf(path, sizeof path, "%s/cgroup.events", group);
    int events = must(open(path, O_RDONLY | O_CLOEXEC));
    int process = must(syscall(SYS_pidfd_open, pid, 0)), poll = must(epoll_create1(EPOLL_CLOEXEC)), number = -1;
    if (epoll_instances(pid, &number) == 0) fail("the frozen program has no epoll instance");
    while (read(0, &byte, 1) == 1) {
        must(pwrite(freeze, "1", 1, 0));
        confirm(events, '1');
        int duplicate = must(syscall(SYS_pidfd_getfd, process, number, 0));
        struct epoll_event event = {.events = EPOLLIN};
        must(epoll_ctl(poll, EPOLL_CTL_ADD, duplicate, &event));
        must(write(1, "k", 1));
        must(epoll_wait(poll, &event, 1, -1));
        must(epoll_ctl(poll, EPOLL_CTL_DEL, duplicate, 0));
        close(duplicate);
        must(pwrite(freeze, "0", 1, 0));
        confirm(events, '0');
    }
    exit(0);
}

struct holder {
    pid_t pid;
    int socket;
};

static struct holder start_holder(const char *group, pid_t pid) {
    int pair[2];
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    struct holder holder = {must(fork()), pair[0]};
    if (holder.pid == 0) {
        must(prctl(PR_SET_PDEATHSIG, SIGKILL));
        must(dup2(pair[1], 0));
        must(dup2(pair[1], 1));
        // The end that is the client's, so that this one notices when the client is done.
        close(pair[0]);
        close(pair[1]);
        hold(group, pid);
    }
    close(pair[1]);
    return holder;
}

static void freeze(struct holder holder) {
    char byte = 'f';
    must(write(holder.socket, &byte, 1));
    if (must(read(holder.socket, &byte, 1)) != 1) fail("the bare waker has ended");
}

// MARK: torpord

static int control(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) fail("the control socket's path is too long");
    strcpy(address.sun_path, path);
    int torpord = must(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    must(connect(torpord, (struct sockaddr *)&address, sizeof address));
    return torpord;
}

// Whether the worker is watched: then torpord has as many epoll instances more as its eyes need.
static int watches(pid_t torpord, int instances) { return epoll_instances(torpord, 0) >= instances; }

// Returns when the worker is watched. One that wakes before that is suspended again, and counted.
static void suspend(int torpord, pid_t pid, const char *name, int instances, int *early) {
    for (int attempt = 0; attempt < 50; attempt++) {
        char message[8192];
        int length = snprintf(message, sizeof message,
                              "{\"method\":\"io.torpor.Supervisor.Suspend\",\"parameters\":{\"names\":[\"%s\"],\"wait\":true}}", name);
        must(write(torpord, message, length + 1));
        size_t held = 0;
        do {
            ssize_t count = must(read(torpord, message + held, sizeof message - held));
            held += count;
            if (count == 0 || held == sizeof message) fail("torpord ended, or answers without an end");
        } while (message[held - 1]);
        if (!strstr(message, "\"suspended\"")) {
            fprintf(stderr, "waking: torpord answered %s\n", message);
            exit(1);
        }
        for (double end = now() + 100e3; now() < end; usleep(200))
            if (watches(pid, instances)) return;
        *early += 1;
    }
    fail("torpord does not watch its sleeper");
}

// MARK: The client

static int connected(int port) {
    int client = must(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), yes = 1;
    struct sockaddr_in address = {AF_INET, htons(port), {htonl(INADDR_LOOPBACK)}, {0}};
    struct timeval most = {10, 0};
    must(setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes));
    must(setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most));
    must(connect(client, (struct sockaddr *)&address, sizeof address));
    return client;
}

static void ask(int client) {
    static const char request[] = "PING\r\n";
    char answer[100];
    must(write(client, request, sizeof request - 1));
    if (must(read(client, answer, sizeof answer)) < 5 || memcmp(answer, "+PONG", 5)) fail("no PONG came");
}

enum { BARE_AWAKE, BARE_FROZEN, OURS_AWAKE, OURS_FROZEN, PROXIED, WAYS };
static const char *const names[WAYS] = {"bare.awake", "bare.frozen", "ours.awake", "ours.frozen", "proxy.awake"};

static void measure(char **arguments) {
    static double times[WAYS][MOST], cpu[2][3][MOST];
    // What falls asleep leaves the kernel with something to do, such as the list of its descriptors: a rested one is asked after that.
    int rests = strcmp(arguments[0], "rested") == 0, wait = rests ? 30000 : 3000;
    int keeps = rests || strcmp(arguments[0], "kept") == 0, count = atoi(arguments[1]), idle = atoi(arguments[2]);
    pid_t torpord = atoi(arguments[5]);
    int ours = atoi(arguments[6]), bare = atoi(arguments[9]), proxy = atoi(arguments[10]);
    int ports[WAYS] = {bare, bare, ours, ours, proxy}, kept[WAYS];
    if (count < 1 || count > MOST) fail("too many");
    int steering = control(arguments[3]);
    struct holder holder = start_holder(arguments[7], atoi(arguments[8]));
    for (int i = 0; i < 2 * idle; i++) connected(i % 2 ? ours : bare);
    for (int way = 0; way < WAYS; way++)
        if (keeps && ports[way]) ask(kept[way] = connected(ports[way]));
    // One of its own and one for the sleeper, into which goes the duplicate of the sleeper's.
    int instances = epoll_instances(torpord, 0) + 2, early = 0;
    struct meter meters[2] = {meter_of(holder.pid), meter_of(torpord)};
    for (int i = -WARM_UP; i < count; i++)
        for (int way = 0; way < WAYS; way++) {
            if (!ports[way]) continue;
            struct meter meter = meters[way == OURS_FROZEN];
            int sleeps = way == BARE_FROZEN || way == OURS_FROZEN;
            double asleep = sleeps ? loop_time(meter) : 0;
            if (way == BARE_FROZEN) freeze(holder);
            if (way == OURS_FROZEN) suspend(steering, torpord, arguments[4], instances, &early);
            usleep(wait + (i + WARM_UP) * 37 % 2000);
            // Each way alike, so that none has warmer caches; one that woke in the pause is not measured as a sleeper.
            while (!watches(torpord, instances) && way == OURS_FROZEN) {
                early++;
                suspend(steering, torpord, arguments[4], instances, &early);
            }
            double loop = loop_time(meter), whole = whole_time(meter), begin = now();
            int client = keeps ? kept[way] : connected(ports[way]);
            ask(client);
            double took = now() - begin;
            if (!keeps) close(client);
            usleep(SETTLE);
            if (i < 0) continue;
            times[way][i] = took;
            if (!sleeps) continue;
            double after = loop_time(meter);
            cpu[way == OURS_FROZEN][0][i] = after - loop;
            cpu[way == OURS_FROZEN][1][i] = whole_time(meter) - whole;
            cpu[way == OURS_FROZEN][2][i] = after - asleep;
        }
    for (int way = 0; way < WAYS; way++)
        if (ports[way]) tell("first", names[way], times[way], count);
    for (int is_ours = 0; is_ours < 2; is_ours++) {
        tell("wake.loop", is_ours ? "ours" : "bare", cpu[is_ours][0], count);
        tell("wake.threads", is_ours ? "ours" : "bare", cpu[is_ours][1], count);
        tell("nap.loop", is_ours ? "ours" : "bare", cpu[is_ours][2], count);
    }
    printf("early %d wakes\n", early);
    close(holder.socket);
    must(waitpid(holder.pid, 0, 0));
}

// MARK: Others

static _Noreturn void sleep_on(void) {
    struct sockaddr_in address = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
    struct sockaddr_un manager = {.sun_family = AF_UNIX};
    struct epoll_event event = {.events = EPOLLIN};
    int listener = must(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), poll = must(epoll_create1(EPOLL_CLOEXEC));
    must(bind(listener, (struct sockaddr *)&address, sizeof address));
    must(listen(listener, 16));
    must(epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event));
    const char *notify = getenv("NOTIFY_SOCKET");
    if (notify && strlen(notify) < sizeof manager.sun_path) {
        strcpy(manager.sun_path, notify);
        socklen_t length = offsetof(struct sockaddr_un, sun_path) + strlen(notify);
        if (notify[0] == '@') manager.sun_path[0] = 0;
        int out = must(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
        must(sendto(out, "READY=1", 7, 0, (struct sockaddr *)&manager, length));
        close(out);
    }
    for (;;)
        if (epoll_wait(poll, &event, 1, -1) == 1) close(accept(listener, 0, 0));
}

static _Noreturn void refuse(char **program) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_getfd, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog whole = {sizeof filter / sizeof *filter, filter};
    must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole));
    must(execvp(program[0], program));
    exit(127);
}

// Serves one client of the listener that it was passed, and ends: so that each client is a cold start.
static void serve_once(void) {
    char byte;
    int client = accept(3, NULL, NULL);
    if (client < 0 || read(client, &byte, 1) != 1 || write(client, &byte, 1) != 1) exit(1);
    exit(0);
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "sleeper") == 0) sleep_on();
    if (count == 2 && strcmp(arguments[1], "once") == 0) serve_once();
    if (count > 2 && strcmp(arguments[1], "refuse") == 0) refuse(arguments + 2);
    if (count != 12) fail("see its source for its arguments");
    struct rlimit descriptors;
    must(getrlimit(RLIMIT_NOFILE, &descriptors));
    descriptors.rlim_cur = descriptors.rlim_max;
    must(setrlimit(RLIMIT_NOFILE, &descriptors));
    signal(SIGPIPE, SIG_IGN);
    measure(arguments + 1);
    return 0;
}
