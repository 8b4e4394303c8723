use quintain_store::{NewSeries, NewTest, NewVersion, Store, TestReport, VersionInfo};

use super::*;

fn lead(value: f64, half: f64) -> Lead {
    Lead { value, low: Some(value - half), high: Some(value + half), unit: ELO.to_owned() }
}

/// A series with a first version and these, each with the verdict and the lead of its test.
fn series(answers: &[(Option<&str>, Option<Lead>)]) -> TestSeries {
    let mut store = Store::in_memory().unwrap();
    let (who, question) = ("ann".to_owned(), String::new());
    let test = NewTest { priority: 0, who, what: String::new(), question };
    let version = |number: usize| NewVersion {
        info: VersionInfo {
            revision: format!("{number}").repeat(40),
            short: format!("{number}").repeat(7),
            day: "2015-08-07".to_owned(),
            title: format!("change {number}"),
            commits: 1,
            player: Some(format!("bot:mine@{number}")),
            remark: None,
        },
        step: (number > 0).then(|| test.clone()),
        anchored: None,
    };
    let versions: Vec<NewVersion> = (0..=answers.len()).map(version).collect();
    let (name, what) = ("mine".to_owned(), "Each commit.".to_owned());
    let new = NewSeries { name, what, question: String::new() };
    assert!(store.extend_series(&new, 0, &versions).unwrap());
    for (number, (verdict, lead)) in (1..).zip(answers) {
        let Some(verdict) = verdict else { continue };
        let open = [TestState::Proposed];
        assert!(store.change_test(number, &open, TestState::Decided).unwrap());
        let (verdict, lead) = (Some((*verdict).to_owned()), lead.clone());
        let report = TestReport { matches: 40, verdict, lead, ..TestReport::default() };
        store.report_test(number, &report).unwrap();
    }
    store.all_test_series().unwrap().remove(0)
}

#[test]
fn leads_of_the_steps_add_up_and_their_intervals_in_squares() {
    let series = series(&[
        (Some("better"), Some(lead(30.0, 3.0))),
        (Some("worse"), Some(lead(-50.0, 4.0))),
        (Some("alike"), None),
    ]);
    let rows = progress(&series);
    let totals: Vec<&Lead> = rows.iter().map(|row| row.total.as_ref().unwrap()).collect();
    assert_eq!((totals[1].value, totals[1].low), (30.0, Some(27.0)));
    assert_eq!((totals[2].low, totals[2].value, totals[2].high), (Some(-25.0), -20.0, Some(-15.0)));
    assert_eq!(totals[3], totals[2], "nothing changed");
    let fell: Vec<bool> = rows.iter().map(|row| row.fell).collect();
    assert_eq!(fell, [false, false, true, false]);
    assert_eq!(
        describe_progress(&series, ""),
        [
            "It fell at 2222222 “change 2”, of 2015-08-07: 50 Elo (46 to 54) worse than 1111111.",
            "3333333 compared with 0000000: -20 (-25 to -15) Elo, summed over 2 steps with their \
             errors."
        ]
    );
}

#[test]
fn a_fall_within_several_commits_says_how_to_find_the_one() {
    let mut all = series(&[(Some("worse"), Some(lead(-50.0, 4.0)))]);
    all.versions[1].info.commits = 10;
    all.question = r#"{"program":"mine","question":{"game":"tron","scenario":["a b"],"budget":"",
                       "delta":15.0}}"#
        .to_owned();
    assert_eq!(
        describe_progress(&all, "")[0],
        "It fell at one of 10 commits, up to 1111111 “change 1”, of 2015-08-07: 50 Elo (46 to 54) \
         worse than 0000000. Which one: quintain tests series add mine --name mine-1111111 --since \
         0000000 --to 1111111 --game tron --scenario 'a b' --delta 15"
    );
}

#[test]
fn a_fall_after_a_version_that_cannot_play_names_both() {
    let mut all = series(&[(None, None), (Some("worse"), Some(lead(-50.0, 49.8)))]);
    let broken = &mut all.versions[1];
    (broken.info.player, broken.step) = (None, None);
    broken.info.remark = Some("does not build".to_owned());
    all.versions[2].info.commits = 2;
    assert_eq!(
        describe_progress(&all, "")[0],
        "It fell at 2222222 “change 2” or 1111111 “change 1” (does not build), of 2015-08-07: \
         50 Elo (0.2 to 100) worse than 0000000."
    );
}

#[test]
fn tests_that_were_stopped_are_no_answers() {
    let mut all = series(&[(Some("better"), Some(lead(30.0, 3.0))), (None, None), (None, None)]);
    for version in &mut all.versions[2..] {
        version.step.as_mut().unwrap().state = TestState::Stopped;
    }
    assert_eq!(
        describe_progress(&all, ""),
        [
            "No version is worse than the one before it, in 1 of 3 tests.",
            "1111111 compared with 0000000: +30 (+27 to +33) Elo.",
            "Stopped without an answer: tests 2, 3; quintain tests again 2 asks once more."
        ]
    );
}

#[test]
fn what_is_not_known_yet_is_left_open() {
    let all = series(&[
        (Some("better"), Some(Lead { high: None, ..lead(300.0, 100.0) })),
        (None, None),
        (None, None),
    ]);
    let rows = progress(&all);
    assert_eq!(rows[1].total.as_ref().unwrap().high, None);
    assert!(rows[2].total.is_none() && rows[3].total.is_none());
    assert_eq!(
        describe_progress(&all, ""),
        [
            "No version is worse than the one before it, in 1 of 3 tests.",
            "1111111 compared with 0000000: +300 (over +200) Elo.",
            "2 tests are open."
        ]
    );
    // How large a step is that was always won, nobody knows: sums beyond it say nothing.
    let won = Lead { high: None, ..lead(574.0, 560.0) };
    let steps = [(Some("better"), Some(won)), (Some("worse"), Some(lead(-60.0, 30.0)))];
    let mut all = series(&steps);
    all.question =
        r#"{"program":"mine","question":{"game":"tron","scenario":[],"budget":""}}"#.to_owned();
    let rows = progress(&all);
    assert!(rows[1].total.is_some() && rows[2].total.is_none());
    assert_eq!(
        describe_progress(&all, "")[1],
        "How far 2222222 is from 0000000 is unknown, since the step to 1111111 is known from one \
         side only. To ask: quintain tests add mine@git:2222222 mine@git:0000000 --game tron"
    );
    // Differences of other measures do not add up.
    let chance = Lead { unit: "P(better) - P(worse)".to_owned(), ..lead(0.25, 0.125) };
    let all = series(&[(Some("worse"), Some(Lead { value: -0.25, ..chance }))]);
    assert!(progress(&all)[1].total.is_none());
}

#[test]
fn the_table_fits_a_narrow_terminal() {
    let all = series(&[
        (Some("no difference"), Some(lead(3.0, 17.0))),
        (Some("worse"), Some(lead(-150.0, 148.0))),
        (None, None),
    ]);
    let mut anchored = all.clone();
    for version in &mut anchored.versions {
        version.anchored.clone_from(&all.versions[2].step);
    }
    let table = render_progress(&anchored, "", Some(80));
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert!(table.contains("Elo to anchor"), "{table}");
    let said = "Beside the anchor, 3333333 is -150 (-298 to -2) Elo, and 0000000 was -150 (-298 to \
                -2).";
    let lines = describe_progress(&anchored, "");
    assert_eq!(lines[1], said, "what was measured, and no sum");
    assert!(!lines.concat().contains("summed"), "{lines:?}");
    // Nor is it wider where there is no terminal.
    let piped = render_progress(&anchored, "", None);
    let rows = piped.lines().skip_while(|line| !line.starts_with('─'));
    assert!(rows.take(5).all(|line| line.chars().count() <= 80), "{piped}");
    let table = render_progress(&all, "", Some(80));
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    for words in ["+3 (-14 to +20)", "worse ←", "-150 (-298 to -2)", "proposed", "change 2"] {
        assert!(table.contains(words), "{words}: {table}");
    }
}

#[test]
fn a_sum_in_which_zero_lies_says_so_and_how_to_measure_it() {
    let steps = [(Some("better"), Some(lead(8.0, 7.0))), (Some("better"), Some(lead(9.0, 24.0)))];
    let mut all = series(&steps);
    all.question =
        r#"{"program":"mine","question":{"game":"tron","scenario":[],"budget":""}}"#.to_owned();
    assert_eq!(
        describe_progress(&all, " --on club")[1],
        "2222222 compared with 0000000: +17 (-8 to +42) Elo, summed over 2 steps with their \
         errors; which of the two is better is not known. To measure it: quintain tests add \
         mine@git:2222222 mine@git:0000000 --game tron --on club"
    );
}
