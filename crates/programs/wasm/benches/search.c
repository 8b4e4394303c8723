// A search for tron as plain C, built natively and to WebAssembly by the same compiler: minimax over
// both players' moves, positions judged by who is first at more cells. `NODES` positions are visited.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define SIDE 17
#define CELLS (SIDE * SIDE)
#ifndef NODES
#define NODES 1000000
#endif

static const int STEP[4] = {-SIDE, 1, SIDE, -1};
static uint8_t wall[CELLS];
static uint64_t nodes, check, state;

static uint64_t draw(void) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545F4914F6CDD1Dull;
}

// Cells that the first reaches sooner, less those that the second does.
static int judge(int first, int second) {
    static int16_t queue[CELLS];
    static uint8_t owner[CELLS];
    memcpy(owner, wall, CELLS);
    int begin = 0, end = 0, score = 0;
    queue[end++] = (int16_t)first;
    queue[end++] = (int16_t)second;
    owner[first] = 1, owner[second] = 2;
    while (begin < end) {
        int cell = queue[begin++];
        for (int way = 0; way < 4; way++) {
            int next = cell + STEP[way];
            if (owner[next]) continue;
            owner[next] = owner[cell];
            score += owner[cell] == 1 ? 1 : -1;
            queue[end++] = (int16_t)next;
        }
    }
    return score;
}

static int search(int mover, int other, int depth, int alpha, int beta) {
    nodes++;
    if (depth == 0) return judge(mover, other);
    int best = -1000;
    for (int way = 0; way < 4; way++) {
        int next = mover + STEP[way];
        if (wall[next]) continue;
        wall[next] = 3;
        int value = -search(other, next, depth - 1, -beta, -alpha);
        wall[next] = 0;
        if (value > best) best = value;
        if (value > alpha) alpha = value;
        if (alpha >= beta) break;
    }
    return best;
}

static void run(void) {
    nodes = check = 0, state = 1;
    while (nodes < NODES) {
        memset(wall, 0, CELLS);
        for (int at = 0; at < SIDE; at++) {
            wall[at] = wall[CELLS - 1 - at] = wall[at * SIDE] = wall[at * SIDE + SIDE - 1] = 3;
        }
        for (int count = 0; count < 30; count++) wall[draw() % CELLS] = 3;
        int first = SIDE + 1, second = CELLS - SIDE - 2;
        wall[first] = wall[second] = 3;
        check = check * 31 + (uint64_t)(int64_t)search(first, second, 8, -1000, 1000);
    }
}

#ifdef __wasm__
static char text[1 << 16];

__attribute__((export_name("alloc"))) char *alloc(uint32_t length) {
    return length <= sizeof text ? text : 0;
}

__attribute__((export_name("decide"))) uint64_t decide(const char *message, uint32_t length) {
    (void)message, (void)length;
    run();
    static char reply[200];
    int size = snprintf(reply, sizeof reply,
                        "{\"type\":\"action\",\"action\":\"U\",\"notes\":{\"nodes\":%llu,\"check\":%u}}",
                        (unsigned long long)nodes, (unsigned)(check & 0xffffffff));
    return (uint64_t)(uintptr_t)reply << 32 | (uint64_t)size;
}
#else
#include <time.h>

int main(void) {
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    run();
    clock_gettime(CLOCK_MONOTONIC, &after);
    double seconds = (double)(after.tv_sec - before.tv_sec) + (after.tv_nsec - before.tv_nsec) / 1e9;
    printf("%llu %u %.9f\n", (unsigned long long)nodes, (unsigned)(check & 0xffffffff), seconds);
}
#endif
