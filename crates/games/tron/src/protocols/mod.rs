//! The protocols of tron's contests, in both directions: a program written for a contest plays
//! here, and our players enter a contest's own referee. The formats are in `docs/protocols.md`; a
//! position's own text forms are in [`crate::notation`].

mod battlesnake;
mod codingame;
mod gaic2010;
mod hackerrank;
mod lines;
mod riddles;

use quintain_core::ForeignProtocol;

/// All protocols.
pub(crate) const ALL: [ForeignProtocol; 5] = [
    hackerrank::PROTOCOL,
    gaic2010::PROTOCOL,
    codingame::PROTOCOL,
    riddles::PROTOCOL,
    battlesnake::PROTOCOL,
];

#[cfg(test)]
mod tests {
    use quintain_core::{Match, Parsed, Question, Rng, Rules, Seat};

    use super::lines::parse_numbers;
    use super::*;
    use crate::rules::Tron;
    use crate::rules::direction::Direction;
    use crate::rules::state::{Cell, State};

    fn question(state: &State, seat: usize) -> Question {
        let observation = serde_json::to_value(state).unwrap();
        Question::new(Seat::new(seat), state.turn(), observation, Vec::new())
    }

    /// What a protocol's program understands of a question asked by its referee.
    fn request_of(
        protocol: &ForeignProtocol,
        state: &State,
        seat: usize,
    ) -> quintain_core::Request {
        let text = (protocol.referee)().question(&question(state, seat)).unwrap();
        let mut program = (protocol.program.unwrap())();
        let mut parsed: Vec<Parsed> =
            text.lines().map(|line| program.hear(line).unwrap()).collect();
        match parsed.pop().unwrap() {
            Parsed::Request(request) => {
                assert!(parsed.iter().all(|line| *line == Parsed::More), "{}", protocol.name);
                request
            }
            other => panic!("{}: {other:?} after\n{text}", protocol.name),
        }
    }

    /// The positions of a match between random players on a board.
    fn positions(scenario: &str, seed: u64) -> Vec<State> {
        let (built, _) = crate::entry().build(scenario).unwrap();
        let mut current = Match::new(built, seed);
        let mut rng = Rng::from_seed(seed);
        let mut all = Vec::new();
        while !current.is_over() {
            all.push(current.state().clone());
            let joint: Vec<Direction> = (current.acting().iter())
                .map(|seat| {
                    let mut sensible = Vec::new();
                    Tron::pruned_actions(current.rules(), current.state(), *seat, &mut sensible);
                    sensible[rng.below(sensible.len())]
                })
                .collect();
            current.play(&joint).unwrap();
        }
        all
    }

    #[test]
    fn hackerranks_question_is_the_letter_the_heads_and_the_board() {
        let state = positions("hackerrank", 1).remove(0);
        let text = hackerrank::PROTOCOL.referee_text(&question(&state, 1));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[..3], ["g", "7 1 7 13", "###############"]);
        assert_eq!(lines[9], "#r-----------g#");
        assert_eq!(lines.len(), 17);
    }

    #[test]
    fn the_question_of_2010_shows_oneself_as_1() {
        let state = crate::notation::parse_drawn("#####\n#Aa #\n#bB #\n#####");
        let text = gaic2010::PROTOCOL.referee_text(&question(&state, 1));
        assert_eq!(text, "5 4\n#####\n#2# #\n##1 #\n#####\n");
    }

    #[test]
    fn the_first_question_of_codingame_shows_starts_and_heads_of_those_before() {
        let states = positions("codingame?players=3", 4);
        let mut referee = (codingame::PROTOCOL.referee)();
        let text = referee.question(&question(&states[1], 1)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "3 1");
        let [x0, y0, x1, y1] = parse_numbers(lines[1]).unwrap();
        assert_eq!((x0 - x1).abs() + (y0 - y1).abs(), 1, "seat 0 has moved once");
        let [x0, y0, x1, y1] = parse_numbers(lines[2]).unwrap();
        assert_eq!((x0, y0), (x1, y1), "seat 1 stands on its start");
    }

    #[test]
    fn riddles_first_question_begins_with_the_settings_and_the_second_does_not() {
        let state = crate::notation::parse_drawn("#####\n#Aa #\n#bB #\n#####");
        let mut referee = (riddles::PROTOCOL.referee)();
        let text = referee.question(&question(&state, 1)).unwrap();
        let settings = "settings player_names player0,player1\nsettings your_bot player1\n\
                        settings timebank 10000\nsettings time_per_move 200\n\
                        settings your_botid 1\nsettings field_width 3\nsettings field_height 2\n";
        let turn = "update game round 0\nupdate game field 0,x,.,x,1,.\naction move 10000\n";
        assert_eq!(text, format!("{settings}{turn}"));
        assert_eq!(referee.question(&question(&state, 1)).unwrap(), turn);
    }

    #[test]
    fn a_program_hears_the_position_that_its_referee_tells() {
        for (protocol, scenario) in [
            (hackerrank::PROTOCOL, "hackerrank"),
            (gaic2010::PROTOCOL, "rooms?width=19&height=15"),
            (riddles::PROTOCOL, "riddles"),
            (riddles::PROTOCOL, "rooms?width=19&height=15"),
            (battlesnake::PROTOCOL, "hackerrank"),
            (battlesnake::PROTOCOL, "rooms?width=19&height=15"),
        ] {
            for state in positions(scenario, 7) {
                for seat in 0..2 {
                    let asked = request_of(&protocol, &state, seat);
                    let shown: State = serde_json::from_value(asked.observation).unwrap();
                    let is_taken = |state: &State, cell| state.cell(cell) != Cell::Free;
                    let cells = 0..state.width() * state.height();
                    assert!(
                        cells.clone().all(|cell| is_taken(&shown, cell) == is_taken(&state, cell))
                    );
                    let own = Seat::new(seat);
                    assert_eq!(shown.head(asked.seat), state.head(own));
                }
            }
        }
    }

    #[test]
    fn a_program_of_codingame_remembers_the_trails_while_everyone_lives() {
        let states = positions("codingame?players=2", 11);
        let mut referee = (codingame::PROTOCOL.referee)();
        let mut program = (codingame::PROTOCOL.program.unwrap())();
        for state in states.iter().skip(1).step_by(2) {
            let text = referee.question(&question(state, 1)).unwrap();
            let asked = text.lines().map(|line| program.hear(line).unwrap()).last();
            let Some(Parsed::Request(asked)) = asked else { panic!("a question is complete") };
            let shown: State = serde_json::from_value(asked.observation).unwrap();
            assert_eq!(shown.to_string(), state.to_string());
            assert_eq!(asked.turn, state.turn());
        }
    }

    #[test]
    fn answers_are_read_and_written_in_each_protocols_own_words() {
        for protocol in ALL {
            for direction in Direction::ALL {
                let text = (protocol.program.unwrap())().answer(&direction.to_string());
                let read = (protocol.referee)().answer(text.trim_end()).unwrap().unwrap();
                assert_eq!(read, direction.to_string(), "{}", protocol.name);
            }
            let expected =
                (protocol.referee)().answer("north by northwest").unwrap_err().to_string();
            assert!(expected.starts_with("expected "), "{}: {expected}", protocol.name);
        }
    }

    /// The problem with a question, if its program notices one.
    fn find_problem(protocol: &ForeignProtocol, text: &str) -> Option<String> {
        let mut program = (protocol.program.unwrap())();
        for line in text.lines() {
            match program.hear(line) {
                Ok(Parsed::More) => {}
                Ok(Parsed::Request(request)) => {
                    let shown = serde_json::from_value::<State>(request.observation);
                    return shown.err().map(|error| error.to_string());
                }
                Ok(_) => {}
                Err(error) => return Some(error.to_string()),
            }
        }
        None
    }

    #[test]
    fn sizes_heads_and_cells_out_of_range_are_refused_in_words() {
        let board = "#####\n#r g#\n#####\n#####\n#####\n";
        let huge = "2147483647";
        let field = |width: usize, height: usize, cells: &str| {
            format!(
                "settings field_width {width}\nsettings field_height {height}\n\
                 update game field {cells}\naction move 9\n"
            )
        };
        let snakes = |width: usize, height: usize, x: usize| {
            let you = serde_json::json!({ "id": "A", "body": [{ "x": x, "y": 0 }] });
            let board = serde_json::json!({ "width": width, "height": height, "snakes": [you] });
            serde_json::json!({ "turn": 0, "board": board, "you": you }).to_string()
        };
        for (protocol, text) in [
            (hackerrank::PROTOCOL, format!("r\n1 1 1 3\n-1 5\n{board}")),
            (hackerrank::PROTOCOL, format!("r\n1 1 1 3\n{huge} 5\n{board}")),
            (hackerrank::PROTOCOL, format!("r\n1 1 1 3\n0 0\n{board}")),
            (hackerrank::PROTOCOL, format!("r\n1 1 1 3\n5 -1\n{board}")),
            (hackerrank::PROTOCOL, format!("r\n-1 -1 1 3\n5 5\n{board}")),
            (hackerrank::PROTOCOL, format!("r\n{huge} 1 1 3\n5 5\n{board}")),
            (hackerrank::PROTOCOL, format!("r\n4 4 1 3\n5 5\n{board}")),
            (hackerrank::PROTOCOL, "r\n1 1 1 3\n3 3\n\n\n\n".to_owned()),
            (gaic2010::PROTOCOL, format!("5 -1\n{board}")),
            (gaic2010::PROTOCOL, format!("5 {huge}\n{board}")),
            (gaic2010::PROTOCOL, "3 3\n1\n2#\n#\n".to_owned()),
            (codingame::PROTOCOL, "-1 0\n".to_owned()),
            (codingame::PROTOCOL, format!("{huge} 0\n")),
            (codingame::PROTOCOL, "2 -1\n".to_owned()),
            (codingame::PROTOCOL, "2 0\n0 -1 0 0\n1 1 1 1\n".to_owned()),
            (codingame::PROTOCOL, format!("2 0\n0 0 {huge} 0\n1 1 1 1\n")),
            (riddles::PROTOCOL, "settings your_botid 2\n".to_owned()),
            (riddles::PROTOCOL, format!("settings field_width {huge}\n")),
            (riddles::PROTOCOL, "settings field_height -1\n".to_owned()),
            (riddles::PROTOCOL, "action move 9\n".to_owned()),
            (riddles::PROTOCOL, field(2, 2, "0,1,.")),
            (riddles::PROTOCOL, field(2, 2, "0,0,.,x")),
            (riddles::PROTOCOL, field(2, 1, "0,2")),
            (battlesnake::PROTOCOL, "up\n".to_owned()),
            (battlesnake::PROTOCOL, snakes(9, 9, 9)),
            (battlesnake::PROTOCOL, snakes(300, 9, 0)),
            (battlesnake::PROTOCOL, snakes(0, 9, 0)),
        ] {
            let why = find_problem(&protocol, &text);
            assert!(why.is_some_and(|why| !why.is_empty()), "{}: {text}", protocol.name);
        }
    }

    trait RefereeText {
        fn referee_text(&self, question: &Question) -> String;
    }

    impl RefereeText for ForeignProtocol {
        fn referee_text(&self, question: &Question) -> String {
            (self.referee)().question(question).unwrap()
        }
    }
}
