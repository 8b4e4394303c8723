//! Faults in words: how many of each kind.

use std::collections::BTreeMap;

/// Faults by their kind, the most frequent first, such as `18 timeouts, 2 illegal actions`; empty
/// if there are none.
pub fn describe_faults(faults: &BTreeMap<String, u64>) -> String {
    let mut kinds: Vec<(&String, &u64)> = faults.iter().collect();
    // Stable: equally frequent kinds stay in alphabetical order.
    kinds.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let kinds: Vec<String> =
        kinds.into_iter().map(|(kind, count)| count_kind(kind, *count)).collect();
    kinds.join(", ")
}

fn count_kind(kind: &str, count: u64) -> String {
    match (kind, count) {
        ("out of memory" | "too many processes", 1) => format!("{kind} once"),
        ("out of memory" | "too many processes", _) => format!("{kind} {count} times"),
        (_, 1) => format!("1 {kind}"),
        ("crash", _) => format!("{count} crashes"),
        _ => format!("{count} {kind}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_counted_by_kind_the_most_frequent_first() {
        let faults = |kinds: &[(&str, u64)]| {
            describe_faults(
                &kinds.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect(),
            )
        };
        assert_eq!(faults(&[]), "");
        assert_eq!(
            faults(&[("illegal action", 2), ("timeout", 18)]),
            "18 timeouts, 2 illegal actions"
        );
        assert_eq!(
            faults(&[("crash", 2), ("out of memory", 1), ("protocol error", 1)]),
            "2 crashes, out of memory once, 1 protocol error"
        );
        assert_eq!(faults(&[("too many processes", 3)]), "too many processes 3 times");
    }
}
