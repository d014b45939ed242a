// What the programs that measure bare system calls share: errors that end them, groups of their own, and the launch of a
// process in one. Included once by each; what one does not use costs it nothing.
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

enum { STACK = 64 * 1024 };

extern char **environ;
static char tree[4096];

#define must(call) \
    ({ \
        long must_result = (long)(call); \
        if (must_result < 0) { \
            fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, #call, strerror(errno)); \
            exit(1); \
        } \
        must_result; \
    })

static inline double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

// As many descriptors as this process may have.
static inline void raise_descriptors(void) {
    struct rlimit limit;
    must(getrlimit(RLIMIT_NOFILE, &limit));
    limit.rlim_cur = limit.rlim_max;
    must(setrlimit(RLIMIT_NOFILE, &limit));
}

// MARK: Groups

// A group of our own in the v2 tree, which is at one of two places.
static inline void make_tree(void) {
    const char *unified = "/sys/fs/cgroup/unified";
    const char *top = access("/sys/fs/cgroup/unified/cgroup.procs", F_OK) == 0 ? unified : "/sys/fs/cgroup";
    snprintf(tree, sizeof tree, "%s/torpor-bare-%d", top, getpid());
    must(mkdir(tree, 0755));
}

static inline void write_file(const char *path, const char *text) {
    int file = must(open(path, O_WRONLY | O_CLOEXEC));
    must(write(file, text, strlen(text)));
    close(file);
}

static inline void group_path(char *path, size_t size, int number) { snprintf(path, size, "%s/w%d", tree, number); }

static inline void remove_group(const char *path) {
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
    // In a session of its own, as every supervisor's child: where others work too, the kernel shares the processors out
    // among sessions (autogroups of sched(7)), and a new one has to wait for its turn.
    syscall(SYS_setsid);
    // A supervisor that takes signals from a descriptor has them blocked, which its child would keep.
    uint64_t none = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, 0, sizeof none);
    syscall(SYS_execve, program->arguments[0], program->arguments, program->environment);
    syscall(SYS_exit_group, 127);
    __builtin_unreachable();
}

// clone3(2), whose child calls execute(program): returning in two places of one stack is nothing C can do.
static inline long clone_and_execute(struct clone_args *arguments, struct program *program) {
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
static inline struct child launch(struct program *program, int group) {
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

static inline struct child launch_in(struct program *program, const char *path) {
    must(mkdir(path, 0755));
    int group = must(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct child child = launch(program, group);
    close(group);
    return child;
}

static inline void reap(struct child child) {
    siginfo_t info;
    must(waitid(P_PIDFD, child.pidfd, &info, WEXITED));
    close(child.pidfd);
}

// MARK: The freezer

static inline void await_frozen(int events, char wanted) {
    char text[256];
    for (;;) {
        ssize_t length = must(pread(events, text, sizeof text - 1, 0));
        text[length] = 0;
        char *line = strstr(text, "frozen ");
        if (line && line[7] == wanted) return;
    }
}

// MARK: Addresses

// The address that `text` spells: a path, or `@` and an abstract name. Its length, or 0 when it is too long.
static inline socklen_t unix_address(struct sockaddr_un *address, const char *text) {
    if (strlen(text) >= sizeof address->sun_path) return 0;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    strcpy(address->sun_path, text);
    if (text[0] == '@') address->sun_path[0] = 0;
    return offsetof(struct sockaddr_un, sun_path) + strlen(text);
}

