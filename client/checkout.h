/* Whether the state directory is inside a checkout, which could contain a record of its own. */
#include <limits.h>

#include "in-process.h"

static int is_inside(const char *path, const char *folder)
{
    const size_t size = strlen(folder);
    return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

/* The home directory and its parents may contain the state directory. `cwd` has no links. */
static int is_in_checkout(const char *state, const char *cwd)
{
    const char *named = getenv("HOOKLINE_HOME"), *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (!(named && *named) && !(xdg && *xdg)) return 0;
    char *folder = realpath(state, NULL), *own = home ? realpath(home, NULL) : NULL;
    if (!own) own = "";
    while (folder && *folder && !is_inside(own, folder)) {
        struct text git = {0};
        add_words(&git, (const char *[]){folder, "/.git", NULL});
        if (strcmp(folder, cwd) == 0 || access(git.at, F_OK) == 0) return 1;
        *strrchr(folder, '/') = '\0';
    }
    return 0;
}
