//! `quintain climb`: somebody or something edits a program round by round, and an edit is kept only
//! if matches allow it. The editor is a command or a model; the arena plays the matches. Everything
//! is recorded, so that the same command goes on where it was stopped, or shows again what
//! happened.

mod answer;
mod brief;
mod changes;
mod editor;
mod journal;
mod left;
mod problem;
mod workshop;

use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use quintain_arena::compare::{CandidateResult, Comparison};
use quintain_bots::versions::Version;
use quintain_core::{Budget, PlayerHandle};
use quintain_report::render_opponents;
use quintain_scene::clean;
use quintain_store::Store;

use super::watch::news::Saves;
use super::watch::trial::{Standing, Trial, standing};
use crate::context::Context;
use crate::failure::Failure;
use crate::full_names::{Field, Naming, find_field, find_scenarios};
use crate::lists::format_count;
use crate::messages::print_notice;
use crate::plain::clean_lines;
use crate::usage::{above_zero, first_seed, positive};
use crate::verbs::new::usual_scenario;
use crate::{options, screen, stop};
use brief::{Brief, Earlier};
use changes::describe_changes;
use editor::Editor;
use journal::{Decision, Edit, Journal, Settings};
use left::Left;
use problem::Problem;
use workshop::Workshop;

#[derive(clap::Args)]
#[command(after_help = "\
An edit is kept if it is better than the best so far, or no different, and not worse than the
anchor: the last version that was certainly better than the best before it, at first the program as
it is. So losses too small to be seen cannot add up.
Your own files stay as they are. Everything is in .quintain-climbs/NAME beside bots.toml; the same
command goes on from there.")]
pub(crate) struct Args {
    /// The program: its name in bots.toml
    #[arg(value_name = "NAME")]
    program: String,
    /// Who edits: a command, which runs in a copy of the program's folder and reads from standard
    /// input how the program does; or a model, chat:NAME
    #[arg(long, value_name = "COMMAND")]
    by: String,
    #[arg(short, long, value_name = "PLAYER", required = true, num_args = 1.., help = options::with(
        options::AGAINST,
        "(built in; the editor is told how the program does against it, and three matches that it \
         lost)",
    ))]
    against: Vec<String>,
    #[arg(short, long, help = options::with(
        options::GAME,
        "(unless an opponent's name includes it)",
    ))]
    game: Option<String>,
    #[arg(short, long, help = options::with(options::SCENARIO, options::USUAL_SCENARIO))]
    scenario: Vec<String>,
    /// The number of edits, those of earlier runs included
    #[arg(long, value_name = "N", default_value = "10", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroU64>)]
    rounds: NonZeroU64,
    #[arg(long, default_value_t = 1, allow_negative_numbers = true, value_parser = first_seed)]
    #[arg(help = options::with(options::SEED, "(every round has seeds of its own)"))]
    seed: u64,
    #[arg(short, long, default_value = "", hide_default_value = true, help = options::BUDGET)]
    budget: String,
    #[arg(short, long, value_name = "N", default_value = "1000", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroU64>)]
    #[arg(help = options::with(options::MATCHES, "(of one comparison)"))]
    matches: NonZeroU64,
    #[arg(short, long, allow_negative_numbers = true, value_parser = above_zero)]
    #[arg(help = options::with(
        options::DELTA,
        "(as in `compare`: in Elo points between rivals) [default: 50]",
    ))]
    delta: Option<f64>,
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroUsize>)]
    #[arg(help = options::with(options::THREADS, options::ONE_PER_CORE))]
    threads: Option<NonZeroUsize>,
}

/// The most matches against each opponent that only inform the editor.
const TOLD_MATCHES: u64 = 40;

/// What a climb has reached.
struct Climb<'a> {
    args: &'a Args,
    trial: Trial<'a>,
    workshop: &'a Workshop,
    journal: Journal,
    /// The version that every edit starts from.
    best: Version,
    /// The version that no edit may be worse than.
    anchor: Version,
    /// What became of each edit.
    told: Vec<Earlier>,
    kept: usize,
}

/// Why an edit was kept or not.
struct Verdict {
    decision: Decision,
    why: String,
}

pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let name = args.program.strip_prefix("bot:").unwrap_or(&args.program).to_owned();
    let workshop = Workshop::open(&name, editor::is_model(&args.by), context)?;
    let catalog = workshop.catalog();
    let against = args.against.iter().map(String::as_str);
    if let Some(other) = args.against.iter().find(|player| player.contains("bot:")) {
        return Err(Failure::Usage(format!(
            "--against {other}: the opponents of a climb are built in (see quintain players); \
             quintain compare sets the result against any program"
        )));
    }
    let naming = Naming { option: "--against", ..Naming::default() };
    let Field { game, scenario, players } =
        find_field(against, args.game.as_deref(), catalog, naming)?;
    let entry = catalog.entry(game)?;
    let scenarios = find_scenarios(scenario, &args.scenario)?;
    let mut scenarios: Vec<String> =
        scenarios.iter().map(|scenario| entry.strip_game(scenario).to_owned()).collect();
    if scenarios.is_empty() {
        scenarios.push(usual_scenario(entry));
    }
    let stop = stop::watch_signals_with_notice("stopping: the round goes on with the next run…");
    let settings = Settings {
        game: game.to_owned(),
        scenarios: scenarios.clone(),
        against: players.clone(),
        seed: args.seed,
        budget: args.budget.clone(),
        matches: args.matches.get(),
        delta: args.delta,
        origin: workshop.origin().to_owned(),
    };
    let editor = Editor::new(&args.by, context)?;
    let saves = Saves::new(workshop.programs().measure(&name)?);
    let trial = Trial {
        catalog,
        programs: workshop.programs(),
        name,
        game: settings.game.clone(),
        scenarios,
        field: players,
        seed: args.seed,
        budget: args.budget.parse::<Budget>()?,
        matches: args.matches.get(),
        delta: args.delta,
        threads: args.threads.map(NonZeroUsize::get),
        store: Store::open(&workshop.store())?,
        store_option: String::new(),
        hurry: Arc::clone(&stop),
        saves: Arc::new(Mutex::new(saves)),
        last: None,
    };
    trial.check_field()?;
    let start = workshop.start(&trial)?;
    let journal = Journal::open(workshop.folder(), &settings)?;
    let mut climb = Climb {
        args,
        trial,
        workshop: &workshop,
        journal,
        best: start.clone(),
        anchor: start.clone(),
        told: Vec::new(),
        kept: 0,
    };
    for round in 1..=args.rounds.get() {
        climb.round(round, &editor, &stop)?;
    }
    climb.report(&start, out)
}

impl Climb<'_> {
    /// Gets an edit, or the one that is recorded for this round, and judges it.
    fn round(&mut self, round: u64, editor: &Editor<'_>, stop: &AtomicBool) -> Result<(), Failure> {
        // Chance seeds of one round say nothing about the next.
        self.trial.seed = self.args.seed.wrapping_add((round - 1) * self.args.matches.get());
        let edit = match self.journal.edit(round) {
            Some(edit) if edit.from == self.best.hash() => edit.clone(),
            Some(edit) => {
                return Err(Failure::Failed(format!(
                    "{}: round {round} edits {}, but the matches say that {} was the best then; \
                     its store or its versions were changed",
                    self.journal.path().display(),
                    edit.from,
                    self.best.hash()
                )));
            }
            None => self.ask(round, editor, stop)?,
        };
        let verdict = self.judge(&edit)?;
        if stop.load(Ordering::SeqCst) {
            return Err(Failure::Stopped);
        }
        let Verdict { decision, why } = &verdict;
        self.journal.note(round, *decision, why)?;
        let line = format!("round {round}: {decision}: {why}");
        print_notice(&clean(&line));
        let Edit { changed, details, .. } = edit;
        self.told.push(Earlier { line, changed, details });
        self.kept += usize::from(*decision != Decision::Rejected);
        Ok(())
    }

    /// Has the best version edited, and records the result before anything is played.
    fn ask(&mut self, round: u64, editor: &Editor<'_>, stop: &AtomicBool) -> Result<Edit, Failure> {
        let place = self.workshop.round(round)?;
        let from = self.best.hash().to_owned();
        // A model's answer is kept, and is written again: its build may have been interrupted while
        // it replaced the files.
        let is_model = editor::is_model(&self.args.by);
        let left = match Left::read(&place, &from).filter(|_| !is_model) {
            Some(left) => left,
            None => self.have_edited(round, editor, &place, stop)?,
        };
        let Left { changed, refused, .. } = left;
        let (to, Problem { line: problem, details }) = match refused {
            Some(line) => (None, Problem { line, ..Problem::default() }),
            None => {
                let mut said = Vec::new();
                match self.trial.prepare(&mut said) {
                    Ok(Some(ready)) => (Some(ready.version.hash().to_owned()), Problem::default()),
                    Ok(None) => (None, Problem::of(&String::from_utf8_lossy(&said))),
                    // An edit may make a program that refuses the game.
                    Err(Failure::Usage(line)) => (None, Problem { line, ..Problem::default() }),
                    Err(other) => return Err(other),
                }
            }
        };
        let edit = Edit { round, from, to, problem, details, changed };
        self.journal.note_edit(&edit)?;
        Ok(edit)
    }

    /// Has the best version edited, and notes what was left.
    fn have_edited(
        &mut self,
        round: u64,
        editor: &Editor<'_>,
        place: &Path,
        stop: &AtomicBool,
    ) -> Result<Left, Failure> {
        let brief = self.brief(round)?;
        if stop.load(Ordering::SeqCst) {
            return Err(Failure::Stopped);
        }
        let work = self.workshop.lay_out(&self.best)?;
        let refused = editor.edit(&brief, &work, place)?;
        // An editor that was stopped too may have left half of its work.
        if stop.load(Ordering::SeqCst) {
            return Err(Failure::Stopped);
        }
        let changed = describe_changes(&self.best.files(), &work);
        let left = Left { from: self.best.hash().to_owned(), changed, refused };
        left.write(place)?;
        Ok(left)
    }

    /// What the editor is told: the game, the results so far, and three matches that were lost.
    fn brief(&mut self, round: u64) -> Result<String, Failure> {
        let games = self.trial.games()?;
        let field = self.trial.field.clone();
        let field = self.trial.seat(&games, field.iter().map(String::as_str))?;
        let all =
            std::mem::replace(&mut self.trial.matches, TOLD_MATCHES.min(self.args.matches.get()));
        let played =
            self.seat(&self.best.clone()).and_then(|best| self.trial.play(&best, &field, &games));
        self.trial.matches = all;
        let brief = Brief {
            round,
            name: &self.trial.name,
            entry: self.trial.catalog.entry(&self.trial.game)?,
            scenarios: &self.trial.scenarios,
            catalog: self.trial.catalog,
            told: &self.told,
            comparisons: &played?,
        };
        brief.text()
    }

    fn seat(&self, version: &Version) -> Result<PlayerHandle, Failure> {
        Ok(self.trial.catalog.player(&self.trial.game, &version.player())?)
    }

    /// Decides about an edit by its matches.
    fn judge(&mut self, edit: &Edit) -> Result<Verdict, Failure> {
        let reject = |why: String| Ok(Verdict { decision: Decision::Rejected, why });
        let Some(hash) = &edit.to else { return reject(edit.problem.clone()) };
        if *hash == edit.from {
            return reject("nothing was changed".to_owned());
        }
        let version = self.workshop.version(hash)?;
        let beside_best = self.compare(&version, &self.best.clone())?;
        let found = standing(&beside_best);
        let shown = describe(&beside_best);
        match found {
            Standing::Worse => return reject(format!("worse than the best so far, {shown}")),
            Standing::Unknown => {
                return reject(format!("not shown to be as good as the best so far, {shown}"));
            }
            Standing::Better | Standing::Level => {}
        }
        if self.anchor != self.best {
            let beside_anchor = self.compare(&version, &self.anchor.clone())?;
            let against =
                format!("the anchor {}, {}", self.anchor.hash(), describe(&beside_anchor));
            match standing(&beside_anchor) {
                Standing::Worse => {
                    return reject(format!("small losses have added up: worse than {against}"));
                }
                Standing::Unknown => {
                    return reject(format!("not shown to be as good as {against}"));
                }
                Standing::Better | Standing::Level => {}
            }
        }
        self.best = version;
        if found == Standing::Better {
            self.anchor = self.best.clone();
            return Ok(Verdict { decision: Decision::Better, why: shown });
        }
        Ok(Verdict { decision: Decision::Level, why: format!("no difference, {shown}") })
    }

    /// Plays two versions until the answer is certain, or the matches are used up.
    fn compare(&mut self, one: &Version, other: &Version) -> Result<CandidateResult, Failure> {
        let comparison = self.play(one, other)?;
        if comparison.stopped {
            return Err(Failure::Stopped);
        }
        let mut candidates = comparison.candidates.into_iter();
        Ok(candidates.next().expect("a comparison has a candidate"))
    }

    fn play(&mut self, one: &Version, other: &Version) -> Result<Comparison, Failure> {
        let games = self.trial.games()?;
        let (one, other) = (self.seat(one)?, self.seat(other)?);
        let played = self.trial.play(&one, &[other], &games)?;
        played.into_iter().next().ok_or(Failure::Stopped)
    }

    /// Says what was reached: two lines that answer, then every edit.
    fn report(mut self, start: &Version, out: &mut dyn Write) -> Result<(), Failure> {
        let Climb { told, kept, .. } = &self;
        let edits = format_count(told.len(), "edit");
        let lines: Vec<&str> = told.iter().map(|earlier| earlier.line.as_str()).collect();
        let (best, rounds, kept) = (self.best.clone(), lines.join("\n"), *kept);
        let files = best.files().display().to_string();
        if best == *start {
            writeln!(out, "Nothing was gained: none of {edits} was kept.")?;
            writeln!(out, "the best is still the program as it was")?;
        } else {
            // The edits were chosen by their matches; only others say how good the result is.
            self.trial.seed =
                self.args.seed.wrapping_add((told.len() as u64) * self.args.matches.get());
            let comparison = self.play(&best, start)?;
            let one = &comparison.candidates[0];
            let verdict = match standing(one) {
                Standing::Better => "is better than the program as it was",
                Standing::Level => "is no different from the program as it was",
                Standing::Worse => "is worse than the program as it was",
                Standing::Unknown => "is not shown to be better than the program as it was",
            };
            let player = best.player();
            writeln!(out, "{player} {verdict}: {}. Kept {kept} of {edits}.", describe(one))?;
            writeln!(out, "its files: {}", clean(&files))?;
            let table = render_opponents(&[comparison], screen::terminal_width());
            write!(out, "\n{}", clean_lines(&table))?;
        }
        writeln!(out, "\n{}", clean_lines(&rounds))?;
        let journal = self.journal.path().display().to_string();
        writeln!(out, "recorded in {}", clean(&journal))?;
        Ok(())
    }
}

/// The result of a comparison in a few words.
fn describe(one: &CandidateResult) -> String {
    use quintain_arena::compare::Effect;
    let matches = match one.matches {
        1 => "1 match".to_owned(),
        matches => format!("{matches} matches"),
    };
    match &one.effect {
        Effect::Rivals { games, .. } => {
            let share = 100.0 * games.share().unwrap_or(0.5);
            format!("{share:.1} % of the points in {matches}")
        }
        Effect::Scores { seeds, mean, reference_mean, .. } => format!(
            "better on {} and worse on {} of {}, mean {} against {}",
            seeds.wins,
            seeds.losses,
            format_count(seeds.games() as usize, "seed"),
            crate::board::format_number(*mean),
            crate::board::format_number(*reference_mean)
        ),
        Effect::Unknown => format!("nothing known after {matches}"),
    }
}
