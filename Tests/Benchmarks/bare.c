// The bare system calls that torpor is measured against: what Linux itself needs for each step, and nothing else.
//
// Prints `name value unit` lines; `bare PART…` measures only these: launch, freezer, start. Started with the argument
// `worker` it is the child of the last and of `beside`: it reports READY=1 to $NOTIFY_SOCKET, says its pid and the time
// to $BENCH_SOCKET if there is one, and sleeps.
//
// `bare beside SOCKET NAME` puts one client before both, call by call in turns: a server of bare calls, and the torpord
// that listens at SOCKET, whose worker NAME is such a `worker` with $BENCH_SOCKET=@torpor-bench-NAME. Both lists of
// figures come out of the same moments of the machine.
#include "launch.h"

#include <sys/epoll.h>

enum { LAUNCHES = 500, WARM_UP = 50, FREEZES = 500, WORKERS = 1000, CALLS = 300, REPLACEMENTS = 200 };

static char self[4096];

// MARK: Figures

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

// MARK: Workers that report

static void say(const char *variable, const void *message, size_t size) {
    struct sockaddr_un address;
    const char *text = getenv(variable);
    socklen_t length = text ? unix_address(&address, text) : 0;
    if (!length) return;
    int socket_ = must(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    // It is no error that no process measures now.
    if (sendto(socket_, message, size, 0, (struct sockaddr *)&address, length) < 0 && errno != ECONNREFUSED) must(-1);
    close(socket_);
}

// A worker's message to the process that measures.
struct report {
    pid_t pid;
    double at;
};

static _Noreturn void work(void) {
    say("NOTIFY_SOCKET", "READY=1", 7);
    struct report report = {getpid(), now()};
    say("BENCH_SOCKET", &report, sizeof report);
    for (;;) pause();
}

static int receive_at(const char *text) {
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, text);
    int socket_ = must(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    must(bind(socket_, (struct sockaddr *)&address, length));
    return socket_;
}

static struct program worker;
static struct child workers[WORKERS];
static int receiver;

static void prepare_workers(void) {
    static char variable[sizeof(struct sockaddr_un) + 20], *arguments[] = {self, "worker", 0}, *environment[] = {variable, 0};
    snprintf(variable, sizeof variable, "NOTIFY_SOCKET=@torpor-bare-%d", getpid());
    worker = (struct program){arguments, environment};
    receiver = receive_at(strchr(variable, '@'));
    raise_descriptors();
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
        // The queue is short, and a worker that finds it full waits.
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

// MARK: Beside a supervisor

// What a client and a supervisor say to each other about one worker, to the byte but for the worker's name.
#define CALL(verb) "{\"method\":\"io.torpor.Supervisor." verb "\",\"parameters\":{\"names\":[\"%s\"],\"wait\":true}}"
static char calls[2][200];
#define REPLY(state) \
    "{\"parameters\":{\"results\":[{\"name\":\"w0\",\"state\":\"" state "\",\"goal\":\"" state "\",\"reached\":true}]}}"
static const char *const replies[2] = {REPLY("active"), REPLY("suspended")};

// What a connected client's call needs at least of a server: to wait for it among others, to read it, to freeze or thaw,
// to see that confirmed, and to answer.
static _Noreturn void serve(int client, int freeze, int events) {
    char message[4096];
    struct epoll_event event = {.events = EPOLLIN};
    int poll = must(epoll_create1(EPOLL_CLOEXEC));
    must(epoll_ctl(poll, EPOLL_CTL_ADD, client, &event));
    for (;;) {
        must(epoll_wait(poll, &event, 1, -1));
        ssize_t length = must(read(client, message, sizeof message));
        if (length == 0) _exit(0);
        int freezes = memmem(message, length, "Suspend", 7) != 0;
        must(pwrite(freeze, freezes ? "1" : "0", 1, 0));
        await_frozen(events, freezes ? '1' : '0');
        must(write(client, replies[freezes], strlen(replies[freezes]) + 1));
    }
}

// One call and its answer, in µs; what is thawed or frozen has some time to settle after it.
static double call(int server, int freezes) {
    char answer[8192];
    size_t length = 0;
    double begin = now();
    must(write(server, calls[freezes], strlen(calls[freezes]) + 1));
    do {
        ssize_t count = must(read(server, answer + length, sizeof answer - length));
        length += count;
        if (count == 0 || length == sizeof answer) must((errno = EPROTO, -1));
    } while (answer[length - 1]);
    double took = now() - begin;
    if (!strstr(answer, freezes ? "\"suspended\"" : "\"active\"")) {
        fprintf(stderr, "bare: answered %s\n", answer);
        exit(1);
    }
    usleep(500);
    return took;
}

static int bare_server(const char *path, pid_t *server) {
    int pair[2];
    char file[5100];
    snprintf(file, sizeof file, "%s/cgroup.freeze", path);
    int freeze = must(open(file, O_WRONLY | O_CLOEXEC));
    snprintf(file, sizeof file, "%s/cgroup.events", path);
    int events = must(open(file, O_RDONLY | O_CLOEXEC));
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    *server = must(fork());
    if (*server == 0) {
        close(pair[0]);
        serve(pair[1], freeze, events);
    }
    close(pair[1]);
    close(freeze);
    close(events);
    return pair[0];
}

static void steer_beside(int torpord, const char *name) {
    static double bare[2][CALLS], ours[2][CALLS];
    char path[5000], *arguments[] = {self, "worker", 0}, *environment[] = {0};
    struct program sleeper = {arguments, environment};
    group_path(path, sizeof path, 0);
    struct child child = launch_in(&sleeper, path);
    snprintf(calls[1], sizeof calls[1], CALL("Suspend"), name);
    snprintf(calls[0], sizeof calls[0], CALL("Resume"), name);
    usleep(50000);
    pid_t server;
    int beside = bare_server(path, &server);
    for (int i = -WARM_UP; i < CALLS; i++)
        for (int freezes = 1; freezes >= 0; freezes--) {
            double a = call(beside, freezes), b = call(torpord, freezes);
            if (i >= 0) bare[freezes][i] = a, ours[freezes][i] = b;
        }
    close(beside);
    must(waitpid(server, 0, 0));
    must(kill(child.pid, SIGKILL));
    reap(child);
    remove_group(path);
    tell_spread("bare.suspend", bare[1], CALLS);
    tell_spread("ours.suspend", ours[1], CALLS);
    tell_spread("bare.resume", bare[0], CALLS);
    tell_spread("ours.resume", ours[0], CALLS);
}

// From SIGKILL until the next process has reported, by that process's own clock, and which that is.
static struct report await_report(int socket_) {
    struct report report;
    must(recv(socket_, &report, sizeof report, 0));
    return report;
}

static void replace_beside(int torpord, const char *name) {
    static double bare[REPLACEMENTS], ours[REPLACEMENTS];
    char path[5000], address[100], variable[120], command[200];
    snprintf(address, sizeof address, "@torpor-bench-%s", name);
    int own = receive_at(address);
    snprintf(address, sizeof address, "@torpor-bare-reports-%d", getpid());
    int others = receive_at(address);
    snprintf(variable, sizeof variable, "BENCH_SOCKET=%s", address);
    char *environment[] = {worker.environment[0], variable, 0};
    worker.environment = environment;
    group_path(path, sizeof path, 1);
    struct child child = launch_in(&worker, path);
    await_report(others);
    // A new process, so that its pid is known.
    snprintf(command, sizeof command,
             "{\"method\":\"io.torpor.Supervisor.Kill\",\"parameters\":{\"names\":[\"%s\"],\"wait\":true}}", name);
    must(write(torpord, command, strlen(command) + 1));
    must(read(torpord, command, sizeof command));
    snprintf(command, sizeof command,
             "{\"method\":\"io.torpor.Supervisor.Launch\",\"parameters\":{\"names\":[\"%s\"],\"wait\":true}}", name);
    must(write(torpord, command, strlen(command) + 1));
    must(read(torpord, command, sizeof command));
    struct report report = await_report(own);
    for (int i = 0; i < REPLACEMENTS; i++) {
        usleep(2000);
        reports(0);
        double begin = now();
        must(syscall(SYS_pidfd_send_signal, child.pidfd, SIGKILL, 0, 0));
        reap(child);
        remove_group(path);
        child = launch_in(&worker, path);
        reports(1);
        bare[i] = await_report(others).at - begin;
        usleep(2000);
        begin = now();
        must(kill(report.pid, SIGKILL));
        report = await_report(own);
        ours[i] = report.at - begin;
    }
    must(kill(child.pid, SIGKILL));
    reap(child);
    remove_group(path);
    tell_spread("bare.replace", bare, REPLACEMENTS);
    tell_spread("ours.replace", ours, REPLACEMENTS);
}

static void measure_beside(const char *path, const char *name) {
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, path);
    int torpord = must(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    must(connect(torpord, (struct sockaddr *)&address, length));
    steer_beside(torpord, name);
    replace_beside(torpord, name);
    close(torpord);
}

// MARK: Callbacks

// What an app tells of each callback: which, when it came, and when it was completed.
struct told {
    char name[40];
    double received, completed;
};

#define COMPLETE "{\"method\":\"io.torpor.Worker.Complete\",\"parameters\":{\"id\":%ld},\"oneway\":true}"
#define CALLBACK "{\"continues\":true,\"parameters\":{\"callback\":{\"id\":1000,\"name\":\"shouldSaveState\",\"timeLimitUsec\":4999977}}}"

// An app that lives by the contract and does nothing: it attaches, completes what comes, and tells of it.
static _Noreturn void live(void) {
    static char input[1 << 16];
    static const char attach[] =
        "{\"method\":\"io.torpor.Worker.Attach\",\"parameters\":{},\"more\":true}";
    struct sockaddr_un address, bench;
    socklen_t length = unix_address(&address, getenv("TORPOR_SOCKET"));
    int torpor = must(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    must(connect(torpor, (struct sockaddr *)&address, length));
    int out = must(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    length = unix_address(&bench, getenv("BENCH_SOCKET"));
    must(write(torpor, attach, sizeof attach));
    size_t held = 0;
    for (;;) {
        ssize_t count = must(read(torpor, input + held, sizeof input - held - 1));
        if (count == 0) exit(0);
        double received = now();
        held += count;
        for (char *end; (end = memchr(input, 0, held));) {
            size_t size = end + 1 - input;
            char *callback = strstr(input, "\"callback\""), *id = callback ? strstr(callback, "\"id\":") : 0;
            char *name = callback ? strstr(callback, "\"name\":\"") : 0;
            if (id && name) {
                struct told told = {.received = received};
                sscanf(name + 8, "%39[a-zA-Z]", told.name);
                if (!strcmp(told.name, "willTerminate")) exit(0);
                char answer[100];
                int written = snprintf(answer, sizeof answer, COMPLETE, strtol(id + 5, 0, 10));
                must(write(torpor, answer, written + 1));
                told.completed = now();
                // Where no process listens, none measures.
                sendto(out, &told, sizeof told, MSG_DONTWAIT, (struct sockaddr *)&bench, length);
            }
            memmove(input, input + size, held -= size);
        }
    }
}

// The least that a callback's round trip takes: a server that waits among others, and an app, with messages of that size.
static int bare_app(pid_t *app) {
    int pair[2];
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
    *app = must(fork());
    if (*app) {
        close(pair[1]);
        return pair[0];
    }
    close(pair[0]);
    char message[4096];
    for (;;) {
        if (must(read(pair[1], message, sizeof message)) <= 0) _exit(0);
        char answer[100];
        int length = snprintf(answer, sizeof answer, COMPLETE, 1000L);
        must(write(pair[1], answer, length + 1));
    }
}

static double round_trip(int poll, int app) {
    char message[4096];
    struct epoll_event event;
    double begin = now();
    must(write(app, CALLBACK, sizeof CALLBACK));
    must(epoll_wait(poll, &event, 1, -1));
    must(read(app, message, sizeof message));
    return now() - begin;
}

static int told(int socket_, struct told *told, int flags) {
    return recv(socket_, told, sizeof *told, flags) == sizeof *told;
}

static void callbacks_beside(const char *path, const char *name) {
    static double trip[CALLS], thaw[CALLS], round_[2 * CALLS], first[CALLS];
    char group[5000], bench[100], *arguments[] = {self, "worker", 0}, *environment[] = {0};
    int torpord = must(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), rounds = 0;
    struct sockaddr_un address;
    socklen_t length = unix_address(&address, path);
    must(connect(torpord, (struct sockaddr *)&address, length));
    snprintf(bench, sizeof bench, "@torpor-bench-%s", name);
    int reports_ = receive_at(bench);
    snprintf(calls[1], sizeof calls[1], CALL("Activate"), name);
    must(write(torpord, calls[1], strlen(calls[1]) + 1));
    must(read(torpord, group, sizeof group));
    snprintf(calls[1], sizeof calls[1], CALL("Suspend"), name);
    snprintf(calls[0], sizeof calls[0], CALL("Resume"), name);
    group_path(group, sizeof group, 2);
    struct program sleeper = {arguments, environment};
    struct child child = launch_in(&sleeper, group);
    usleep(50000);
    pid_t server, app;
    int beside = bare_server(group, &server), pong = bare_app(&app);
    struct epoll_event event = {.events = EPOLLIN};
    int poll = must(epoll_create1(EPOLL_CLOEXEC));
    must(epoll_ctl(poll, EPOLL_CTL_ADD, pong, &event));
    struct told seen;
    while (told(reports_, &seen, MSG_DONTWAIT)) continue;
    for (int i = -WARM_UP; i < CALLS; i++) {
        call(beside, 1);
        call(torpord, 1);
        double completed = 0;
        while (told(reports_, &seen, MSG_DONTWAIT)) {
            // Those with nothing but a round trip between them: no state changes there.
            int follows = !strcmp(seen.name, "shouldSaveState") || !strcmp(seen.name, "saveState");
            if (i >= 0 && follows && completed > 0) round_[rounds++] = seen.received - completed;
            completed = seen.completed;
        }
        double bare = call(beside, 0), begin = now();
        call(torpord, 0);
        while (told(reports_, &seen, 0) && strcmp(seen.name, "willEnterForeground")) continue;
        double ours = seen.received - begin;
        while (told(reports_, &seen, MSG_DONTWAIT)) continue;
        double bare_trip = round_trip(poll, pong);
        if (i >= 0) thaw[i] = bare, first[i] = ours, trip[i] = bare_trip;
    }
    close(beside);
    close(pong);
    must(waitpid(server, 0, 0));
    must(waitpid(app, 0, 0));
    must(kill(child.pid, SIGKILL));
    reap(child);
    remove_group(group);
    close(torpord);
    tell_spread("bare.trip", trip, CALLS);
    tell_spread("ours.trip", round_, rounds);
    tell_spread("bare.thaw", thaw, CALLS);
    tell_spread("ours.first", first, CALLS);
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "worker") == 0) work();
    if (count == 2 && strcmp(arguments[1], "app") == 0) live();
    must(readlink("/proc/self/exe", self, sizeof self - 1));
    make_tree();
    if (count == 4 && strcmp(arguments[1], "beside") == 0) {
        prepare_workers();
        measure_beside(arguments[2], arguments[3]);
        remove_group(tree);
        return 0;
    }
    if (count == 4 && strcmp(arguments[1], "callbacks") == 0) {
        callbacks_beside(arguments[2], arguments[3]);
        remove_group(tree);
        return 0;
    }
    int wants_all = count == 1;
#define wants(part) (wants_all || ({ int found = 0; for (int i = 1; i < count; i++) found |= !strcmp(arguments[i], part); found; }))
    if (wants("launch")) measure_launch();
    if (wants("freezer")) measure_freezer();
    if (wants("start")) {
        prepare_workers();
        start_workers();
        end_workers();
    }
    remove_group(tree);
    return 0;
}
