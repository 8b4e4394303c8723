#!/bin/sh
# Plays the beginning of a match, which example.jsonl holds, without quintain: sh test.sh
# It also asks about the lessons in the folder lessons, which `quintain lesson` makes of lost matches.
# Every turn must be answered with an action that it offers. If your player builds its own actions,
# compare with something else; actions in JSON form are not compared here.
cd "$(dirname "$0")" || exit 1
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
PREPARE
limit= # the time limit in seconds for all turns together, if the system can set one
command -v timeout >/dev/null && limit="timeout 60"

# Plays the messages of a file.
play() {
    $limit COMMAND <"$1" >"$place/said"
    code=$?
    if [ "$code" = 124 ] && [ -n "$limit" ]; then
        echo "no end after ${limit#timeout } seconds: does it loop?"
        exit 1
    elif [ "$code" != 0 ]; then
        echo "it ended with exit code $code; see its standard error above"
        exit 1
    fi
}

# Prints the texts of a list in the lesson $lesson, one per line.
list() {
    sed -n "/^  \"$1\": \[/,/^  \]/s/^    \"\(.*\)\",\{0,1\}\$/\1/p" "$lesson" | sed 's/\\\(.\)/\1/g'
}

play example.jsonl
awk '
    FNR == 1 { file += 1 }
    file == 1 && /"type":"turn"/ {
        offered[++turns] = substr($0, index($0, "\"actions\":["))
        sub(/\],"time_ms".*/, "]", offered[turns])
    }
    file == 2 && /[}][ \t]*[{]"/ {
        print "more than one message in a line; end each with a newline: " substr($0, 1, 200)
        wrong += 1
    }
    file == 2 && /^[{].*[}]$/ && !/"type"/ {
        print "a message needs a \"type\", such as \"action\", in double quotes: " $0
        wrong += 1
    }
    file == 2 && !/^[{].*[}]$/ {
        print "standard output belongs to the protocol, and this is not a message; " \
            "print it to standard error: " $0
        wrong += 1
    }
    file == 2 && /"type": *"action"/ {
        answers += 1
        if ($0 ~ /"action": *[{[]/) next
        match($0, /"action": *"[^"]*"/)
        action = substr($0, RSTART, RLENGTH)
        sub(/^"action": */, "", action)
        if (action == "") {
            print "turn " answers " of the example: it has no \"action\": " $0
            wrong += 1
            next
        }
        if (index(offered[answers], action) == 0) {
            print "turn " answers " of the example: " action " is not offered"
            wrong += 1
        }
    }
    END {
        if (answers != turns) print answers + 0 " answers to " turns " turns"
        if (wrong > 0 || answers != turns) exit 1
        print "ok: " turns " turns, each answered by an action that it offers"
    }' example.jsonl "$place/said" || exit 1

again=0
for lesson in lessons/*.json; do
    [ -e "$lesson" ] || continue
    if [ "$(tail -n 1 "$lesson")" != "}" ] || [ -z "$(list mistakes)" ]; then
        echo "$lesson: not a lesson; make it again or delete it"
        again=1
        continue
    fi
    list messages >"$place/lesson"
    if [ ! -s "$place/lesson" ]; then
        echo "skipped: $lesson is too long for this file; quintain bot check runs it"
        continue
    fi
    if ! (play "$place/lesson"); then
        echo "$lesson: see above"
        again=1
        continue
    fi
    action=$(tail -n 1 "$place/said" | sed -n 's/.*"action": *"\([^"]*\)".*/\1/p')
    if list mistakes | grep -Fqx -e "$action"; then
        echo "$lesson: $action again; better: $(list better | tr '\n' ' ')"
        sed -n 's/^  "sentence": "\(.*\)",$/\1/p' "$lesson"
        again=1
    else
        echo "ok: $lesson"
    fi
done
exit $again
