//! `quintain adversary pentocity --against PLAYER`: looks for the distribution of requests that
//! hurts a player most, measured by the share that it reaches of a reference player's points on the
//! same requests. Distributions are mixtures in two phases; the separable CMA-ES of
//! `quintain-search` moves their weights, with fresh seeds in every generation.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use quintain_core::{
    AnyEntry, Entry, PlayerHandle, Rng, Setup, SpecError, StoreUse, Streams, Tool, ToolError,
    ToolOption, ToolRequest, Verb,
};
use quintain_search::evolution::Evolution;
use serde::Serialize;

use crate::roster::roster;
use crate::rules::Pentocity;
use crate::rules::pieces::LETTERS;

/// The number of weights of a phase: the share of residences, the letters, the sides of factories.
const PHASE: usize = 1 + LETTERS.len() + 5;
/// The number of genes: two phases, and when the second begins.
const GENES: usize = 2 * PHASE + 1;
/// The latest request on which the second phase can begin.
const LATEST: f64 = 300.0;
/// Weights below this many hundredths are left out.
const LEAST: f64 = 1.0;

struct Settings {
    against: String,
    reference: String,
    time: Option<Duration>,
    /// Seed of the search's own random numbers.
    random: u64,
    generations: u64,
    /// Games for each candidate.
    games: u64,
    /// Games, on separate seeds, for the final choice and the report.
    proof: u64,
    side: String,
    scoring: String,
    save: Option<String>,
}

impl Settings {
    fn read(request: &ToolRequest) -> Result<Settings, ToolError> {
        let whole = |name: &str, usual: u64| request.number(name).unwrap_or(usual);
        let text = |name: &str, usual: &str| request.text(name).unwrap_or(usual).to_owned();
        let mut settings = Settings {
            against: text("against", ""),
            reference: text("reference", ""),
            time: request.duration("time"),
            random: whole("random", 1),
            generations: whole("generations", 30),
            games: whole("games", 4),
            proof: whole("proof", 20),
            side: text("side", "50"),
            scoring: text("scoring", "simulator"),
            save: request.text("save").map(str::to_owned),
        };
        if settings.against.is_empty() {
            return Err(ToolError::Usage("name a player: --against PLAYER".to_owned()));
        }
        if settings.reference.is_empty() {
            // Against the strongest player; if that is the player itself, against the class's.
            let against = settings.against.trim_start_matches("pentocity/");
            let is_champion = against.split('?').next() == Some("champion");
            settings.reference = if is_champion { "g1" } else { "champion" }.to_owned();
        }
        Ok(settings)
    }

    /// The side and the scoring, at the end of a scenario's text.
    fn board_options(&self) -> String {
        format!("side={}&scoring={}", self.side, self.scoring)
    }
}

/// The scenario that genes stand for, in the words that users write.
fn scenario(genes: &[f64], board: &str) -> String {
    let (first, rest) = genes.split_at(PHASE);
    let (second, when) = rest.split_at(PHASE);
    let switch = (LATEST * logistic(when[0])).round() as u64;
    let mut text = format!("mixture?{}", phase(first, ""));
    if switch > 0 {
        text += &format!("&switch={switch}&{}", phase(second, "2"));
    }
    text + "&" + board
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// One phase; `suffix` is on its parameters' names.
fn phase(genes: &[f64], suffix: &str) -> String {
    let share = (100.0 * logistic(genes[0])).round() / 100.0;
    let letters = LETTERS.map(|letter| letter.to_string());
    let shapes = weights(&letters, &genes[1..=LETTERS.len()]);
    let sides = [1, 2, 3, 4, 5].map(|side: u8| side.to_string());
    let factories = weights(&sides, &genes[1 + LETTERS.len()..]);
    format!("share{suffix}={share}&shapes{suffix}={shapes}&factories{suffix}={factories}")
}

/// Names with their weights in hundredths; names with almost no weight are left out.
fn weights(names: &[String], genes: &[f64]) -> String {
    let most = genes.iter().copied().fold(f64::MIN, f64::max);
    let raw: Vec<f64> = genes.iter().map(|gene| (gene - most).exp()).collect();
    let sum: f64 = raw.iter().sum();
    let parts = names.iter().zip(&raw).filter_map(|(name, weight)| {
        let hundredths = (100.0 * weight / sum).round();
        (hundredths >= LEAST).then(|| format!("{name}:{hundredths}"))
    });
    parts.collect::<Vec<_>>().join(",")
}

/// A mean score with its standard error.
#[derive(Clone, Copy, Serialize)]
struct Mean {
    mean: f64,
    error: f64,
}

/// The scores of two players on the same games.
struct PairedScores {
    against: Vec<f64>,
    reference: Vec<f64>,
}

impl PairedScores {
    /// The share of the reference's score that is reached.
    fn share(&self) -> f64 {
        let sum = |scores: &[f64]| scores.iter().sum::<f64>();
        sum(&self.against) / sum(&self.reference).max(1.0)
    }

    fn means(&self) -> (Mean, Mean) {
        let mean = |scores: &[f64]| {
            let n = scores.len() as f64;
            let mean = scores.iter().sum::<f64>() / n;
            let squares = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>();
            let error = if n > 1.0 { (squares / (n - 1.0) / n).sqrt() } else { 0.0 };
            Mean { mean, error }
        };
        (mean(&self.against), mean(&self.reference))
    }
}

struct Contestants {
    entry: Arc<Entry<Pentocity>>,
    against: PlayerHandle,
    reference: PlayerHandle,
}

impl Contestants {
    fn measure(&self, scenario: &str, seeds: &[u64]) -> Result<PairedScores, ToolError> {
        let failed = |error: &dyn std::fmt::Display| ToolError::Failed(error.to_string());
        let game = AnyEntry::game(&self.entry, scenario).map_err(|error| failed(&error))?;
        let play = |player: &PlayerHandle| -> Result<Vec<f64>, ToolError> {
            let one = |&seed: &u64| {
                let setup = Setup::new(seed);
                let record = game.play(&setup, &[player], None).map_err(|error| failed(&error))?;
                match &record.outcome.fault {
                    Some(fault) => Err(ToolError::Failed(format!("{scenario}: {fault:?}"))),
                    None => Ok(record.outcome.scores[0]),
                }
            };
            seeds.iter().map(one).collect()
        };
        Ok(PairedScores { against: play(&self.against)?, reference: play(&self.reference)? })
    }
}

/// The result of the search.
#[derive(Serialize)]
struct AdversaryReport {
    scenario: String,
    against: String,
    reference: String,
    score: Mean,
    reference_score: Mean,
    /// The share of the reference's score that is reached.
    share: f64,
    /// The same share on the class's distribution `random`.
    share_on_random: f64,
    /// Distributions tried.
    tried: u64,
}

/// The search, while it runs.
struct AdversarySearch<'a> {
    contestants: Contestants,
    settings: &'a Settings,
    request: &'a ToolRequest,
    begin: Instant,
    rng: Rng,
    tried: u64,
}

impl AdversarySearch<'_> {
    /// Whether this share of the time is over, or the user has stopped the search.
    fn is_over(&self, share: f64) -> bool {
        let late = |time: Duration| self.begin.elapsed() >= time.mul_f64(share);
        self.settings.time.is_some_and(late) || self.request.stop.load(Ordering::Relaxed)
    }

    fn draw_seeds(&mut self, count: u64) -> Vec<u64> {
        (0..count).map(|_| self.rng.bits() >> 11).collect()
    }

    /// Lets distributions evolve. Returns the best of them by few games, the best first, and the
    /// mean at which the evolution has arrived.
    fn search(&mut self, board: &str) -> Result<Vec<String>, ToolError> {
        const FINALISTS: usize = 12;
        let mut evolution = Evolution::new(vec![0.0; GENES], 1.5);
        let mut finalists: Vec<(f64, String)> = Vec::new();
        for _ in 0..self.settings.generations {
            let candidates = evolution.ask(&mut self.rng);
            let seeds = self.draw_seeds(self.settings.games);
            let mut costs = Vec::with_capacity(candidates.len());
            for genes in &candidates {
                if self.is_over(0.6) {
                    break;
                }
                let text = scenario(genes, board);
                let share = self.contestants.measure(&text, &seeds)?.share();
                self.tried += 1;
                costs.push(share);
                finalists.push((share, text));
            }
            finalists.sort_by(|a, b| a.0.total_cmp(&b.0));
            finalists.truncate(FINALISTS);
            if costs.len() < candidates.len() {
                break;
            }
            evolution.tell(&candidates, &costs);
        }
        let mut texts: Vec<String> = finalists.into_iter().map(|(_, text)| text).collect();
        texts.insert(texts.len().min(1), scenario(evolution.mean(), board));
        Ok(texts)
    }

    /// The best of several, measured on separate games: with few games, luck decides.
    fn choose(&mut self, texts: Vec<String>) -> Result<String, ToolError> {
        let seeds = self.draw_seeds(self.settings.proof);
        let mut best: Option<(f64, String)> = None;
        for text in texts {
            if best.is_some() && self.is_over(0.9) {
                break;
            }
            let share = self.contestants.measure(&text, &seeds)?.share();
            if best.as_ref().is_none_or(|(least, _)| share < *least) {
                best = Some((share, text));
            }
        }
        let (_, text) = best.ok_or_else(|| ToolError::Failed("nothing was tried".to_owned()))?;
        Ok(text)
    }
}

/// `quintain adversary pentocity`.
pub(crate) fn adversary_tool() -> Tool {
    Tool {
        verb: Verb {
            name: "adversary",
            summary: "Search for the scenario on which a player does worst",
            usage: "",
            lack: "no adversary",
        },
        summary: "Search for the distribution of requests on which a player scores least",
        inputs: None,
        options: vec![
            ToolOption {
                required: true,
                ..ToolOption::text(
                    "against",
                    "PLAYER",
                    "The player to test: NAME or \"NAME?parameter=value\"",
                )
            },
            ToolOption::text(
                "reference",
                "PLAYER",
                "The player to compare it with, on the same requests [default: champion]",
            ),
            ToolOption::text("save", "FILE", "Write the scenario found to this file"),
            ToolOption::whole(
                "random",
                "SEED",
                0..=u64::MAX,
                "Seed of the search's own random numbers [default: 1]",
            )
            .with_alias("seed"),
            ToolOption::duration(
                "time",
                "Time to take, such as 500ms or 2min; a bare number is in seconds [default: as \
                 long as the generations take]",
            )
            .with_short('t'),
            ToolOption::whole(
                "generations",
                "N",
                1..=1_000_000,
                "Generations of distributions [default: 30]",
            ),
            ToolOption::whole("games", "N", 1..=10_000, "Games for each distribution [default: 4]"),
            ToolOption::whole(
                "proof",
                "N",
                1..=100_000,
                "Fresh games on which the result is measured [default: 20]",
            ),
            ToolOption::text("side", "CELLS", "Cells along each side of the land [default: 50]"),
            ToolOption::text(
                "scoring",
                "RULES",
                "Which rules score: simulator or report [default: simulator]",
            ),
        ],
        store: StoreUse::None,
        run: Arc::new(adversary),
    }
}

/// Searches for the distribution and describes it.
fn adversary(request: &ToolRequest) -> Result<String, ToolError> {
    if let Some(input) = request.inputs.first() {
        return Err(ToolError::Usage(format!(
            "“{input}” is not expected; name the player with --against PLAYER"
        )));
    }
    let settings = Settings::read(request)?;
    let usage = |error: SpecError| ToolError::Usage(error.to_string());
    let entry = Arc::new(roster());
    let against = AnyEntry::player(&entry, &settings.against).map_err(usage)?;
    let reference = AnyEntry::player(&entry, &settings.reference).map_err(usage)?;
    let board = settings.board_options();
    entry.build(&format!("random?{board}")).map_err(usage)?;
    let mut search = AdversarySearch {
        contestants: Contestants { entry: Arc::clone(&entry), against, reference },
        settings: &settings,
        request,
        begin: Instant::now(),
        rng: Streams::new(settings.random).address("adversary", 0),
        tried: 0,
    };
    let found = search.search(&board)?;
    let text = search.choose(found)?;
    let (_, text) = entry.build(&text).map_err(usage)?;

    // The reported result is measured on games that had no part in the choice.
    let seeds = search.draw_seeds(settings.proof);
    let measured = search.contestants.measure(&text, &seeds)?;
    let (score, reference_score) = measured.means();
    let report = AdversaryReport {
        scenario: format!("pentocity:{text}"),
        against: settings.against.clone(),
        reference: settings.reference.clone(),
        score,
        reference_score,
        share: measured.share(),
        share_on_random: search.contestants.measure(&format!("random?{board}"), &seeds)?.share(),
        tried: search.tried,
    };
    if let Some(path) = &settings.save {
        std::fs::write(path, format!("{}\n", report.scenario))
            .map_err(|error| ToolError::Failed(format!("{path}: {error}")))?;
    }
    if request.json {
        let text = serde_json::to_string_pretty(&report);
        return text.map(|text| text + "\n").map_err(|error| ToolError::Failed(error.to_string()));
    }
    Ok(report.format(settings.proof, settings.save.as_deref()))
}

impl AdversaryReport {
    fn format(&self, games: u64, save: Option<&str>) -> String {
        let AdversaryReport { scenario, against, reference, score, reference_score, tried, .. } =
            self;
        let mean = |mean: &Mean| format!("{:.0} ± {:.0}", mean.mean, 1.96 * mean.error);
        let mut text = format!(
            "{scenario}\n{against} {}, {reference} {}: {:.0} % of it, on random {:.0} % \
             ({games} fresh games; {tried} distributions tried)\n",
            mean(score),
            mean(reference_score),
            100.0 * self.share,
            100.0 * self.share_on_random,
        );
        if let Some(path) = save {
            text += &format!("saved in {path}: play it as pentocity:file?path={path}\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vector_of_genes_is_a_scenario() {
        let mut rng = Rng::from_seed(1);
        for spread in [0.0, 1.0, 30.0] {
            for _ in 0..20 {
                let genes: Vec<f64> =
                    (0..GENES).map(|_| spread * (2.0 * rng.unit() - 1.0)).collect();
                let text = scenario(&genes, "side=50&scoring=simulator");
                assert!(roster().build(&text).is_ok(), "{text}");
            }
        }
    }

    #[test]
    fn genes_of_nothing_weigh_all_alike() {
        let text = scenario(&[0.0; GENES], "side=9&scoring=report");
        assert!(text.starts_with("mixture?share=0.5&shapes=F:6,f:6,I:6,"), "{text}");
        assert!(text.contains("&factories=1:20,2:20,3:20,4:20,5:20&switch=150&share2=0.5"));
        assert!(text.ends_with("&side=9&scoring=report"));
    }
}
