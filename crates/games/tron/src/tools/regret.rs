//! `quintain score tron`: what players gave away in recorded matches on small boards, as [`judge`]
//! finds it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use quintain_core::{
    Effort, GivenAway, JudgeError, JudgedTurn, PHASES, Record, Seat, StoreUse, Tool, ToolError,
    ToolInputs, ToolRequest, Verb, read_text_up_to,
};
use serde::Serialize;

use super::judge::judge;
use super::tool::{memory_of, memory_option};

/// The largest file of records, in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// The half width of an interval in which 95 % of means lie, in standard errors.
const NORMAL_95: f64 = 1.96;

/// What one player gave away.
#[derive(Serialize, Default, Debug)]
struct Given {
    player: String,
    /// Seats in matches.
    matches: usize,
    decisions: usize,
    /// Points given away in a match, on average.
    mean: f64,
    /// Half of its 95 % interval.
    interval: f64,
    /// The same in the first, the second and the last third of the turns.
    phases: [f64; PHASES],
    /// The share of matches in which nothing was given away.
    perfect: f64,
    #[serde(skip)]
    costs: Vec<f64>,
}

/// Everything that is told.
#[derive(Serialize, Default)]
struct Account {
    players: Vec<Given>,
    matches: usize,
    /// Matches that cannot be judged, by the reason.
    left_out: BTreeMap<String, usize>,
}

/// `quintain score tron`.
pub(crate) fn score_tool() -> Tool {
    Tool {
        verb: Verb::SCORE,
        summary: "Say what each player gave away in matches on small boards, compared with \
                  perfect play",
        inputs: Some(ToolInputs {
            value_names: &["RECORDS"],
            doc: "Files of records, as quintain export --what records writes them",
            required: true,
            file_option: false,
        }),
        options: vec![memory_option()],
        store: StoreUse::None,
        run: Arc::new(score),
    }
}

fn score(request: &ToolRequest) -> Result<String, ToolError> {
    let mut records = Vec::new();
    for file in &request.inputs {
        records.append(&mut read_records(Path::new(file))?);
    }
    // Matches on the same board follow each other, so that its values are found once.
    records.sort_by(|a, b| a.fixture.scenario.cmp(&b.fixture.scenario));
    let (memory, stop) = (memory_of(request), Arc::clone(&request.stop));
    let mut judge = judge(Effort { memory, positions: u64::MAX, stop });
    let mut account = Account::default();
    let mut players: BTreeMap<String, Given> = BTreeMap::new();
    let mut stopped = None;
    for record in &records {
        match judge.judge(record) {
            Ok(turns) => {
                account.matches += 1;
                count(&mut players, record, &turns);
            }
            Err(JudgeError::Refused(reason)) => *account.left_out.entry(reason).or_default() += 1,
            // Every other error ends the work.
            Err(_) => {
                let left = records.len() - account.matches;
                stopped = Some(format!("stopped; {left} of {} matches left", records.len()));
                break;
            }
        }
    }
    account.players = players.into_values().map(Given::summed).collect();
    account.players.sort_by(|a, b| a.mean.total_cmp(&b.mean));
    if account.matches == 0 && stopped.is_none() {
        let reasons: Vec<&str> = account.left_out.keys().map(String::as_str).collect();
        let reasons = if reasons.is_empty() { "there are none".into() } else { reasons.join("; ") };
        return Err(ToolError::Usage(format!("no match can be judged: {reasons}")));
    }
    let done = if request.json {
        serde_json::to_string_pretty(&account).expect("accounts have a JSON form") + "\n"
    } else {
        account.text()
    };
    match stopped {
        None => Ok(done),
        Some(problem) => Err(ToolError::Unfinished { done, problem }),
    }
}

fn read_records(file: &Path) -> Result<Vec<Record>, ToolError> {
    let text = read_text_up_to(file, MAX_BYTES)?;
    if let Ok(record) = Record::from_json(&text) {
        return Ok(vec![record]);
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    // Logs have lines of their own.
    let records = lines.filter(|(_, line)| !line.starts_with("{\"log_of\""));
    let read = records.map(|(number, line)| {
        Record::from_json(line).map_err(|problem| {
            ToolError::Usage(format!("{}:{}: {problem}", file.display(), number + 1))
        })
    });
    read.collect()
}

/// Adds a match to what its players gave away.
fn count(players: &mut BTreeMap<String, Given>, record: &Record, turns: &[JudgedTurn]) {
    for (seat, player) in Seat::all(2).zip(&record.fixture.seats) {
        let given = players.entry(player.clone()).or_default();
        let GivenAway { all, phases } = GivenAway::of(turns, seat);
        given.player.clone_from(player);
        given.matches += 1;
        given.decisions += turns.len();
        given.costs.push(all);
        given.phases.iter_mut().zip(phases).for_each(|(sum, cost)| *sum += cost);
    }
}

impl Given {
    /// The same with sums made into means.
    fn summed(self) -> Given {
        let number = self.matches as f64;
        let mean = self.costs.iter().sum::<f64>() / number;
        let squares: f64 = self.costs.iter().map(|cost| (cost - mean).powi(2)).sum();
        let error = (squares / (number - 1.0).max(1.0) / number).sqrt();
        let perfect = self.costs.iter().filter(|cost| **cost == 0.0).count() as f64 / number;
        let phases = self.phases.map(|sum| sum / number);
        Given { mean, interval: NORMAL_95 * error, phases, perfect, ..self }
    }
}

impl Account {
    fn text(&self) -> String {
        let mut text = match self.players.as_slice() {
            [best, ..] => format!(
                "{} gives away least: {:.4} ± {:.4} points of a match, compared with perfect \
                 play, in {} matches\n\n",
                best.player, best.mean, best.interval, best.matches
            ),
            [] => String::new(),
        };
        let longest = self.players.iter().map(|given| given.player.len()).max().unwrap_or(0);
        let width = longest.max("player".len());
        let _ = writeln!(
            text,
            "{:<width$}  matches  given away          first   middle     last  perfect",
            "player"
        );
        for Given { player, matches, mean, interval, phases, perfect, .. } in &self.players {
            let [first, middle, last] = phases;
            let _ = writeln!(
                text,
                "{player:<width$}  {matches:>7}  {mean:.4} ± {interval:.4}  {first:>7.4}  \
                 {middle:>7.4}  {last:>7.4}  {:>6.1}%",
                100.0 * perfect
            );
        }
        let _ = writeln!(
            text,
            "\nfirst, middle, last: thirds of a match; perfect: matches in which nothing was given \
             away"
        );
        for (reason, number) in &self.left_out {
            let _ = writeln!(text, "{number} left out: {reason}");
        }
        text
    }
}
