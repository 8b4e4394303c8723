//! The players of the roster behind the protocols of contests.

use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

use quintain_core::Record;

use crate::place::{Place, QUINTAIN, answering, python};

#[test]
fn a_player_plays_the_same_match_behind_every_protocol() {
    let place = Place::new();
    let mut entries = String::new();
    for (name, protocol) in
        [("own", "quintain"), ("rank", "hackerrank-tron"), ("challenge", "gaic2010")]
    {
        entries += &format!(
            "[{name}]\ncommand = [\"{QUINTAIN}\", \"bot\", \"serve\", \"--protocol\", \
             \"{protocol}\", \"tron/improved\"]\nprotocol = \"{protocol}\"\n"
        );
    }
    place.write("bots.toml", &entries);
    let limits = ["--scenario", "hackerrank?opening=4", "--seed", "5", "--budget", "nodes=200"];
    let ours = place.record(&[&["improved", "contest2010"][..], &limits].concat());
    for name in ["bot:own", "bot:rank", "bot:challenge"] {
        let theirs = place.record(&[&[name, "contest2010"][..], &limits].concat());
        assert_eq!(theirs.outcome.fault, None, "{name}");
        assert_eq!(theirs.actions, ours.actions, "{name}");
    }
    // The same match with the edge of the world for a wall.
    let entry = entries.replace("gaic2010", "riddles-tron");
    place.write("bots.toml", &entry);
    let theirs = place.record(&[&["bot:challenge", "contest2010"][..], &limits].concat());
    assert_eq!((theirs.outcome.fault, theirs.actions), (None, ours.actions));
    // One after another, on the other contest's board.
    let entry = entries.replace("gaic2010", "codingame-tron");
    place.write("bots.toml", &entry);
    let limits = ["--scenario", "codingame", "--seed", "5", "--budget", "nodes=200"];
    let theirs = place.record(&[&["contest2010", "bot:challenge"][..], &limits].concat());
    assert_eq!(theirs.outcome.fault, None);
    // Without a scenario, it is checked on one that its protocol can express.
    let checked = place.says(&["bot", "check", "bot:challenge"]);
    assert!(checked.contains("tron:codingame"), "{checked}");
}

/// A file of the page on protocols, which readers save.
fn starter(file: &str) -> String {
    let page = include_str!("../../../../../docs/protocols.md");
    let (_, rest) = page.split_once(&format!("```python {file}\n")).unwrap();
    rest.split_once("```\n").unwrap().0.to_owned()
}

#[test]
fn the_starter_for_riddles_light_riders_plays() {
    let place = Place::new();
    place.write("rider.py", &starter("rider.py"));
    let list =
        format!("[rider]\ncommand = \"{} rider.py\"\nprotocol = \"riddles-tron\"\n", python());
    place.write("bots.toml", &list);
    for players in [["bot:rider", "random"], ["random", "bot:rider"]] {
        let limits = ["--scenario", "riddles", "--budget", "move=400ms"];
        let played = place.record(&[&players[..], &limits].concat());
        assert_eq!(played.outcome.fault, None);
        let own = players.iter().position(|player| *player == "bot:rider").unwrap();
        assert_eq!(played.outcome.scores[own], 1.0, "a random player crashes first");
    }
}

/// A conversation with Riddles' engine, as it is described: what it says, and what it gets.
#[test]
fn a_recorded_conversation_of_light_riders_is_understood_by_the_starter() {
    let place = Place::new();
    place.write("rider.py", &starter("rider.py"));
    let said = "settings timebank 10000\nsettings time_per_move 200\n\
                settings player_names player0,player1\nsettings your_bot player0\n\
                settings your_botid 0\nsettings field_width 4\nsettings field_height 3\n\
                update game round 0\nupdate game field .,.,.,.,.,0,.,1,.,.,.,.\n\
                action move 10000\n\
                update game round 1\nupdate game field .,0,.,1,.,x,.,x,.,.,.,.\n\
                action move 10000\n";
    let words: Vec<String> = python().split_whitespace().map(str::to_owned).collect();
    let mut rider = std::process::Command::new(&words[0]);
    rider.args(&words[1..]).arg("rider.py").current_dir(place.path());
    rider.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut rider = rider.spawn().unwrap();
    rider.stdin.take().unwrap().write_all(said.as_bytes()).unwrap();
    let output = rider.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "up\nright\n");
}

#[test]
fn lower_limits_that_the_arena_was_started_with_stay() {
    let place = Place::new();
    let left = "for turn in turns(): say({'type': 'action', 'action': 'L'})\n";
    place.write("left.py", &format!("{}{left}", crate::place::HELLO));
    let program = format!("exec:\"{} left.py\"", python());
    let limits = "ulimit -Hv 4000000; ulimit -Hn 60; ulimit -Ht 3000; exec \"$@\"";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", limits, "sh", QUINTAIN, "match", "tron", &program, "basic"]);
    let output = command.current_dir(place.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !said.contains("forfeits"), "{said}{complained}");
}

/// Serves a player to a referee that says these lines.
fn serve(place: &Place, player: &str, lines: &str) -> Output {
    let mut command = place.command(&["bot", "serve", player]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut served = command.spawn().unwrap();
    // It may have ended before it reads.
    let _ = served.stdin.take().unwrap().write_all(lines.as_bytes());
    served.wait_with_output().unwrap()
}

const HELLO: &str = "{\"type\":\"hello\",\"protocol\":1,\"arena\":\"a referee\"}\n";

#[test]
fn unready_programs_are_not_served() {
    let place = Place::new();
    place.write(
        "bots.toml",
        "[ends]\ncommand = [\"true\"]\n\
         [late]\ncommand = [\"sleep\", \"9\"]\nlimits = { start = \"300ms\" }\n\
         [babbles]\ncommand = [\"sh\", \"-c\", \"read line; echo hi; read line\"]\n",
    );
    for (name, expected) in [
        ("ends", "crash: it ended with exit code 0 before it answered “hello”"),
        ("late", "timeout: hello: no answer within 300ms"),
        ("babbles", "protocol error: hello: expected {\"type\":\"ready\",…}, got “hi”"),
    ] {
        let output = serve(&place, &format!("tron/bot:{name}"), HELLO);
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(text.contains(&format!("bot:{name} never starts: {expected}")), "{text}");
        assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()), "{text}");
    }
}

#[test]
fn a_served_player_refuses_another_game() {
    let start = "{\"type\":\"start\",\"match\":1,\"game\":\"gather\",\"scenario\":\"course\",\
                 \"seats\":1,\"seat\":0,\"seed\":1,\"limits\":{}}\n";
    let output = serve(&Place::new(), "tron/basic", &format!("{HELLO}{start}"));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("line 2: start names gather; this is a tron player"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn programs_that_plan_whole_games_play() {
    let place = Place::new();
    place.write(
        "bots.toml",
        &format!(
            "[contest]\ncommand = [\"{QUINTAIN}\", \"solve\", \"hextris\"]\nprotocol = \
             \"icfp2015\"\n\
             limits = {{ answer = \"1s\" }}\n\
             [course]\ncommand = [\"sh\", \"-c\", \"cat >&2; echo RRDLL\"]\n\
             protocol = \"polymer-file\"\n"
        ),
    );
    let play = |game: &str, player: &str, scenario: &str| {
        place.says(&["match", game, player, "--scenario", scenario, "--save", "record.json"]);
        let text = fs::read_to_string(place.path().join("record.json")).unwrap();
        Record::from_json(&text).unwrap()
    };
    let planned = play("hextris", "bot:contest", "drawn?size=16&phrases=ei!");
    assert_eq!(planned.outcome.fault, None);
    assert!(planned.outcome.scores[0] > 0.0);
    let walked = play("polymer", "bot:course", "random?width=3&height=3&n=6");
    assert_eq!((walked.outcome.fault, walked.actions.as_str()), (None, "R R D L L"));
    let short = play("polymer", "bot:course", "random?width=3&height=3&n=8");
    let fault = short.outcome.fault.unwrap().fault;
    assert!(fault.detail.starts_with("expected a walk: "), "{fault}");
    assert_eq!(fault.said.len(), 1, "what it read: {:?}", fault.said);
}

#[test]
fn every_command_that_is_suggested_after_a_forfeit_works_for_that_player() {
    let place = Place::new();
    place.write("ends.py", &answering("sys.exit(3)"));
    let once = "sh -c 'read a; read b; read c; echo UP; exit 3'";
    place.write(
        "bots.toml",
        &format!(
            "[own]\ncommand = \"{} ends.py\"\n\
             [foreign]\ncommand = \"{once}\"\nprotocol = \"codingame-tron\"\n",
            python()
        ),
    );
    let exec = format!("exec:\"{} ends.py\"", python());
    for (player, hints) in [("bot:own", 2), ("bot:foreign", 1), (&*exec, 2)] {
        let played = ["match", "tron:codingame", player, "basic", "--save", "record.json"];
        let said = String::from_utf8(place.run(&played).stdout).unwrap();
        assert!(said.contains("forfeits: crash: "), "{player}: {said}");
        let commands: Vec<&str> = said
            .lines()
            .filter(|line| line.starts_with("to "))
            .filter_map(|line| line.split_once(": quintain ").map(|(_, command)| command))
            .collect();
        assert_eq!(commands.len(), hints, "{player}: {said}");
        for command in commands {
            let words = shlex::split(command).unwrap();
            let output = place.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
            // The program fails again; a command that cannot be carried out returns 2.
            let complained = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{player}: {command}: {complained}");
        }
    }
}
