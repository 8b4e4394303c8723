//! Begins and continues series: finds the commits, builds them, and proposes their tests.

use std::collections::BTreeMap;
use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};

use quintain_bots::Commit;
use quintain_core::{Scoring, cut};
use quintain_scene::clean;
use quintain_stats::Risks;
use quintain_store::{NewSeries, NewTest, NewVersion, PlayerName, TestSeries, VersionInfo};
use serde::{Deserialize, Serialize};

use super::super::commits::{fetch_commit, fetch_commits, name_commit, name_commits};
use super::super::desk::Desk;
use super::super::proposal::{
    PlaceInQueue, check_bounds, check_from_elsewhere, check_place, check_players, describe_terms,
    pin,
};
use super::known::{read_all, unknown};
use crate::context::Context;
use crate::failure::Failure;
use crate::lists::format_count;
use crate::usage::{above_zero, pairs, positive, probability};
use crate::verbs::compare::{MOST_LETTERS, MeasureName, Question, QuestionArgs, REVISION};
use crate::{options, sources};

/// The most matches of a test by default: enough to miss a loss of delta rarely.
const MATCHES: NonZeroU64 = NonZeroU64::new(20_000).unwrap();
/// How many versions after the first one a series has by default.
const VERSIONS: usize = 10;
/// False alarms are rare in this many tests together, or in all that a series begins with.
const TESTS_TOGETHER: usize = 10;
/// The most versions that are added at once.
const MOST_VERSIONS: usize = 500;

#[derive(Clone, clap::Args, Serialize, Deserialize)]
#[command(after_help = "\
Each version is tested against the one before it, with --against also against an anchor. Commits \
that do not change the program's folder are left out, and so are versions that do not build or \
start.")]
pub(in super::super) struct Add {
    /// The program: its name in bots.toml
    #[arg(value_name = "NAME")]
    program: String,
    #[arg(short, long, help = options::with(
        options::GAME,
        "(GAME:SCENARIO names the scenario, too)",
    ))]
    game: Option<String>,
    #[arg(short, long, help = options::with(options::SCENARIO, options::USUAL_SCENARIO))]
    scenario: Vec<String>,
    #[arg(short, long, value_name = "PLAYER", help = options::with(
        options::AGAINST,
        "(an anchor, with which every version is compared as well)",
    ))]
    against: Vec<String>,
    /// The first version, with which the next one is compared [default: ten versions before the
    /// last]
    #[arg(long, value_name = "REVISION")]
    since: Option<String>,
    /// The last revision
    #[arg(long, value_name = "REVISION", default_value = "HEAD")]
    to: String,
    /// Test every N-th commit, counted from the first version
    #[arg(long, value_name = "N", default_value = "1", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroUsize>)]
    every: NonZeroUsize,
    /// The name of the series [default: that of the program]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[arg(short, long, default_value = "", hide_default_value = true, help = options::BUDGET)]
    budget: String,
    #[arg(short, long, value_name = "N", default_value_t = MATCHES, allow_negative_numbers = true)]
    #[arg(value_parser = pairs, help = options::with(options::MATCHES, "(in each test)"))]
    matches: NonZeroU64,
    /// What to compare if scores are independent [default: chance]
    #[arg(long, value_enum)]
    measure: Option<MeasureName>,
    #[arg(short, long, allow_negative_numbers = true, value_parser = above_zero)]
    #[arg(help = options::with(options::DELTA, "[default: as of `compare`]"))]
    delta: Option<f64>,
    /// The accepted chance of a false alarm in ten tests of equal versions, or in all tests that
    /// the series begins with, if they are more
    #[arg(long, value_name = "P", default_value_t = 0.05, allow_negative_numbers = true)]
    #[arg(value_parser = probability)]
    false_alarms: f64,
    #[arg(long, default_value_t = 0.05, allow_negative_numbers = true)]
    #[arg(value_parser = probability, help = options::BETA)]
    beta: f64,
    /// Measure delta in normalised Elo
    #[arg(long)]
    normalised: bool,
    #[command(flatten)]
    place: PlaceInQueue,
}

#[derive(Clone, clap::Args, Serialize, Deserialize)]
pub(in super::super) struct More {
    /// The series
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    /// The last revision
    #[arg(long, value_name = "REVISION", default_value = "HEAD")]
    to: String,
    #[command(flatten)]
    place: PlaceInQueue,
}

/// What a series asks of each version. Its JSON is kept in the store, and must be read by later
/// versions.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SeriesQuestion {
    program: String,
    every: NonZeroUsize,
    /// The question of a step, without its players.
    question: QuestionArgs,
    anchors: Vec<String>,
    /// α of each step.
    step_alpha: f64,
}

impl Add {
    /// Makes it mean on another machine what it means here.
    pub(super) fn address(&mut self, context: &Context<'_>) -> Result<(), Failure> {
        check_anchors(&self.against)?;
        let program = program_name(&self.program)?.to_owned();
        self.to = name_end("--to", &program, &self.to, context)?;
        if let Some(since) = &mut self.since {
            *since = name_end("--since", &program, since, context)?;
        }
        self.place = self.place.with_proposer();
        name_commits(self.against.iter_mut(), context)
    }

    /// Checks what another machine asks, and gets the commits that it names.
    pub(super) fn prepare(&mut self, context: &Context<'_>) -> Result<(), Failure> {
        check_place(&self.place)?;
        let risks = [Some(self.false_alarms), Some(self.beta)];
        check_bounds(self.delta, risks, Some(self.matches))?;
        check_from_elsewhere(&self.against, context.catalog)?;
        let program = program_name(&self.program)?.to_owned();
        self.to = fetch_end("--to", &program, &self.to, context)?;
        if let Some(since) = &mut self.since {
            *since = fetch_end("--since", &program, since, context)?;
        }
        fetch_commits(self.against.iter_mut(), context)
    }

    pub(super) fn run(&self, desk: &Desk<'_, '_>, out: &mut dyn Write) -> Result<(), Failure> {
        let context = desk.context;
        let program = program_name(&self.program)?;
        let name = self.name.as_deref().unwrap_or(program);
        if name.is_empty()
            || !name.chars().all(|sign| sign.is_alphanumeric() || "-_.".contains(sign))
        {
            return Err(Failure::Usage(format!(
                "“{}” is no name of a series; expected letters, digits, and “-_.”; choose one with \
                 --name",
                clean(name)
            )));
        }
        if read_all(desk.store)?.iter().any(|series| series.name == name) {
            return Err(Failure::Usage(format!(
                "there is a series {name} already: `quintain tests series more {name}{}` adds its \
                 new commits, --name begins another one",
                desk.option
            )));
        }
        let commits = self.find_commits(program, desk)?;
        if commits.len() < 2 {
            return Err(Failure::Usage(self.nothing_to_compare(program, context)?));
        }
        let tests = (commits.len() - 1).max(TESTS_TOGETHER);
        let risks = Risks { alpha: self.false_alarms, beta: self.beta };
        let asked = SeriesQuestion {
            program: program.to_owned(),
            every: self.every,
            question: QuestionArgs {
                game: self.game.clone(),
                scenario: self.scenario.clone(),
                budget: self.budget.clone(),
                matches: self.matches,
                measure: self.measure,
                delta: self.delta,
                beta: self.beta,
                normalised: self.normalised,
                ..QuestionArgs::default()
            },
            anchors: self.against.clone(),
            step_alpha: risks.of_each_step(tests).alpha,
        };
        check_anchors(&self.against)?;
        let mut build =
            Build { asked: &asked, desk, place: &self.place, before: None, found: None };
        let versions = build.versions(&commits)?;
        let found = build.found.ok_or_else(|| {
            Failure::Failed(format!("no version of {program} after the first one can be compared"))
        })?;
        let what = describe(&asked, &found, (self.false_alarms, tests));
        let question = serde_json::to_string(&asked).expect("questions have JSON");
        let series = NewSeries { name: name.to_owned(), what, question };
        note_versions(desk, program, &versions)?;
        extend(desk, &series, 0, &versions, out)
    }

    /// Why there are no two versions.
    fn nothing_to_compare(&self, program: &str, context: &Context<'_>) -> Result<String, Failure> {
        let to = clean(&self.to);
        let nothing = "there is nothing to compare";
        if let Some(since) = &self.since
            && context.programs.is_part_of(program, &self.to, since)?
        {
            return Ok(format!(
                "{nothing}: {to} does not come after {}; --since names the first version, --to the \
                 last",
                clean(since)
            ));
        }
        if context.programs.is_in_shallow_clone(program)? {
            return Ok(format!(
                "{nothing}: this clone has only one version of {program}; `git fetch --unshallow` \
                 gets the older ones"
            ));
        }
        let taken = match self.every.get() {
            1 => String::new(),
            every => format!(", taking one commit in {every}"),
        };
        Ok(format!(
            "{nothing}: up to {to} there is no second version of {program}{taken}; see --since and \
             --every"
        ))
    }

    /// The versions' commits, the oldest first, each with the number of commits that it stands for.
    fn find_commits(&self, program: &str, desk: &Desk<'_, '_>) -> Result<Vec<Counted>, Failure> {
        let context = desk.context;
        let since = self.since.as_deref();
        let mut commits = context.programs.commits(program, since, &self.to)?;
        let every = self.every.get();
        if since.is_none() {
            let wanted = VERSIONS * every + 1;
            if commits.len() < wanted && context.programs.is_in_shallow_clone(program)? {
                desk.note(&format!(
                    "this clone lacks older versions of {program}; `git fetch --unshallow` gets \
                     them"
                ));
            }
            commits.drain(..commits.len().saturating_sub(wanted));
        }
        Ok(take_every(&commits, every))
    }
}

impl More {
    /// Makes it mean on another machine what it means here. That machine knows of which program
    /// the series is.
    pub(super) fn address(&mut self, program: &str, context: &Context<'_>) -> Result<(), Failure> {
        self.to = name_end("--to", program, &self.to, context)?;
        self.place = self.place.with_proposer();
        Ok(())
    }

    /// Checks what another machine asks, and gets the commit that it names.
    pub(super) fn prepare(&mut self, desk: &Desk<'_, '_>) -> Result<(), Failure> {
        check_place(&self.place)?;
        let program = program_of(desk, &self.name)?;
        self.to = fetch_end("--to", &program, &self.to, desk.context)?;
        Ok(())
    }

    pub(super) fn run(&self, desk: &Desk<'_, '_>, out: &mut dyn Write) -> Result<(), Failure> {
        let context = desk.context;
        let (series, asked) = find(desk, &self.name)?;
        check_anchors(&asked.anchors)?;
        let last = series.versions.last().expect("a series begins with two versions");
        let VersionInfo { revision, short, .. } = &last.info;
        let (program, programs) = (&asked.program, &context.programs);
        let is_behind = programs.is_part_of(program, &self.to, revision)?;
        if !is_behind && !programs.is_part_of(program, revision, &self.to)? {
            desk.note(&format!(
                "{short}, the last version of the series, is no part of {} any more: its branch \
                 was rewritten; what came instead of it is added after it",
                self.to
            ));
        }
        let commits =
            context.programs.commits(&asked.program, Some(&last.info.revision), &self.to)?;
        let commits = &take_every(&commits, asked.every.get())[1..];
        if commits.is_empty() {
            return Ok(writeln!(out, "series {} has all its commits", self.name)?);
        }
        let before = last_playing(&series);
        let mut build = Build { asked: &asked, desk, place: &self.place, before, found: None };
        let versions = build.versions(commits)?;
        note_versions(desk, &asked.program, &versions)?;
        let TestSeries { name, what, question, versions: known, .. } = series;
        extend(desk, &NewSeries { name, what, question }, known.len(), &versions, out)
    }
}

/// The series of this name, and what it asks.
fn find(desk: &Desk<'_, '_>, name: &str) -> Result<(TestSeries, SeriesQuestion), Failure> {
    let mut all = read_all(desk.store)?.into_iter();
    let series = all.find(|series| series.name == name).ok_or_else(|| unknown(desk, name))?;
    let asked = serde_json::from_str(&series.question).map_err(|error| {
        Failure::Failed(format!("series {} is of another version: {error}", series.name))
    })?;
    Ok((series, asked))
}

/// Of which program the series of this name is.
pub(super) fn program_of(desk: &Desk<'_, '_>, name: &str) -> Result<String, Failure> {
    Ok(find(desk, name)?.1.program)
}

/// Names the last or the first version of a series for another machine. `option` is what names it
/// on the command line.
fn name_end(
    option: &str,
    program: &str,
    revision: &str,
    context: &Context<'_>,
) -> Result<String, Failure> {
    name_commit((program, revision), &|revision| format!("{option} {revision}"), context)
}

/// Gets the last or the first version of a series from this machine's remotes.
fn fetch_end(
    option: &str,
    program: &str,
    revision: &str,
    context: &Context<'_>,
) -> Result<String, Failure> {
    fetch_commit((program, revision), &|revision| format!("{option} {revision}"), context)
}

/// Refuses anchors that are named by their command.
fn check_anchors(anchors: &[String]) -> Result<(), Failure> {
    check_players(&QuestionArgs { against: anchors.to_vec(), ..QuestionArgs::default() })
}

/// The name of a program in bots.toml.
fn program_name(named: &str) -> Result<&str, Failure> {
    let name = named.strip_prefix("bot:").unwrap_or(named);
    match name.contains('@') {
        false => Ok(name),
        true => Err(Failure::Usage(format!(
            "{}: a series has many versions of a program; name the program alone, and the first \
             version with --since",
            clean(named)
        ))),
    }
}

/// A commit, and the number of commits since the one before it.
type Counted = (Commit, u64);

/// The first commit, which stands for none, and every n-th after it.
fn take_every(commits: &[Commit], every: usize) -> Vec<Counted> {
    let taken = commits.iter().step_by(every).enumerate();
    taken
        .map(|(place, commit)| (commit.clone(), if place == 0 { 0 } else { every as u64 }))
        .collect()
}

/// The last version that can play.
fn last_playing(series: &TestSeries) -> Option<(String, String)> {
    let mut versions = series.versions.iter().rev();
    versions.find_map(|version| Some((version.info.player.clone()?, version.info.short.clone())))
}

impl SeriesQuestion {
    fn of_step(&self, version: &str, before: &str) -> QuestionArgs {
        QuestionArgs {
            players: vec![version.to_owned(), before.to_owned()],
            alpha: self.step_alpha,
            ..self.question.clone()
        }
    }

    fn of_anchor(&self, version: &str) -> QuestionArgs {
        QuestionArgs {
            players: vec![version.to_owned()],
            against: self.anchors.clone(),
            ..self.question.clone()
        }
    }
}

/// What the series asks, in words, with the chances of error.
fn describe(asked: &SeriesQuestion, first: &Question, (alarms, tests): (f64, usize)) -> String {
    let config = &first.config;
    let every = match asked.every.get() {
        1 => "Each commit".to_owned(),
        several => format!("One commit in {several}"),
    };
    let anchor = match &asked.anchors[..] {
        [] => String::new(),
        anchors => format!(" and with {}", anchors.join(", ")),
    };
    let budget = match config.budget.to_string() {
        none if none.is_empty() => String::new(),
        budget => format!(", {budget}"),
    };
    let unit = match (config.games[0].scoring(), asked.question.normalised) {
        (Scoring::Adversarial, false) => " Elo",
        (Scoring::Adversarial, true) => " nElo",
        (Scoring::Independent, _) => "",
    };
    let delta = config.delta.map_or(String::new(), |delta| format!("{delta}{unit}"));
    format!(
        "{every} of {} is compared with the one before{anchor} on {}:{}{budget}. False alarms: at \
         most {} % in {tests} tests; a loss of {delta} is missed in {} %; intervals: {} %.",
        asked.program,
        config.games[0].name(),
        first.scenarios.join(", "),
        percent(alarms),
        percent(config.risks.beta),
        percent(1.0 - asked.step_alpha),
    )
}

fn percent(chance: f64) -> f64 {
    (chance * 1e4).round() / 100.0
}

/// Builds versions one after the other.
struct Build<'a> {
    asked: &'a SeriesQuestion,
    desk: &'a Desk<'a, 'a>,
    place: &'a PlaceInQueue,
    /// The last version that can play, and the short name of its commit.
    before: Option<(String, String)>,
    /// The question of a step, for its figures.
    found: Option<Question>,
}

impl Build<'_> {
    fn versions(&mut self, commits: &[Counted]) -> Result<Vec<NewVersion>, Failure> {
        if commits.len() > MOST_VERSIONS + 1 {
            return Err(Failure::Usage(format!(
                "{} versions are too many at once; at most {MOST_VERSIONS}: see --since, --to and \
                 --every",
                commits.len()
            )));
        }
        let mut skipped = 0;
        let mut versions = Vec::new();
        for (commit, count) in commits {
            let version = self.version(commit, count + skipped)?;
            skipped = if version.info.player.is_none() { version.info.commits } else { 0 };
            versions.push(version);
        }
        Ok(versions)
    }

    /// Builds a version, and asks what there is to ask of it.
    fn version(&mut self, commit: &Commit, commits: u64) -> Result<NewVersion, Failure> {
        let SeriesQuestion { program, .. } = self.asked;
        let Commit { id, short, day, title, .. } = commit;
        let mut info = VersionInfo {
            revision: id.clone(),
            short: short.clone(),
            day: day.clone(),
            title: title.clone(),
            commits,
            player: None,
            remark: None,
        };
        let none = |info| NewVersion { info, step: None, anchored: None };
        let revision = |short: &str| format!("{program}{REVISION}{short}");
        let built = self.desk.context.programs.bot(&format!("bot:{program}@git:{id}"));
        let leave_out = |mut info: VersionInfo, remark: &str, why: &str| {
            let why: Vec<&str> = why.lines().map(str::trim).collect();
            self.desk.note(&format!("{short} is left out: {}", why.join(" ")));
            info.remark = Some(remark.to_owned());
            none(info)
        };
        let bot = match built {
            Ok(bot) => bot,
            Err(error) => return Ok(leave_out(info, "does not build", &error.to_string())),
        };
        let game = self.asked.question.game.as_deref().unwrap_or_default();
        let game = game.split(':').next().unwrap_or_default();
        if let Err(fault) = bot.other_games(game) {
            return Ok(leave_out(info, "does not start", &bot.explain_unstarted(&fault)));
        }
        let player = bot.name().to_owned();
        info.player = Some(player.clone());
        let before = self.before.replace((player.clone(), short.clone()));
        let anchored = match self.asked.anchors.is_empty() {
            true => None,
            false => {
                let what = format!("{program} {short} “{title}” against its anchor");
                let names = [(player.clone(), revision(short))];
                Some(self.propose(&self.asked.of_anchor(&player), names.into(), &what)?.0)
            }
        };
        let Some((before, before_short)) = before else {
            return Ok(NewVersion { info, step: None, anchored });
        };
        if before == player {
            info.remark = Some("the same files".to_owned());
            return Ok(none(info));
        }
        let what = format!("{program} {short} “{title}” against {before_short}");
        let names = [(player.clone(), revision(short)), (before.clone(), revision(&before_short))];
        let (step, found) =
            self.propose(&self.asked.of_step(&player, &before), names.into(), &what)?;
        self.found = Some(found);
        Ok(NewVersion { info, step: Some(step), anchored })
    }

    /// A test, and the question that it asks. `names` are what its answer calls the players.
    fn propose(
        &self,
        question: &QuestionArgs,
        names: BTreeMap<String, String>,
        what: &str,
    ) -> Result<(NewTest, Question), Failure> {
        let mut found = question.find(self.desk.context.catalog, Some(self.desk.store))?;
        found.revisions = names;
        let question = pin(question, &found)?;
        let what = format!("{what} {}", describe_terms(&found));
        Ok((self.place.test(&question, &what), found))
    }
}

/// Notes what people call the versions of a program.
fn note_versions(
    desk: &Desk<'_, '_>,
    program: &str,
    versions: &[NewVersion],
) -> Result<(), Failure> {
    let named = versions.iter().filter_map(|version| {
        let VersionInfo { player, short, title, .. } = &version.info;
        let name = format!("{program}{REVISION}{short}");
        Some((player.clone()?, PlayerName { name, title: cut(title, MOST_LETTERS) }))
    });
    Ok(sources::open_store(desk.store)?.note_player_names(&named.collect())?)
}

/// Adds versions to a series in the store, and says which.
fn extend(
    desk: &Desk<'_, '_>,
    series: &NewSeries,
    known: usize,
    versions: &[NewVersion],
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let (name, option) = (&series.name, &desk.option);
    if !sources::open_store(desk.store)?.extend_series(series, known, versions)? {
        return Err(Failure::Failed(format!(
            "somebody else has continued the series {name} meanwhile; `quintain tests \
             series{option}` shows it"
        )));
    }
    for version in versions {
        let VersionInfo { short, title, remark, .. } = &version.info;
        let remark = remark.as_ref().map_or(String::new(), |remark| format!(" ({remark})"));
        writeln!(out, "{short} {}{remark}", clean(title))?;
    }
    let tests = versions.iter().flat_map(|version| version.step.iter().chain(&version.anchored));
    let tests = format_count(tests.count(), "test");
    Ok(writeln!(out, "series {name}: {tests} proposed\n{}", desk.describe_queue())?)
}
