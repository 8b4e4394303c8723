#!/bin/sh
# A player of tron and hextris in POSIX shell: run it with `sh bot.sh`.

# A field of a JSON line: what stands between "$1": and $2.
field() {
    printf '%s\n' "$line" | sed "s/.*\"$1\"://; s/$2.*//"
}

# The way to a free cell from which most ways go on.
tron() {
    board=$(field board ']' | tr -d '["' | tr ',' '\n')
    heads=$(field heads ']]' | tr -d '[' | tr '],' '  ')
    printf '%s\n' "$board" | awk -v heads="$heads" -v seat="$seat" '
        { rows[NR - 1] = $0 }
        function free(row, column) { return substr(rows[row], column + 1, 1) == " " }
        END {
            split(heads, at, " "); row = at[2 * seat + 1]; column = at[2 * seat + 2]
            split("U R D L", names, " "); split("-1 0 1 0", down, " "); split("0 1 0 -1", right, " ")
            best = "U"; most = -1
            for (way = 1; way <= 4; way++) {
                r = row + down[way]; c = column + right[way]
                ways = free(r - 1, c) + free(r + 1, c) + free(r, c - 1) + free(r, c + 1)
                if (free(r, c) && ways > most) { best = names[way]; most = ways }
            }
            print best
        }'
}

# The longest way down.
hextris() {
    field actions ']' | tr -d '["' | tr ',' '\n' |
        awk 'length($0) > length(best) { best = $0 } END { print best }'
}

while IFS= read -r line; do
    case $line in
    '{"type":"hello"'*) echo '{"type":"ready","name":"bot.sh","games":["tron","hextris"]}' ;;
    '{"type":"start"'*)
        game=$(field game , | tr -d '"')
        seat=$(field seat ,)
        ;;
    '{"type":"turn"'*) echo "{\"type\":\"action\",\"action\":\"$("$game")\"}" ;;
    '{"type":"bye"'*) exit 0 ;;
    esac
done
