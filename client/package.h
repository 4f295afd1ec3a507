/* The package that the client belongs to, and whether it still is the version that the client was compiled from. */
/* If the package was replaced after this was compiled, the script of the installed package takes over. */
static void check_package(char **words)
{
    struct text path = {0};
    char head[4096];
    add_words(&path, (const char *[]){call.package, "/hookline-client", NULL});
    int in = open_file(path.at);
    ssize_t size = in < 0 ? -1 : read(in, head, sizeof head - 1);
    if (in >= 0) close(in);
    if (size <= 0) package_is_gone();
    head[size] = '\0';
    if (strstr(head, "\nhookline_version=" VERSION "\n")) return;
    execv(path.at, words);
    add_words(&path, (const char *[]){" cannot be started, so the hooks file was not run.", NULL});
    fail(path.at);
}
