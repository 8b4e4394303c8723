// NAME, a player for quintain. choose is yours to change; the rest speaks the protocol.
// Build it with `go build -o bot`.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand"
	"os"
)

// message is any line from the arena.
type message struct {
	Type        string          `json:"type"`
	Observation json.RawMessage `json:"observation"`
	Actions     []string        `json:"actions"`
	Game        string          `json:"game"`
	Seat        int             `json:"seat"`
	Seats       int             `json:"seats"`
	Seed        uint64          `json:"seed"`
	Setting     json.RawMessage `json:"setting"`
}

// choose returns one of turn.Actions. turn.Observation is what this seat sees (`quintain games
// --schema GAME` describes it), match the message that began the match.
func choose(turn, match message, random *rand.Rand) string {
	return turn.Actions[random.Intn(len(turn.Actions))]
}

func say(fields map[string]any) {
	line, _ := json.Marshal(fields)
	fmt.Println(string(line))
}

func main() {
	in := bufio.NewReader(os.Stdin)
	random := rand.New(rand.NewSource(0))
	var match message
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var heard message
		if json.Unmarshal(line, &heard) != nil {
			continue
		}
		switch heard.Type {
		case "hello":
			say(map[string]any{"type": "ready", "name": "NAME", "games": []string{"GAME"}})
		case "start":
			match = heard
			random = rand.New(rand.NewSource(int64(heard.Seed)))
		case "turn":
			action := choose(heard, match, random)
			say(map[string]any{"type": "action", "action": action})
			// Standard output belongs to the protocol; look at things on standard error:
			// fmt.Fprintln(os.Stderr, action)
		case "bye":
			return
		}
	}
}
