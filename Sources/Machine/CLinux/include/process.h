/// The child's side of a launch: what runs between clone3(2) and execve(2), where only async-signal-safe C may.
#pragma once
#include <stdint.h>
#include <sys/types.h>

/// How far a launch came; where it failed, its `error` says why.
enum torpor_stage {
    TORPOR_STAGE_NONE,
    TORPOR_STAGE_CLONE,
    TORPOR_STAGE_CGROUP,
    TORPOR_STAGE_SESSION,
    TORPOR_STAGE_DESCRIPTORS,
    TORPOR_STAGE_LIMITS,
    TORPOR_STAGE_PRIORITY,
    TORPOR_STAGE_OOM_SCORE,
    TORPOR_STAGE_CREDENTIALS,
    TORPOR_STAGE_WORKING_DIRECTORY,
    TORPOR_STAGE_PRIVILEGES,
    TORPOR_STAGE_EXEC,
};

/// Whether the child leads a session, a process group, or nothing.
enum torpor_session {
    TORPOR_SESSION_AS_IS,
    TORPOR_SESSION_OWN_GROUP,
    TORPOR_SESSION_OWN_SESSION,
};

/// One setrlimit(2) of the child.
struct torpor_limit {
    int resource;
    uint64_t soft;
    uint64_t hard;
};

/// What another thread may know of a launch that is under way.
struct torpor_told {
    /// The child's pid, written before the child runs; 0 while there is none.
    pid_t pid;
    /// TORPOR_STAGE_WORKING_DIRECTORY or _EXEC when the child has come to one of these, which may hang; else 0.
    int step;
};

/// A launch, prepared by the parent so that the child allocates and computes nothing.
///
/// The child shares our memory until it executes: what it writes here we read after.
struct torpor_launch {
    /// The paths to try in order, ended by a null pointer.
    char *const *candidates;
    char *const *arguments;
    /// The arguments for a script without `#!`: `/bin/sh`, room for its path, the arguments after the first.
    char **shell_arguments;
    char *const *environment;
    /// Rooms of zeroes in the environment where the child writes its own pid; null where unwanted.
    char *pid_rooms[2];
    const char *working_directory;
    /// The descriptor of the directory to start in, where `working_directory` is null; -1 for ours.
    int working_descriptor;
    /// The signals that stay ignored, bit 0 for SIGHUP; every other one has its default.
    uint64_t ignored;
    /// The signals that are blocked from the start, bit 0 for SIGHUP.
    uint64_t blocked;

    enum torpor_session session;
    /// The terminal whose foreground the child's own process group takes; -1 for none.
    int terminal;
    /// A directory descriptor of the cgroup to start in; -1 for ours.
    int cgroup;

    /// What becomes descriptor 0, 1 and 2; -1 keeps ours.
    int standard[3];
    /// What becomes descriptor 3 and up. The child overwrites the array.
    int *passed;
    int passed_count;
    /// Whether others from there on stay open, unless they are closed on exec.
    int keeps_descriptors;

    const struct torpor_limit *limits;
    int limit_count;

    int sets_umask, umask;
    int sets_nice, nice;
    int sets_io_priority, io_priority;
    /// The text for /proc/self/oom_score_adj; null for none.
    const char *oom_score;
    int sets_groups;
    const gid_t *groups;
    int group_count;
    int sets_gid, sets_uid;
    gid_t gid;
    uid_t uid;
    int no_new_privileges;
    /// The signal that the death of our launching thread sends to the child; 0 for none.
    int parent_death_signal;
    pid_t parent;

    /// Set before: whether bind(2) of the child waits for answers (binds.h). Set after: by which descriptor they are given; -1 where there
    /// is none, for `bind_error`. The sockets are for the launch alone.
    int notices_binds, bind_listener, bind_error;
    int bind_sockets[2];

    /// For the launch alone: the slots that hold what the child is given, and the descriptor from which on it has none of ours, since it
    /// shares our table until it parts from it; 0 where it has a table of its own from the start.
    int slot_block, slot_count, parts_from;

    /// Set before: whether a pidfd is wanted. Set after: the pidfd, or -1.
    int wants_pidfd, pidfd;
    /// Whether a child that does not execute is left for the caller's reaper.
    int leaves_reaping;
    /// What another thread may read meanwhile, all zeroes before; null for none.
    struct torpor_told *told;
    /// Set after: whether the child has the terminal's foreground.
    int owns_terminal;
    /// Set after: TORPOR_STAGE_NONE when the child executes, else where and why it does not.
    int stage, error;
};

/// Starts the child and returns its pid once it executes; -1 with `stage` and `error` set.
///
/// The calling thread waits for that as long as it takes; several threads may launch at the same time.
pid_t torpor_launch(struct torpor_launch *launch);

/// Reserves low descriptors, so that launches take as long however many descriptors are open; 0 or -errno.
///
/// A child gets a copy of our table, of which it closes all but a few: with thousands of workers that is what takes longest in a
/// launch. With what it is given in low slots it shares the table instead, and parts from it with a copy of what lies below
/// (close_range(2), CLOSE_RANGE_UNSHARE). Without slots launches do the former. Called once, before there are other threads.
int torpor_reserve_slots(void);

/// Lends slots to a launch, where it can do with them; for torpor_launch.
void torpor_lend_slots(struct torpor_launch *launch);

/// Takes back what was lent.
void torpor_return_slots(struct torpor_launch *launch);

/// What `told` says now.
struct torpor_told torpor_told(const struct torpor_told *told);

/// Starts a keeper: a process of our own program that does nothing until we are gone, by whatever end, and then writes `0`
/// to `freezer` (a `cgroup.freeze`; -1 for none) and sends SIGCONT to every pid that was written to `news`, as int32_t.
///
/// It has a session of its own, blocks every signal and keeps nothing else open. The answer is its pid, ours to reap, or -errno.
/// `news` is the caller's to close, after it has ended the keeper by SIGKILL where that is not needed any more.
pid_t torpor_keep(int freezer, int *news);

/// Whether we ignore `signal`.
int torpor_ignores(int signal);
