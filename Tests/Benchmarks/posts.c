// Posts over one pipelined connection, until all are answered: `posts bare N DIRECTORY` against a bare server that parses the
// same JSON and makes the same grouped SQLite inserts, `posts ours N SOCKET WORKER` against torpord.
#define _GNU_SOURCE
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TOPICS = 200 };

static long must(long result) {
    if (result < 0) { perror("posts"); exit(1); }
    return result;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

// The client: one process writes, another reads, so that neither end ever waits for the other's buffer.

static void client(int socket, int count, const char *worker) {
    pid_t writer = must(fork());
    if (writer == 0) {
        static char buffer[1 << 16];
        int filled = 0;
        for (int i = 0; i < count; i++) {
            filled += sprintf(buffer + filled,
                "{\"method\":\"io.torpor.Supervisor.Post\",\"parameters\":{\"names\":[\"%s\"],\"topic\":\"cache.t%d\","
                "\"payload\":{\"key\":%d,\"why\":\"it was changed\"},\"rule\":\"latest\"}}", worker, i % TOPICS, i) + 1;
            if (filled < (int)sizeof buffer - 400 && i + 1 < count) continue;
            for (int done = 0; done < filled;) done += must(write(socket, buffer + done, filled - done));
            filled = 0;
        }
        _exit(0);
    }
    static char buffer[1 << 16];
    for (int answered = 0; answered < count;) {
        long got = must(read(socket, buffer, sizeof buffer));
        if (got == 0) { fprintf(stderr, "posts: the connection was closed\n"); exit(1); }
        if (answered == 0 && memmem(buffer, got, "\"error\"", 7)) { fprintf(stderr, "posts: %s\n", buffer); exit(1); }
        for (long i = 0; i < got; i++) answered += buffer[i] == 0;
    }
    waitpid(writer, 0, 0);
}

// The bare server: a JSON parser that checks all of a message and keeps what a post says.

struct text { const char *start; int length; };
struct post { struct text method, topic, rule, name, payload; };

static const char *skip(const char *at) {
    while (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r') at++;
    return at;
}

static const char *string(const char *at, struct text *text) {
    if (*at++ != '"') return 0;
    text->start = at;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 0x20) return 0;
        if (*at != '\\') continue;
        if (!*++at || !strchr("\"\\/bfnrtu", *at)) return 0;
        if (*at == 'u') for (int i = 0; i < 4; i++) if (!strchr("0123456789abcdefABCDEF", *++at) || !*at) return 0;
    }
    text->length = at - text->start;
    return at + 1;
}

static const char *value(const char *at, struct post *post, const char *path);

static const char *object(const char *at, struct post *post, const char *path) {
    at = skip(at + 1);
    if (*at == '}') return at + 1;
    for (;;) {
        struct text key;
        if (!(at = string(skip(at), &key))) return 0;
        at = skip(at);
        if (*at++ != ':') return 0;
        char deeper[64] = "";
        if (path && strlen(path) + key.length < 60) sprintf(deeper, "%s.%.*s", path, key.length, key.start);
        if (!(at = value(skip(at), post, path ? deeper : 0))) return 0;
        at = skip(at);
        if (*at == '}') return at + 1;
        if (*at++ != ',') return 0;
    }
}

static const char *value(const char *at, struct post *post, const char *path) {
    struct text text = {at, 0};
    const char *start = at;
    switch (*at) {
    case '{':
        if (path && !strcmp(path, ".parameters.payload")) {
            at = object(at, post, 0);
            if (at) post->payload = (struct text){start, at - start};
            return at;
        }
        return object(at, post, path);
    case '[':
        at = skip(at + 1);
        if (*at == ']') return at + 1;
        for (;;) {
            if (!(at = value(skip(at), post, path))) return 0;
            at = skip(at);
            if (*at == ']') return at + 1;
            if (*at++ != ',') return 0;
        }
    case '"':
        if (!(at = string(at, &text)) || !path) return at;
        if (!strcmp(path, ".method")) post->method = text;
        else if (!strcmp(path, ".parameters.topic")) post->topic = text;
        else if (!strcmp(path, ".parameters.rule")) post->rule = text;
        else if (!strcmp(path, ".parameters.names")) post->name = text;
        return at;
    case 't': return strncmp(at, "true", 4) ? 0 : at + 4;
    case 'f': return strncmp(at, "false", 5) ? 0 : at + 5;
    case 'n': return strncmp(at, "null", 4) ? 0 : at + 4;
    default: {
        char *end;
        strtod(at, &end);
        return end == at ? 0 : end;
    }
    }
}

static sqlite3_stmt *insertion;

static void sql(sqlite3 *database, const char *text) {
    if (sqlite3_exec(database, text, 0, 0, 0) != SQLITE_OK) {
        fprintf(stderr, "posts: %s\n", sqlite3_errmsg(database));
        exit(1);
    }
}

static void serve(int socket, int count, const char *directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/bare.db", directory);
    sqlite3 *database;
    if (sqlite3_open(path, &database) != SQLITE_OK) exit(1);
    sql(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -128;"
        "CREATE TABLE notification(worker TEXT NOT NULL, sequence INTEGER NOT NULL, topic TEXT NOT NULL, rule TEXT NOT NULL,"
        "count INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, payload TEXT, added TEXT, removed TEXT,"
        "dropped INTEGER NOT NULL, PRIMARY KEY(worker, sequence)) WITHOUT ROWID");
    sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO notification VALUES(?,?,?,?,?,?,?,?,NULL,NULL,0)", -1, &insertion, 0);
    static char buffer[1 << 20];
    static struct { char topic[128]; long count; } known[TOPICS];
    static struct post last[TOPICS];
    long filled = 0;
    for (int answered = 0; answered < count;) {
        long got = must(read(socket, buffer + filled, sizeof buffer - filled));
        if (got == 0) exit(1);
        filled += got;
        char *at = buffer, *end;
        int posts = 0, changed[TOPICS] = {0};
        while ((end = memchr(at, 0, buffer + filled - at))) {
            struct post post = {0};
            const char *rest = value(skip(at), &post, "");
            if (!rest || *skip(rest) || !post.topic.length || !post.name.length) exit(1);
            int index = 0;
            for (; index < TOPICS && known[index].count; index++)
                if (!strncmp(known[index].topic, post.topic.start, post.topic.length)
                    && !known[index].topic[post.topic.length]) break;
            if (index == TOPICS) exit(1);
            if (!known[index].count++) sprintf(known[index].topic, "%.*s", post.topic.length, post.topic.start);
            last[index] = post;
            changed[index] = 1;
            posts++;
            at = end + 1;
        }
        if (!posts) continue;
        sql(database, "BEGIN IMMEDIATE");
        for (int i = 0; i < TOPICS; i++) {
            if (!changed[i]) continue;
            sqlite3_bind_text(insertion, 1, last[i].name.start, last[i].name.length, SQLITE_STATIC);
            sqlite3_bind_int64(insertion, 2, i + 1);
            sqlite3_bind_text(insertion, 3, last[i].topic.start, last[i].topic.length, SQLITE_STATIC);
            sqlite3_bind_text(insertion, 4, last[i].rule.start, last[i].rule.length, SQLITE_STATIC);
            sqlite3_bind_int64(insertion, 5, known[i].count);
            sqlite3_bind_int64(insertion, 6, 1);
            sqlite3_bind_int64(insertion, 7, 2);
            sqlite3_bind_text(insertion, 8, last[i].payload.start, last[i].payload.length, SQLITE_STATIC);
            if (sqlite3_step(insertion) != SQLITE_DONE) exit(1);
            sqlite3_reset(insertion);
        }
        sql(database, "COMMIT");
        static char answers[1 << 20];
        int length = 0;
        for (int i = 0; i < posts; i++)
            length += sprintf(answers + length, "{\"parameters\":{\"results\":[{\"name\":\"w\",\"sequence\":%d}]}}", answered + i) + 1;
        for (int done = 0; done < length;) done += must(write(socket, answers + done, length - done));
        answered += posts;
        filled -= at - buffer;
        memmove(buffer, at, filled);
    }
    sqlite3_finalize(insertion);
    sqlite3_close(database);
}

int main(int count, char **arguments) {
    if (count != 4 && count != 5) return 64;
    int posts = atoi(arguments[2]), ends[2];
    if (!strcmp(arguments[1], "bare")) {
        must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
        pid_t server = must(fork());
        if (server == 0) {
            close(ends[0]);
            serve(ends[1], posts, arguments[3]);
            _exit(0);
        }
        close(ends[1]);
    } else {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        strncpy(address.sun_path, arguments[3], sizeof address.sun_path - 1);
        ends[0] = must(socket(AF_UNIX, SOCK_STREAM, 0));
        must(connect(ends[0], (struct sockaddr *)&address, sizeof address));
    }
    double begin = now();
    client(ends[0], posts, count == 5 ? arguments[4] : "w");
    printf("posts.each %f us\n", (now() - begin) / posts);
    return 0;
}
