// Posts over one pipelined connection, until all are answered: `posts bare RULE N DIRECTORY` against a bare server that parses
// the same JSON and makes the same grouped SQLite inserts, `posts ours RULE N SOCKET` against torpord with the workers w0 to
// w9. By the rule `each` every post is a row of its own. By `latest` 20 topics of each worker are merged again and again: an
// entry, found by the names of worker and topic, keeps its number, how many it stands for, when the first and last came and
// what was said last, and is one row of each transaction. By either, each worker's greatest number is a row of each transaction,
// since a number is not given out twice, whatever becomes of the server.
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

enum { TOPICS = 20, WORKERS = 10 };

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

static void client(int socket, int count, const char *rule) {
    pid_t writer = must(fork());
    if (writer == 0) {
        static char buffer[1 << 16];
        int filled = 0;
        for (int i = 0; i < count; i++) {
            filled += sprintf(buffer + filled,
                "{\"method\":\"io.torpor.Supervisor.Post\",\"parameters\":{\"names\":[\"w%d\"],\"topic\":\"cache.t%d\","
                "\"payload\":{\"key\":%d,\"why\":\"it was changed\"},\"rule\":\"%s\"}}",
                i % WORKERS, i / WORKERS % TOPICS, i, rule) + 1;
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

static sqlite3_stmt *insertion, *numbering;

static void sql(sqlite3 *database, const char *text) {
    if (sqlite3_exec(database, text, 0, 0, 0) != SQLITE_OK) {
        fprintf(stderr, "posts: %s\n", sqlite3_errmsg(database));
        exit(1);
    }
}

static long clock_of_day(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

// The greatest number that each worker was given in this transaction.
static struct { char name[64]; int length; long last; } numbers[WORKERS];
static int numbered;

static void number(struct text name, long sequence) {
    int i = 0;
    while (i < numbered && !(numbers[i].length == name.length && !memcmp(numbers[i].name, name.start, name.length))) i++;
    if (i == numbered) {
        if (i == WORKERS || name.length > (int)sizeof numbers[i].name) exit(1);
        memcpy(numbers[numbered++].name, name.start, numbers[i].length = name.length);
        numbers[i].last = 0;
    }
    if (sequence > numbers[i].last) numbers[i].last = sequence;
}

static void keep_numbers(void) {
    for (int i = 0; i < numbered; i++) {
        sqlite3_bind_text(numbering, 1, numbers[i].name, numbers[i].length, SQLITE_STATIC);
        sqlite3_bind_int64(numbering, 2, numbers[i].last);
        if (sqlite3_step(numbering) != SQLITE_DONE) exit(1);
        sqlite3_reset(numbering);
    }
    numbered = 0;
}

// A row: what was posted, under its number.
static void insert(const struct post *post, long sequence, long count, long first, long last) {
    number(post->name, sequence);
    sqlite3_bind_text(insertion, 1, post->name.start, post->name.length, SQLITE_STATIC);
    sqlite3_bind_int64(insertion, 2, sequence);
    sqlite3_bind_text(insertion, 3, post->topic.start, post->topic.length, SQLITE_STATIC);
    sqlite3_bind_text(insertion, 4, post->rule.start, post->rule.length, SQLITE_STATIC);
    sqlite3_bind_int64(insertion, 5, count);
    sqlite3_bind_int64(insertion, 6, first);
    sqlite3_bind_int64(insertion, 7, last);
    sqlite3_bind_text(insertion, 8, post->payload.start, post->payload.length, SQLITE_STATIC);
    if (sqlite3_step(insertion) != SQLITE_DONE) exit(1);
    sqlite3_reset(insertion);
}

// What waits of a topic of a worker, merged; it owns its texts.
struct entry {
    struct post post;
    char *texts;
    int room;
    long sequence, count, first, last;
    char changed;
};

enum { ENTRIES = 1 << 12 };
static struct entry entries[ENTRIES];
static long last_sequence;

static int equal(struct text a, struct text b) { return a.length == b.length && !memcmp(a.start, b.start, a.length); }

static struct text keep(char **at, struct text text) {
    char *start = memcpy(*at, text.start, text.length);
    *at += text.length;
    return (struct text){start, text.length};
}

// Merges a post with what waits of its topic, which is found by its names.
static struct entry *merge(const struct post *post, long now) {
    unsigned hash = 2166136261u;
    for (int i = 0; i < post->name.length; i++) hash = (hash ^ (unsigned char)post->name.start[i]) * 16777619u;
    for (int i = 0; i < post->topic.length; i++) hash = (hash ^ (unsigned char)post->topic.start[i]) * 16777619u;
    struct entry *entry = &entries[hash % ENTRIES];
    while (entry->count && !(equal(entry->post.name, post->name) && equal(entry->post.topic, post->topic)))
        entry = entry == entries + ENTRIES - 1 ? entries : entry + 1;
    if (!entry->count) entry->sequence = ++last_sequence, entry->first = now;
    entry->count++;
    entry->last = now;
    int length = post->name.length + post->topic.length + post->rule.length + post->payload.length;
    if (length > entry->room && !(entry->texts = realloc(entry->texts, entry->room = 2 * length))) exit(1);
    char *at = entry->texts;
    entry->post.name = keep(&at, post->name);
    entry->post.topic = keep(&at, post->topic);
    entry->post.rule = keep(&at, post->rule);
    entry->post.payload = keep(&at, post->payload);
    return entry;
}

static void serve(int socket, int count, const char *directory) {
    char path[4096];
    snprintf(path, sizeof path, "%s/bare.db", directory);
    sqlite3 *database;
    if (sqlite3_open(path, &database) != SQLITE_OK) exit(1);
    sql(database, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -128;"
        "CREATE TABLE notification(worker TEXT NOT NULL, sequence INTEGER NOT NULL, topic TEXT NOT NULL, rule TEXT NOT NULL,"
        "count INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, payload TEXT, added TEXT, removed TEXT,"
        "dropped INTEGER NOT NULL, PRIMARY KEY(worker, sequence)) WITHOUT ROWID;"
        "CREATE TABLE mailbox(worker TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID");
    sqlite3_prepare_v2(database, "INSERT OR REPLACE INTO notification VALUES(?,?,?,?,?,?,?,?,NULL,NULL,0)", -1, &insertion, 0);
    sqlite3_prepare_v2(database,
        "INSERT INTO mailbox VALUES(?, ?) ON CONFLICT DO UPDATE SET last = max(last, excluded.last)", -1, &numbering, 0);
    static char buffer[1 << 20], answers[1 << 20];
    static struct entry *changed[ENTRIES];
    long filled = 0;
    for (int answered = 0; answered < count;) {
        long got = must(read(socket, buffer + filled, sizeof buffer - filled));
        if (got == 0) exit(1);
        filled += got;
        char *at = buffer, *end;
        int posts = 0, length = 0, changes = 0;
        while ((end = memchr(at, 0, buffer + filled - at))) {
            struct post post = {0};
            const char *rest = value(skip(at), &post, "");
            if (!rest || *skip(rest) || !post.topic.length || !post.name.length || !post.rule.length) exit(1);
            if (!posts++) sql(database, "BEGIN IMMEDIATE");
            long sequence, now = clock_of_day();
            if (*post.rule.start == 'e') {
                insert(&post, sequence = ++last_sequence, 1, now, now);
            } else {
                struct entry *entry = merge(&post, now);
                if (!entry->changed) changed[changes++] = entry, entry->changed = 1;
                sequence = entry->sequence;
            }
            length += sprintf(answers + length, "{\"parameters\":{\"results\":[{\"name\":\"%.*s\",\"sequence\":%ld}]}}",
                post.name.length, post.name.start, sequence) + 1;
            at = end + 1;
        }
        if (!posts) continue;
        for (int i = 0; i < changes; i++) {
            insert(&changed[i]->post, changed[i]->sequence, changed[i]->count, changed[i]->first, changed[i]->last);
            changed[i]->changed = 0;
        }
        keep_numbers();
        sql(database, "COMMIT");
        for (int done = 0; done < length;) done += must(write(socket, answers + done, length - done));
        answered += posts;
        filled -= at - buffer;
        memmove(buffer, at, filled);
    }
    sqlite3_finalize(insertion);
    sqlite3_finalize(numbering);
    sqlite3_close(database);
}

int main(int count, char **arguments) {
    if (count != 5) return 64;
    int posts = atoi(arguments[3]), ends[2];
    if (!strcmp(arguments[1], "bare")) {
        must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
        pid_t server = must(fork());
        if (server == 0) {
            close(ends[0]);
            serve(ends[1], posts, arguments[4]);
            _exit(0);
        }
        close(ends[1]);
    } else {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        strncpy(address.sun_path, arguments[4], sizeof address.sun_path - 1);
        ends[0] = must(socket(AF_UNIX, SOCK_STREAM, 0));
        must(connect(ends[0], (struct sockaddr *)&address, sizeof address));
    }
    double begin = now();
    client(ends[0], posts, arguments[2]);
    printf("posts.%s %f us\n", arguments[2], (now() - begin) / posts);
    return 0;
}
