//! What is written about a tournament that was played on the arena's small game.

#[allow(dead_code)]
mod fixture;

use std::sync::Arc;

use fixture::{EXPORTED, count, store_of};
use quintain_arena::compare::{ComparisonConfig, ScoreMeasure, compare};
use quintain_arena::{RunOptions, regret, standings_of};
use quintain_core::Budget;
use quintain_report::export::{self, ExportFormat};
use quintain_report::{Detail, Report, StandingsFormat, details, render_comparison, report};
use quintain_stats::Risks;
use quintain_stats::likelihood::EloScale;
use quintain_store::{Filter, Store, StoreError, StoredRecord};

fn details_of(text: &str) -> String {
    let store = store_of(text);
    let info = store.tournament(None).unwrap();
    let mut standings = standings_of(&store, &info).unwrap();
    regret::add(&mut standings, &store, &info, &count::catalog()).unwrap();
    details(&standings, StandingsFormat::Markdown)
}

#[test]
fn regret_has_a_table_where_the_game_proves_a_bound_and_none_elsewhere() {
    let page = details_of(
        r#"
        game = "count"
        format = "solo"
        scenarios = ["table?target=10&seats=1"]
        players = ["steady", "steady?add=2"]
        "#,
    );
    assert!(page.contains("Regret: the distance from a bound that nobody can beat"), "{page}");
    let page = details_of(
        r#"
        game = "count"
        scenarios = ["table?seats=2"]
        players = ["steady", "random"]
        "#,
    );
    assert!(!page.contains("Regret"), "{page}");
}

#[test]
fn exports_have_every_seat_and_every_record() {
    let store = store_of(EXPORTED);
    let filter = Filter { sorted: true, ..Filter::default() };
    let mut csv = Vec::new();
    export::results(&store, &filter, ExportFormat::Csv, &mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    assert_eq!(csv.lines().count(), 241);
    assert_eq!(
        csv.lines().next().unwrap(),
        "id,game,scenario,seed,seat,player,score,ending,truncated,fault,turns,elapsed_us"
    );
    let nobody = Filter { player: Some("nobody".to_owned()), ..Filter::default() };
    let mut empty = Vec::new();
    export::results(&store, &nobody, ExportFormat::Csv, &mut empty).unwrap();
    assert_eq!(String::from_utf8(empty).unwrap(), csv.split_inclusive('\n').next().unwrap());
    let players: std::collections::BTreeSet<String> =
        csv.lines().skip(1).map(|line| line.split(',').nth(5).unwrap().to_owned()).collect();
    assert_eq!(store.players().unwrap(), players.into_iter().collect::<Vec<_>>());
    let mut lines = Vec::new();
    export::results(&store, &filter, ExportFormat::JsonLines, &mut lines).unwrap();
    let lines = String::from_utf8(lines).unwrap();
    assert_eq!(lines.lines().count(), 240);
    for line in lines.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(row["game"], "count");
        let columns: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
        assert_eq!(row.as_object().unwrap().keys().len(), columns.len());
        assert!(columns.iter().all(|column| row.get(column).is_some()), "{line}");
        assert_eq!(row["player"] == "greedy", row["fault"].is_string(), "{line}");
    }
    let mut whole = Vec::new();
    export::records(&store, &filter, &mut whole).unwrap();
    let mut records = Vec::new();
    let each = |stored: &StoredRecord| {
        records.push(stored.json.clone());
        Ok::<(), StoreError>(())
    };
    store.for_each_record(&filter, each).unwrap();
    let whole = String::from_utf8(whole).unwrap();
    assert_eq!(whole.lines().collect::<Vec<_>>(), records);
}

#[test]
fn a_report_links_to_matches_that_are_worth_watching() {
    let store = store_of(EXPORTED);
    let report = report_of(&store);
    assert!(!report.matches.is_empty());
    for (at, notable) in report.matches.iter().enumerate() {
        assert!(store.load(&notable.id).is_ok(), "{}", notable.id);
        assert!(report.markdown.contains(&format!("]({})", notable.file())), "{}", report.markdown);
        assert!(report.html.contains(&format!("<a href=\"{}\">", notable.file())));
        assert!(report.matches[..at].iter().all(|known| known.id != notable.id));
    }
}

#[test]
fn a_report_on_a_family_has_what_its_problems_have() {
    let text = |scenario: &str| {
        format!(
            "game = \"count\"\nscenarios = [\"{scenario}\"]\nplayers = [\"random\", \"steady\"]\n\
             seeds = 6\n"
        )
    };
    let names = |report: &Report| {
        report.plots.iter().map(|(name, _)| name.clone()).collect::<Vec<String>>()
    };
    let plain = report_of(&store_of(&text("table")));
    let family = report_of(&store_of(&text("drawn?seed={seed}")));
    assert_eq!(names(&family), names(&plain));
    assert!(!family.matches.is_empty());
}

#[test]
fn a_report_begins_with_who_won_how_sure_a_picture_and_three_matches() {
    let store = store_of(
        r#"
        game = "count"
        scenarios = ["table?seats=2", "table?seats=2&target=31"]
        players = ["steady", "steady?add=2", "random"]
        seeds = 6
        "#,
    );
    let report = report_of(&store);
    let (first, rest) = report.markdown.split_once("## Overall").unwrap();
    let leader = first.lines().find(|line| line.starts_with("**")).unwrap();
    assert!(
        leader.contains(" 3 players, with ") && leader.contains(" % of the points"),
        "{leader}"
    );
    assert!(leader.contains("ertain"), "{leader}");
    assert_eq!(first.matches("![").count(), 1, "{first}");
    let (_, worth) = first.split_once("## Worth watching").unwrap();
    assert_eq!(worth.matches("\n- [").count(), 3, "{first}");
    // How they ended is folded away, after the link.
    for line in worth.lines().filter(|line| line.starts_with("- [")) {
        let (link, folded) = line.split_once(" <details><summary>How it ended</summary>").unwrap();
        assert!(!link.contains("rated") && !link.contains("ended"), "{link}");
        assert!(folded.contains("It ended on turn "), "{folded}");
    }
    assert_eq!(report.html.matches("<details><summary>How it ended</summary>").count(), 3);
    assert!(first.lines().count() <= 20, "{first}");
    assert_eq!(rest.matches("](matches/").count(), 0, "{rest}");
    assert_eq!(rest.matches("![").count(), report.plots.len() - 1);
    assert!(!report.plots.iter().any(|(name, _)| name.starts_with("boxes")));
}

fn report_of(store: &Store) -> Report {
    let info = store.tournament(None).unwrap();
    let standings = standings_of(store, &info).unwrap();
    report(store, &info, standings, &count::catalog(), "t.toml", &[]).unwrap()
}

/// A comparison of equals among rivals, for a terminal of this width.
fn comparison_of_equals(delta: f64, scale: EloScale, width: Option<usize>) -> String {
    let catalog = count::catalog();
    let player = |name| catalog.player("count", name).unwrap();
    let config = ComparisonConfig {
        instances: Default::default(),
        games: vec![catalog.game("count", "table?target=40").unwrap()],
        candidates: vec![player("random")],
        // Against one of the same kind alone it would play alike.
        references: vec![player("random"), player("hooked")],
        first_seed: 1,
        budget: Budget::default(),
        matches: 4000,
        measure: ScoreMeasure::Clipped,
        delta: Some(delta),
        scale,
        risks: Risks { alpha: 0.05, beta: 0.04 },
    };
    let options = RunOptions { threads: 1, stop: Arc::default() };
    let comparison = compare(&config, None, &options, &mut |_| {}).unwrap();
    render_comparison(&comparison, Detail::Everything, width).replace('\n', " ")
}

#[test]
fn verdict_and_interval_agree_on_no_difference() {
    let text = comparison_of_equals(40.0, EloScale::Logistic, None);
    let sentence = "no difference as large as 40 Elo, which is 55.7 % of the points.";
    assert!(text.contains(sentence) && !text.contains("In the long run"), "{text}");
    let miss = "if they differed by as much, at most 4 % of comparisons would end like this";
    assert!(text.contains(miss), "{text}");
    let text = comparison_of_equals(40.0, EloScale::Normalised, None);
    assert!(text.contains("no difference as large as 40 nElo"), "{text}");
}

#[test]
fn the_details_of_two_players_fit_any_terminal() {
    let wide = comparison_of_equals(40.0, EloScale::Logistic, None);
    let narrow = comparison_of_equals(40.0, EloScale::Logistic, Some(60));
    let figures = ["won–drawn–lost", "nElo ± 95 %"];
    for what in figures.into_iter().chain(["nElo measures", "± 95 % would hold", "+100 takes 64 %"])
    {
        assert!(wide.contains(what), "{what}: {wide}");
        assert!(narrow.contains(what), "{what}: {narrow}");
    }
}
