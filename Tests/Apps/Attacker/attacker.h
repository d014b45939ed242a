// What hostile processes do to a supervisor: each command is one attack, bounded in time, against the socket or process that it is given.
#ifndef ATTACKER_H
#define ATTACKER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Ends the process with a message that has the reason of errno.
_Noreturn void fail(const char *what);

// Microseconds of CLOCK_MONOTONIC.
int64_t now_usec(void);
// Sleeps until that time.
void sleep_until(int64_t at);

// A number of the command line; ends the process where it is none.
long number(const char *text);

// Connects to the socket at a path, or at @NAME; -1 with errno where that is refused.
int try_connect(const char *path, int type);
int connect_to(const char *path, int type);
// Sends all of it, and waits where it has to; false when the peer is gone.
bool send_all(int fd, const void *bytes, size_t count);
// Reads up to a NUL, until that time at the latest; the count of bytes with it, 0 at the end of the stream, -1 when the time is over.
ssize_t receive_message(int fd, char *room, size_t size, int64_t until);
// Sends one datagram or some bytes with descriptors.
ssize_t send_descriptors(int fd, const char *text, size_t count, const int *descriptors, int many);
// Receives one descriptor; -1 where none comes.
int receive_descriptor(int fd);
// The whole content of a file.
char *content(const char *path, size_t *count);
// Writes a text into a file that exists.
void put(const char *path, const char *text);

// The attacks: `arguments` are those behind the command's name, ended by NULL.
int probe(char **arguments);
int pour(char **arguments);
int storm(char **arguments);
int say(char **arguments);
int ask(char **arguments);
int notify_flood(char **arguments);
int linger(char **arguments);
int replace_pid(char **arguments);
int turncoat(char **arguments);
int stop_children(char **arguments);
int hang(char **arguments);
int slow_fsync(char **arguments);
int refuse(char **arguments);
int bad_luck(char **arguments);
int log_to(char **arguments);
int answer(char **arguments);
int leave_group(char **arguments);
int truncate_output(char **arguments);
int later(char **arguments);
int run(char **arguments);

#endif
