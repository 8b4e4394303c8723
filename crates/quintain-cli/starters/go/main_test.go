package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

// The beginning of a match that example.jsonl holds, without quintain: go test
func TestEveryTurnIsAnsweredByAnActionThatItOffers(t *testing.T) {
	example, err := os.ReadFile("example.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	play(bytes.NewReader(example), &out)
	var turns []message
	for _, line := range bytes.Split(bytes.TrimSpace(example), []byte("\n")) {
		var heard message
		if err := json.Unmarshal(line, &heard); err != nil {
			t.Fatal(err)
		}
		if heard.Type == "turn" {
			turns = append(turns, heard)
		}
	}
	said := bytes.Split(bytes.TrimSpace(out.Bytes()), []byte("\n"))
	if len(said) != 1+len(turns) {
		t.Fatalf("%d lines for %d turns and a greeting", len(said), len(turns))
	}
	for at, turn := range turns {
		var answer struct{ Action string }
		if err := json.Unmarshal(said[at+1], &answer); err != nil {
			t.Fatal(err)
		}
		// If your player makes actions of its own, compare with something else.
		isOffered := false
		for _, action := range turn.Actions {
			isOffered = isOffered || action == answer.Action
		}
		if !isOffered {
			t.Errorf("turn %d of the example: %q is not offered", at, answer.Action)
		}
	}
}
