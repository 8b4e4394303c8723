//! `quintain compare`: is one player better than another, and by how much? Plays paired matches
//! until the answer is certain.

mod lost;
mod progress;

use std::collections::BTreeMap;
use std::io::Write;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::Arc;

use progress::ProgressDisplay;
use quintain_arena::compare::{
    self, CandidateResult, CompareProgress, Comparison, ComparisonConfig, DEFAULT_RISKS, DrawGame,
    ScoreMeasure, compare_on,
};
use quintain_arena::{RunOptions, Shard, Tournament, seed_matters};
use quintain_core::{AnyEntry, AnyGame, Budget, Catalog, PlayerHandle, SEED, ScenarioSet, Scoring};
use quintain_report::{
    Detail, plot_comparison, render_comparison, render_comparison_markdown, render_plan,
};
use quintain_scene::clean;
use quintain_stats::likelihood::EloScale;
use quintain_stats::{Risks, Verdict};
use quintain_store::Store;

use crate::context::Context;
use crate::failure::{Failure, cannot_write};
use crate::full_names::{Naming, find_field, find_scenarios, is_place};
use crate::messages::{print_notice, quote, with_remark};
use crate::plain::clean_lines;
use crate::server::HandOut;
use crate::usage::{above_zero, draw_seed, first_seed, positive, probability};
use crate::verbs::new::usual_scenario;
use crate::{fleet, options, screen, sources, stop};

/// The number of matches by which a plan is made.
const PLAN_MATCHES: u64 = 60;
/// What comes between a program's name and a revision of it in git.
const REVISION: &str = "@git:";
/// The default for the first seed, where no one can take advantage of knowing it.
const DEFAULT_SEED: u64 = 1;

#[derive(clap::Args)]
#[command(after_help = "\
The matches are paired: both players get the same seeds and, as rivals, swap their seats.
The chances of error hold although the answer is checked after every pair.")]
pub(crate) struct Args {
    /// Two players: the first is compared with the second; with --against, any number of players
    #[arg(required = true)]
    players: Vec<String>,
    #[arg(short, long, help = options::with(
        options::GAME,
        "(it may be given before the players instead, or with a player, GAME/PLAYER; \
         GAME:SCENARIO names the scenario, too)",
    ))]
    game: Option<String>,
    #[arg(short, long, value_name = "PLAYER", help = options::with(
        options::AGAINST,
        "(may be given several times: every player is compared with all of them)",
    ))]
    against: Vec<String>,
    #[arg(short, long, help = options::with(options::SCENARIO, options::USUAL_SCENARIO))]
    scenario: Vec<String>,
    #[arg(long, allow_negative_numbers = true, value_parser = first_seed)]
    #[arg(help = options::with(
        options::SEED,
        "[default: 1; if programs play, the first seed of their matches in the store, or one that \
         they cannot guess]",
    ))]
    seed: Option<u64>,
    #[arg(long, value_name = "N", allow_negative_numbers = true, overrides_with = "matches")]
    #[arg(value_parser = positive::<NonZeroU64>)]
    #[arg(help = options::with(
        options::SEEDS,
        "(at most, instead of --matches; of the two, the last one given counts)",
    ))]
    seeds: Option<NonZeroU64>,
    #[arg(short, long, default_value = "", hide_default_value = true, help = options::BUDGET)]
    budget: String,
    #[arg(short, long, value_name = "N", default_value = "2000", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroU64>, help = options::MATCHES)]
    matches: NonZeroU64,
    /// What to compare if scores are independent [default: chance]
    #[arg(long, value_enum)]
    measure: Option<MeasureName>,
    #[arg(short, long, allow_negative_numbers = true, value_parser = above_zero)]
    #[arg(help = options::with(
        options::DELTA,
        "(in Elo points between rivals, otherwise in units of the measure: 0 to 1 for chance, \
         points of the score for the others) [default: 20 between rivals, 0.15 for chance]",
    ))]
    delta: Option<f64>,
    /// The accepted chance of finding a difference where there is none, in both directions and for
    /// all candidates together: 0.1 is the one-sided 5 % of engine testing
    #[arg(long, default_value_t = DEFAULT_RISKS.alpha, allow_negative_numbers = true)]
    #[arg(value_parser = probability)]
    alpha: f64,
    /// The accepted chance of finding no difference where the players differ by delta
    #[arg(long, default_value_t = DEFAULT_RISKS.beta, allow_negative_numbers = true)]
    #[arg(value_parser = probability)]
    beta: f64,
    /// Measure delta in normalised Elo
    #[arg(long)]
    normalised: bool,
    #[arg(long, value_name = "FILE", help = options::with(
        options::STORE,
        "(its matches are used again, and new ones added) [default: none; with --on \
         quintain.sqlite, or $QUINTAIN_STORE]",
    ))]
    store: Option<PathBuf>,
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    #[arg(value_parser = positive::<NonZeroUsize>)]
    #[arg(help = options::with(options::THREADS, options::ONE_PER_CORE))]
    threads: Option<NonZeroUsize>,
    #[arg(long, value_name = "ADDRESS", conflicts_with = "threads", help = options::with(
        options::ON,
        "(whose workers play the matches: see `quintain worker`)",
    ))]
    on: Option<String>,
    /// Play 60 matches, then say how many would tell leads of several sizes, and what --matches can
    /// tell
    #[arg(long, conflicts_with_all = ["details", "format", "plot"])]
    plan: bool,
    /// Show the figures behind the answer: pairs by their result, Elo, normalised Elo, variance
    #[arg(long)]
    details: bool,
    #[arg(long, value_enum, default_value_t = Format::Table, help = options::FORMAT)]
    format: Format,
    #[arg(long, value_name = "FILE")]
    #[arg(help = options::with(options::PLOT, "(the evidence by round)"))]
    plot: Option<PathBuf>,
    /// Write the answer in Markdown to a file, for the summary of a workflow or a comment
    #[arg(long, value_name = "FILE", conflicts_with = "plan")]
    markdown: Option<PathBuf>,
    /// Answer by the exit status: 0 if every candidate is better, 10 if none is worse by delta, 20
    /// if one is worse, 30 if one is undecided
    #[arg(long, conflicts_with = "plan")]
    exit_code: bool,
    #[arg(short, long, help = options::QUIET)]
    quiet: bool,
    #[command(flatten)]
    hand_out: HandOut,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum MeasureName {
    /// The probability of a better score on a seed, minus the probability of a worse one
    Chance,
    /// The mean difference, with large differences clipped at a bound set by the first pairs
    Clipped,
    /// The median difference
    Median,
    /// The mean difference, where the rules bound scores
    Mean,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Sentences and a table
    Table,
    /// Everything, with all digits
    Json,
}

pub(crate) fn run(args: &Args, context: &Context<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let catalog = context.catalog;
    // The game may stand before the players.
    let (game, players) = match &args.players[..] {
        [game, players @ ..] if args.game.is_none() && is_place(game, catalog) => {
            (Some(game), players)
        }
        players => (args.game.as_ref(), players),
    };
    let names: Vec<String> = players.iter().chain(&args.against).map(|n| name_program(n)).collect();
    let names = names.iter().map(String::as_str);
    let naming =
        Naming { otherwise: &["--game GAME", "the game before all players"], ..Naming::default() };
    let field = find_field(names, game.map(String::as_str), catalog, naming)?;
    let (players, against) = field.players.split_at(players.len());
    let entry = catalog.entry(field.game)?;
    let mut scenarios = find_scenarios(field.scenario, &args.scenario)?;
    if scenarios.is_empty() {
        scenarios.push(usual_scenario(entry));
    }
    sources::check_folders([&args.plot, &args.markdown])?;
    // Checked before a store is created, as the request may be impossible.
    let mut question = build_config(args, (players, against), entry, catalog, &scenarios)?;
    if !args.quiet {
        describe_revisions(players, &question.candidates);
        describe_revisions(against, &question.references);
    }
    question.first_seed = choose_seed(args, &question)?;
    let most = match args.seeds {
        Some(seeds) => seeds.get().saturating_mul(question.matches_each_seed()),
        None => args.matches.get(),
    };
    question.matches = match args.plan {
        true => most.min(PLAN_MATCHES.max(2 * question.games.len() as u64)),
        false => most,
    };
    if let ([one], [other]) = (&question.candidates[..], &question.references[..])
        && one.spec == other.spec
    {
        let (one, same) = (&one.spec, &players[0]);
        let also = if same == one { String::new() } else { format!(" ({same} is the same)") };
        print_notice(&format!("{one} is compared with itself{also}: any difference is chance"));
    }
    let store = store_path(args);
    let mut store = store.as_deref().map(sources::open_store).transpose()?;
    let notice = if args.quiet { "" } else { "stopping: matches in progress are dropped…" };
    let mut options =
        RunOptions { stop: stop::watch_signals_with_notice(notice), ..RunOptions::default() };
    if let Some(threads) = args.threads {
        options.threads = threads.get();
    }
    if !args.quiet && args.on.is_none() {
        context.warn_of_memory(options.threads, &question.lineups());
    }
    let mut display = ProgressDisplay::new(question.matches, args.quiet);
    let mut progress = |progress| display.update(progress);
    let comparison = match (&args.on, &mut store) {
        (Some(address), Some(store)) => {
            let sets = find_sets(&scenarios, &question, entry, catalog)?;
            play_on(address, args, &question, &sets, (store, &options), &mut progress)
        }
        _ => compare::compare(&question, store.as_mut(), &options, &mut progress)
            .map_err(Failure::from),
    };
    display.clear();
    let comparison = comparison?;
    if args.plan {
        let plan = render_plan(&comparison, (most, args.delta), screen::terminal_width());
        out.write_all(clean_lines(&plan).as_bytes())?;
        return if comparison.stopped { Err(Failure::Stopped) } else { Ok(()) };
    }
    if comparison.candidates.iter().all(|one| one.unvarying) {
        let other = usual_scenario(entry);
        if !scenarios.contains(&other) {
            print_notice(&format!("seeds matter on {other}: try --scenario {other}"));
        }
    }
    write_answer(args, &comparison, &question, out)?;
    if !args.quiet {
        out.flush()?;
        describe_instances(&scenarios, &question);
    }
    match comparison.stopped {
        true => Err(Failure::Stopped),
        false if args.exit_code => answer_by_status(&comparison),
        false => Ok(()),
    }
}

/// The player that a name means: `mine@git:main` is `bot:mine@git:main`.
fn name_program(name: &str) -> String {
    match name.split_once(REVISION) {
        Some((program, _)) if !program.contains([':', '/']) => format!("bot:{name}"),
        _ => name.to_owned(),
    }
}

/// The status that says how the candidate fared that did worst.
fn answer_by_status(comparison: &Comparison) -> Result<(), Failure> {
    let status = |one: &CandidateResult| match one.verdict {
        Some(Verdict::Better) => 0,
        Some(Verdict::NoDifference) => 10,
        Some(Verdict::Worse) => 20,
        None if one.alike => 10,
        None => 30,
    };
    let statuses: Vec<u8> = comparison.candidates.iter().map(status).collect();
    // Whoever is worse decides, whatever is still open.
    let worst = match statuses.contains(&20) {
        true => 20,
        false => statuses.into_iter().max().unwrap_or(30),
    };
    if worst == 0 { Ok(()) } else { Err(Failure::Answer(worst)) }
}

/// Says which versions the revisions in these names are.
fn describe_revisions(names: &[String], players: &[PlayerHandle]) {
    for (name, player) in names.iter().zip(players) {
        if name.contains(REVISION) {
            print_notice(&clean(&format!("{name} is {}", player.spec)));
        }
    }
}

/// The store, if there is one. A comparison on many machines always has one: it is what the next
/// process goes on from if this one is killed.
fn store_path(args: &Args) -> Option<PathBuf> {
    let path = args.store.clone();
    path.or_else(|| args.on.is_some().then(|| sources::store_path(None)))
}

/// The scenarios, as tournaments name them.
fn find_sets(
    scenarios: &[String],
    question: &ComparisonConfig,
    entry: &dyn AnyEntry,
    catalog: &Catalog,
) -> Result<Vec<ScenarioSet>, Failure> {
    let find = |(place, scenario): (usize, &String)| {
        let set = ScenarioSet::text_of(entry, scenario);
        let set = set.filter(|_| question.instances.contains_key(&place));
        let text = set.as_ref().unwrap_or(scenario);
        Ok(ScenarioSet::find(catalog, entry.name(), text)?)
    };
    scenarios.iter().enumerate().map(find).collect()
}

/// Has the workers at a server play.
fn play_on(
    address: &str,
    args: &Args,
    question: &ComparisonConfig,
    scenarios: &[ScenarioSet],
    (store, options): (&mut Store, &RunOptions),
    progress: &mut dyn FnMut(CompareProgress),
) -> Result<Comparison, Failure> {
    let server = fleet::server(address, &args.hand_out.credentials)?;
    let make_executor = |tournament: &Tournament| {
        fleet::executor(&server, tournament, Shard::WHOLE, &args.hand_out)
    };
    let (comparison, remarks) =
        compare_on(&make_executor, question, scenarios, store, &options.stop, progress)?;
    if !args.quiet {
        remarks.iter().for_each(|remark| print_notice(&clean(remark)));
    }
    Ok(comparison)
}

/// Writes the answer, and plots the evidence.
fn write_answer(
    args: &Args,
    comparison: &Comparison,
    question: &ComparisonConfig,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    match args.format {
        Format::Table => {
            let detail = if args.details { Detail::Everything } else { Detail::Answer };
            let width = screen::terminal_width();
            let table = render_comparison(comparison, detail, width);
            out.write_all(clean_lines(&table).as_bytes())?;
            let hints = lost::find(comparison, question, store_path(args).as_deref())?;
            for (place, hint) in hints.iter().enumerate() {
                let lead = if place == 0 { "worst: " } else { "       " };
                for line in with_remark(lead, &hint.command, &hint.what, width) {
                    writeln!(out, "{}", clean(&line))?;
                }
            }
        }
        Format::Json => {
            let json = serde_json::to_string_pretty(comparison).expect("answers have JSON");
            writeln!(out, "{json}")?;
        }
    }
    if let Some(file) = &args.markdown {
        std::fs::write(file, clean_lines(&render_comparison_markdown(comparison)))
            .map_err(|error| cannot_write(file, &error))?;
    }
    if let Some(file) = &args.plot {
        std::fs::write(file, plot_comparison(comparison))
            .map_err(|error| cannot_write(file, &error))?;
    }
    Ok(())
}

/// Returns what is compared, and how.
fn build_config(
    args: &Args,
    (players, against): (&[String], &[String]),
    entry: &dyn AnyEntry,
    catalog: &Catalog,
    scenarios: &[String],
) -> Result<ComparisonConfig, Failure> {
    // Where {seed} takes the place of the number, as in tournaments, every seed has its own
    // instance.
    let find = |scenario: &String| match scenario.contains(SEED) {
        true => ScenarioSet::find(catalog, entry.name(), scenario).map(Some),
        false => Ok(None),
    };
    let sets = scenarios.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    let open_text = |(scenario, set): (&String, &Option<ScenarioSet>)| {
        set.as_ref().map_or_else(|| scenario.clone(), ScenarioSet::open_text)
    };
    let scenarios: Vec<String> = scenarios.iter().zip(&sets).map(open_text).collect();
    let games = scenarios.iter().map(|scenario| entry.game(scenario));
    let games = games.collect::<Result<Vec<_>, _>>()?;
    let mut instances = draw_instances(catalog, &scenarios, &games)?;
    for (place, set) in sets.into_iter().enumerate() {
        if let Some(set) = set {
            instances.insert(place, Box::new(move |seed| set.instance(seed)));
        }
    }
    let (candidates, references) = split_players(players, against, entry)?;
    let seat = |names| seat_players(names, entry, catalog, &games);
    let (candidates, references) = (seat(candidates)?, seat(references)?);
    let scoring = games.first().map_or(Scoring::Independent, |game| game.scoring());
    let measure = choose_measure(args, entry, scoring == Scoring::Adversarial)?;
    Ok(ComparisonConfig {
        measure,
        candidates,
        references,
        first_seed: args.seed.unwrap_or(DEFAULT_SEED),
        // Parsed here rather than by clap, which would repeat the input.
        budget: args.budget.parse::<Budget>()?,
        matches: args.matches.get(),
        delta: args.delta.or_else(|| measure.usual_delta(scoring)),
        scale: if args.normalised { EloScale::Normalised } else { EloScale::Logistic },
        risks: Risks { alpha: args.alpha, beta: args.beta },
        games,
        instances,
    })
}

/// Splits the names into candidates and those with which they are compared.
fn split_players<'a>(
    players: &'a [String],
    against: &'a [String],
    entry: &dyn AnyEntry,
) -> Result<(&'a [String], &'a [String]), Failure> {
    match (players, against) {
        ([_, _], []) => Ok(players.split_at(1)),
        (players, []) => Err(Failure::Usage(format!(
            "a comparison needs two players, or opponents behind --against, but {} given: {}",
            match players.len() {
                1 => "1 was".to_owned(),
                several => format!("{several} were"),
            },
            players.join(", ")
        ))),
        ([], _) => {
            let (game, all) = (entry.name(), against.join(" and "));
            Err(Failure::Usage(format!(
                "a comparison needs a player to compare with {all}; name one after the game: \
                 quintain compare {game} PLAYER --against {}",
                against.iter().map(|name| quote(name)).collect::<Vec<_>>().join(" --against ")
            )))
        }
        (players, against) => Ok((players, against)),
    }
}

/// Returns players that can play all of these games.
fn seat_players(
    names: &[String],
    entry: &dyn AnyEntry,
    catalog: &Catalog,
    games: &[Arc<dyn AnyGame>],
) -> Result<Vec<PlayerHandle>, Failure> {
    let mut players: Vec<PlayerHandle> = Vec::new();
    for name in names {
        if name.contains(SEED) {
            return Err(Failure::Usage(format!(
                "player {name}: {SEED} is for scenarios only; a player's random choices already \
                 follow from the match's seed"
            )));
        }
        let player = catalog.player(entry.name(), name)?;
        if players.iter().any(|known| known.spec == player.spec) {
            return Err(Failure::Usage(format!("player {} is named twice", player.spec)));
        }
        for game in games {
            game.accepts(&player)?;
        }
        players.push(player);
    }
    Ok(players)
}

/// Returns what is compared of scores.
fn choose_measure(
    args: &Args,
    entry: &dyn AnyEntry,
    rivals: bool,
) -> Result<ScoreMeasure, Failure> {
    if args.normalised && !rivals {
        let game = entry.name();
        return Err(Failure::Usage(format!(
            "--normalised is for rivals, but scores of {game} are independent"
        )));
    }
    Ok(match args.measure {
        Some(_) if rivals => {
            let game = entry.name();
            return Err(Failure::Usage(format!(
                "--measure is for independent scores, but players of {game} are rivals"
            )));
        }
        None | Some(MeasureName::Chance) => ScoreMeasure::Chance,
        Some(MeasureName::Clipped) => ScoreMeasure::Clipped,
        Some(MeasureName::Median) => ScoreMeasure::Median,
        Some(MeasureName::Mean) => ScoreMeasure::Mean,
    })
}

/// Returns the first seed if none is given. A program that knows its seed might try small ones
/// until it finds the match's seed, and then predict chance. So where programs play, the seed is
/// drawn, unless the store already has matches of this comparison.
fn choose_seed(args: &Args, question: &ComparisonConfig) -> Result<u64, Failure> {
    let mut players = question.candidates.iter().chain(&question.references);
    if args.seed.is_some() || !players.any(PlayerHandle::is_external) {
        return Ok(question.first_seed);
    }
    if let Some(file) = store_path(args).as_deref().filter(|file| file.exists())
        && let Some(seed) = question.find_first_seed(&Store::open_to_read(file)?)?
    {
        return Ok(seed);
    }
    Ok(draw_seed())
}

/// Prints which instance a seed draws, where every seed has its own.
fn describe_instances(scenarios: &[String], question: &ComparisonConfig) {
    let next = question.first_seed.wrapping_add(1);
    for (place, draw) in &question.instances {
        let shown = draw(next);
        print_notice(&format!(
            "on {} every seed draws its own problem: seed {next} plays {}:{}",
            scenarios[*place],
            shown.name(),
            shown.scenario()
        ));
    }
}

/// Returns how every seed draws its own instance, on scenarios that have instances and where seeds
/// decide nothing else. On a single instance, players without chance would always play the same
/// match.
pub(super) fn draw_instances(
    catalog: &Catalog,
    scenarios: &[String],
    games: &[Arc<dyn AnyGame>],
) -> Result<BTreeMap<usize, DrawGame>, Failure> {
    let mut instances = BTreeMap::new();
    for (place, (scenario, game)) in scenarios.iter().zip(games).enumerate() {
        let set = ScenarioSet::text_of(catalog.entry(game.name())?, scenario);
        let Some(set) = set.filter(|_| !seed_matters(game.as_ref(), DEFAULT_SEED)) else {
            continue;
        };
        let set = ScenarioSet::find(catalog, game.name(), &set)?;
        let draw: DrawGame = Box::new(move |seed| set.instance(seed));
        instances.insert(place, draw);
    }
    Ok(instances)
}
