//! What can be asked of a queue, by whom it may be: proposing tests, and telling how far they are.

use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};

use quintain_report::{describe_obstacles, describe_pairs};
use quintain_scene::clean;
use quintain_store::{FaultyMatch, QueuedTest, Store, StoreError, TestReport, TestState};
use serde::{Deserialize, Serialize};

use super::desk::{Desk, INDENT, OPEN, name_queue};
use super::proposal::{
    PlaceInQueue, describe_known, describe_terms, name_sides, propose, read_question, write,
};
use super::series;
use super::waiting::Waiting;
use crate::failure::Failure;
use crate::lists::format_count;
use crate::usage::{above_zero, pairs, person, positive, probability};
use crate::verbs::compare::QuestionArgs;
use crate::{options, sources};

/// What can be asked of a queue, here or on another machine.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    Add(Add),
    List(List),
    Show(Show),
    Stop(Stop),
    Again(Again),
    Series(series::Request),
    /// Which queue it is.
    Which,
}

#[derive(Clone, Default, clap::Args, Serialize, Deserialize)]
pub(super) struct List {
    #[arg(long, value_name = "NAME", value_parser = person)]
    #[arg(help = options::with(options::WHO, "(others are left out)"))]
    who: Option<String>,
    /// List only tests in this state
    #[arg(long, value_enum)]
    state: Option<StateName>,
    /// List at most N tests that have ended, the newest; --json lists all [default: 5]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroUsize>)]
    #[serde(default)]
    ended: Option<NonZeroUsize>,
    #[arg(long, help = options::JSON)]
    json: bool,
}

/// How many tests that have ended are listed by default: about as many as a screen has room for.
const LISTED: usize = 5;

#[derive(Clone, clap::Args, Serialize, Deserialize)]
pub(super) struct Show {
    /// The test, by its number
    #[arg(value_parser = positive::<i64>)]
    number: i64,
    #[arg(long, help = options::JSON)]
    json: bool,
}

#[derive(Clone, clap::Args, Serialize, Deserialize)]
pub(super) struct Stop {
    /// The tests, by their numbers
    #[arg(value_name = "NUMBER", required = true, value_parser = positive::<i64>)]
    numbers: Vec<i64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum StateName {
    /// Waits for its turn
    Proposed,
    /// Was begun, and waits until tests of higher priority are over
    Paused,
    /// Is being answered
    Running,
    /// Was being answered by a process that has ended; the next tests run resumes it
    Interrupted,
    /// Has its answer
    Decided,
    /// Was stopped
    Stopped,
}

impl StateName {
    /// The word for it in [`QueuedTest::status`].
    fn word(self) -> &'static str {
        match self {
            StateName::Proposed => "proposed",
            StateName::Paused => "paused",
            StateName::Running => "running",
            StateName::Interrupted => "interrupted",
            StateName::Decided => "decided",
            StateName::Stopped => "stopped",
        }
    }
}

#[derive(Clone, clap::Args, Serialize, Deserialize)]
pub(super) struct Add {
    #[command(flatten)]
    pub(super) question: QuestionArgs,
    #[command(flatten)]
    pub(super) place: PlaceInQueue,
    #[command(flatten)]
    #[serde(skip)]
    pub(super) waiting: Waiting,
}

#[derive(Clone, clap::Args, Serialize, Deserialize)]
pub(super) struct Again {
    /// The test, by its number
    #[arg(value_parser = positive::<i64>)]
    pub(super) number: i64,
    #[arg(short, long, allow_negative_numbers = true, value_parser = above_zero)]
    #[arg(help = options::with(options::DELTA, "[default: as before]"))]
    pub(super) delta: Option<f64>,
    #[arg(long, allow_negative_numbers = true, value_parser = probability)]
    #[arg(help = options::with(options::ALPHA, "[default: as before]"))]
    pub(super) alpha: Option<f64>,
    #[arg(long, allow_negative_numbers = true, value_parser = probability)]
    #[arg(help = options::with(options::BETA, "[default: as before]"))]
    pub(super) beta: Option<f64>,
    #[arg(short, long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = pairs)]
    #[arg(help = options::with(options::MATCHES, "[default: as before]"))]
    pub(super) matches: Option<NonZeroU64>,
    #[command(flatten)]
    pub(super) place: PlaceInQueue,
}

impl Show {
    pub(super) fn of(number: i64, json: bool) -> Show {
        Show { number, json }
    }
}

impl Request {
    pub(super) fn fulfil(&self, desk: &Desk<'_, '_>, out: &mut dyn Write) -> Result<(), Failure> {
        match self {
            Request::Add(add) => {
                let said = propose(&add.question, &add.place, desk)?;
                Ok(out.write_all(said.as_bytes())?)
            }
            Request::List(wanted) => desk.list(wanted, out),
            Request::Show(shown) => desk.show(shown, out),
            Request::Stop(stopped) => stop_tests(desk, &stopped.numbers, out),
            Request::Again(again) => again.run(desk, out),
            Request::Series(series) => series.fulfil(desk, out),
            Request::Which => Ok(out.write_all(name_queue(desk.store).as_bytes())?),
        }
    }
}

impl Again {
    /// Asks again. The answer of a test that never had one takes its place in a series.
    fn run(&self, desk: &Desk<'_, '_>, out: &mut dyn Write) -> Result<(), Failure> {
        let Desk { store: path, context, .. } = desk;
        let test = desk.find_test(&Store::open_to_read(path)?, self.number)?;
        if OPEN.contains(&test.state) {
            return Err(Failure::Usage(desk.explain_open(&test)?));
        }
        let question = self.question(&test)?;
        if test.state == TestState::Decided && write(&question) == write(&read_question(&test)?) {
            return Err(Failure::Usage(format!(
                "test {} has its answer within these bounds; ask with others: --delta D, --alpha \
                 P, --beta P or --matches N",
                self.number
            )));
        }
        let found = question.find(context.catalog, Some(path))?;
        // Who is compared stays as it was told: a commit has a title.
        let game = format!(" on {}:", found.config.games[0].name());
        let sides = test.what.rsplit_once(&game).map(|(sides, _)| sides.to_owned());
        let sides = sides.unwrap_or_else(|| name_sides(&found));
        let what = format!("{sides} {}", describe_terms(&found));
        let mut store = sources::open_store(path)?;
        let number = store.propose_test(&self.place.test(&question, &what))?;
        let known = describe_known(&store, (&question, number), &found)?;
        if test.state == TestState::Stopped {
            store.replace_in_series(test.number, number)?;
        }
        Ok(writeln!(out, "test {number}: {}\n{known}{}", clean(&what), desk.describe_queue())?)
    }

    /// The test's question with these bounds.
    fn question(&self, test: &QueuedTest) -> Result<QuestionArgs, Failure> {
        let mut question = read_question(test)?;
        question.delta = self.delta.or(question.delta);
        question.alpha = self.alpha.unwrap_or(question.alpha);
        question.beta = self.beta.unwrap_or(question.beta);
        if let Some(matches) = self.matches {
            (question.matches, question.seeds) = (matches, None);
        }
        Ok(question)
    }
}

fn stop_tests(desk: &Desk<'_, '_>, numbers: &[i64], out: &mut dyn Write) -> Result<(), Failure> {
    let mut store = sources::open_store(desk.store)?;
    // If one is not there, none is stopped.
    let tests = numbers.iter().map(|number| desk.find_test(&store, *number));
    for test in tests.collect::<Result<Vec<_>, _>>()? {
        let number = test.number;
        match store.change_test(number, &OPEN, TestState::Stopped)? {
            true => writeln!(out, "test {number} is stopped")?,
            false => writeln!(out, "test {number} was {} before", test.state.name())?,
        }
    }
    Ok(())
}

impl Desk<'_, '_> {
    /// The test of this number.
    fn find_test(&self, store: &Store, number: i64) -> Result<QueuedTest, Failure> {
        store.queued_test(number).map_err(|error| match error {
            StoreError::UnknownTest(_) => Failure::Usage(format!(
                "there is no test {number} in {}; quintain tests{} lists them",
                self.name(),
                self.option
            )),
            error => error.into(),
        })
    }

    /// Why a test cannot be asked again yet, and what can be done with it.
    fn explain_open(&self, test: &QueuedTest) -> Result<String, Failure> {
        let (option, number) = (&self.option, test.number);
        let TestReport { matches, most_matches, .. } = test.report;
        let how_far = match matches {
            0 => String::new(),
            _ => format!(" ({matches} of at most {most_matches} matches so far)"),
        };
        let see = match (test.status(), self.is_answered()?, &self.at) {
            (_, false, None) => format!("quintain tests run{option} answers it"),
            (_, false, Some(_)) => "its queue is not being answered now".to_owned(),
            _ => format!("quintain tests show {number}{option} shows how far it is"),
        };
        Ok(format!(
            "test {number} is {}{how_far} and has no answer yet: {see}, quintain tests stop \
             {number}{option} stops it, and then it can be asked again",
            test.status()
        ))
    }

    fn list(&self, wanted: &List, out: &mut dyn Write) -> Result<(), Failure> {
        let mut tests = match Store::open_to_read(self.store) {
            // The usual store may not be there yet; one that was named should be.
            Err(StoreError::Missing(_)) if self.may_be_new => Vec::new(),
            opened => opened?.queued_tests()?,
        };
        let all = tests.len();
        let fits = |test: &QueuedTest| {
            wanted.who.as_ref().is_none_or(|who| *who == test.who)
                && wanted.state.is_none_or(|state| state.word() == test.status())
        };
        tests.retain(fits);
        if wanted.json {
            let text = serde_json::to_string_pretty(&tests).expect("tests have JSON");
            return Ok(writeln!(out, "{text}")?);
        }
        if all == 0 {
            let (queue, option) = (self.name(), &self.option);
            return Ok(writeln!(
                out,
                "no tests in {queue}; quintain tests add PLAYER OTHER --game GAME{option} proposes \
                 one"
            )?);
        }
        if tests.is_empty() {
            return Ok(writeln!(out, "none of {} fits", format_count(all, "test"))?);
        }
        let matching = tests.len();
        let mut room = wanted.ended.map_or(LISTED, NonZeroUsize::get);
        tests.retain(|test| {
            let is_over = matches!(test.state, TestState::Decided | TestState::Stopped);
            if is_over && room == 0 {
                return false;
            }
            room -= usize::from(is_over);
            true
        });
        writeln!(out, "test  state        matches       proposed by")?;
        for test in &tests {
            let (matches, most) = (test.report.matches, test.report.most_matches);
            let matches = if most == 0 { "–".to_owned() } else { format!("{matches} of {most}") };
            let (number, status, who) = (test.number, test.status(), describe_proposer(test));
            writeln!(out, "{number:>4}  {status:<11}  {matches:<12}  {who}")?;
            self.write_indented(&test.what, out)?;
            if let Some(answer) = test.report.answer.first() {
                self.write_indented(answer, out)?;
            }
        }
        let older = matching - tests.len();
        if older > 0 {
            let older = format_count(older, "older test");
            writeln!(out, "and {older} (tests list --ended {matching} has all)")?;
        }
        self.write_obstacles(&tests, out)
    }

    fn show(&self, shown: &Show, out: &mut dyn Write) -> Result<(), Failure> {
        let number = shown.number;
        let test = self.find_test(&Store::open_to_read(self.store)?, number)?;
        if shown.json {
            let text = serde_json::to_string_pretty(&test).expect("tests have JSON");
            return Ok(writeln!(out, "{text}")?);
        }
        let report = &test.report;
        writeln!(
            out,
            "test {number}, {}, proposed by {}",
            test.status(),
            describe_proposer(&test)
        )?;
        self.write_indented(&test.what, out)?;
        if let Some(seed) = read_question(&test).ok().and_then(|question| question.seed) {
            self.write_indented(&format!("Its first seed is {seed}."), out)?;
        }
        report.answer.iter().try_for_each(|line| self.write_indented(line, out))?;
        if report.matches > 0 {
            let TestReport { matches, most_matches, per_minute, place, .. } = report;
            let place = if place.is_empty() { String::new() } else { format!(", on {place}") };
            let counted = format!("{matches} of at most {most_matches} matches counted");
            self.write_indented(&format!("{counted}, {per_minute:.0} a minute{place}."), out)?;
        }
        for (faults, whose) in report.faults.iter().zip(&report.players) {
            if !faults.is_empty() {
                let kinds: Vec<String> =
                    faults.iter().map(|(kind, count)| format!("{count} by {kind}")).collect();
                let kinds = kinds.join(", ");
                let lost = format!("Matches lost by a fault of {whose}: {kinds}.");
                self.write_indented(&lost, out)?;
            }
        }
        self.show_details(report, out)?;
        let is_answered = self.is_answered()?;
        for line in describe_obstacles(std::slice::from_ref(&test), is_answered, &self.option) {
            self.write_indented(&line, out)?;
        }
        let next = match test.state {
            TestState::Proposed | TestState::Running => format!("quintain tests stop {number}"),
            _ => format!("quintain tests again {number} --delta DELTA --matches N"),
        };
        Ok(writeln!(out, "{INDENT}{next}{}", self.option)?)
    }
}

impl Desk<'_, '_> {
    /// Writes what programs said last that failed, who has played, and what is remarkable of them.
    fn show_details(&self, report: &TestReport, out: &mut dyn Write) -> Result<(), Failure> {
        for FaultyMatch { id, fault, last_lines } in &report.faulty {
            self.write_indented(&format!("Match {id}: {fault}"), out)?;
            for line in last_lines {
                writeln!(out, "{INDENT}  | {}", clean(line))?;
            }
        }
        if let Some(pairs) = &report.pairs {
            self.write_indented(&describe_pairs(pairs), out)?;
        }
        if !report.played_by.is_empty() {
            let one = |(machine, played): (&String, &u64)| format!("{} {played}", clean(machine));
            let played: Vec<String> = report.played_by.iter().map(one).collect();
            let played = played.join(", ");
            let text = format!("Played by machine, ahead of the verdict included: {played}.");
            self.write_indented(&text, out)?;
        }
        if report.verdict.is_some() {
            for note in &report.notes {
                self.write_indented(&format!("{note}."), out)?;
            }
        }
        Ok(())
    }
}

/// Who has proposed a test, and its priority if it is not the usual one.
fn describe_proposer(test: &QueuedTest) -> String {
    let who = clean(&test.who);
    match test.priority {
        0 => who,
        priority => format!("{who}, priority {priority}"),
    }
}
