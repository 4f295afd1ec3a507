/* The arguments of the client. */

/* The value of an option: the text after `=`, or the next word. NULL if the word is not this option. */
static const char *value_of(const char *option, char **words, int *at)
{
    const size_t size = strlen(option);
    if (strncmp(words[*at], option, size) != 0) return NULL;
    if (words[*at][size] == '=') return words[*at] + size + 1;
    if (words[*at][size]) return NULL;
    return words[*at + 1] ? words[++*at] : "";
}

/* Returns what is wrong with the arguments; NULL if they are valid. */
static const char *read_words(int count, char **words)
{
    struct text wrong = {0};
    call.count = count, call.words = words;
    for (int at = 1; at < count; at++) {
        const char *word = words[at], *mode = value_of("--on-failure", words, &at);
        const char *event = mode ? NULL : value_of("--event", words, &at);
        if (mode) call.mode = mode;
        else if (event) continue;
        else if (*word != '-' && !*call.file) call.file = word;
        /* The first one is reported. */
        else if (wrong.size == 0) add_words(&wrong, (const char *[]){*word == '-' ? "Unknown option " : "Unexpected argument ", word, ".", NULL});
    }
    if (strcmp(call.mode, "continue") != 0) call.mode = "block";
    if (wrong.size > 0) return wrong.at;
    return *call.file ? NULL : "hookline-client takes one hooks file.";
}
