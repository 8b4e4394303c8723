package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// limit is the time limit for all turns together.
const limit = 60 * time.Second

// listen plays the messages of a file, without quintain: go test. example.jsonl holds those of the
// beginning of a match. It returns everything that the player wrote to standard output.
func listen(t *testing.T, file string) string {
	example, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	input, output := os.Stdin, os.Stdout
	defer func() { os.Stdin, os.Stdout = input, output }()
	os.Stdin, os.Stdout = example, writer
	said := make(chan string)
	go func() {
		text, _ := io.ReadAll(reader)
		said <- string(text)
	}()
	go func() {
		main()
		writer.Close()
	}()
	select {
	case text := <-said:
		return text
	case <-time.After(limit):
		os.Stdout = output
		t.Fatalf("no end after %v: does it loop?", limit)
		return ""
	}
}

func offers(turn message, action string) bool {
	for _, offered := range turn.Actions {
		if offered == action {
			return true
		}
	}
	return false
}

func TestEveryTurnIsAnsweredByAnActionThatItOffers(t *testing.T) {
	example, err := os.ReadFile("example.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var turns []message
	for _, line := range strings.Split(strings.TrimSpace(string(example)), "\n") {
		var heard message
		if err := json.Unmarshal([]byte(line), &heard); err != nil {
			t.Fatal(err)
		}
		if heard.Type == "turn" {
			turns = append(turns, heard)
		}
	}
	answers := -1 // the greeting
	for _, line := range strings.Split(strings.TrimSpace(listen(t, "example.jsonl")), "\n") {
		var answer struct {
			Type   string
			Action any
		}
		err := json.Unmarshal([]byte(line), &answer)
		if err != nil && strings.Contains(line, "}{") {
			t.Fatalf("more than one message in a line; end each with a newline: %s", line)
		}
		if err == nil && answer.Type == "" {
			t.Fatalf("a message needs a \"type\", such as \"action\": %s", line)
		}
		if err != nil {
			t.Fatalf("standard output belongs to the protocol, and this is not a message; print it to os.Stderr: %s", line)
		}
		if answer.Type == "action" && answer.Action == nil {
			t.Fatalf("answer %d of the example: it has no \"action\": %s", answers, line)
		}
		// If your player builds its own actions, compare with something else. Actions in JSON form are not
		// compared here: `quintain bot check` plays them.
		action, isText := answer.Action.(string)
		if isText && answers >= 0 && answers < len(turns) && !offers(turns[answers], action) {
			t.Errorf("turn %d of the example: %q is not among %v", answers, action, turns[answers].Actions)
		}
		answers++
	}
	if answers != len(turns) {
		t.Fatalf("%d answers to %d turns", answers, len(turns))
	}
}

// The lessons in the folder lessons are made of lost matches, by quintain lesson.
func TestNoMistakeOfALessonIsMadeAgain(t *testing.T) {
	files, _ := filepath.Glob("lessons/*.json")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var lesson struct {
				Messages, Mistakes, Better []string
				Sentence                   string
			}
			err = json.Unmarshal(text, &lesson)
			if err != nil || len(lesson.Mistakes) == 0 {
				t.Fatalf("%s: not a lesson (%v); make it again or delete it", filepath.Base(file), err)
			}
			if len(lesson.Messages) == 0 {
				t.Skip("it is too long for this file; `quintain bot check` runs it")
			}
			input := filepath.Join(t.TempDir(), "lesson.jsonl")
			if err := os.WriteFile(input, []byte(strings.Join(lesson.Messages, "\n")+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			said := strings.Split(strings.TrimSpace(listen(t, input)), "\n")
			var answer struct{ Action any }
			if err := json.Unmarshal([]byte(said[len(said)-1]), &answer); err != nil || answer.Action == nil {
				t.Fatalf("it gives no action: %s", said[len(said)-1])
			}
			for _, mistake := range lesson.Mistakes {
				if answer.Action == mistake {
					better := strings.Join(lesson.Better, " or ")
					t.Fatalf("%s again; better: %s\n%s", mistake, better, lesson.Sentence)
				}
			}
		})
	}
}
