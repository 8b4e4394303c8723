//! The rules on small boards drawn in text: `.` no trail, `a` a trail of that seat's
//! unit alone, `2` of two units, `A` a player, `*` several on one cell.

use proptest::prelude::*;
use quintain_core::{Catalog, Entry, Rng, Rules, Scenario, Seat, Setup, Turn, replay};
use quintain_gather::State;
use quintain_gather::{Cell, Gather, Move, Torus, entry, scenario};

fn build(scenario: &str) -> Scenario<Gather> {
    Entry::build(&entry(), scenario).unwrap().0
}

fn rules_of(scenario: &str) -> Gather {
    build(scenario).rules().clone()
}

/// The match that starts with players where the drawing has `A`, `B`, …
fn parse_position(options: &str, text: &str) -> (Gather, State) {
    let rows: Vec<&str> = text.split_whitespace().collect();
    let (width, height) = (rows[0].len(), rows.len());
    let mut starts = Vec::new();
    for letter in 'A'..='Z' {
        let place = rows.iter().enumerate().find_map(|(row, signs)| {
            signs.find(letter).map(|column| Cell { column: column as u16, row: row as u16 })
        });
        starts.extend(place);
    }
    let players = starts.len();
    let rules =
        rules_of(&format!("torus?width={width}&height={height}&players={players}&{options}"));
    let state = scenario(rules.clone(), Some(starts)).start(&mut Rng::from_seed(5));
    (rules, state)
}

/// Plays one round written as `E stay W` and compares with the drawing.
fn round(rules: &Gather, state: &mut State, moves: &str, after: &str) {
    let joint: Vec<Move> = moves.split(' ').map(|to| to.parse().unwrap()).collect();
    rules.step(state, &joint);
    let expected: Vec<&str> = after.split_whitespace().collect();
    let drawn = state.to_string();
    assert_eq!(drawn.lines().collect::<Vec<_>>(), expected, "after {moves}");
}

fn holdings(state: &State, seat: usize) -> Vec<usize> {
    state.holdings(Seat::new(seat)).collect()
}

#[test]
fn the_board_wraps_around_both_ways() {
    let (rules, mut state) = parse_position("", "A... .... ..B.");
    round(&rules, &mut state, "NW S", "a.B. .... ..bA");
}

#[test]
fn other_starts_from_which_everybody_has_seen_the_same_differ_only_in_what_nobody_knows() {
    let catalog = Catalog::new().with(entry());
    let game = catalog.game("gather", "course").unwrap();
    assert!(game.hides_start());
    let player = catalog.player("gather", "champion").unwrap();
    let record = game.play(&Setup::new(7301), &vec![&player; game.seats()], None).unwrap();
    let mut positions = Vec::new();
    replay(game.as_ref(), &record, &mut |state, _| positions.push(state.fork())).unwrap();
    let mut moved = 0;
    for (turn, truth) in positions.iter().enumerate() {
        for other in game.positions_alike(&record, turn as u32, 1, 30, 30) {
            assert_eq!(other.turn(), truth.turn());
            for seat in Seat::all(game.seats()) {
                assert_eq!(other.observation(seat), truth.observation(seat), "turn {turn}");
            }
            moved += usize::from(other.scene(None) != truth.scene(None));
        }
    }
    assert!(moved > 50, "{moved}");
    // Once everybody has seen something of everybody, nothing is unknown.
    let ends = game.positions_alike(&record, positions.len() as u32 - 1, 1, 60, 30);
    assert_eq!(ends.len(), 30);
}

#[test]
fn players_that_end_a_round_on_one_cell_pool_what_they_hold() {
    let (rules, mut state) = parse_position("", "A.B.C .....");
    round(&rules, &mut state, "E W stay", "a*b.C .....");
    assert_eq!((holdings(&state, 0), holdings(&state, 1)), (vec![0, 1], vec![0, 1]));
    assert_eq!(holdings(&state, 2), [2]);
    assert_eq!(rules.turn(&state), Turn::Simultaneous);
    // The second carries both units to the third: all three in one hand.
    round(&rules, &mut state, "stay E W", "aABCc .....");
    round(&rules, &mut state, "stay E stay", "aA2*c .....");
    assert_eq!(holdings(&state, 1), [0, 1, 2]);
    assert_eq!(holdings(&state, 0), [0, 1]);
    assert_eq!(rules.turn(&state), Turn::Over);
}

#[test]
fn a_swap_of_cells_is_not_a_meeting() {
    let (rules, mut state) = parse_position("", "AB.. ....");
    round(&rules, &mut state, "E W", "BA.. ....");
    assert_eq!(holdings(&state, 0), [0]);
    assert_eq!(state.trail(0).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn a_cell_remembers_every_unit_carried_onto_it_and_trails_never_fade() {
    let (rules, mut state) = parse_position("", "A...B. ......");
    round(&rules, &mut state, "E stay", "aA..B. ......");
    round(&rules, &mut state, "E W", "aaABb. ......");
    round(&rules, &mut state, "W stay", "aAaBb. ......");
    round(&rules, &mut state, "W W", "AaBbb. ......");
    assert_eq!(state.trail(2).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn the_cell_of_a_meeting_is_marked_with_the_pooled_units() {
    let (rules, mut state) = parse_position("", "A.B... C.....");
    rules.step(&mut state, &[Move::E, Move::W, Move::Stay]);
    assert_eq!(state.trail(1).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(state.trail(0).collect::<Vec<_>>(), [0]);
}

#[test]
fn a_start_cell_is_marked_unless_the_rules_say_otherwise() {
    let (_, marked) = parse_position("", "A..B");
    let (_, bare) = parse_position("marked=false", "A..B");
    assert_eq!((marked.trail(0).count(), bare.trail(0).count()), (1, 0));
}

#[test]
fn the_match_ends_when_any_player_holds_all_units() {
    let (rules, mut state) = parse_position("", "A.B... ...... ......");
    rules.step(&mut state, &[Move::E, Move::W]);
    assert_eq!(rules.turn(&state), Turn::Over);
    assert_eq!(rules.score(&state, Seat::new(0)), 1.0);
    assert!(!rules.ending(&state).truncated);
}

#[test]
fn a_match_cut_off_at_the_limit_is_truncated_and_counted_at_it() {
    let (rules, mut state) = parse_position("limit=2", "A..B.. ...... ...... ......");
    for _ in 0..2 {
        rules.step(&mut state, &[Move::Stay, Move::Stay]);
    }
    assert_eq!(rules.turn(&state), Turn::Over);
    assert!(rules.ending(&state).truncated);
    assert_eq!(rules.score(&state, Seat::new(1)), 2.0);
}

#[test]
fn a_player_sees_ids_and_trails_around_but_not_holdings_and_never_itself() {
    let (rules, state) = parse_position("masked=false", "AB.. .... C... ....");
    let seen = rules.observe(&state, Seat::new(0));
    assert_eq!(seen.at(Move::E).players.iter().collect::<Vec<_>>(), [1]);
    assert_eq!(seen.at(Move::E).trail.iter().collect::<Vec<_>>(), [1]);
    assert!(seen.at(Move::Stay).players.is_empty());
    assert!(seen.at(Move::S).trail.is_empty());
    let (rules, state) = parse_position("masked=false&mirror=true", "AB.. .... C... ....");
    let seen = rules.observe(&state, Seat::new(0));
    assert_eq!(seen.at(Move::Stay).players.iter().collect::<Vec<_>>(), [0]);
}

#[test]
fn on_a_board_one_cell_high_the_same_cell_shows_in_three_directions() {
    let (rules, state) = parse_position("", "A.B..");
    let seen = rules.observe(&state, Seat::new(0));
    for to in [Move::Stay, Move::N, Move::S] {
        assert_eq!(seen.at(to).trail.iter().collect::<Vec<_>>(), [0]);
        assert!(seen.at(to).players.is_empty());
    }
    assert_eq!(seen.at(Move::NE), seen.at(Move::E));
}

#[test]
fn everyone_is_nought_to_itself_and_sees_others_under_a_mapping_of_its_own() {
    let rules = rules_of("full");
    let state = build("full").start(&mut Rng::from_seed(3));
    // What seat s calls t, for all t that it sees.
    let mut called: Vec<Vec<usize>> = Vec::new();
    for seat in Seat::all(165) {
        let seen = rules.observe(&state, seat);
        assert_eq!(seen.me, 0);
        assert_eq!(seen.holds.iter().collect::<Vec<_>>(), [0]);
        let others = seen.around[1..].iter().flat_map(|look| look.players.iter());
        called.push(others.collect());
    }
    assert!(called.iter().flatten().all(|id| (1..165).contains(id)));
    assert_ne!(called[0], called[1]);
}

#[test]
fn numbers_beyond_a_machine_word_work_like_small_ones() {
    let built = build("torus?width=100&height=100&players=10000");
    let rules = built.rules();
    let mut state = built.start(&mut Rng::from_seed(1));
    let joint: Vec<Move> = (0..10_000).map(|seat| Move::ALL[seat % 9]).collect();
    rules.step(&mut state, &joint);
    let most = Seat::all(10_000).map(|seat| state.holdings(seat).count()).max().unwrap();
    assert!(most > 1 && most < 10);
    assert_eq!(rules.observe(&state, Seat::new(9_999)).players, 10_000);
}

#[test]
fn impossible_games_are_refused_with_the_reason() {
    let refused = |scenario: &str| Entry::build(&entry(), scenario).unwrap_err().to_string();
    assert!(refused("torus?players=49").contains("8×6 has only 48 cells for 49 players"));
    // 32 GB, which would end the process.
    let much = refused("full?width=2000&height=2000&players=65535");
    assert!(much.contains("65535 players on 2000×2000: what their trails show takes"), "{much}");
    assert!(refused("torus?width=0").contains("from 1 to 65535"));
    assert!(refused("course?board=15x23").contains("one of 15x22, 35x35"));
    assert!(refused("torus?width=9000&height=9000").contains("81000000 cells"));
}

#[test]
fn an_unknown_direction_lists_the_known_ones() {
    let refused = "NNE".parse::<Move>().unwrap_err().to_string();
    assert_eq!(
        refused,
        "“NNE” is not a direction; write stay, W, E, N, S, NW, NE, SW, SE or 0 to 8"
    );
    assert!("9".parse::<Move>().is_err());
}

/// The rules once more in a slow form: sets of units by pairs, trails as lists.
fn plain_round(torus: Torus, at: &mut [Cell], holds: &mut [Vec<bool>], joint: &[Move]) {
    for (cell, to) in at.iter_mut().zip(joint) {
        let (east, south) = to.offset();
        *cell = torus.shift(*cell, east, south);
    }
    let before = holds.to_vec();
    for one in 0..at.len() {
        for other in 0..at.len() {
            if at[one] == at[other] {
                for unit in 0..at.len() {
                    holds[one][unit] |= before[other][unit];
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn rounds_go_as_in_a_plain_twin(seed in 0u64..1000, players in 2usize..80) {
        let built = build(&format!("torus?width=11&height=9&players={players}"));
        let rules = built.rules();
        let mut rng = Rng::from_seed(seed);
        let mut state = built.start(&mut rng);
        let torus = rules.torus();
        let mut at: Vec<Cell> = Seat::all(players).map(|seat| state.cell_of(seat)).collect();
        let mut holds: Vec<Vec<bool>> =
            (0..players).map(|seat| (0..players).map(|unit| unit == seat).collect()).collect();
        let mut trails = vec![vec![false; players]; torus.area()];
        for _ in 0..20 {
            for seat in 0..players {
                for unit in 0..players {
                    trails[torus.index(at[seat])][unit] |= holds[seat][unit];
                }
            }
            for seat in 0..players {
                let plain: Vec<usize> = (0..players).filter(|unit| holds[seat][*unit]).collect();
                prop_assert_eq!(holdings(&state, seat), plain);
            }
            for cell in 0..torus.area() {
                let plain: Vec<usize> = (0..players).filter(|unit| trails[cell][*unit]).collect();
                prop_assert_eq!(state.trail(cell).collect::<Vec<_>>(), plain);
            }
            let all = holds.iter().any(|held| held.iter().all(|has| *has));
            prop_assert_eq!(all, rules.turn(&state) == Turn::Over);
            if all {
                break;
            }
            let joint: Vec<Move> = (0..players).map(|_| Move::ALL[rng.below(9)]).collect();
            rules.step(&mut state, &joint);
            plain_round(torus, &mut at, &mut holds, &joint);
        }
    }
}
