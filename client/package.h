/* The package that the client belongs to: where it lies, and whether it is still the one that this was compiled from. */
#include "in-process.h"

/* What the script is called while we lie in its place. */
static const char kept_script[] = "hookline-client.bash";

static int script_in(const char *folder, const char *name, char *head, size_t room);
static int own_folder(const char *called, char *folder, size_t room);
static _Noreturn void become_script(const char *folder, const char *name, char **words);

/*
 * Where the package is, by its script: beside us when we lie in the script's place, wherever the project was moved to; else where it was.
 * The package may have been replaced since this was compiled. Its script belongs to what is there now.
 */
static void find_package(char **words)
{
    static char folder[4096];
    char head[4096];
    const char *name = kept_script, *asked = NULL;
    if (own_folder(words[0], folder, sizeof folder) && script_in(folder, name, head, sizeof head)) {
        call.package = folder;
        asked = getenv("HOOKLINE_CLIENT");
    } else {
        if (!script_in(call.package, "hookline-client", head, sizeof head)) package_is_gone();
        if (*head == '#') name = "hookline-client";
        else if (!script_in(call.package, name, head, sizeof head)) return;
    }
    if (strstr(head, "\nversion=" VERSION "\n") && !(asked && strcmp(asked, "script") == 0)) return;
    become_script(call.package, name, words);
}

/* Its beginning, where the version stands. */
static int script_in(const char *folder, const char *name, char *head, size_t room)
{
    struct text path = {0};
    add_words(&path, (const char *[]){folder, "/", name, NULL});
    int in = open_file(path.at);
    ssize_t size = in < 0 ? -1 : read(in, head, room - 1);
    if (in >= 0) close(in);
    if (size >= 0) head[size] = '\0';
    return size > 0;
}

/* The folder that this program lies in. */
static int own_folder(const char *called, char *folder, size_t room)
{
#ifdef __linux__
    ssize_t size = readlink("/proc/self/exe", folder, room - 1);
    folder[size < 0 ? 0 : size] = '\0';
#else
    *folder = '\0';
#endif
    if (!*folder && called && strlen(called) < room) strcpy(folder, called);
    char *end = strrchr(folder, '/');
    if (end) *end = '\0';
    return end != NULL;
}

static _Noreturn void become_script(const char *folder, const char *name, char **words)
{
    struct text path = {0};
    add_words(&path, (const char *[]){folder, "/", name, NULL});
    execv(path.at, words);
    add_words(&path, (const char *[]){" cannot be started, so the hooks file was not run.", NULL});
    fail(path.at);
}
