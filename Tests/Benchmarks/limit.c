// The least of a supervisor: what Linux needs to supervise many workers, each in a cgroup of its own, and nothing else.
//
// `limit serve SOCKET COUNT PROGRAM` starts COUNT processes of PROGRAM, hears them report READY=1, replaces at once those
// that end, and answers clients at SOCKET until SIGTERM; then it ends all workers and removes their groups. It reads no
// files, keeps nothing, checks nothing, and has no policy: any of that costs a supervisor something on top of this.
//
// `limit list SOCKET`, `limit suspend SOCKET NUMBER` and `limit resume SOCKET NUMBER` are its clients; `limit version` is a
// program that prints its version.
#include "launch.h"

#include <sys/epoll.h>
#include <sys/signalfd.h>

// What becomes ready: a worker by its number, or one of these.
enum { SIGNALS = -1, NOTIFICATIONS = -2, LISTENER = -3, CLIENT = -4 };
enum { LINE = 80 };

struct worker {
    struct child child;
    unsigned char reported, suspended;
};

static struct worker *workers;
static int count, poll_, notifications;
static struct program program;

static struct epoll_event event_of(int kind, int descriptor) {
    return (struct epoll_event){.events = EPOLLIN, .data.u64 = (uint64_t)(uint32_t)descriptor << 32 | (uint32_t)kind};
}

static void watch(int kind, int descriptor) {
    struct epoll_event event = event_of(kind, descriptor);
    must(epoll_ctl(poll_, EPOLL_CTL_ADD, descriptor, &event));
}

// MARK: Workers

// Like fork(2): this process goes on at once with the next worker, where like vfork(2) it would wait until the child has
// executed its program, which takes milliseconds while others use the processors. One alone is sooner there by vfork(2).
static struct child fork_in(int group) {
    struct child child = {0, -1};
    struct clone_args arguments = {
        .flags = CLONE_PIDFD | CLONE_INTO_CGROUP,
        .pidfd = (uintptr_t)&child.pidfd,
        .exit_signal = SIGCHLD,
        .cgroup = (uint64_t)group,
    };
    child.pid = must(syscall(SYS_clone3, &arguments, sizeof arguments));
    if (child.pid == 0) execute(&program);
    return child;
}

static void start(int number, struct child (*launch_)(int)) {
    char path[5000];
    group_path(path, sizeof path, number);
    int group = must(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    workers[number] = (struct worker){.child = launch_(group)};
    close(group);
    watch(number, workers[number].child.pidfd);
}

static struct child vfork_in(int group) { return launch(&program, group); }

// Takes the reports that are there: the kernel says whose each is.
static void receive_reports(void) {
    char text[64];
    union {
        char bytes[CMSG_SPACE(sizeof(struct ucred))];
        struct cmsghdr header;
    } control;
    for (;;) {
        struct iovec part = {text, sizeof text};
        struct msghdr message = {
            .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
        ssize_t length = recvmsg(notifications, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
        if (length < 0) return;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        if (length < 7 || memcmp(text, "READY=1", 7) || !header || header->cmsg_type != SCM_CREDENTIALS) continue;
        struct ucred sender;
        memcpy(&sender, CMSG_DATA(header), sizeof sender);
        for (int i = 0; i < count; i++)
            if (workers[i].child.pid == sender.pid) workers[i].reported = 1;
    }
}

static _Noreturn void end_all(const char *path) {
    char group[5000];
    for (int i = 0; i < count; i++) must(syscall(SYS_pidfd_send_signal, workers[i].child.pidfd, SIGTERM, 0, 0));
    for (int i = 0; i < count; i++) {
        reap(workers[i].child);
        group_path(group, sizeof group, i);
        remove_group(group);
    }
    remove_group(tree);
    unlink(path);
    exit(0);
}

// MARK: Clients

static void freeze(int number, int freezes) {
    char group[5000], path[5100];
    group_path(group, sizeof group, number);
    snprintf(path, sizeof path, "%s/cgroup.freeze", group);
    write_file(path, freezes ? "1" : "0");
    snprintf(path, sizeof path, "%s/cgroup.events", group);
    int events = must(open(path, O_RDONLY | O_CLOEXEC));
    await_frozen(events, freezes ? '1' : '0');
    close(events);
    workers[number].suspended = freezes;
}

// One line per worker; each answer ends with an empty one.
static void answer(int client) {
    static char *text;
    char call[64];
    size_t length = 0;
    if (!text && !(text = malloc((size_t)count * LINE + 1))) must(-1);
    ssize_t size = read(client, call, sizeof call - 1);
    if (size <= 0) {
        close(client);
        return;
    }
    call[size] = 0;
    int number = strchr(call, ' ') ? atoi(strchr(call, ' ')) : 0;
    if (!strncmp(call, "list", 4))
        for (int i = 0; i < count; i++) {
            const char *state = workers[i].suspended ? "suspended" : workers[i].reported ? "active" : "inactive";
            length += snprintf(text + length, LINE, "w%-10d %-10s %d\n", i, state, workers[i].child.pid);
        }
    else if (number >= 0 && number < count)
        freeze(number, !strncmp(call, "suspend", 7));
    text[length++] = '\n';
    for (size_t sent = 0; sent < length;) {
        ssize_t written = send(client, text + sent, length - sent, MSG_NOSIGNAL);
        if (written < 0) break;
        sent += written;
    }
}

// Writes the answer to the standard output but for the empty line at its end.
static int ask(const char *path, const char *verb, const char *number) {
    static char text[1 << 20];
    struct sockaddr_un address;
    size_t length = 0;
    socklen_t size = unix_address(&address, path);
    int server = must(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    must(connect(server, (struct sockaddr *)&address, size));
    snprintf(text, sizeof text, "%s %s", verb, number);
    must(write(server, text, strlen(text)));
    do {
        ssize_t got = must(read(server, text + length, sizeof text - length));
        length += got;
        if (got == 0 || length == sizeof text) must((errno = EPROTO, -1));
    } while (text[length - 1] != '\n' || (length > 1 && text[length - 2] != '\n'));
    for (size_t shown = 0; shown < length - 1;) shown += must(write(1, text + shown, length - 1 - shown));
    return 0;
}

// MARK: The loop

static int bound(const char *path, int type) {
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, path);
    int socket_ = must(socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    must(bind(socket_, (struct sockaddr *)&address, length));
    return socket_;
}

static void turn(const struct epoll_event *event, const char *path) {
    int kind = (int)(uint32_t)event->data.u64, descriptor = event->data.u64 >> 32;
    switch (kind) {
    case SIGNALS: end_all(path);
    case NOTIFICATIONS: receive_reports(); break;
    case LISTENER: watch(CLIENT, must(accept4(descriptor, 0, 0, SOCK_CLOEXEC))); break;
    case CLIENT: answer(descriptor); break;
    default:
        // An event of a process that was replaced in this turn cannot be: its descriptor was closed by then.
        reap(workers[kind].child);
        start(kind, vfork_in);
    }
}

static _Noreturn void serve(const char *path, int workers_, char *file) {
    static char variable[sizeof(struct sockaddr_un) + 20], inherited[4200], *arguments[2], *environment[3];
    char group[5000];
    struct epoll_event events[64];
    sigset_t ending;
    int on = 1;
    count = workers_;
    workers = calloc(count, sizeof *workers);
    if (!workers) must(-1);
    make_tree();
    raise_descriptors();
    poll_ = must(epoll_create1(EPOLL_CLOEXEC));
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    must(sigprocmask(SIG_BLOCK, &ending, 0));
    watch(SIGNALS, must(signalfd(-1, &ending, SFD_CLOEXEC)));
    snprintf(variable, sizeof variable, "NOTIFY_SOCKET=@torpor-limit-%d", getpid());
    notifications = bound(strchr(variable, '@'), SOCK_DGRAM);
    must(setsockopt(notifications, SOL_SOCKET, SO_PASSCRED, &on, sizeof on));
    watch(NOTIFICATIONS, notifications);
    int listener = bound(path, SOCK_STREAM);
    must(listen(listener, 64));
    watch(LISTENER, listener);
    arguments[0] = file;
    environment[0] = variable;
    if (getenv("BENCH_REPORTS")) {
        snprintf(inherited, sizeof inherited, "BENCH_REPORTS=%s", getenv("BENCH_REPORTS"));
        environment[1] = inherited;
    }
    program = (struct program){arguments, environment};
    for (int i = 0; i < count; i++) {
        group_path(group, sizeof group, i);
        must(mkdir(group, 0755));
        start(i, fork_in);
        // The queue is short, and a worker that finds it full waits.
        receive_reports();
    }
    for (;;) {
        int ready = must(epoll_wait(poll_, events, sizeof events / sizeof *events, -1));
        for (int i = 0; i < ready; i++) turn(&events[i], path);
    }
}

int main(int number, char **arguments) {
    const char *verb = number > 1 ? arguments[1] : "";
    if (number == 2 && !strcmp(verb, "version")) return puts("limit 1.0") < 0;
    if (number == 5 && !strcmp(verb, "serve")) serve(arguments[2], atoi(arguments[3]), arguments[4]);
    if (number == 3 && !strcmp(verb, "list")) return ask(arguments[2], verb, "");
    int steers = !strcmp(verb, "suspend") || !strcmp(verb, "resume");
    if (number == 4 && steers) return ask(arguments[2], verb, arguments[3]);
    fputs("usage: limit serve SOCKET COUNT PROGRAM | list SOCKET | suspend SOCKET N | resume SOCKET N | version\n", stderr);
    return 2;
}
