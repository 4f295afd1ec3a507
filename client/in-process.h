/* The ways out of the client that are not the daemon's answer. None of them lets anything pass in the mode `block`. */
#include <fcntl.h>
#include <signal.h>

#include "bytes.h"

/* What was called, and how far it has come. */
static struct call {
    const char *file, *mode, *node;
    /* The folder of the script and of its part for a process of its own. */
    const char *package;
    int wire;
    struct text payload;
} call = {.file = "", .mode = "continue", .node = "node", .package = CLIENT, .wire = -1};

static int failure_status(void)
{
    return strcmp(call.mode, "block") == 0 ? 2 : 1;
}

/* Takes no memory: there may be none. */
static void say(int fd, const char *text)
{
    write_all(fd, text, strlen(text), -1);
}

/* Nobody can answer; the failure mode decides. */
static _Noreturn void fail(const char *what)
{
    say(2, "hookline: "), say(2, what), say(2, "\n");
    if (failure_status() == 2) _exit(2);
    say(1, "{\"systemMessage\":\"hookline: ");
    for (; *what; what++) {
        if (*what == '"' || *what == '\\') say(1, "\\");
        write_all(1, what, 1, -1);
    }
    say(1, "\"}\n");
    _exit(1);
}

static _Noreturn void out_of_memory(void)
{
    fail("there is no memory for the hook's payload.");
}

static _Noreturn void package_is_gone(void)
{
    struct text what = {0};
    add_words(&what, (const char *[]){call.package, " is gone. Install hookline again, or take its hooks out of the settings.", NULL});
    fail(what.at);
}

/*
 * The same app in a process of its own, by the script's part for that: what was read so far goes along on descriptor 4, the rest is still on
 * standard input. `why` says why the daemon did not answer.
 */
static _Noreturn void in_process(const char *why)
{
    struct text script = {0};
    /* Only a worktree that is refused has an exit status of its own. */
    int worktree = call.payload.size > 0 && strstr(call.payload.at, "WorktreeCreate");
    int ends[2];
    if (call.wire >= 0) close(call.wire);
    add_words(&script, (const char *[]){call.package, "/in-process.bash", NULL});
    if (access(script.at, R_OK) != 0) package_is_gone();
    pid_t writer = pipe(ends) == 0 ? fork() : -1;
    if (writer < 0) fail("no process can be started, so the hooks file was not run.");
    if (writer == 0) {
        /* Nobody may wait for this one. */
        for (int fd = 0; fd < 3; fd++) close(fd);
        close(ends[0]);
        signal(SIGPIPE, SIG_DFL);
        write_all(ends[1], call.payload.at, call.payload.size, -1);
        _exit(0);
    }
    close(ends[1]);
    if (ends[0] != 4) {
        if (dup2(ends[0], 4) != 4) fail("no descriptor is left, so the hooks file was not run.");
        close(ends[0]);
    }
    signal(SIGPIPE, SIG_DFL);
    const char *words[] = {"bash", "-p", script.at, call.file, call.mode, why, call.node, worktree ? "WorktreeCreate" : "", NULL};
    execv("/bin/bash", (char **)words);
    fail("/bin/bash cannot be started, so the hooks file was not run.");
}
