/* How the client ends without an answer from the daemon. In mode `block` a failure here always denies. */
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include "bytes.h"

/* The arguments of the call, and its state. */
static struct call {
    const char *file, *mode, *node;
    /* As they were given, with the name of the program. */
    int count;
    char **words;
    /* The directory of hookline-client and in-process.bash. */
    const char *package;
    int wire;
    /* How long the daemon has worked on the call. */
    unsigned long spent_s;
    struct text payload;
} call = {.file = "", .mode = "continue", .node = "node", .package = CLIENT, .wire = -1};

static int failure_status(void)
{
    return strcmp(call.mode, "block") == 0 ? 2 : 1;
}

/* Allocates no memory: there may be none. */
static void say(int fd, const char *text)
{
    write_all(fd, text, strlen(text), -1);
}

/* The length of the UTF-8 character at the beginning of a text; 0 if it is not valid UTF-8. */
static int utf8_size(const unsigned char *at)
{
    const int size = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : *at < 0xf5 ? 4 : 0;
    for (int i = 1; i < size; i++) if ((at[i] & 0xc0) != 0x80) return 0;
    /* Overlong encodings, surrogates, and code points beyond U+10FFFF. */
    if ((*at == 0xe0 && at[1] < 0xa0) || (*at == 0xed && at[1] > 0x9f)) return 0;
    if ((*at == 0xf0 && at[1] < 0x90) || (*at == 0xf4 && at[1] > 0x8f)) return 0;
    return size;
}

/* Writes a text escaped for a JSON string. Paths may contain control characters, and bytes that are not UTF-8. */
static void say_json(int fd, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    while (*text) {
        const unsigned char one = (unsigned char)*text;
        const int size = utf8_size((const unsigned char *)text);
        const char escaped[] = {'\\', 'u', '0', '0', hex[one >> 4], hex[one & 15], '\0'};
        if (size == 0) say(fd, "\\ufffd");
        else if (one < 0x20 || one == 0x7f) say(fd, escaped);
        else {
            if (one == '"' || one == '\\') say(fd, "\\");
            write_all(fd, text, (size_t)size, -1);
        }
        text += size > 0 ? size : 1;
    }
}

/* The app cannot be run; the failure mode decides. */
static _Noreturn void fail(const char *what)
{
    say(2, "hookline: "), say(2, what), say(2, "\n");
    if (failure_status() == 2) _exit(2);
    say(1, "{\"systemMessage\":\"hookline: ");
    say_json(1, what);
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
    add_words(&what, (const char *[]){call.package, " no longer exists. Install hookline again, or remove its hooks from the settings.", NULL});
    fail(what.at);
}

/* Opens a regular file for reading without blocking; -1 if it is not a regular file or cannot be opened. */
static int open_file(const char *path)
{
    struct stat found;
    int in = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (in < 0) return -1;
    if (fstat(in, &found) == 0 && S_ISREG(found.st_mode)) return in;
    close(in);
    return -1;
}

/*
 * Runs the app in a separate process, with in-process.bash: the part of the payload that was read is on descriptor 4, the rest is still on
 * standard input. `why` is the reason why the daemon did not answer.
 */
static _Noreturn void in_process(const char *why)
{
    struct text script = {0};
    int ends[2];
    if (call.wire >= 0) close(call.wire);
    add_words(&script, (const char *[]){call.package, "/in-process.bash", NULL});
    int found = open_file(script.at);
    if (found < 0) package_is_gone();
    close(found);
    pid_t writer = pipe(ends) == 0 ? fork() : -1;
    if (writer < 0) fail("no process can be started, so the hooks file was not run.");
    if (writer == 0) {
        /* With these open, a host could wait for this process to end. */
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
    /* A script that was cut off ends without an exit status of its own. */
    struct text command = {0};
    add_words(&command, (const char *[]){". \"$0\"; echo 'hookline: in-process.bash is incomplete.' >&2; exit ", failure_status() == 2 ? "2" : "1", NULL});
    struct text reason = {0};
    add_words(&reason, (const char *[]){why, " ", NULL});
    add_number(&reason, call.spent_s);
    const char *const first[] = {"bash", "-p", "-c", command.at, script.at, reason.at, call.node, ""};
    const size_t given = call.count > 0 ? (size_t)call.count - 1 : 0;
    const char **words = calloc(given + 9, sizeof *words);
    if (!words) out_of_memory();
    memcpy(words, first, sizeof first);
    memcpy(words + 8, call.words + 1, given * sizeof *words);
    execv("/bin/bash", (char **)words);
    fail("/bin/bash cannot be started, so the hooks file was not run.");
}
