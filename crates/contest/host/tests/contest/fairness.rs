//! Whether everybody gets the share of the machine's time that fair division gives them.

use std::collections::BTreeMap;

use rusqlite::OptionalExtension;

use crate::setup::Contest;

/// By which part of a fair share the time of an honest participant may differ from it.
const TOLERANCE: f64 = 0.2;
/// The least fair share, in seconds, of which that can be said. In a class that plays for seconds,
/// what a newcomer may be ahead by (two), and what the first guess of everybody's cost was wrong
/// by, is more than that part.
const MEANINGFUL: f64 = 20.0;

/// What somebody on the ladder has used: seconds of thread time as the ladder accounts for them,
/// and the number of their matches.
#[derive(Clone, Copy, Debug)]
struct Used {
    seconds: f64,
    matches: i64,
}

/// What all who are on the ladder have used, by name; those of the house and hidden copies, too.
pub(crate) struct Accounts(BTreeMap<String, Used>);

impl Accounts {
    /// Reads the accounts of those who are on the ladder and have one.
    pub(crate) fn read(contest: &Contest) -> Accounts {
        let database = contest.database();
        let saved = "SELECT value FROM settings WHERE key = 'shares'";
        // They are saved now and then, so at first there are none.
        let saved = database.query_row(saved, [], |row| row.get::<_, String>(0)).optional();
        let saved = saved.unwrap().unwrap_or_else(|| "{}".to_owned());
        let saved: BTreeMap<i64, f64> = serde_json::from_str(&saved).unwrap();
        let sql = "SELECT p.id, p.name, count(DISTINCT m.id) FROM participants AS p
                   JOIN versions AS v ON v.participant = p.id
                   LEFT JOIN seats AS s ON s.version = v.id
                   LEFT JOIN matches AS m ON m.id = s.match AND m.record IS NOT NULL
                   WHERE p.active IS NOT NULL GROUP BY p.id";
        let mut statement = database.prepare(sql).unwrap();
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        let all = statement.query_map([], read).unwrap().map(Result::unwrap);
        let used = |(id, name, matches): (i64, String, i64)| {
            Some((name, Used { seconds: *saved.get(&id)?, matches }))
        };
        Accounts(all.filter_map(used).collect())
    }

    /// Checks that since an earlier time, each honest participant has got a fair share. Returns the
    /// shares as text.
    pub(crate) fn expect_fair_shares_since(
        &self,
        earlier: &Accounts,
        is_honest: impl Fn(&str) -> bool,
    ) -> String {
        let since = |(name, now): (&String, &Used)| {
            let then = earlier.0.get(name)?;
            let (seconds, matches) = (now.seconds - then.seconds, now.matches - then.matches);
            Some((name.clone(), Used { seconds, matches }))
        };
        let used: BTreeMap<String, Used> = self.0.iter().filter_map(since).collect();
        let fair = used.values().map(|used| used.seconds).sum::<f64>() / used.len() as f64;
        if fair < MEANINGFUL {
            return format!("a fair share is {fair:.1} s of a thread, which says nothing");
        }
        let (honest, others): (Vec<_>, Vec<_>) = used.iter().partition(|(name, _)| is_honest(name));
        let mut shares: Vec<f64> = honest.iter().map(|(_, used)| used.seconds / fair).collect();
        let mut matches: Vec<f64> = honest.iter().map(|(_, used)| used.matches as f64).collect();
        let others: Vec<String> = others
            .iter()
            .map(|(name, used)| {
                format!("{name} {:.2} in {} matches", used.seconds / fair, used.matches)
            })
            .collect();
        let text = format!(
            "a fair share for each of {} on the ladder is {fair:.1} s of a thread; {} honest ones \
             got {} of it in {} matches (least, median, most); others: {}",
            used.len(),
            honest.len(),
            spread(&mut shares, 2),
            spread(&mut matches, 0),
            others.join(", "),
        );
        for (name, used) in honest {
            let apart = (used.seconds - fair).abs();
            assert!(apart <= TOLERANCE * fair, "{name} got {:.1} s: {text}", used.seconds);
        }
        text
    }
}

/// Returns the least, the median and the most.
fn spread(values: &mut [f64], digits: usize) -> String {
    values.sort_by(f64::total_cmp);
    let of = |at: usize| format!("{:.digits$}", values.get(at).copied().unwrap_or(f64::NAN));
    format!("{}, {} and {}", of(0), of(values.len() / 2), of(values.len().saturating_sub(1)))
}
