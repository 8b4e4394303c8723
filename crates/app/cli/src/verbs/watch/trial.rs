//! The trial of one version of a program: it is built, kept, checked, and compared with the best
//! version so far and with a field, in growing numbers of matches until everything is certain.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use quintain_arena::RunOptions;
use quintain_arena::compare::{
    self, CandidateResult, CompareProgress, Comparison, ComparisonConfig, DrawGame, Effect,
    ScoreMeasure,
};
use quintain_bots::check::{CheckTerms, CheckTime, check};
use quintain_bots::versions::Version;
use quintain_bots::{AnswerTimes, ProgramError, Programs, format_time};
use quintain_core::{AnyGame, Budget, Catalog, PlayerHandle, Scoring};
use quintain_report::render_opponents;
use quintain_scene::clean;
use quintain_stats::likelihood::EloScale;
use quintain_stats::{Risks, Verdict, WinDrawLoss};
use quintain_store::Store;

use super::news::Saves;
use super::worst;
use crate::board::format_output;
use crate::failure::Failure;
use crate::messages::{print_notice, with_remark};
use crate::plain::clean_lines;
use crate::screen;
use crate::verbs::bot;
use crate::verbs::compare::question::draw_instances;

/// The default for the difference among rivals to detect, in Elo points: a change that one notices.
const DEFAULT_DELTA: f64 = 50.0;
/// Number of matches against each opponent at first. It triples each time, so that everybody is met
/// soon.
const FIRST_MATCHES: u64 = 20;
/// The error probabilities of each comparison.
const RISKS: Risks = Risks { alpha: 0.05, beta: 0.05 };
/// How long the check of a version may take before it plays.
const CHECK_TIME: CheckTime =
    CheckTime { all: Duration::from_secs(20), one: Duration::from_secs(5) };
/// Maximum number of lines shown of a failed build.
const SHOWN_LINES: usize = 20;

/// What to try, against whom, and where.
pub(in crate::verbs) struct Trial<'a> {
    pub(in crate::verbs) catalog: &'a Catalog,
    pub(in crate::verbs) programs: &'a Arc<Programs>,
    pub(in crate::verbs) name: String,
    pub(in crate::verbs) game: String,
    pub(in crate::verbs) scenarios: Vec<String>,
    pub(in crate::verbs) field: Vec<String>,
    pub(in crate::verbs) seed: u64,
    pub(in crate::verbs) budget: Budget,
    pub(in crate::verbs) matches: u64,
    pub(in crate::verbs) delta: Option<f64>,
    pub(in crate::verbs) threads: Option<usize>,
    pub(in crate::verbs) store: Store,
    /// The option with which other verbs find the store.
    pub(in crate::verbs) store_option: String,
    /// Set to end the matches under way.
    pub(in crate::verbs) hurry: Arc<AtomicBool>,
    pub(in crate::verbs) saves: Arc<Mutex<Saves>>,
    /// The hash of the last version whose trial was completed.
    pub(in crate::verbs) last: Option<String>,
}

/// The end of a trial.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::verbs) enum End {
    /// Everything was played as planned.
    Done,
    /// Something was saved in the meantime, or the user asked to stop.
    GivenUp,
    /// The program could not play; the reason has been printed.
    Broken,
}

/// The best version of the program before this one.
enum Best {
    /// There is no version to compare with.
    None,
    /// It is the version on trial.
    Itself,
    /// It is another version.
    Other(Version),
}

/// The result of comparing a version with the best one so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::verbs) enum Standing {
    Better,
    /// It is not distinguishable.
    Level,
    Worse,
    /// There were not enough matches to tell.
    Unknown,
}

/// A version that can play.
pub(in crate::verbs) struct Ready {
    pub(in crate::verbs) version: Version,
    built: Option<Duration>,
}

impl Trial<'_> {
    /// Checks that the field can play at all, before anything is built.
    pub(in crate::verbs) fn check_field(&self) -> Result<(), Failure> {
        let games = self.games()?;
        self.seat(&games, self.field.iter().map(String::as_str)).map(drop)
    }

    /// Tries the program in its current state.
    pub(in crate::verbs) fn run(&mut self, out: &mut dyn Write) -> Result<End, Failure> {
        let Some(ready) = self.prepare(out)? else { return Ok(End::Broken) };
        let hash = ready.version.hash().to_owned();
        if self.last.as_deref() == Some(&hash) {
            writeln!(out, "{} has not changed: nothing to try", ready.version.player())?;
            return Ok(End::Done);
        }
        let games = self.games()?;
        let best = self.find_best(&hash)?;
        let rival = match &best {
            Best::Other(version) => Some(version.player()),
            Best::Itself | Best::None => None,
        };
        let against = rival.iter().map(String::as_str).chain(self.field.iter().map(String::as_str));
        let opponents = self.seat(&games, against)?;
        let candidate = self.catalog.player(&self.game, &ready.version.player())?;
        games.iter().try_for_each(|game| game.accepts(&candidate))?;
        self.programs.take_times();
        let comparisons = self.play(&candidate, &opponents, &games)?;
        let is_over = !comparisons.iter().any(|comparison| comparison.stopped);
        self.report(&ready, &best, &comparisons, out)?;
        if !is_over {
            return Ok(End::GivenUp);
        }
        self.judge(&ready.version, &best, &comparisons, out)?;
        self.last = Some(hash);
        Ok(End::Done)
    }

    /// Returns the version to compare with: the best one so far for this game or, if none has been
    /// judged yet, the last one before this.
    fn find_best(&self, hash: &str) -> Result<Best, Failure> {
        if let Some(best) = self.programs.best_version(&self.name, &self.game)? {
            return Ok(if best.hash() == hash { Best::Itself } else { Best::Other(best) });
        }
        let others = self.programs.versions(&self.name)?;
        let before = others.into_iter().rev().find(|other| other.hash() != hash);
        Ok(before.map_or(Best::None, Best::Other))
    }

    /// Reports whether this version is the best one so far, and notes which one is.
    fn judge(
        &self,
        version: &Version,
        best: &Best,
        comparisons: &[Comparison],
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let Best::Other(other) = best else {
            return Ok(self.programs.note_best(version, &self.game)?);
        };
        let rival = other.player();
        let is_with = |all: &&Comparison| all.references.contains(&rival);
        let compared = comparisons.iter().find(is_with).and_then(|all| all.candidates.first());
        let (own, files) = (version.player(), other.files().display().to_string());
        match compared.map(standing) {
            Some(Standing::Better) => {
                self.programs.note_best(version, &self.game)?;
                Ok(write_wrapped("It is the best version from now on.", out)?)
            }
            // Versions that are each a little worse than the last would otherwise lose much in
            // time: a difference that is not found counts for nothing, but adds up.
            Some(Standing::Level) => {
                self.programs.note_best(other, &self.game)?;
                let message = format!(
                    "It is not better, so {rival} stays the best version, and the next one is \
                     compared with it too."
                );
                Ok(write_wrapped(&message, out)?)
            }
            Some(Standing::Worse) => {
                self.programs.note_best(other, &self.game)?;
                let message = format!(
                    "It is worse than the best version so far, {rival}, whose files are in {files}"
                );
                Ok(write_wrapped(&message, out)?)
            }
            Some(Standing::Unknown) | None => {
                self.programs.note_best(other, &self.game)?;
                let message = format!(
                    "Whether {own} is as good as {rival} is not known yet, so the next version is \
                     compared with {rival} too."
                );
                Ok(write_wrapped(&message, out)?)
            }
        }
    }

    /// Builds, keeps and checks the program.
    pub(in crate::verbs) fn prepare(&self, out: &mut dyn Write) -> Result<Option<Ready>, Failure> {
        let refuse = |problem: ProgramError, out: &mut dyn Write| {
            writeln!(out, "{}", clean(&problem.to_string())).map(|()| None)
        };
        let built = match self.build(out) {
            Ok(Ok(built)) => built,
            Ok(Err(())) => return Ok(None),
            Err(Failure::Usage(problem)) => {
                writeln!(out, "{}", clean(&problem))?;
                return Ok(None);
            }
            Err(other) => return Err(other),
        };
        let version = match self.programs.keep(&self.name) {
            Ok(version) => version,
            Err(problem) => return Ok(refuse(problem, out)?),
        };
        if self.last.as_deref() == Some(version.hash()) {
            return Ok(Some(Ready { version, built }));
        }
        let player = self.programs.bot(&version.player())?;
        if player.foreign_protocol().is_none() {
            let mut bad = Vec::new();
            let terms = CheckTerms { seed: self.seed, ..CheckTerms::default() };
            let is_good = check(self.catalog, &player, &terms, CHECK_TIME, &mut |finding| {
                if !finding.good {
                    bad.extend(bot::describe_finding(finding));
                }
            });
            if !is_good {
                writeln!(out, "{} is not ready to play", version.player())?;
                // The file to be fixed is the author's own.
                let kept = version.files().display().to_string();
                let own = self.programs.folder_of(&self.name)?.display().to_string();
                let (given_up, named) = (version.player(), format!("bot:{}", self.name));
                for line in bad {
                    writeln!(out, "{}", line.replace(&kept, &own).replace(&given_up, &named))?;
                }
                // No one wants to be compared with a broken version.
                self.programs.discard(&version)?;
                return Ok(None);
            }
        }
        if let Err(refused) = self.catalog.player(&self.game, &version.player()) {
            self.programs.discard(&version)?;
            return Err(refused.into());
        }
        Ok(Some(Ready { version, built }))
    }

    /// Builds the program; returns how long that took, if there was anything to build.
    fn build(&self, out: &mut dyn Write) -> Result<Result<Option<Duration>, ()>, Failure> {
        let mut saves = self.saves.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(build) = self.programs.build(&self.name)? else { return Ok(Ok(None)) };
        saves.note_build(self.programs.measure(&self.name)?);
        drop(saves);
        if build.is_good {
            return Ok(Ok(Some(build.took)));
        }
        writeln!(out, "the build failed: {}", clean(&build.step))?;
        let lines: Vec<String> = build.said.lines().map(str::to_owned).collect();
        let last = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
        for line in format_output("  | ", last, screen::terminal_width()) {
            writeln!(out, "{line}")?;
        }
        Ok(Err(()))
    }

    pub(in crate::verbs) fn games(&self) -> Result<Vec<Arc<dyn AnyGame>>, Failure> {
        let entry = self.catalog.entry(&self.game)?;
        let games = self.scenarios.iter().map(|scenario| entry.game(scenario));
        Ok(games.collect::<Result<Vec<_>, _>>()?)
    }

    pub(in crate::verbs) fn seat<'p>(
        &self,
        games: &[Arc<dyn AnyGame>],
        players: impl Iterator<Item = &'p str>,
    ) -> Result<Vec<PlayerHandle>, Failure> {
        let mut seated: Vec<PlayerHandle> = Vec::new();
        for name in players {
            let player = self.catalog.player(&self.game, name)?;
            games.iter().try_for_each(|game| game.accepts(&player))?;
            if !seated.iter().any(|known| known.spec == player.spec) {
                seated.push(player);
            }
        }
        Ok(seated)
    }

    /// Compares the candidate with each opponent, until everything is certain or the matches are
    /// used up.
    pub(in crate::verbs) fn play(
        &mut self,
        candidate: &PlayerHandle,
        opponents: &[PlayerHandle],
        games: &[Arc<dyn AnyGame>],
    ) -> Result<Vec<Comparison>, Failure> {
        let mut answers: Vec<Option<Comparison>> = vec![None; opponents.len()];
        let mut options = RunOptions { stop: Arc::clone(&self.hurry), ..RunOptions::default() };
        if let Some(threads) = self.threads {
            options.threads = threads;
        }
        let bar = bar();
        let mut most = FIRST_MATCHES.min(self.matches);
        loop {
            if bar.is_hidden() {
                let open = opponents.iter().zip(&answers);
                let open = open.filter(|(_, answer)| !answer.as_ref().is_some_and(is_sure));
                let names: Vec<&str> = open.map(|(opponent, _)| opponent.spec.as_str()).collect();
                print_notice(&format!(
                    "playing up to {most} matches each against {}",
                    names.join(", ")
                ));
            }
            for (answer, opponent) in answers.iter_mut().zip(opponents) {
                if answer.as_ref().is_some_and(is_sure) || self.hurry.load(Ordering::SeqCst) {
                    continue;
                }
                let who = format!("{} against {}", candidate.spec, opponent.spec);
                let config = self.config(&candidate.spec, &opponent.spec, games, most)?;
                let mut tick = |progress: CompareProgress| {
                    let matches = progress.matches;
                    bar.set_message(clean(&format!("{who}: {matches} of at most {most} matches")));
                };
                tick(CompareProgress { undecided: 1, ..CompareProgress::default() });
                *answer =
                    Some(compare::compare(&config, Some(&mut self.store), &options, &mut tick)?);
            }
            let is_sure = answers.iter().flatten().all(is_sure);
            if is_sure || most == self.matches || self.hurry.load(Ordering::SeqCst) {
                break;
            }
            most = (3 * most).min(self.matches);
        }
        bar.finish_and_clear();
        Ok(answers.into_iter().flatten().collect())
    }

    fn config(
        &self,
        candidate: &str,
        opponent: &str,
        games: &[Arc<dyn AnyGame>],
        most: u64,
    ) -> Result<ComparisonConfig, Failure> {
        let rivals = games.first().is_some_and(|game| game.scoring() == Scoring::Adversarial);
        let instances: BTreeMap<usize, DrawGame> =
            draw_instances(self.catalog, &self.scenarios, games)?;
        Ok(ComparisonConfig {
            games: games.to_vec(),
            instances,
            candidates: vec![self.catalog.player(&self.game, candidate)?],
            references: vec![self.catalog.player(&self.game, opponent)?],
            first_seed: self.seed,
            budget: self.budget,
            matches: most,
            measure: ScoreMeasure::Chance,
            delta: self.delta.or_else(|| match rivals {
                true => Some(DEFAULT_DELTA),
                false => ScoreMeasure::Chance.usual_delta(Scoring::Independent),
            }),
            scale: EloScale::Logistic,
            risks: RISKS,
        })
    }

    fn report(
        &self,
        ready: &Ready,
        best: &Best,
        comparisons: &[Comparison],
        out: &mut dyn Write,
    ) -> Result<(), Failure> {
        let player = ready.version.player();
        let places: Vec<String> =
            self.scenarios.iter().map(|scenario| format!("{}:{scenario}", self.game)).collect();
        let built =
            ready.built.map_or(String::new(), |took| format!("built in {}, ", format_time(took)));
        writeln!(out, "{player} on {}, {built}checked", clean(&places.join(", ")))?;
        match best {
            Best::None => {}
            Best::Itself => writeln!(out, "it is the best version so far")?,
            Best::Other(best) => writeln!(out, "the best version so far is {}", best.player())?,
        }
        let known: Vec<Comparison> = comparisons
            .iter()
            .filter(|comparison| !matches!(comparison.candidates[0].effect, Effect::Unknown))
            .cloned()
            .collect();
        if known.is_empty() {
            writeln!(out, "stopped before anything was known")?;
            return Ok(());
        }
        out.write_all(clean_lines(&render_opponents(&known, screen::terminal_width())).as_bytes())?;
        let times = self.programs.take_times();
        if let Some((_, times)) = times.iter().find(|(name, _)| *name == player) {
            let AnswerTimes { answers, total, most, .. } = *times;
            let average = format_time(total / answers.max(1));
            writeln!(out, "a move took {average} on average, {} at most", format_time(most))?;
        }
        if known.iter().any(|comparison| comparison.candidates[0].repeats_one_round()) {
            writeln!(
                out,
                "Where every result is the same, the seed changes nothing: see --scenario."
            )?;
        }
        let game = self.catalog.game(&self.game, &self.scenarios[0])?;
        let worst = worst::find(&self.store, &*game, &player, &known)?;
        for (place, one) in worst.iter().enumerate() {
            let lead = if place == 0 { "worst: " } else { "       " };
            let command = format!("quintain replay {}{}", &one.id[..8], self.store_option);
            let lines =
                with_remark(lead, &command, &worst::describe_loss(one), screen::terminal_width());
            lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
        Ok(())
    }
}

/// Returns whether more matches would tell nothing more.
fn is_sure(comparison: &Comparison) -> bool {
    comparison.candidates.iter().all(|one| one.verdict.is_some() || one.unvarying || one.alike)
}

/// Returns the result of comparing a version with the best one. A result that was the same in every
/// round is as certain as it will ever be.
pub(in crate::verbs) fn standing(one: &CandidateResult) -> Standing {
    let WinDrawLoss { wins, losses, .. } = match one.effect {
        Effect::Rivals { games, .. } => games,
        Effect::Scores { seeds, .. } => seeds,
        Effect::Unknown => WinDrawLoss::default(),
    };
    match one.verdict {
        Some(Verdict::Better) => Standing::Better,
        Some(Verdict::Worse) => Standing::Worse,
        Some(Verdict::NoDifference) => Standing::Level,
        None if one.alike => Standing::Level,
        None if one.unvarying => match wins.cmp(&losses) {
            std::cmp::Ordering::Greater => Standing::Better,
            std::cmp::Ordering::Equal => Standing::Level,
            std::cmp::Ordering::Less => Standing::Worse,
        },
        None => Standing::Unknown,
    }
}

/// Writes a sentence, wrapped to the terminal.
fn write_wrapped(text: &str, out: &mut dyn Write) -> std::io::Result<()> {
    let text = clean(text);
    match screen::terminal_width() {
        Some(width) => {
            let options = textwrap::Options::new(width.max(20)).break_words(false);
            textwrap::wrap(&text, options).iter().try_for_each(|line| writeln!(out, "{line}"))
        }
        None => writeln!(out, "{text}"),
    }
}

/// Returns a display of what is being played on a terminal; elsewhere it is hidden.
fn bar() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{spinner} {wide_msg}");
    ProgressBar::new_spinner().with_style(style.expect("the template is well-formed"))
}
