// Delays system calls of torpor and torpord at random, for LD_PRELOAD: what is right only because one thread, process or peer was quicker
// than another comes out (`make delays`).
//
// DELAYS is one call of so many, before it or after it; DELAYS_MOST the most of a delay, in microseconds; DELAYS_SEED begins another series.
// Each thread has its own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

static int is_on = -1;
static uint64_t seed;
static unsigned long one_of = 40, most = 8000;
static __thread uint64_t state;

// Not by syscall(3), which is among those that are delayed.
static long call(long number, long first, long second) {
    long result;
#if defined(__x86_64__)
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(first), "S"(second) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
    register long x8 __asm__("x8") = number, x0 __asm__("x0") = first, x1 __asm__("x1") = second;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
    result = x0;
#endif
    return result;
}

static unsigned long number(const char *name, unsigned long otherwise) {
    const char *text = getenv(name);
    unsigned long value = text ? strtoul(text, 0, 10) : 0;
    return value ? value : otherwise;
}

static void begin(void) {
    const char *program = program_invocation_short_name;
    one_of = number("DELAYS", one_of);
    most = number("DELAYS_MOST", most);
    seed = number("DELAYS_SEED", 1);
    // Not the helpers, whose system calls are filtered, and not the workers.
    is_on = program && (!strcmp(program, "torpor") || !strcmp(program, "torpord"));
}

static void delay(void) {
    if (is_on < 0) begin();
    if (!is_on) return;
    if (!state) state = (seed * 0x9E3779B97F4A7C15 ^ (uint64_t)call(SYS_gettid, 0, 0) * 0xD1B54A32D192ED03) | 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    if (state % one_of) return;
    // A third of them are short: what differs by little only comes out by these.
    unsigned long microseconds = (state >> 20) % most / (state >> 50 & 3 ? 1 : 20);
    struct timespec span = {0, (long)microseconds * 1000};
    call(SYS_nanosleep, (long)&span, 0);
}

// All of them return what fits in a register and take at most seven of these.
#define DELAYED(NAME)                                                                                                                   \
    long delayed_##NAME(long a, long b, long c, long d, long e, long f, long g) __asm__(#NAME);                                         \
    long delayed_##NAME(long a, long b, long c, long d, long e, long f, long g) {                                                       \
        static long (*_Atomic found)(long, long, long, long, long, long, long);                                                         \
        if (!found) found = (long (*)(long, long, long, long, long, long, long))dlsym(RTLD_NEXT, #NAME);                                \
        int before = errno;                                                                                                             \
        delay();                                                                                                                        \
        errno = before;                                                                                                                 \
        long result = found(a, b, c, d, e, f, g);                                                                                       \
        int after = errno;                                                                                                              \
        delay();                                                                                                                        \
        errno = after;                                                                                                                  \
        return result;                                                                                                                  \
    }

DELAYED(accept4)
DELAYED(bind)
DELAYED(close)
DELAYED(connect)
DELAYED(epoll_ctl)
DELAYED(epoll_wait)
DELAYED(fcntl)
DELAYED(fstat)
DELAYED(getsockname)
DELAYED(getsockopt)
DELAYED(ioctl)
DELAYED(kill)
DELAYED(listen)
DELAYED(mkdir)
DELAYED(mkdirat)
DELAYED(open)
DELAYED(open64)
DELAYED(openat)
DELAYED(poll)
DELAYED(ppoll)
DELAYED(pread)
DELAYED(pread64)
DELAYED(pthread_cond_signal)
DELAYED(pthread_cond_wait)
DELAYED(pthread_create)
DELAYED(pwrite)
DELAYED(read)
DELAYED(readlink)
DELAYED(readlinkat)
DELAYED(recv)
DELAYED(recvfrom)
DELAYED(recvmsg)
DELAYED(rmdir)
DELAYED(send)
DELAYED(sendmsg)
DELAYED(sendto)
DELAYED(stat)
DELAYED(syscall)
DELAYED(timerfd_settime)
DELAYED(unlink)
DELAYED(unlinkat)
DELAYED(waitid)
DELAYED(write)
