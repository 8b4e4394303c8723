// A player of tron and hextris for Node: run it with `node bot.js`.
const STEPS = { U: [-1, 0], R: [0, 1], D: [1, 0], L: [0, -1] };

// The cells that can be reached from a cell.
function room(board, start) {
  const seen = new Set([start.join()]), edge = [start];
  while (edge.length > 0) {
    const [row, column] = edge.pop();
    for (const [down, right] of Object.values(STEPS)) {
      const cell = [row + down, column + right];
      if (board[cell[0]][cell[1]] === " " && !seen.has(cell.join())) {
        seen.add(cell.join());
        edge.push(cell);
      }
    }
  }
  return seen.size;
}

function largest(items, worth) {
  return items.reduce((best, item) => (worth(item) > worth(best) ? item : best));
}

const players = {
  // The way to the largest room.
  tron(seen, seat, actions) {
    const [row, column] = seen.heads[seat];
    return largest(actions, (action) => {
      const [down, right] = STEPS[action];
      const cell = [row + down, column + right];
      return seen.board[cell[0]][cell[1]] === " " ? room(seen.board, cell) : -1;
    });
  },
  // The longest way down.
  hextris: (seen, seat, actions) => largest(actions, (action) => action.length),
};

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

let match;
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "hello") {
    say({ type: "ready", name: "bot.js", games: Object.keys(players) });
  } else if (message.type === "start") {
    match = message;
  } else if (message.type === "turn") {
    const play = players[match.game];
    say({ type: "action", action: play(message.observation, match.seat, message.actions) });
  } else if (message.type === "bye") {
    process.exit(0);
  }
});
