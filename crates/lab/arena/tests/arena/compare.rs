//! Comparisons: verdicts on a small game, the same for any number of threads.

use std::sync::Arc;

use quintain_arena::RunOptions;
use quintain_arena::compare::{
    CompareError, CompareProgress, Comparison, ComparisonConfig, Effect, ScoreMeasure, compare,
    review,
};
use quintain_core::Budget;
use quintain_stats::likelihood::EloScale;
use quintain_stats::{Risks, Verdict, elo};
use quintain_store::Store;

use crate::{count, play, records, tournament};

fn question(scenario: &str, candidates: &[&str], references: &[&str]) -> ComparisonConfig {
    let catalog = count::catalog();
    let seated = |names: &[&str]| -> Vec<_> {
        names.iter().map(|name| catalog.player("count", name).unwrap()).collect()
    };
    ComparisonConfig {
        instances: Default::default(),
        games: vec![catalog.game("count", scenario).unwrap()],
        candidates: seated(candidates),
        references: seated(references),
        first_seed: 1,
        budget: Budget::default(),
        matches: 2000,
        measure: ScoreMeasure::Clipped,
        delta: Some(40.0),
        scale: EloScale::Logistic,
        risks: Risks { alpha: 0.05, beta: 0.05 },
    }
}

fn answered(
    question: &ComparisonConfig,
    store: Option<&mut Store>,
    threads: usize,
) -> Result<Comparison, CompareError> {
    compare(question, store, &RunOptions { threads, stop: Arc::default() }, &mut |_| {})
}

fn answer(question: &ComparisonConfig, threads: usize) -> Comparison {
    answered(question, None, threads).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn any_number_of_threads_gives_the_same_answer() {
    for scenario in ["table", "table?target=30", "table?seats=3", "table?seats=1&target=50"] {
        let question = question(scenario, &["random", "steady?add=2"], &["steady", "hooked"]);
        let alone = answer(&question, 1);
        for threads in [2, 5] {
            assert_eq!(alone, answer(&question, threads), "{scenario}");
        }
    }
}

#[test]
fn the_order_of_the_scenarios_changes_no_verdict_and_no_count() {
    let boards = ["table?target=30", "table?target=41", "table?target=52", "table?target=63"];
    for seats in ["", "&seats=1"] {
        let ordered = |boards: &mut dyn Iterator<Item = &&str>| {
            let boards: Vec<String> = boards.map(|board| format!("{board}{seats}")).collect();
            let mut question = question(&boards[0], &["steady?add=2"], &["random"]);
            let rest = boards[1..].iter().map(|board| count::catalog().game("count", board));
            question.games.extend(rest.map(Result::unwrap));
            question.measure = ScoreMeasure::Chance;
            question.delta = Some(if seats.is_empty() { 40.0 } else { 0.3 });
            answer(&question, 2).candidates.remove(0)
        };
        let (one, other) = (ordered(&mut boards.iter()), ordered(&mut boards.iter().rev()));
        assert!(one.verdict.is_some());
        assert_eq!((one.verdict, one.matches), (other.verdict, other.matches));
        // Every scenario has been played equally often.
        assert_eq!(one.rounds % boards.len() as u64, 0);
    }
}

#[test]
fn progress_tells_apart_what_is_played_now_and_what_is_from_the_store() {
    let question = question("table?seats=1&target=60", &["steady"], &["random"]);
    let mut store = Store::in_memory().unwrap();
    let mut last = || {
        let (mut last, options) = (None, RunOptions { threads: 2, stop: Arc::default() });
        let answer = compare(&question, Some(&mut store), &options, &mut |now| last = Some(now));
        (answer.unwrap().matches, last.unwrap())
    };
    let (matches, progress) = last();
    assert!(matches > 0);
    // A player with a verdict needs no more matches.
    let expected = CompareProgress {
        matches,
        played: matches,
        undecided: 0,
        likely: Some(matches),
        evidence: progress.evidence,
        decisive: progress.decisive,
    };
    assert_eq!(progress, expected);
    assert!(progress.evidence[0] >= progress.decisive, "{progress:?}");
    let (again, progress) = last();
    assert_eq!((again, progress), (matches, CompareProgress { played: 0, ..expected }));
}

#[test]
fn equals_among_rivals_are_called_equal() {
    // Players of the same kind: each makes the last step equally often.
    let comparison = answer(&question("table?target=40", &["random"], &["hooked", "herald"]), 2);
    assert_eq!(comparison.candidates[0].verdict, Some(Verdict::NoDifference));
}

#[test]
fn players_that_make_the_same_moves_are_compared_until_no_difference_is_left() {
    let comparison = answer(&question("table?target=40", &["random"], &["hooked"]), 2);
    let only = &comparison.candidates[0];
    assert_eq!((only.verdict, only.alike), (Some(Verdict::NoDifference), true));
    // A player that lost a share of its matches by chance, as large as delta costs points, would
    // have done so with a probability of 95 %.
    let Some(delta) = comparison.delta else { panic!("rivals have one") };
    let share = 2.0 * elo::expected_score(delta) - 1.0;
    assert!((1.0 - share).powi(only.matches as i32) <= 0.05, "{} matches", only.matches);
}

#[test]
fn without_a_difference_to_look_for_players_with_the_same_moves_are_alike_after_twenty_rounds() {
    let mut question = question("table?target=40&seats=1", &["random"], &["hooked"]);
    question.delta = None;
    let comparison = answer(&question, 2);
    let only = &comparison.candidates[0];
    assert_eq!((only.verdict, only.alike, only.rounds), (None, true, 20));
}

#[test]
fn scores_decide_where_seats_are_alone_and_names_swapped_swap_the_verdict() {
    let mut question = question("table?seats=1&target=60", &["steady?add=2"], &["random"]);
    // Thirty turns every time against thirty on average.
    question.delta = Some(1.0);
    assert_eq!(answer(&question, 2).candidates[0].verdict, Some(Verdict::NoDifference));

    let sides = [(["steady"], ["random"]), (["random"], ["steady"])];
    let answers = sides.map(|(one, other)| {
        let question = self::question("table?seats=1&target=60", &one, &other);
        answer(&question, 2).candidates.remove(0)
    });
    let verdicts = answers.clone().map(|one| one.verdict);
    assert_eq!(verdicts, [Some(Verdict::Better), Some(Verdict::Worse)]);
    let difference = |one: &_| match one {
        Effect::Scores { difference, .. } => *difference,
        other => panic!("{other:?}"),
    };
    let [one, other] = answers.map(|one| difference(&one.effect));
    assert!(one > 25.0 && one == -other, "{one} {other}");
}

#[test]
fn who_has_a_verdict_plays_no_more_and_the_rest_goes_to_the_undecided() {
    let mut question =
        question("table?seats=1&target=60", &["steady?add=3", "hooked"], &["random", "herald"]);
    question.delta = None;
    question.matches = 900;
    let comparison = answer(&question, 2);
    let [worse, equal] = &comparison.candidates[..] else { panic!("two candidates") };
    assert_eq!((worse.verdict, equal.verdict), (Some(Verdict::Worse), None));
    assert!(worse.rounds < 50 && equal.rounds > 250, "{} {}", worse.rounds, equal.rounds);
    assert!(comparison.matches <= 900 && comparison.matches > 895, "{}", comparison.matches);
}

#[test]
fn two_candidates_are_told_apart_by_the_rounds_that_both_play() {
    for scenario in ["table?target=30", "table?seats=1&target=60"] {
        let verdicts = [("steady", "random"), ("random", "steady"), ("random", "herald")];
        let verdicts = verdicts.map(|(one, other)| {
            let mut question = question(scenario, &[one, other], &["hooked"]);
            question.measure = ScoreMeasure::Chance;
            question.delta = Some(if scenario.contains("seats=1") { 0.2 } else { 60.0 });
            question.matches = 6000;
            let comparison = answer(&question, 2);
            let between = comparison.between.expect("there are two candidates");
            let rounds = comparison.candidates.iter().map(|one| one.rounds);
            assert!(rounds.clone().all(|rounds| rounds >= between.rounds), "{between:?}");
            between.verdict
        });
        // `random` and `herald` play in the same way.
        let [one, other, equal] = verdicts;
        // Alone, steps of one are worth more.
        if scenario.contains("seats=1") {
            assert_eq!(one, Some(Verdict::Better), "{verdicts:?}");
        }
        assert_eq!(other, one.map(Verdict::reversed), "{scenario}");
        assert_eq!(equal, Some(Verdict::NoDifference), "{scenario}");
    }
    let alone = answer(&question("table?target=40", &["random"], &["hooked"]), 2);
    assert_eq!(alone.between, None);
}

#[test]
fn matches_that_a_store_has_are_not_played_again_and_only_those_that_count_are_kept() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("store.sqlite");
    let mut store = Store::open(&path).unwrap();
    let question = question("table?target=40", &["random"], &["steady?add=3"]);
    let first = answered(&question, Some(&mut store), 3).unwrap();
    assert_eq!(records(&store).len() as u64, first.matches);
    let kept = records(&store);
    assert_eq!(answered(&question, Some(&mut store), 1).unwrap(), first);
    assert_eq!(records(&store), kept);
}

#[test]
fn identical_rounds_end_the_comparison() {
    let comparison = answer(&question("table", &["steady"], &["steady?add=2"]), 2);
    let only = &comparison.candidates[0];
    assert_eq!((only.verdict, only.unvarying, only.rounds), (None, true, 6));
}

#[test]
fn a_fault_loses_the_match_and_is_counted() {
    let comparison = answer(&question("table?target=40", &["panics"], &["random"]), 2);
    let only = &comparison.candidates[0];
    assert_eq!(only.verdict, Some(Verdict::Worse));
    assert_eq!((only.faults, only.reference_faults), (only.matches, 0));
}

#[test]
fn of_two_who_only_forfeit_nothing_is_known() {
    let mut question = question("table?target=40", &["panics"], &["panics"]);
    question.delta = Some(20.0);
    let comparison = answer(&question, 2);
    let only = &comparison.candidates[0];
    assert!(only.both_only_forfeit(), "{} and {}", only.faults, only.reference_faults);
    assert_eq!((only.verdict, only.alike, only.unvarying), (None, false, true));
}

#[test]
fn incomparable_players_are_refused() {
    let error_of =
        |question: &ComparisonConfig| answered(question, None, 2).unwrap_err().to_string();
    let mut too_few = question("table", &["random"], &["steady"]);
    too_few.matches = 1;
    assert_eq!(
        error_of(&too_few),
        "a round takes 2 matches, but --matches allows only 1; raise it"
    );
    too_few.matches = 3;
    too_few.games.push(count::catalog().game("count", "table?target=30").unwrap());
    assert_eq!(
        error_of(&too_few),
        "one seed on all 2 scenarios takes 4 matches, but --matches allows only 3; raise it"
    );
    let mut beyond = question("table", &["random"], &["steady"]);
    beyond.first_seed = i64::MAX as u64 - 1;
    assert!(error_of(&beyond).contains("choose a smaller --seed"), "{}", error_of(&beyond));
    let mut mixed = question("table", &["random"], &["steady"]);
    mixed.games.push(count::catalog().game("count", "table?seats=1").unwrap());
    assert!(error_of(&mixed).contains("cannot be compared with those on"), "{}", error_of(&mixed));
    assert!(
        error_of(&question("broken", &["random"], &["steady"])).contains("the table collapses")
    );
    assert!(error_of(&question("table", &["refuses"], &["steady"])).contains("not to its taste"));
}

#[test]
fn a_comparison_that_another_process_plays_into_the_store_is_not_played_a_second_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let question = question("table?target=30", &["random"], &["hooked"]);
    let [mut ours, mut theirs] = [&path, &path].map(|path| Store::open(path).unwrap());
    let mut said = None;
    let mut ask_again = |_: CompareProgress| {
        said.get_or_insert_with(|| {
            answered(&question, Some(&mut theirs), 1).unwrap_err().to_string()
        });
    };
    let options = RunOptions { threads: 1, stop: Arc::default() };
    compare(&question, Some(&mut ours), &options, &mut ask_again).unwrap();
    let said = said.expect("progress is reported");
    assert!(said.contains("another process is playing this comparison there"), "{said}");
    answered(&question, Some(&mut theirs), 1).unwrap();
}

#[test]
fn the_matches_of_a_tournament_are_judged_as_if_they_had_been_played_to_compare() {
    let versus = "table?target=41";
    let alone = "table?seats=1&target=60";
    for (format, scenario) in [("versus", versus), ("solo", alone)] {
        let mut store = Store::in_memory().unwrap();
        let cup = format!(
            "game = \"count\"\nformat = \"{format}\"\nscenarios = [\"{scenario}\"]\nplayers = \
             [\"steady\", \"random\", \"hooked\"]\nseeds = 150\n"
        );
        play(&tournament(&cup), &mut store, 2);
        let info = store.tournament(None).unwrap();
        let review = review(&store, &info, "steady", "random").unwrap().unwrap();
        let mut question = question(scenario, &["steady"], &["random"]);
        question.first_seed = review.comparison.first_seed;
        question.measure = ScoreMeasure::Chance;
        question.delta = ScoreMeasure::Chance.usual_delta(info.scoring);
        question.matches = review.judged;
        let played = answered(&question, Some(&mut store), 2).unwrap();
        let [asked, judged] =
            [&played, &review.comparison].map(|comparison| &comparison.candidates[0]);
        assert_eq!(asked, judged, "{scenario}");
        assert!(judged.verdict.is_some(), "{scenario}: {:?}", judged.effect);
        // The course goes on after the verdict.
        assert!(judged.matches < review.judged, "{scenario}");
        assert_eq!(review.left_out, 0);
        let (until, better, worse) = review.course[judged.rounds as usize - 1];
        assert_eq!((until, [better, worse]), (judged.matches, judged.evidence));
        assert_eq!(review.course.last().unwrap().0, review.judged);
    }
}

#[test]
fn players_that_never_met_are_not_judged() {
    let mut store = Store::in_memory().unwrap();
    let cup = "game = \"count\"\nscenarios = [\"table?target=41\"]\nplayers = [\"steady\", \
               \"random\"]\nseeds = 2\n";
    play(&tournament(cup), &mut store, 1);
    let info = store.tournament(None).unwrap();
    assert!(review(&store, &info, "steady", "hooked").unwrap().is_none());
}
