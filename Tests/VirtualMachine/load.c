// What memory is taken with in the virtual machine: programs that hold it, need it all the time, or want ever more.
//
//   load hold MB            holds so much and sleeps
//   load beat MB FILE       uses so much all the time, and keeps in FILE how long it was ever kept from that
//   load hog MB_PER_S FILE  waits in FILE for how much it is to have, and grows to that
//
// FILE has two numbers of 64 bits: of a beat the longest pause in ns and the beats so far, of a hog the bytes that it is to
// have and those that it has.
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, BEAT_MS = 20, STEP_MS = 10 };

static volatile uint64_t *shared(const char *path) {
    int file = open(path, O_RDWR | O_CREAT, 0644);
    if (file < 0 || ftruncate(file, 16) != 0) err(1, "%s", path);
    void *place = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (place == MAP_FAILED) err(1, "mmap %s", path);
    return place;
}

static unsigned char *room(size_t size) {
    void *place = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) err(1, "mmap");
    // Small pages: what is taken is what was touched.
    madvise(place, size, MADV_NOHUGEPAGE);
    return place;
}

// Fills pages with what neither compresses nor is the same twice.
static void fill(unsigned char *place, size_t size) {
    static uint64_t state = 88172645463325252u;
    for (size_t at = 0; at < size; at += PAGE)
        for (size_t word = 0; word < PAGE / 2; word += 8) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            memcpy(place + at + word, &state, 8);
        }
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void pause_ms(unsigned ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static _Noreturn void beat(unsigned char *place, size_t size, volatile uint64_t *told) {
    size_t part = size / 50 / PAGE * PAGE + PAGE;
    uint64_t before = now();
    for (size_t at = 0;; at = at + part < size ? at + part : 0) {
        for (size_t page = at; page < at + part && page < size; page += PAGE) place[page]++;
        uint64_t after = now();
        if (after - before > told[0]) told[0] = after - before;
        told[1]++;
        before = after;
        pause_ms(BEAT_MS);
    }
}

static _Noreturn void grow(size_t rate, volatile uint64_t *told) {
    while (told[0] == 0) pause_ms(STEP_MS);
    size_t size = told[0] / PAGE * PAGE;
    unsigned char *place = room(size);
    for (size_t at = 0, step = rate / 1000 * STEP_MS / PAGE * PAGE; at < size; at += step) {
        if (step > size - at) step = size - at;
        fill(place + at, step);
        told[1] = at + step;
        pause_ms(STEP_MS);
    }
    for (;;) pause();
}

int main(int count, char **words) {
    if (count < 3) errx(64, "usage: load hold MB | beat MB FILE | hog MB_PER_S FILE");
    size_t size = strtoul(words[2], NULL, 10) << 20;
    if (strcmp(words[1], "hog") == 0 && count == 4) grow(size, shared(words[3]));
    unsigned char *place = room(size);
    fill(place, size);
    if (strcmp(words[1], "beat") == 0 && count == 4) beat(place, size, shared(words[3]));
    for (;;) pause();
}
