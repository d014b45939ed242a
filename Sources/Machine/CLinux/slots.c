#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// A launch that finds no free block, or has more to pass than one holds, does without.
enum { BLOCKS = 4, ROOM = 5 };

static int slots[BLOCKS][ROOM], nothing = -1, highest = -1;
static int taken[BLOCKS];
static pthread_mutex_t reserving = PTHREAD_MUTEX_INITIALIZER;

// Whether a child can part from our table of descriptors while it closes most of it: not before Linux 5.9, and not where a filter
// refuses it. It is tried in a child, whose end is told to nobody but __WALL.
static int can_part(void) {
    long child = syscall(SYS_clone, CLONE_FILES, 0, 0, 0, 0);
    if (child == 0) {
        long parted = syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_UNSHARE);
        for (;;) syscall(SYS_exit_group, parted == 0 ? 0 : 1);
    }
    int status = -1;
    while (child > 0 && waitpid((pid_t)child, &status, __WALL) < 0 && errno == EINTR) {
    }
    return child > 0 && status == 0;
}

static int reserve(void) {
    if (highest >= 0) return 0;
    if (!can_part()) return -ENOSYS;
    nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    int most = nothing, made = 0;
    for (; nothing >= 0 && made < BLOCKS * ROOM; made++) {
        int slot = fcntl(nothing, F_DUPFD_CLOEXEC, 3);
        if (slot < 0) break;
        slots[made / ROOM][made % ROOM] = slot;
        if (slot > most) most = slot;
    }
    if (made == BLOCKS * ROOM) {
        __atomic_store_n(&highest, most, __ATOMIC_RELEASE);
        return 0;
    }
    int error = errno;
    while (made-- > 0) close(slots[made / ROOM][made % ROOM]);
    if (nothing >= 0) close(nothing);
    nothing = -1;
    return -error;
}

// Once: a second thread would put its slots in the place of those in which a launch has lent something.
int torpor_reserve_slots(void) {
    pthread_mutex_lock(&reserving);
    int result = reserve();
    pthread_mutex_unlock(&reserving);
    return result;
}

// Puts a source that a child would lose into a slot; whether there was one.
static int lend(struct torpor_launch *l, int *source) {
    if (*source <= highest) return 1;
    if (l->slot_count == ROOM) return 0;
    int slot = slots[l->slot_block][l->slot_count];
    if (dup3(*source, slot, O_CLOEXEC) < 0) return 0;
    l->slot_count++;
    *source = slot;
    return 1;
}

void torpor_lend_slots(struct torpor_launch *l) {
    l->slot_block = -1;
    l->slot_count = 0;
    // What the child uses besides has no slot.
    if (__atomic_load_n(&highest, __ATOMIC_ACQUIRE) < 0 || l->keeps_descriptors || l->notices_binds || l->terminal >= 0) return;
    for (int block = 0; block < BLOCKS && l->slot_block < 0; block++)
        if (__atomic_exchange_n(&taken[block], 1, __ATOMIC_ACQUIRE) == 0) l->slot_block = block;
    if (l->slot_block < 0) return;
    int fits = lend(l, &l->working_descriptor);
    for (int i = 0; i < 3 && fits; i++) fits = lend(l, &l->standard[i]);
    for (int i = 0; i < l->passed_count && fits; i++) fits = lend(l, &l->passed[i]);
    // What has been lent already is a duplicate like any other, and kept until the child has its own.
    l->parts_from = fits ? highest + 1 : 0;
}

void torpor_return_slots(struct torpor_launch *l) {
    if (l->slot_block < 0) return;
    // Nothing of a worker stays open in them: who reads from a pipe waits for its last writer.
    while (l->slot_count > 0) dup3(nothing, slots[l->slot_block][--l->slot_count], O_CLOEXEC);
    __atomic_store_n(&taken[l->slot_block], 0, __ATOMIC_RELEASE);
    l->slot_block = -1;
}
