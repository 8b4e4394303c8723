#!/bin/sh
# NAME, a player for quintain. `choose` is yours to change; the rest speaks the protocol.

# Reads the actions from standard input, one per line, and prints one of them. The whole message is
# in $line: `quintain games --schema GAME` describes its observation. $seed is the match's seed: a
# checksum of it and the turn draws the same action in the same match.
choose() {
    drawn=$(printf '%s %s' "$seed" "$turn" | cksum | cut -d ' ' -f 1)
    awk -v drawn="$drawn" '{ lines[NR] = $0 } END { print lines[drawn % NR + 1] }'
}

# Prints the number under a name in $line.
number() {
    printf '%s\n' "$line" | sed "s/.*\"$1\":\([0-9]*\).*/\1/"
}

# Prints the actions in $line, one per line.
actions() {
    printf '%s\n' "$line" | sed 's/.*"actions":\["//; s/"\].*//; s/","/\
/g'
}

while IFS= read -r line; do
    case $line in
    '{"type":"hello"'*) echo '{"type":"ready","name":"NAME","games":["GAME"],"protocol":2}' ;;
    '{"type":"start"'*) seed=$(number seed) ;;
    '{"type":"turn"'*)
        turn=$(number turn)
        action=$(actions | choose)
        echo "{\"type\":\"action\",\"action\":\"$action\"}"
        # Standard output belongs to the protocol; for debugging, print to standard error:
        # echo "$action" >&2
        ;;
    '{"type":"bye"'*) exit 0 ;;
    esac
done
