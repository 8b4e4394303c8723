//! Golden renderings of small standings, and sizes that must not become absurd.

use super::*;
use insta::assert_snapshot;
use proptest::prelude::*;
use quintain_core::{Objective, Scoring};
use quintain_standings::{MatchResult, ScoringRule, StandingsBuilder};

/// Counts one match of `seats`, given as `player score` pairs.
fn add(tally: &mut StandingsBuilder, scenario: &str, seed: u64, seats: &[(&str, f64)]) {
    let (players, scores): (Vec<_>, Vec<_>) = seats.iter().copied().unzip();
    let (players, scores) = (&players[..], &scores[..]);
    let fault = (seed == 3 && seats[0].0 == "random").then_some((0, "timeout"));
    let truncated = seed == 5;
    let ending = if truncated { "limit" } else { "over" };
    tally.add(&MatchResult { scenario, seed, players, scores, fault, truncated, ending }).unwrap();
}

/// Three players of tron on two maps, with each pair on both sides.
fn versus() -> Standings {
    let mut tally = StandingsBuilder::new(ScoringRule {
        objective: Objective::Maximize,
        scoring: Scoring::Adversarial,
    });
    let players = ["random", "tron/territory?depth=8", "tron/basic"];
    let maps = [("tron:hackerrank", [0, 5, 3]), ("tron:rings?size=21", [1, 3, 5])];
    for (scenario, strength) in maps {
        for seed in 0..8 {
            for (i, j) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
                // A player that is stronger by more than the seed's luck wins.
                let lead = strength[i] - strength[j] + (seed as i32 * 5 + i as i32) % 9 - 4;
                let score = if lead > 0 {
                    1.0
                } else if lead == 0 {
                    0.5
                } else {
                    0.0
                };
                add(&mut tally, scenario, seed, &[(players[i], score), (players[j], 1.0 - score)]);
            }
        }
    }
    tally.standings()
}

/// Three hextris players on the same seeds, one of which misses the last.
fn solo() -> Standings {
    let mut tally = StandingsBuilder::new(ScoringRule {
        objective: Objective::Maximize,
        scoring: Scoring::Independent,
    });
    for seed in 0..6_u32 {
        let luck = f64::from(seed * seed * 7 % 40) * 100.0;
        for (player, skill) in [("greedy", 900.0), ("beam?width=50", 4300.0), ("random", 12.0)] {
            if player != "greedy" || seed < 5 {
                let noise = f64::from((seed * 31 + player.len() as u32 * 17) % 23) * 10.0;
                add(&mut tally, "hextris:4", seed.into(), &[(player, skill + luck + noise)]);
            }
        }
    }
    tally.standings()
}

/// `players` players, each two games against the next on each of `scenarios` scenarios.
fn crowd(players: usize, scenarios: usize) -> Standings {
    let mut tally = StandingsBuilder::new(ScoringRule {
        objective: Objective::Maximize,
        scoring: Scoring::Adversarial,
    });
    let names: Vec<String> = (0..players).map(|at| format!("player-{at:03}")).collect();
    for scenario in 0..scenarios {
        for at in 0..players {
            let (a, b) = (names[at].as_str(), names[(at + 1) % players].as_str());
            let score = (at * 7 + scenario * 3) % 3;
            let seats = [(a, score as f64), (b, 1.0)];
            add(&mut tally, &format!("map-{scenario:03}"), 0, &seats);
        }
    }
    tally.standings()
}

#[test]
fn the_headline_says_who_is_first_and_who_may_be_better() {
    assert_eq!(
        headline(&versus()).unwrap(),
        "tron/territory?depth=8 is first of 3 players, with 68.8 % of the points, but tron/basic \
         may be better."
    );
    assert_eq!(
        headline(&crowd(6, 2)).unwrap(),
        "4 of 6 players share the first place, with 75.0 % of the points, but there are too few \
         seeds to tell who is better."
    );
    assert_eq!(headline(&crowd(0, 0)), None);
}

#[test]
fn the_headline_calls_nobody_the_best_who_is_not_marked_so() {
    for standings in [versus(), solo(), crowd(1, 1), crowd(9, 3)] {
        let first = &standings.overall[0];
        let says_best = headline(&standings).unwrap().contains("certainly the best");
        assert_eq!(says_best, first.mark == Some(quintain_stats::all_pairs::Mark::Best));
    }
}

#[test]
fn a_versus_tournament_as_a_table() {
    assert_snapshot!(render(&versus(), StandingsFormat::Table { width: None }), @r#"
    Overall: 3 players, 96 matches, 2 scenarios; higher scores are better
    ────────────────────────────────────────────────────────────────────────────────────────────────────────
    #              player                  Elo ± 95 %  points %  won–drawn–lost  matches  forfeits  cut off
    ════════════════════════════════════════════════════════════════════════════════════════════════════════
    1 cannot tell  tron/territory?depth=8  +109 ±  81      68.8         42–4–18       64         0        8
    2 cannot tell  tron/basic              +104 ±  90      68.0         40–7–17       64         0        8
    3 behind       random                  -213 ± 109      13.3          6–5–53       64         4        8
    ────────────────────────────────────────────────────────────────────────────────────────────────────────
    random forfeited 4 matches: 4 timeouts.
    A lead of 100 Elo takes 64 % of the points, one of 200 takes 76 %.
    “behind” means that somebody is certainly better, “cannot tell” that nobody is.
    The smallest lead that 8 seeds on each of 2 scenarios can show: 24.7 % of the points; a lead of 10 %
    of the points takes about 45 seeds.
    Not certain yet: whether tron/territory?depth=8 is better than tron/basic (about 7 200 more seeds on
    each scenario would settle it in half of all cases, if the lead holds).
    "#);
}

#[test]
fn every_table_of_a_versus_tournament() {
    assert_snapshot!(details(&versus(), StandingsFormat::Table { width: None }), @r#"
    All columns
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    #              player                  Elo ± 95 %  points %  won–drawn–lost  ranks 95 %  mean rank  matches    mean ± 95 %  median  min  max  1st  2nd  3rd  forfeits  cut off
    ═══════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
    1 cannot tell  tron/territory?depth=8  +109 ±  81      68.8         42–4–18         1–2       1.50       64  0.680 ± 0.112       1    0    1    1    1    0         0        8
    2 cannot tell  tron/basic              +104 ±  90      68.0         40–7–17         1–2       1.50       64  0.680 ± 0.110       1    0    1    1    1    0         0        8
    3 behind       random                  -213 ± 109      13.3          6–5–53           3       3.00       64  0.141 ± 0.079       0    0    1    0    0    2         4        8
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

    Who met whom
    ────────────────────────────────────────────────────
       player                        A        B       C
    ════════════════════════════════════════════════════
    A  tron/territory?depth=8        –  15–3–14  27–1–4
    B  tron/basic              14–3–15        –  26–4–2
    C  random                   4–1–27   2–4–26       –
    ────────────────────────────────────────────────────
    Won-drawn-lost of the row's player against the column's.

    By scenario
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────
    scenario            #              player                  points %  won–drawn–lost  ranks 95 %  matches    mean ± 95 %  median  min  max    forfeits  cut off
    ═══════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════════
    tron:hackerrank     1 best         tron/territory?depth=8      85.9          27–1–4           1       32  0.859 ± 0.123    1.00    0    1           0        4
                        2 behind       tron/basic                  54.7         16–3–13           2       32  0.547 ± 0.174    0.75    0    1           0        4
                        3 behind       random                       9.4          2–2–28           3       32  0.094 ± 0.096    0.00    0    1  2 timeouts        4
    tron:rings?size=21  1 cannot tell  tron/basic                  81.2          24–4–4         1–2       32  0.812 ± 0.127    1.00    0    1           0        4
                        2 cannot tell  tron/territory?depth=8      51.6         15–3–14         1–2       32  0.500 ± 0.171    0.50    0    1           0        4
                        3 behind       random                      17.2          4–3–25           3       32  0.188 ± 0.127    0.00    0    1  2 timeouts        4
    ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

    Who does better than whom on a common seed
    ───────────────────────────────────────────────────
       player                    A    B    C  α-rank %
    ═══════════════════════════════════════════════════
    A  tron/territory?depth=8   –   50   88*      50.0
    B  tron/basic              50    –   88*      50.0
    C  random                  12*  12*   –        0.1
    ───────────────────────────────────────────────────
    % of seeds on which the row's player does better, equal ones counting half; * certainly differs from
    one half, and so do the ranks (sign test, Holm over all pairs, 0.05). α-rank: a player's share of
    the time if whoever certainly does better on common seeds takes over (Omidshafiei et al. 2019);
    players in a ring share it.

    Steadiness over scenarios
    ──────────────────────────────────────────────────────────────────────────────────────────────────
    player                  above average  median points %  points % on the worst  worst scenario
    ══════════════════════════════════════════════════════════════════════════════════════════════════
    tron/territory?depth=8          100 %           68.750                 51.562  tron:rings?size=21
    tron/basic                      100 %           67.969                 54.688  tron:hackerrank
    random                            0 %           13.281                  9.375  tron:hackerrank
    ──────────────────────────────────────────────────────────────────────────────────────────────────
    “Above average” and “worst” compare with the average of all players on the scenario.

    League-style ratings
    ────────────────────────────────────────────────
    player                   Glicko-2      Weng–Lin
    ════════════════════════════════════════════════
    tron/territory?depth=8  1654 ± 61  30.49 ± 3.49
    tron/basic              1594 ± 62  28.72 ± 3.47
    random                  1356 ± 88  18.67 ± 4.26
    ────────────────────────────────────────────────
    ± is one standard deviation. Games are taken in the order of their seeds.

    How matches ended
    ──────────────────────────────────────────────────────────────
    player                  end    matches   mean  won–drawn–lost
    ══════════════════════════════════════════════════════════════
    tron/territory?depth=8  over        56  0.652         35–4–17
                            limit        8  0.875           7–0–1
    tron/basic              over        56  0.741         39–5–12
                            limit        8  0.250           1–2–5
    random                  over        56  0.107          4–3–49
                            limit        8  0.375           2–2–4
    ──────────────────────────────────────────────────────────────
    "#);
}

#[test]
fn in_a_narrow_terminal_no_line_is_broken_within_a_word() {
    let width = 50;
    let text = render(&versus(), StandingsFormat::Table { width: Some(width) });
    assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
    assert!(
        text.contains("Overall: 3 players, 96 matches, 2 scenarios;\nhigher scores are better\n"),
        "{text}"
    );
}

#[test]
fn a_versus_tournament_within_eighty_columns() {
    assert_snapshot!(render(&versus(), StandingsFormat::Table { width: Some(80) }), @r#"
    Overall: 3 players, 96 matches, 2 scenarios; higher scores are better
    ──────────────────────────────────────────────────────────────────────
    #              player                  Elo ± 95 %  points %  forfeits
    ══════════════════════════════════════════════════════════════════════
    1 cannot tell  tron/territory?depth=8  +109 ±  81      68.8         0
    2 cannot tell  tron/basic              +104 ±  90      68.0         0
    3 behind       random                  -213 ± 109      13.3         4
    ──────────────────────────────────────────────────────────────────────
    Too narrow for: won–drawn–lost, matches, cut off. A wider terminal shows them,
    and so does --format md.
    random forfeited 4 matches: 4 timeouts.
    A lead of 100 Elo takes 64 % of the points, one of 200 takes 76 %.
    “behind” means that somebody is certainly better, “cannot tell” that nobody is.
    The smallest lead that 8 seeds on each of 2 scenarios can show: 24.7 % of the
    points; a lead of 10 % of the points takes about 45 seeds.
    Not certain yet: whether tron/territory?depth=8 is better than tron/basic (about
    7 200 more seeds on each scenario would settle it in half of all cases, if the
    lead holds).
    "#);
}

#[test]
fn a_versus_tournament_as_markdown() {
    assert_snapshot!(render(&versus(), StandingsFormat::Markdown), @r#"
    ## Overall: 3 players, 96 matches, 2 scenarios; higher scores are better

    | #             | player                 | Elo ± 95 % | points % | won–drawn–lost | matches | forfeits | cut off |
    |---------------|------------------------|-----------:|---------:|---------------:|--------:|---------:|--------:|
    | 1 cannot tell | tron/territory?depth=8 | +109 ±  81 |     68.8 |        42–4–18 |      64 |        0 |       8 |
    | 2 cannot tell | tron/basic             | +104 ±  90 |     68.0 |        40–7–17 |      64 |        0 |       8 |
    | 3 behind      | random                 | -213 ± 109 |     13.3 |         6–5–53 |      64 |        4 |       8 |

    random forfeited 4 matches: 4 timeouts.

    A lead of 100 Elo takes 64 % of the points, one of 200 takes 76 %.

    “behind” means that somebody is certainly better, “cannot tell” that nobody is.

    The smallest lead that 8 seeds on each of 2 scenarios can show: 24.7 % of the points; a lead of 10 % of the points takes about 45 seeds.

    Not certain yet: whether tron/territory?depth=8 is better than tron/basic (about 7 200 more seeds on each scenario would settle it in half of all cases, if the lead holds).
    "#);
}

#[test]
fn a_solo_tournament_as_a_table() {
    assert_snapshot!(render(&solo(), StandingsFormat::Table { width: None }), @r#"
    Overall: 3 players, 17 matches, 1 scenario; higher scores are better
    ────────────────────────────────────────────────────────────────────────────────
    #         player         matches   mean ± 95 %  vs #1 ± 95 %  forfeits  cut off
    ════════════════════════════════════════════════════════════════════════════════
    1 best    beam?width=50        6  6160 ± 1249!             –         0        1
    2 behind  greedy               5  2822 ± 1714    -3394 ± 156         0        0
    3 behind  random               6  1870 ± 1306!   -4290 ± 121         1        1
    ────────────────────────────────────────────────────────────────────────────────
    random forfeited 1 match: 1 timeout.
    ! Some matches were cut off: nobody knows how far their scores would have gone, so do not rely on
    this mean.
    “behind” means that somebody is certainly better.
    The smallest lead that 5 seeds can show: 110 points.
    All ranks are certain (95 % for all of them together).
    "#);
}

#[test]
fn where_results_decided_who_met_whom_no_form_of_the_answer_calls_a_rank_certain() {
    let mut standings = solo();
    standings.certainty.is_withheld = true;
    let table = render(&standings, StandingsFormat::Table { width: None });
    for text in [table, crate::text::answer(&standings)] {
        assert!(text.contains("nothing is said to be certain"), "{text}");
        assert!(!text.contains("ranks are certain"), "{text}");
    }
}

#[test]
fn csv_has_one_record_per_player_overall_and_per_scenario() {
    let mut tally = StandingsBuilder::new(ScoringRule {
        objective: Objective::Minimize,
        scoring: Scoring::Independent,
    });
    add(&mut tally, "polymer:s1", 0, &[("beam,\"wide\"", -9.0)]);
    add(&mut tally, "polymer:s1", 0, &[("greedy", -6.5)]);
    assert_snapshot!(render(&tally.standings(), StandingsFormat::Csv), @r#"
    scenario,rank,player,n,mean,standard_error,low,high,median,min,max,wins,draws,losses,elo,elo_low,elo_high,mean_rank,first,second,third,paired_n,paired_difference,paired_standard_error,paired_low,paired_high,forfeits,truncated,rank_best,rank_worst,resampled_low,resampled_high,glicko2,glicko2_deviation,weng_lin,weng_lin_deviation,matches,faults,certainty,margin
    overall,1,"beam,""wide""",1,-9,,,,-9,-9,-9,,,,,,,1,1,0,0,,,,,,0,0,,,,,,,,,1,,,
    overall,2,greedy,1,-6.5,,,,-6.5,-6.5,-6.5,,,,,,,2,0,1,0,1,2.5,,,,0,0,,,,,,,,,1,,,
    polymer:s1,1,"beam,""wide""",1,-9,,,,-9,-9,-9,,,,,,,,,,,,,,,,0,0,,,,,,,,,1,,,
    polymer:s1,2,greedy,1,-6.5,,,,-6.5,-6.5,-6.5,,,,,,,,,,,1,2.5,,,,0,0,,,,,,,,,1,,,
    "#);
}

#[test]
fn csv_rounds_nothing() {
    let standings = versus();
    let text = render(&standings, StandingsFormat::Csv);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let record = reader.records().next().unwrap().unwrap();
    let field = |name| {
        let at = 1 + FIELDS.iter().position(|field| field.key == name).unwrap();
        record[at].parse::<f64>().unwrap()
    };
    let row = &standings.overall[0];
    assert_eq!(field("standard_error"), row.summary.standard_error.unwrap());
    assert_eq!(field("elo_low"), row.elo.as_ref().unwrap().low);
}

#[test]
fn json_has_all_digits_and_nulls_where_there_is_no_number() {
    let text = render(&solo(), StandingsFormat::Json);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let at = |pointer| json.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is missing"));
    assert_eq!(*at("/rule"), serde_json::json!({ "goal": "highest", "contest": "score" }));
    assert_eq!(*at("/matches"), 17);
    assert_eq!(*at("/versus"), serde_json::Value::Null);
    assert_eq!(*at("/overall/0/player"), "beam?width=50");
    assert_eq!(*at("/overall/0/to_leader"), serde_json::Value::Null);
    assert_eq!(*at("/overall/1/to_leader/difference"), -3394.0);
    let low = solo().overall[1].to_leader.as_ref().unwrap().interval.unwrap().low;
    assert!(text.contains(&format!("\"low\": {low},")), "{low} in {text}");
    assert_eq!(*at("/overall/2/places/mean_rank"), 3.0);
    assert_eq!(*at("/scenarios/0/rows/2/n"), 6);
    let json: serde_json::Value =
        serde_json::from_str(&render(&versus(), StandingsFormat::Json)).unwrap();
    let games = &json["versus"]["matrix"][0][1];
    assert_eq!(games["wins"], versus().versus.unwrap().matrix[0][1].wins);
}

#[test]
fn wide_cross_tables_show_points() {
    let matrix = |players: usize, width: usize| {
        let all = details(&crowd(players, 2), StandingsFormat::Table { width: Some(width) });
        let part = all.split("\n\n").find(|part| part.starts_with("Who met whom"));
        part.expect("rivals have a matrix").to_owned()
    };
    let text = matrix(12, 80);
    assert!(text.contains("Points % of the row's player against the column's."), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let narrow = matrix(24, 60);
    assert!(narrow.contains("Too wide to show here; the JSON form has it."), "{narrow}");
}

#[test]
fn two_hundred_players_on_a_hundred_scenarios_stay_short() {
    let standings = crowd(200, 100);
    let format = StandingsFormat::Table { width: Some(100) };
    let text = render(&standings, format) + &details(&standings, format);
    assert!(text.contains("Left out for 200 players (24 at most); the JSON form has it."));
    assert!(text.contains("The best 2 of each scenario; CSV and JSON have all players."));
    assert!(text.lines().all(|line| line.chars().count() <= 100));
    assert!(text.lines().count() < 1300, "{} lines", text.lines().count());
    let names = standings.overall.iter().filter(|row| text.contains(&row.player)).count();
    assert_eq!(names, 200);
}

#[test]
fn empty_results_are_reported_and_solo_games_have_no_ratings() {
    let none = Standings::of(
        ScoringRule { objective: Objective::Maximize, scoring: Scoring::Adversarial },
        std::iter::empty(),
    );
    assert_eq!(render(&none.unwrap(), StandingsFormat::Table { width: None }), "No results yet.\n");
    let mut tally = StandingsBuilder::new(ScoringRule {
        objective: Objective::Maximize,
        scoring: Scoring::Adversarial,
    });
    add(&mut tally, "m", 1, &[("a", 2.0), ("a", 4.0)]);
    assert!(!render(&tally.standings(), StandingsFormat::Table { width: None }).contains("Elo"));
}

#[test]
fn variants_of_a_player_name_their_default_values() {
    let note = "Parameters that are not shown have their default values";
    let table = |players: [&str; 2]| {
        let mut tally = StandingsBuilder::new(ScoringRule {
            objective: Objective::Maximize,
            scoring: Scoring::Adversarial,
        });
        add(&mut tally, "m", 1, &[(players[0], 1.0), (players[1], 0.0)]);
        render(&tally.standings(), StandingsFormat::Table { width: None })
    };
    assert!(table(["uct", "uct?nodes=9"]).contains(note));
    assert!(!table(["uct?nodes=9", "beam"]).contains(note));
}

const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];

proptest! {
    // Standings take time here: they are resampled as often as for users.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_format_takes_every_standings(
        highest in any::<bool>(),
        versus in any::<bool>(),
        matches in prop::collection::vec(
            (0..3_usize, 0..6_u64, prop::collection::vec((0..NAMES.len(), -8..9_i32), 1..5)),
            1..30,
        ),
        width in 20..120_usize,
    ) {
        let objective = if highest { Objective::Maximize } else { Objective::Minimize };
        let scoring = if versus { Scoring::Adversarial } else { Scoring::Independent };
        let mut tally = StandingsBuilder::new(ScoringRule { objective, scoring });
        for (scenario, seed, seats) in &matches {
            let seats: Vec<(&str, f64)> =
                seats.iter().map(|(name, score)| (NAMES[*name], f64::from(*score))).collect();
            add(&mut tally, ["x", "y", "z"][*scenario], *seed, &seats);
        }
        let standings = tally.standings();
        let table = render(&standings, StandingsFormat::Table { width: Some(width) });
        prop_assert!(table.contains("Overall: ") && table.ends_with('\n'));
        prop_assert!(render(&standings, StandingsFormat::Markdown).contains("## Overall"));
        let json: serde_json::Value =
            serde_json::from_str(&render(&standings, StandingsFormat::Json)).unwrap();
        prop_assert_eq!(json["matches"].as_u64(), Some(matches.len() as u64));
        let text = render(&standings, StandingsFormat::Csv);
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let rows: usize = standings.scenarios.iter().map(|scenario| scenario.rows.len()).sum();
        let written = reader.records().map(Result::unwrap).count();
        prop_assert_eq!(written, rows + standings.overall.len());
    }
}
