// NAME, a player for quintain. `choose` is yours to change; the rest speaks the protocol.
// Build it with `BUILD`.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ACTIONS 4096
#define LONGEST_LINE (1 << 20)

static uint64_t state = 1;

// Returns a random number (xorshift64*).
static uint64_t draw(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1Dull;
}

// Returns one of the actions. The message is a line of JSON with what this seat sees under
// "observation": `quintain games --schema GAME` describes it.
static const char *choose(const char *message, char **actions, size_t count) {
    (void)message;
    return actions[draw() % count];
}

// Returns the text after a name; this is enough of JSON for this protocol.
static char *find(char *line, const char *name) {
    char *at = strstr(line, name);
    return at == NULL ? NULL : at + strlen(name);
}

// Reads the list of actions, and ends each with a zero byte in place; this is enough for actions
// without quotes in them.
static size_t read_actions(char *line, char **actions) {
    size_t count = 0;
    char *at = find(line, "\"actions\":[");
    while (at != NULL && *at == '"' && count < MOST_ACTIONS) {
        char *end = strchr(at + 1, '"');
        if (end == NULL) break;
        actions[count++] = at + 1;
        at = end[1] == ',' ? end + 2 : end + 1;
        *end = '\0';
    }
    return count;
}

static bool is(char *line, const char *type) {
    char *found = find(line, "\"type\":\"");
    return found != NULL && strncmp(found, type, strlen(type)) == 0;
}

int main(void) {
    static char line[LONGEST_LINE], copy[LONGEST_LINE];
    static char *actions[MOST_ACTIONS];
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (is(line, "hello")) {
            puts("{\"type\":\"ready\",\"name\":\"NAME\",\"games\":[\"GAME\"],\"protocol\":2}");
        } else if (is(line, "start")) {
            char *seed = find(line, "\"seed\":");
            if (seed != NULL) state = strtoull(seed, NULL, 10) | 1;
        } else if (is(line, "turn")) {
            strcpy(copy, line);
            size_t count = read_actions(copy, actions);
            if (count == 0) return 1;
            printf("{\"type\":\"action\",\"action\":\"%s\"}\n", choose(line, actions, count));
            // Standard output belongs to the protocol; for debugging, print to standard error.
        } else if (is(line, "bye")) {
            break;
        }
        fflush(stdout);
    }
    return 0;
}
