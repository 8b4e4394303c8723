#!/bin/sh
# Plays the beginning of a match that example.jsonl holds, without quintain: sh test.sh
# Every turn is to be answered by an action that it offers. If your player makes actions of its own,
# compare with something else.
cd "$(dirname "$0")" || exit 1
PREPARE
COMMAND <example.jsonl | awk '
    FNR == 1 { file += 1 }
    file == 1 && /"type":"turn"/ {
        offered[++turns] = substr($0, index($0, "\"actions\":["))
        sub(/\],"time_ms".*/, "]", offered[turns])
    }
    file == 2 && !/^[{].*[}]$/ {
        print "standard output belongs to the protocol, and this is no message: " $0
        wrong += 1
    }
    file == 2 && /"type": *"action"/ {
        answers += 1
        match($0, /"action": *"[^"]*"/)
        action = substr($0, RSTART, RLENGTH)
        sub(/^"action": */, "", action)
        if (action == "" || index(offered[answers], action) == 0) {
            print "turn " answers " of the example: " action " is not offered"
            wrong += 1
        }
    }
    END {
        if (answers != turns) print answers + 0 " answers to " turns " turns"
        if (wrong > 0 || answers != turns) exit 1
        print "ok: " turns " turns, each answered by an action that it offers"
    }' example.jsonl -
