// The bare system calls that ours are measured against: what Linux itself needs for each step, and nothing else.
//
// Prints `name value unit` lines; `bare PART…` measures only these: launch, freezer, socket, start, replace. Started with
// the argument `worker` it is the child of the last two: it reports READY=1 to $NOTIFY_SOCKET and sleeps.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LAUNCHES = 500, WARM_UP = 50, FREEZES = 500, ROUND_TRIPS = 20000, WORKERS = 1000, REPLACEMENTS = 200 };
enum { STACK = 64 * 1024 };

extern char **environ;
static char tree[4096], self[4096];

#define must(call) \
    ({ \
        long must_result = (long)(call); \
        if (must_result < 0) { \
            fprintf(stderr, "bare: %s: %s\n", #call, strerror(errno)); \
            exit(1); \
        } \
        must_result; \
    })

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

static void tell(const char *name, double value, const char *unit) { printf("%s %.2f %s\n", name, value, unit); }

static void tell_spread(const char *name, double *values, int count) {
    char label[100];
    qsort(values, count, sizeof *values, ascending);
    snprintf(label, sizeof label, "%s.median", name);
    tell(label, values[count / 2], "us");
    snprintf(label, sizeof label, "%s.p90", name);
    tell(label, values[count * 9 / 10], "us");
}

// MARK: Groups

// A group of our own in the v2 tree, which is at one of two places.
static void make_tree(void) {
    const char *unified = "/sys/fs/cgroup/unified";
    const char *top = access("/sys/fs/cgroup/unified/cgroup.procs", F_OK) == 0 ? unified : "/sys/fs/cgroup";
    snprintf(tree, sizeof tree, "%s/torpor-bare-%d", top, getpid());
    must(mkdir(tree, 0755));
}

static void write_file(const char *path, const char *text) {
    int file = must(open(path, O_WRONLY | O_CLOEXEC));
    must(write(file, text, strlen(text)));
    close(file);
}

static void group_path(char *path, size_t size, int number) { snprintf(path, size, "%s/w%d", tree, number); }

static void remove_group(const char *path) {
    // The kernel lets go of it a moment after its last process was reaped.
    while (rmdir(path) < 0) {
        if (errno != EBUSY) must(-1);
        usleep(50);
    }
}

// MARK: Launching

struct program {
    char *const *arguments;
    char *const *environment;
};

// The child's side, on our memory and a stack of its own. It never returns.
static _Noreturn __attribute__((noinline, used)) void execute(struct program *program) {
    syscall(SYS_execve, program->arguments[0], program->arguments, program->environment);
    syscall(SYS_exit_group, 127);
    __builtin_unreachable();
}

// clone3(2), whose child calls execute(program): returning in two places of one stack is nothing C can do.
static long clone_and_execute(struct clone_args *arguments, struct program *program) {
#if defined(__x86_64__)
    long result;
    __asm__ volatile(
        "mov %[program], %%r12\n"
        "syscall\n"
        "test %%rax, %%rax\n"
        "jnz 1f\n"
        "xor %%ebp, %%ebp\n"
        "mov %%r12, %%rdi\n"
        "call execute\n"
        "1:\n"
        : "=a"(result)
        : "a"((long)SYS_clone3), "D"(arguments), "S"(sizeof *arguments), [program] "r"(program)
        : "rcx", "r11", "r12", "memory");
#elif defined(__aarch64__)
    register long result __asm__("x0") = (long)arguments;
    register long size __asm__("x1") = sizeof *arguments;
    register long number __asm__("x8") = SYS_clone3;
    register struct program *kept __asm__("x9") = program;
    __asm__ volatile(
        "svc #0\n"
        "cbnz x0, 1f\n"
        "mov x0, x9\n"
        "bl execute\n"
        "1:\n"
        : "+r"(result)
        : "r"(size), "r"(number), "r"(kept)
        : "x30", "memory");
#else
#error "clone3 with a stack of its own is written for x86-64 and arm64"
#endif
    if (result < 0) {
        errno = (int)-result;
        return -1;
    }
    return result;
}

struct child {
    pid_t pid;
    int pidfd;
};

// Like vfork: we go on when the child executes its program.
static struct child launch(struct program *program, int group) {
    static char *stack;
    if (!stack) {
        stack = mmap(0, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
        if (stack == MAP_FAILED) must(-1);
    }
    struct child child = {0, -1};
    struct clone_args arguments = {
        .flags = CLONE_VM | CLONE_VFORK | CLONE_PIDFD | CLONE_INTO_CGROUP,
        .pidfd = (uintptr_t)&child.pidfd,
        .exit_signal = SIGCHLD,
        .stack = (uintptr_t)stack,
        .stack_size = STACK,
        .cgroup = (uint64_t)group,
    };
    child.pid = must(clone_and_execute(&arguments, program));
    return child;
}

static struct child launch_in(struct program *program, const char *path) {
    must(mkdir(path, 0755));
    int group = must(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct child child = launch(program, group);
    close(group);
    return child;
}

static void reap(struct child child) {
    siginfo_t info;
    must(waitid(P_PIDFD, child.pidfd, &info, WEXITED));
    close(child.pidfd);
}

static void measure_launch(void) {
    char path[5000], *arguments[] = {"/bin/true", 0};
    struct program program = {arguments, environ};
    static double executed[LAUNCHES], whole[LAUNCHES];
    for (int i = -WARM_UP; i < LAUNCHES; i++) {
        group_path(path, sizeof path, i + WARM_UP);
        double begin = now();
        struct child child = launch_in(&program, path);
        double middle = now();
        reap(child);
        remove_group(path);
        if (i < 0) continue;
        executed[i] = middle - begin;
        whole[i] = now() - begin;
    }
    tell_spread("launch.exec", executed, LAUNCHES);
    tell_spread("launch.whole", whole, LAUNCHES);
}

// MARK: The freezer

static void await_frozen(int events, char wanted) {
    char text[256];
    for (;;) {
        ssize_t length = must(pread(events, text, sizeof text - 1, 0));
        text[length] = 0;
        char *line = strstr(text, "frozen ");
        if (line && line[7] == wanted) return;
    }
}

static void measure_freezer(void) {
    char path[5000], file[5100], *arguments[] = {"/bin/sleep", "1000", 0};
    struct program program = {arguments, environ};
    group_path(path, sizeof path, 0);
    struct child child = launch_in(&program, path);
    usleep(50000);
    snprintf(file, sizeof file, "%s/cgroup.freeze", path);
    int freeze = must(open(file, O_WRONLY | O_CLOEXEC));
    snprintf(file, sizeof file, "%s/cgroup.events", path);
    int events = must(open(file, O_RDONLY | O_CLOEXEC));
    static double frozen[FREEZES], thawed[FREEZES];
    for (int i = 0; i < FREEZES; i++) {
        double begin = now();
        must(pwrite(freeze, "1", 1, 0));
        await_frozen(events, '1');
        double middle = now();
        must(pwrite(freeze, "0", 1, 0));
        await_frozen(events, '0');
        frozen[i] = middle - begin;
        thawed[i] = now() - middle;
        // What was thawed runs and sleeps again, as a worker would.
        usleep(200);
    }
    must(kill(child.pid, SIGKILL));
    reap(child);
    close(freeze);
    close(events);
    remove_group(path);
    tell_spread("freezer.freeze", frozen, FREEZES);
    tell_spread("freezer.thaw", thawed, FREEZES);
}

// MARK: A socket between two processes

static void measure_socket(void) {
    int pair[2];
    char byte = 0;
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    pid_t echo = must(fork());
    if (echo == 0) {
        close(pair[0]);
        while (read(pair[1], &byte, 1) == 1) must(write(pair[1], &byte, 1));
        _exit(0);
    }
    close(pair[1]);
    static double trips[ROUND_TRIPS];
    for (int i = 0; i < ROUND_TRIPS; i++) {
        double begin = now();
        must(write(pair[0], &byte, 1));
        must(read(pair[0], &byte, 1));
        trips[i] = now() - begin;
    }
    close(pair[0]);
    must(waitpid(echo, 0, 0));
    tell_spread("socket.roundtrip", trips, ROUND_TRIPS);
}

// MARK: Workers that report

static int work(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    if (!path || strlen(path) >= sizeof address.sun_path) return 2;
    strcpy(address.sun_path, path);
    socklen_t length = offsetof(struct sockaddr_un, sun_path) + strlen(path);
    if (path[0] == '@') address.sun_path[0] = 0;
    int socket_ = must(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    must(sendto(socket_, "READY=1", 7, 0, (struct sockaddr *)&address, length));
    close(socket_);
    for (;;) pause();
}

static struct program worker;
static struct child workers[WORKERS];
static int receiver;

static void prepare_workers(void) {
    static char variable[sizeof(struct sockaddr_un) + 20], *arguments[] = {self, "worker", 0}, *environment[] = {variable, 0};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "torpor-bare-%d", getpid());
    snprintf(variable, sizeof variable, "NOTIFY_SOCKET=@%s", address.sun_path + 1);
    worker = (struct program){arguments, environment};
    receiver = must(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    must(bind(receiver, (struct sockaddr *)&address, offsetof(struct sockaddr_un, sun_path) + 1 + length));
    struct rlimit limit;
    must(getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = limit.rlim_max;
    must(setrlimit(RLIMIT_NOFILE, &limit));
}

// Takes the reports that are there; waits for one first when told so.
static int reports(int waits) {
    char message[64];
    int count = 0;
    while (recv(receiver, message, sizeof message, waits && count == 0 ? 0 : MSG_DONTWAIT) > 0) count++;
    return count;
}

static void start_workers(void) {
    char path[5000];
    int reported = 0;
    double begin = now();
    for (int i = 0; i < WORKERS; i++) {
        group_path(path, sizeof path, i);
        workers[i] = launch_in(&worker, path);
        // The queue is short, and who finds it full waits.
        reported += reports(0);
    }
    while (reported < WORKERS) reported += reports(1);
    tell("start.1000", (now() - begin) / 1e3, "ms");
}

static void end_workers(void) {
    char path[5000];
    snprintf(path, sizeof path, "%s/cgroup.kill", tree);
    write_file(path, "1");
    for (int i = 0; i < WORKERS; i++) {
        reap(workers[i]);
        group_path(path, sizeof path, i);
        remove_group(path);
    }
}

static void measure_replacement(void) {
    char path[5000];
    static double replaced[REPLACEMENTS];
    group_path(path, sizeof path, WORKERS);
    struct child child = launch_in(&worker, path);
    reports(1);
    for (int i = 0; i < REPLACEMENTS; i++) {
        double begin = now();
        must(syscall(SYS_pidfd_send_signal, child.pidfd, SIGKILL, 0, 0));
        reap(child);
        remove_group(path);
        child = launch_in(&worker, path);
        reports(1);
        replaced[i] = now() - begin;
    }
    must(kill(child.pid, SIGKILL));
    reap(child);
    remove_group(path);
    tell_spread("replace", replaced, REPLACEMENTS);
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "worker") == 0) return work();
    must(readlink("/proc/self/exe", self, sizeof self - 1));
    make_tree();
    int wants_all = count == 1;
#define wants(part) (wants_all || ({ int found = 0; for (int i = 1; i < count; i++) found |= !strcmp(arguments[i], part); found; }))
    if (wants("launch")) measure_launch();
    if (wants("freezer")) measure_freezer();
    if (wants("socket")) measure_socket();
    if (wants("start") || wants("replace")) prepare_workers();
    if (wants("start")) {
        start_workers();
        end_workers();
    }
    if (wants("replace")) measure_replacement();
    remove_group(tree);
    return 0;
}
