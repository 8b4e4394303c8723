// NAME, a player for quintain. choose is yours to change; the rest speaks the protocol.
// Build it with `go build -o bot`; `go test` plays the beginning of a match.
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
	Type        string      `json:"type"`
	Observation Observation `json:"observation"`
	Actions     []string    `json:"actions"`
	Game        string      `json:"game"`
	Seat        int         `json:"seat"`
	Seats       int         `json:"seats"`
	Seed        uint64      `json:"seed"`
	Setting     Setting     `json:"setting"`
}

// choose returns one of the actions, or another action of the game in the same text form. observation is
// what this seat sees, and match is the message that began the match.
func choose(observation Observation, actions []string, match message, random *rand.Rand) string {
	return actions[random.Intn(len(actions))]
}

func say(out io.Writer, fields map[string]any) {
	line, _ := json.Marshal(fields)
	fmt.Fprintln(out, string(line))
}

func main() {
	play(os.Stdin, os.Stdout)
}

// play speaks the protocol.
func play(input io.Reader, out io.Writer) {
	in := bufio.NewReader(input)
	random := rand.New(rand.NewSource(0))
	var match message
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var heard message
		if problem := json.Unmarshal(line, &heard); problem != nil {
			fmt.Fprintln(os.Stderr, problem)
			continue
		}
		switch heard.Type {
		case "hello":
			say(out, map[string]any{"type": "ready", "name": "NAME", "games": []string{"GAME"}, "protocol": 2})
		case "start":
			match = heard
			random = rand.New(rand.NewSource(int64(heard.Seed)))
		case "turn":
			action := choose(heard.Observation, heard.Actions, match, random)
			say(out, map[string]any{"type": "action", "action": action})
			// Standard output belongs to the protocol; for debugging, print to standard error:
			// fmt.Fprintln(os.Stderr, action)
		case "bye":
			return
		}
	}
}
