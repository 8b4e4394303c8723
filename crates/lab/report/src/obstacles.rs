//! Why tests in the queue are not played, and what to do about it.

use std::collections::BTreeMap;

use quintain_store::{QueuedTest, TestState};

/// Says which tests nobody plays, and why, and what is in the way of others. `is_answered` tells
/// whether a process answers the queue; `option` is added to commands, so that they are about the
/// same store.
pub fn describe_obstacles(tests: &[QueuedTest], is_answered: bool, option: &str) -> Vec<String> {
    let is_open =
        |test: &&QueuedTest| matches!(test.state, TestState::Proposed | TestState::Running);
    let open: Vec<&QueuedTest> = tests.iter().filter(is_open).collect();
    if !open.is_empty() && !is_answered && open.iter().all(|test| !test.is_held) {
        return vec![format!("Nobody answers the queue: start `quintain tests run{option}`.")];
    }
    let notes = open.iter().flat_map(|test| {
        test.report.notes.iter().map(|note| format!("Test {}: {note}.", test.number))
    });
    let notes: Vec<String> = notes.collect();
    let mut numbers: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for test in open {
        if let Some(why) = &test.obstacle {
            numbers.entry(why).or_default().push(test.number);
        }
    }
    let mut lines: Vec<(Vec<i64>, &str)> =
        numbers.into_iter().map(|(why, numbers)| (numbers, why)).collect();
    lines.iter_mut().for_each(|(numbers, _)| numbers.sort_unstable());
    lines.sort();
    let line = |(numbers, why): (Vec<i64>, &str)| {
        let tests = if numbers.len() == 1 { "test" } else { "tests" };
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        format!("Nobody plays {tests} {}: {why}.", numbers.join(", "))
    };
    lines.into_iter().map(line).chain(notes).collect()
}

/// The pairs of games of a player, by their results: `LL 1, LD 0, …`.
pub fn describe_pairs(counts: &[u64; 6]) -> String {
    let names = ["both lost", "lost and drawn", "won and lost", "both drawn", "won and drawn"];
    let named = names.into_iter().chain(["both won"]).zip(counts);
    let named: Vec<String> = named
        .filter(|(_, count)| **count > 0)
        .map(|(name, count)| format!("{count} {name}"))
        .collect();
    format!("Pairs of games: {}.", named.join(", "))
}

#[cfg(test)]
mod tests {
    use quintain_store::{NewTest, Store};

    use super::*;

    #[test]
    fn tests_that_wait_for_the_same_reason_are_named_together_and_those_that_are_over_not_at_all() {
        let mut store = Store::in_memory().unwrap();
        for _ in 0..4 {
            let (who, what) = ("ann".to_owned(), "a or b".to_owned());
            let test = NewTest { priority: 0, who, what, question: "{}".to_owned() };
            store.propose_test(&test).unwrap();
        }
        assert!(store.change_test(4, &[TestState::Proposed], TestState::Stopped).unwrap());
        let mut tests = store.queued_tests().unwrap();
        assert_eq!(
            describe_obstacles(&tests, false, " --store s"),
            ["Nobody answers the queue: start `quintain tests run --store s`."]
        );
        assert!(describe_obstacles(&tests, true, "").is_empty());
        assert!(describe_obstacles(&tests[3..], false, "").is_empty());
        for (place, why) in [(0, "no worker"), (1, "it is refused"), (2, "no worker")] {
            tests[place].obstacle = Some(why.to_owned());
        }
        assert_eq!(
            describe_obstacles(&tests, true, ""),
            ["Nobody plays tests 1, 3: no worker.", "Nobody plays test 2: it is refused."]
        );
        tests[0].obstacle = None;
        tests[0].report.notes = vec!["mine crashed on desk:7; asking other workers".to_owned()];
        assert_eq!(
            describe_obstacles(&tests[..1], true, ""),
            ["Test 1: mine crashed on desk:7; asking other workers."]
        );
        assert_eq!(
            describe_pairs(&[2, 0, 3, 0, 0, 1]),
            "Pairs of games: 2 both lost, 3 won and lost, 1 both won."
        );
    }
}
