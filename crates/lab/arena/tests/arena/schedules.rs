//! What is played, and in which order.

use std::collections::BTreeSet;

use quintain_arena::{ChosenMatches, FixtureNumbers, Tournament, standings_of};
use quintain_core::{Budget, ScenarioSet, SpecError};
use quintain_store::Store;

use crate::{count, play, records, tournament};

fn seats(text: &str) -> Vec<String> {
    let tournament = tournament(text);
    let listed: Vec<String> = tournament
        .schedule()
        .fixtures()
        .map(|f| format!("{} {}: {}", f.scenario, f.seed, f.seats.join(" ")))
        .collect();
    assert_eq!(listed.len() as u64, tournament.schedule().len());
    listed
}

#[test]
fn solo_gives_every_player_the_same_seeds() {
    let listed = seats(
        r#"
        game = "count"
        scenarios = ["table?seats=1"]
        players = ["random", "steady"]
        seeds = 2
        seed = 7
        "#,
    );
    assert_eq!(
        listed,
        [
            "table?seats=1 7: random",
            "table?seats=1 7: steady",
            "table?seats=1 8: random",
            "table?seats=1 8: steady",
        ]
    );
}

#[test]
fn versus_swaps_seats_and_covers_every_scenario_before_the_next_round() {
    let listed = seats(
        r#"
        game = "count"
        format = "versus"
        scenarios = ["table", "table?target=20"]
        players = ["random", "steady", "steady?add=2"]
        seeds = 2
        "#,
    );
    assert_eq!(listed.len(), 2 * 2 * 6);
    assert_eq!(
        listed[..8],
        [
            "table 1: random steady",
            "table 1: steady random",
            "table 1: random steady?add=2",
            "table 1: steady?add=2 random",
            "table 1: steady steady?add=2",
            "table 1: steady?add=2 steady",
            "table?target=20 1: random steady",
            "table?target=20 1: steady random",
        ]
    );
    assert!(listed[12..].iter().all(|line| line.contains(" 2: ")), "{listed:#?}");
}

#[test]
fn versus_on_three_seats_is_every_choice_of_three_in_three_rotations() {
    let listed = seats(
        r#"
        game = "count"
        scenarios = ["table?seats=3"]
        players = ["random", "steady", "steady?add=2", "steady?add=3"]
        "#,
    );
    assert_eq!(listed.len(), 4 * 3);
    assert_eq!(listed[1], "table?seats=3 1: steady steady?add=2 random");
}

#[test]
fn mirror_fills_the_table_with_one_player() {
    let listed = seats(
        r#"
        game = "count"
        format = "mirror"
        scenarios = ["table?seats=3"]
        players = ["random", "steady"]
        "#,
    );
    assert_eq!(
        listed,
        ["table?seats=3 1: random random random", "table?seats=3 1: steady steady steady"]
    );
}

#[test]
fn mixed_plays_all_line_ups_or_a_sample_of_them() {
    let all = seats("game = 'count'\nformat = 'mixed'\nplayers = ['random', 'steady']");
    assert_eq!(
        all,
        [
            "table 1: random random",
            "table 1: random steady",
            "table 1: steady random",
            "table 1: steady steady",
        ]
    );
    let sample = "game = 'count'\nformat = 'mixed'\nscenarios = ['table?seats=165']\n\
        players = ['random', 'steady']\nsample = 50\nseeds = 3";
    let drawn = seats(sample);
    assert_eq!(drawn, seats(sample), "a sample is drawn once and for all");
    let distinct: std::collections::HashSet<_> = drawn.iter().collect();
    assert_eq!(distinct.len(), 150);
}

#[test]
fn a_fixture_carries_the_budget_and_the_versions() {
    let tournament = tournament(
        "game = 'count'\nplayers = ['random', 'steady']\nbudget = 'nodes=5'\nname = 'x'",
    );
    let fixture = tournament.schedule().fixture(1);
    assert_eq!(fixture.budget.nodes, Some(5));
    assert_eq!((fixture.versions.game, fixture.versions.players), (1, vec![1, 1]));
}

#[test]
fn a_million_fixtures_are_numbered_without_being_listed() {
    let tournament = tournament(
        "game = 'count'\nplayers = ['random', 'steady', 'steady?add=2']\nseeds = 1_000_000",
    );
    let schedule = tournament.schedule();
    assert_eq!(schedule.len(), 6_000_000);
    assert_eq!(schedule.fixture(5_999_999).seed, 1_000_000);
    let seats = ["steady?add=2", "steady"];
    assert_eq!(schedule.fixture(5_999_999).seats, seats);
}

#[test]
fn scenarios_on_which_the_seed_changes_nothing_are_known_before_they_are_played() {
    let fixed = |text: &str| -> Vec<String> {
        tournament(text).schedule().fixed_scenarios().map(str::to_owned).collect()
    };
    let file = |seeds: u64, scenarios: &str| {
        format!(
            "game = \"count\"\nformat = \"versus\"\nscenarios = [{scenarios}]\n\
             players = [\"steady\", \"hooked\"]\nseeds = {seeds}"
        )
    };
    assert_eq!(fixed(&file(2, "'table', 'table?target=9'")), ["table", "table?target=9"]);
    assert!(fixed(&file(1, "'table'")).is_empty());
    // What the rules cannot handle is reported when it is played.
    assert!(fixed(&file(2, "'broken'")).is_empty());
}

#[test]
fn a_family_has_a_problem_for_every_seed_and_counts_as_one_scenario() {
    let catalog = quintain_games::catalog();
    let file = |scenarios: &str| {
        format!(
            "game = \"polymer\"\nscenarios = [{scenarios}]\nplayers = [\"random\", \"greedy\"]\n\
             seeds = 3\n"
        )
    };
    let family = "\"random?n=6&width=3&height=3&seed={seed}\"";
    let tournament = crate::tournament_in(&catalog, &file(family));
    let scenarios: BTreeSet<String> =
        tournament.schedule().fixtures().map(|fixture| fixture.scenario).collect();
    assert_eq!(scenarios.len(), 3, "{scenarios:?}");
    assert!(scenarios.iter().all(|scenario| !scenario.contains('{')), "{scenarios:?}");
    assert_eq!(tournament.schedule().fixed_scenarios().count(), 0);

    let mut store = Store::in_memory().unwrap();
    assert_eq!(crate::play(&tournament, &mut store, 1).played, 6);
    assert_eq!(crate::play(&tournament, &mut store, 1).skipped, 6);
    let standings = standings_of(&store, &store.tournament(None).unwrap()).unwrap();
    let [only] = &standings.scenarios[..] else { panic!("{:?}", standings.scenarios) };
    assert!(only.scenario.contains("seed={seed}"), "{}", only.scenario);
    assert!(only.rows.iter().all(|row| row.matches == 3), "{:?}", only.rows);

    let refused = |scenarios: &str| {
        let parsed = Tournament::parse(&file(scenarios), "test.toml", &catalog);
        parsed.err().map(|error| error.to_string()).unwrap_or_default()
    };
    let elsewhere = refused("\"random?n={seed}\"");
    assert!(elsewhere.contains("as in random?seed={seed}"), "{elsewhere}");
    let twice = refused(&format!("{family}, \"random?n=6&width=3&height=3&seed=2\""));
    assert!(twice.contains("is already part of random?"), "{twice}");
}

/// Matches chosen one by one, on one scenario of the small game, by two players.
fn chosen(fixtures: Vec<FixtureNumbers>) -> Result<Tournament, SpecError> {
    let catalog = count::catalog();
    Tournament::of_matches(ChosenMatches {
        id: "one".to_owned(),
        name: "chosen".to_owned(),
        game: "count".to_owned(),
        scenarios: vec![ScenarioSet::find(&catalog, "count", "table?target=30").unwrap()],
        players: ["steady", "random"].map(|name| catalog.player("count", name).unwrap()).into(),
        fixtures,
        budget: Budget::default(),
    })
}

#[test]
fn matches_that_were_chosen_one_by_one_are_those_of_a_file_with_the_same_fixtures() {
    let fixture =
        |seed, lineup: [usize; 2]| FixtureNumbers { scenario: 0, seed, lineup: lineup.into() };
    let picked = chosen(vec![fixture(7, [1, 0]), fixture(1, [0, 1]), fixture(1, [1, 0])]).unwrap();
    let text = "game = 'count'\nscenarios = ['table?target=30']\nplayers = ['steady', 'random']\n\
                seeds = 7";
    let all = tournament(text);
    let known: Vec<String> = all.schedule().fixtures().map(|fixture| fixture.id()).collect();
    let ids: Vec<String> = picked.schedule().fixtures().map(|fixture| fixture.id()).collect();
    assert!(ids.len() == 3 && ids.iter().all(|id| known.contains(id)));
    let (mut store, mut whole) = (Store::in_memory().unwrap(), Store::in_memory().unwrap());
    assert_eq!(play(&picked, &mut store, 2).played, 3);
    play(&all, &mut whole, 2);
    let whole = records(&whole);
    assert!(records(&store).iter().all(|record| whole.contains(record)));
}

#[test]
fn matches_that_cannot_be_are_refused() {
    let seats =
        |scenario, lineup: &[usize]| FixtureNumbers { scenario, seed: 1, lineup: lineup.into() };
    let said = |fixtures| chosen(fixtures).map(drop).unwrap_err().to_string();
    assert!(said(Vec::new()).contains("nothing to play"));
    for wrong in [seats(1, &[0, 1]), seats(0, &[0]), seats(0, &[0, 2])] {
        assert!(said(vec![wrong]).contains("a match of"));
    }
}
