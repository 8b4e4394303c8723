//! Series: several games from one file, and one rating.

use std::collections::BTreeMap;

use quintain_arena::{Series, Tournament};
use quintain_core::Objective;
use quintain_stats::WinDrawLoss;
use quintain_stats::bradley_terry::fit_ratings;
use quintain_store::{Filter, Store, StoreError};

use crate::play;

/// The series that comes with the command.
const MODELS: &str = include_str!("../../../../../tournaments/models.toml");

const SMALL: &str = r#"
    name = "small"
    seeds = 5

    [[part]]
    game = "tron"
    scenarios = ["obstacles?width=9&height=9"]
    ladder = { random = 0, "wall-hugger" = 600 }

    [[part]]
    game = "polymer"
    name = "chains"
    scenarios = ["random?width=5&height=5&n=9&seed={seed}&partial=true"]
    ladder = { random = 0, "beam?nodes=500" = 900 }
"#;

fn parse(text: &str, with: &[&str]) -> Result<Series, String> {
    let with: Vec<String> = with.iter().map(|player| (*player).to_owned()).collect();
    Series::parse(text, "cup.toml", &with, &quintain_games::catalog())
        .map_err(|error| error.to_string())
}

#[test]
fn a_series_is_played_part_by_part_and_rated_over_all_and_its_parts_stay_tournaments() {
    let series = parse(SMALL, &["greedy"]).unwrap();
    let mut store = Store::in_memory().unwrap();
    let mut runs = Vec::new();
    let mut played = Vec::new();
    for part in series.tournaments() {
        let summary = play(part, &mut store, 2);
        played.push(summary.played);
        runs.push(store.tournament_by_number(summary.tournament.number()).unwrap());
        assert_eq!(play(part, &mut store, 2).played, 0);
    }
    // The ladder's players meet only the one that is rated.
    assert_eq!(played, [2 * 2 * 5, 3 * 5]);
    assert_eq!(
        runs.iter().map(|run| &*run.name).collect::<Vec<_>>(),
        ["small-tron", "small-chains"]
    );
    let standings = series.standings(&store, &runs).unwrap();
    let row = &standings.rows[0];
    assert_eq!((&*row.player, row.rank, row.matches), ("greedy", 1, 20 + 5));
    let ratings: Vec<f64> = row.parts.iter().map(|of| of.unwrap().rating).collect();
    let overall = row.overall.unwrap().rating;
    assert!(overall > ratings[0].min(ratings[1]) && overall < ratings[0].max(ratings[1]));
    assert_eq!(standings.parts[1].scale()[1], ("beam?nodes=500", 1000.0));
}

#[test]
fn errors_in_a_series_name_its_part() {
    let edit = |from: &str, to: &str| SMALL.replacen(from, to, 1);
    for (text, with, problem) in [
        (SMALL.to_owned(), &[][..], "a series rates players beside its ladder; name them"),
        (SMALL.to_owned(), &["nobody"], "cup.toml, part 1: "),
        (SMALL.to_owned(), &["random"], "cup.toml, part 1: "),
        (edit("name = \"chains\"", "name = \"tron\""), &["greedy"], "two parts are called tron"),
        (edit("seeds = 5", "seed5 = 5"), &["greedy"], "did you mean"),
        (edit("ladder = {", "rungs = {"), &["greedy"], "part 1: “ladder” is missing"),
        (edit("\"wall-hugger\" = 600", ""), &["greedy"], "ladder: "),
        (edit("= 600", "= \"600\""), &["greedy"], "expected a rating in Elo for wall-hugger"),
        (edit("= 600", "= 0"), &["greedy"], "two players or more, with different ratings"),
        (edit("game = \"tron\"", "games = \"tron\""), &["greedy"], "part 1: “game” is missing"),
        (
            edit("game = \"polymer\"", "game = \"polymer\"\nplayers = [\"uct\"]"),
            &["greedy"],
            "part 2: players is not for parts",
        ),
        (edit("[[part]]", "[[part"), &["greedy"], "cup.toml:"),
    ] {
        let refused = parse(&text, with).err().unwrap_or_else(|| panic!("{problem}"));
        assert!(refused.contains(problem) && !refused.contains('\n'), "{problem}: {refused}");
    }
}

/// The ratings of a ladder, the weakest at 0, from all matches of all its players.
fn measure(part: &toml::Table) -> BTreeMap<String, f64> {
    let ladder: Vec<String> = part["ladder"].as_table().unwrap().keys().cloned().collect();
    let mut text = part.clone();
    text.remove("ladder");
    text.insert("players".to_owned(), ladder.clone().into());
    text.insert("seeds".to_owned(), 100.into());
    text.insert("seed".to_owned(), 1000.into());
    let catalog = quintain_games::catalog();
    let tournament = Tournament::parse(&text.to_string(), "ladder.toml", &catalog).unwrap();
    let mut store = Store::in_memory().unwrap();
    let run = play(&tournament, &mut store, 2).tournament;
    let sets = store.tournament_by_number(run.number()).unwrap().scenario_sets();
    let spec: Vec<String> = tournament.schedule().players().map(str::to_owned).collect();
    let number = |player: &str| spec.iter().position(|known| known == player).unwrap();
    let mut matrix = vec![vec![WinDrawLoss::default(); spec.len()]; spec.len()];
    let mut alone: BTreeMap<(String, u64), BTreeMap<usize, f64>> = BTreeMap::new();
    let gain = |score: f64| match tournament.objective() {
        Objective::Maximize => score,
        Objective::Minimize => -score,
    };
    store
        .results(&Filter::default(), |result, _| {
            let first = number(result.players[0]);
            match result.players {
                [one, other] if one != other => {
                    let game = WinDrawLoss::of(result.scores[0].total_cmp(&result.scores[1]));
                    matrix[first][number(other)] += game;
                    matrix[number(other)][first] += game.reversed();
                }
                _ => {
                    let mean = result.scores.iter().sum::<f64>() / result.scores.len() as f64;
                    let key = (sets.set_of(result.scenario).to_owned(), result.seed);
                    alone.entry(key).or_default().insert(first, gain(mean));
                }
            }
            Ok::<(), StoreError>(())
        })
        .unwrap();
    for scores in alone.values() {
        for (one, gain) in scores {
            for (other, theirs) in scores.iter().filter(|(other, _)| *other != one) {
                matrix[*one][*other] += WinDrawLoss::of(gain.total_cmp(theirs));
            }
        }
    }
    let ratings = fit_ratings(&matrix).into_iter().map(|elo| elo.unwrap().rating);
    let ratings: Vec<f64> = ratings.collect();
    let least = ratings.iter().copied().fold(f64::INFINITY, f64::min);
    ladder.into_iter().zip(ratings.into_iter().map(|rating| rating - least)).collect()
}

/// The fixed ratings of `tournaments/models.toml` are what this prints.
#[test]
#[ignore = "nightly: 6000 matches of built-in players"]
fn the_ladders_of_models_have_the_ratings_that_their_matches_give() {
    let file: toml::Table = MODELS.parse().unwrap();
    for part in file["part"].as_array().unwrap() {
        let part = part.as_table().unwrap();
        let measured = measure(part);
        println!("{}: {measured:?}", part["game"]);
        for (player, rating) in part["ladder"].as_table().unwrap() {
            let fixed = rating.as_integer().unwrap() as f64;
            assert!((fixed - measured[player]).abs() < 2.0, "{player}: {fixed}, {measured:?}");
        }
    }
}
