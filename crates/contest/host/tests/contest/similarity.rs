//! Programs that are alike, which only the organiser sees.

use crate::setup::{Contest, WALKER};

/// What somebody adds to the starter kit's program.
pub(crate) const OWN: &str = "
def best(board, moves):
    top = None
    for move in moves:
        value = score(board.after(move), 3) + len(moves)
        if top is None or value > top[0]:
            top = (value, move)
    return top[1]

def score(board, depth):
    if depth == 0 or board.over:
        return board.free() - board.taken() * 2
    return max(-score(board.after(m), depth - 1) for m in board.moves())

def spread(cells, start, walls):
    seen, edge = {start}, [start]
    while edge:
        x, y = edge.pop()
        for near in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
            if near in cells and near not in walls and near not in seen:
                seen.add(near)
                edge.append(near)
    return len(seen)
";

#[test]
fn copies_are_found_under_other_names_and_the_starter_kit_is_no_copy() {
    let Some(contest) = Contest::new() else { return };
    let [ada, bob, carol, dan, eve] =
        ["ada", "bob", "carol", "dan", "eve"].map(|name| contest.invite(name));
    let server = contest.serve();
    let organiser = server.sign_in(&contest.organiser);
    let hand_in = |token: &str, text: &str| {
        assert_eq!(server.hand_in(token, "bot.py", text.as_bytes()).status, 201);
    };
    // Two have the kit as it is; their files are the same, and nothing of it is their own.
    let page = || server.get_as(&organiser, "/organiser/similarity").body;
    assert!(page().contains("None."), "{}", page());
    for token in [&carol, &dan] {
        hand_in(token, WALKER);
    }
    let starters = page();
    assert!(starters.contains("carol, version 1; dan, version 1"), "{starters}");
    assert!(starters.contains("unchanged starter, the same files"), "{starters}");
    hand_in(&ada, &format!("{WALKER}{OWN}"));
    let disguised = OWN.replace("board", "field").replace("score", "worth").replace("3)", "5)");
    hand_in(&bob, &format!("# all my own work\n{disguised}{WALKER}"));
    hand_in(&eve, &format!("{WALKER}{OWN}"));
    let page = page();
    let alike = |one: &str, other: &str| {
        let row = format!("{one}, version 1</span> and <span class=\"name\">{other}, version 1<");
        page.contains(&row)
    };
    assert!(alike("ada", "bob") && alike("ada", "eve") && alike("bob", "eve"), "{page}");
    assert_eq!(page.matches("side by side").count(), 3, "{page}");
    assert_eq!(page.matches(">the same files<").count(), 1, "{page}");
    let link =
        page.split("href=\"/organiser/similarity/").nth(1).unwrap().split('"').next().unwrap();
    let path = format!("/organiser/similarity/{link}");
    let both = server.get_as(&organiser, &path).body;
    assert!(both.contains("<mark>def best(board, moves):\n</mark>"), "{both}");
    for path in ["/organiser/similarity", &path] {
        assert_eq!(server.get_as(&server.sign_in(&ada), path).status, 403, "{path}");
    }
}
