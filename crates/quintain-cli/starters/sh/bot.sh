#!/bin/sh
# NAME, a player for quintain. `choose` is yours to change; the rest speaks the protocol.

# Prints one of the actions on standard input, which come one a line. The whole message is in
# $line: `quintain games --schema GAME` describes what its observation holds. $seed is the match's:
# a checksum of it and the turn draws the same action in the same match.
choose() {
    drawn=$(printf '%s %s' "$seed" "$turn" | cksum | cut -d ' ' -f 1)
    awk -v drawn="$drawn" '{ lines[NR] = $0 } END { print lines[drawn % NR + 1] }'
}

# The number that stands under a name in $line.
number() {
    printf '%s\n' "$line" | sed "s/.*\"$1\":\([0-9]*\).*/\1/"
}

# The actions in $line, one a line.
actions() {
    printf '%s\n' "$line" | sed 's/.*"actions":\["//; s/"\].*//; s/","/\
/g'
}

while IFS= read -r line; do
    case $line in
    '{"type":"hello"'*) echo '{"type":"ready","name":"NAME","games":["GAME"]}' ;;
    '{"type":"start"'*) seed=$(number seed) ;;
    '{"type":"turn"'*)
        turn=$(number turn)
        action=$(actions | choose)
        echo "{\"type\":\"action\",\"action\":\"$action\"}"
        # Standard output belongs to the protocol; look at things on standard error:
        # echo "$action" >&2
        ;;
    '{"type":"bye"'*) exit 0 ;;
    esac
done
