//! `quintain bot`: programs as players — examine one, list them, or become one.

#[cfg(target_os = "linux")]
mod apparmor;
#[cfg_attr(not(target_os = "linux"), path = "no_audit.rs")]
mod audit;
mod audit_args;
mod debug;
mod history;
mod lines;
mod module;

use std::ffi::OsString;
use std::io::{BufReader, Write};
use std::sync::Arc;

use quintain_bots::check::{self, CheckTerms, CheckTime, Place, check};
use quintain_bots::protocol::serve::{PlayerServer, PlayerServerError};
use quintain_bots::versions::Version;
use quintain_bots::{Bot, Programs, join_words};
use quintain_core::{AnyEntry, Budget, Catalog, SpecError, closest, did_you_mean};
use quintain_scene::clean;

use crate::board::{file_hint, format_output, is_remote};
use crate::failure::Failure;
use crate::full_names::{Naming, find_field, split_scenario};
use crate::verbs::lesson::run::check_lessons;
use crate::{options, screen};
use audit_args::AuditArgs;
use lines::wrap;
use module::ModuleCheck;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: BotCommand,
}

#[derive(clap::Subcommand)]
enum BotCommand {
    /// Take a program through the whole protocol, and say what is wrong
    Check(CheckArgs),
    /// Ask a program once more about a turn of a recorded match, and show the lines exchanged
    Debug(debug::DebugArgs),
    /// Show a program's history: its versions, their results, the matches to watch
    History(history::HistoryArgs),
    /// Attack the sandbox of this machine with malicious programs, and report the result
    Audit(AuditArgs),
    /// Print the AppArmor profile with which this executable may confine programs, or install it
    #[cfg(target_os = "linux")]
    Apparmor(apparmor::ApparmorArgs),
    /// Run a player as a program: it plays for another referee over standard input and output
    Serve(ServeArgs),
    /// List the programs of the bots file, and the protocols
    List,
    /// Print the JSON schemas of the protocol's messages
    Schema,
}

#[derive(clap::Args)]
struct CheckArgs {
    /// A program of the bots file, instead of a command
    #[arg(long, value_name = "NAME")]
    bot: Option<String>,
    #[arg(long, default_value_t = 1, help = options::SEED)]
    seed: u64,
    #[arg(short, long, default_value = "", hide_default_value = true, help = options::with(
        options::BUDGET,
        "(as in the tournament that it is for: a later answer is BAD)",
    ))]
    budget: Budget,
    #[arg(short, long, help = options::with(
        options::SCENARIO,
        "(for games that have it) [default: each game's first]",
    ))]
    scenario: Option<String>,
    /// The command: quintain bot check -- python3 my.py; or a program of the bots file: NAME; or a
    /// module: wasm:FILE
    // Whatever follows its first word is the program's own, options too: the dashes may be left
    // out.
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<String>,
}

#[derive(clap::Args)]
struct ServeArgs {
    /// The protocol; `quintain bot list` lists them
    #[arg(long, default_value = "quintain")]
    protocol: String,
    #[arg(short, long, default_value = "", hide_default_value = true, help = options::with(
        options::BUDGET,
        "(times are processor time, and if the protocol has its own limit, no decision takes \
         longer than that by the clock)",
    ))]
    budget: Budget,
    /// The player: GAME/PLAYER
    player: String,
}

pub(crate) fn run(
    args: &Args,
    catalog: &Catalog,
    programs: &Arc<Programs>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    match &args.command {
        BotCommand::Check(args) => examine(args, catalog, programs, out),
        BotCommand::Debug(args) => debug::run(args, catalog, programs, out),
        BotCommand::History(args) => history::run(args, catalog, programs, out),
        BotCommand::Audit(args) => audit::attack(args, catalog, programs, out),
        #[cfg(target_os = "linux")]
        BotCommand::Apparmor(args) => apparmor::run(args, out),
        BotCommand::Serve(args) => serve(args, catalog, programs, out),
        BotCommand::List => list(catalog, programs, out),
        BotCommand::Schema => {
            let (to, from) = quintain_bots::protocol::schemas();
            let both = serde_json::json!({ "to-program": to, "from-program": from });
            writeln!(out, "{}", serde_json::to_string_pretty(&both).expect("schemas are JSON"))?;
            Ok(())
        }
    }
}

/// Checks that a game that the program plays has this scenario. A program that cannot be asked
/// which games it plays may play any.
fn check_scenario(named: &str, bot: &Bot, catalog: &Catalog) -> Result<(), Failure> {
    if let (Some(game), scenario) = split_scenario(named) {
        return check_place(catalog.entry(game)?, scenario, bot);
    }
    let owners = catalog.entries().filter(|entry| entry.game(named).is_ok());
    let owners: Vec<&str> = owners.map(AnyEntry::name).collect();
    if !owners.is_empty() {
        let others = owners.iter().map(|owner| bot.other_games(owner).ok().flatten());
        let Some(plays) = others.collect::<Option<Vec<_>>>().and_then(|mut plays| plays.pop())
        else {
            return Ok(());
        };
        let (plays, owners) = (plays.join(", "), owners.join(", "));
        return Err(Failure::Usage(clean(&format!(
            "{} plays {plays}, but the scenario “{named}” belongs to {owners} (quintain scenarios \
             GAME lists a game's)",
            bot.name()
        ))));
    }
    // If only its parameters are wrong, the game says how.
    let name = named.split('?').next().unwrap_or_default();
    let has_it = |entry: &&dyn AnyEntry| entry.scenarios().iter().any(|known| known.name() == name);
    if let Some(entry) = catalog.entries().find(has_it) {
        entry.game(named)?;
    }
    let known = catalog.entries().flat_map(|entry| entry.scenarios());
    let meant = closest(named, known.map(|scenario| scenario.name()));
    let meant = meant.map_or(String::new(), |name| format!("; did you mean “{name}”?"));
    Err(Failure::Usage(format!(
        "no game has the scenario “{named}”{meant} (quintain scenarios GAME lists them)"
    )))
}

/// Checks that the program plays the game, and that the game has the scenario.
fn check_place(entry: &dyn AnyEntry, scenario: &str, bot: &Bot) -> Result<(), Failure> {
    let game = entry.name();
    if let Ok(Some(plays)) = bot.other_games(game) {
        let plays = plays.join(", ");
        return Err(Failure::Usage(clean(&format!("{} plays {plays}, not {game}", bot.name()))));
    }
    if scenario.is_empty() {
        let known = entry.scenarios();
        let names = known.iter().map(|scenario| scenario.name());
        return Err(Failure::Usage(did_you_mean(&format!("{game} scenario"), scenario, names)));
    }
    entry.game(scenario)?;
    Ok(())
}

/// Returns the program that is to be checked, as a player.
fn checked_program(args: &CheckArgs, programs: &Programs) -> Result<String, Failure> {
    match (&args.bot, args.command.is_empty()) {
        (Some(name), true) => Ok(format!("bot:{}", name.strip_prefix("bot:").unwrap_or(name))),
        (None, false) if args.command.iter().skip(1).any(|word| word.starts_with("bot:")) => {
            let usage =
                "one program at a time: quintain bot check bot:NAME, with options before it";
            Err(Failure::Usage(usage.to_owned()))
        }
        // In the notation for players, or by the name alone, as other verbs take it.
        (None, false) if args.command.len() == 1 => {
            let word = &args.command[0];
            let is_spec = word.starts_with("bot:")
                || word.starts_with("exec:")
                || module::is_module(word)
                || is_remote(word);
            Ok(match is_spec {
                true => word.clone(),
                false if is_listed(programs, word) => format!("bot:{word}"),
                false => format!("exec:\"{}\"", join_words(&args.command)),
            })
        }
        (None, false) => Ok(format!("exec:\"{}\"", join_words(&args.command))),
        _ => {
            let usage =
                "name a program: quintain bot check -- COMMAND, or quintain bot check bot:NAME";
            Err(Failure::Usage(usage.to_owned()))
        }
    }
}

fn examine(
    args: &CheckArgs,
    catalog: &Catalog,
    programs: &Arc<Programs>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let spec = checked_program(args, programs)?;
    if is_remote(&spec) {
        return examine_remote(args, &spec, catalog, out);
    }
    if module::is_module(&spec) {
        let (seed, budget, scenario) = (args.seed, args.budget, args.scenario.clone());
        return module::examine(&ModuleCheck { seed, budget, scenario }, &spec, catalog, out);
    }
    programs.check_confinement()?;
    let bot = programs.bot(&spec)?;
    if let Some(named) = &args.scenario {
        check_scenario(named, &bot, catalog)?;
    }
    writeln!(out, "{}", bot.confinement())?;
    let mut written = Ok(());
    let scenario = args.scenario.clone();
    let (seed, budget) = (args.seed, args.budget);
    let terms = CheckTerms { seed, budget, partner: None, scenario, repeats: true };
    let good = check(catalog, &bot, &terms, CheckTime::default(), &mut |finding| {
        for line in describe_finding(finding) {
            if written.is_ok() {
                written = writeln!(out, "{line}");
            }
        }
    });
    written?;
    let folder = bot.own_folder().map(|folder| folder.join(quintain_bots::LESSONS));
    let problems = check_lessons(bot.name(), folder, catalog, out)?;
    match (good, problems) {
        (true, None) => Ok(writeln!(out, "the program is ready for a tournament")?),
        (true, Some(problems)) => {
            Ok(writeln!(out, "the program is ready for a tournament, but {problems}")?)
        }
        (false, _) => Err(Failure::Failed("the program is not ready for a tournament".to_owned())),
    }
}

/// Asks a service or a model one question of each game.
#[cfg(feature = "remote")]
fn examine_remote(
    args: &CheckArgs,
    spec: &str,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let place = match args.scenario.as_deref().map(split_scenario) {
        None => None,
        Some((Some(game), scenario)) => Some((game.to_owned(), scenario.to_owned())),
        Some((None, scenario)) => {
            let owner = catalog.entries().find(|entry| entry.game(scenario).is_ok());
            let owner = owner.ok_or_else(|| {
                Failure::Usage(format!(
                    "no game has the scenario “{scenario}” (quintain scenarios GAME lists them)"
                ))
            })?;
            Some((owner.name().to_owned(), scenario.to_owned()))
        }
    };
    if let Some((game, scenario)) = &place {
        catalog.entry(game)?.game(scenario)?;
    }
    let mut written = Ok(());
    let check = quintain_remote::RemoteCheck::new(args.seed, args.budget, place);
    let good = check.run(catalog, spec, &mut |finding| {
        let mark = if finding.good { "ok  " } else { "BAD " };
        for line in wrap(&format!("{mark} {}", clean(&finding.text))) {
            if written.is_ok() {
                written = writeln!(out, "{line}");
            }
        }
    })?;
    written?;
    match good {
        true => Ok(writeln!(out, "{spec} is ready for a tournament")?),
        false => Err(Failure::Failed(format!("{spec} is not ready for a tournament"))),
    }
}

/// Fails with the reason why there are no services.
#[cfg(not(feature = "remote"))]
fn examine_remote(
    _: &CheckArgs,
    spec: &str,
    catalog: &Catalog,
    _: &mut dyn Write,
) -> Result<(), Failure> {
    let game = catalog.entries().next().map_or("", AnyEntry::name);
    catalog.player(game, spec)?;
    Ok(())
}

/// Returns whether the bots file has a program with this name.
fn is_listed(programs: &Programs, name: &str) -> bool {
    programs.file_if_any().ok().flatten().is_some_and(|file| file.names().any(|own| own == name))
}

/// Moves the name of `bot check bot:NAME` behind the options that follow it. Otherwise everything
/// after a command's first word would belong to the command, but a program from the bots file takes
/// no arguments.
pub(crate) fn move_name_back(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is = |at: usize, word: &str| arguments.get(at).is_some_and(|own| own == word);
    let Some(verb) = (1..arguments.len()).find(|&at| is(at, "bot") && is(at + 1, "check")) else {
        return arguments;
    };
    let dashes = arguments.iter().position(|word| word == "--").unwrap_or(arguments.len());
    let is_name = |at: &usize| {
        let word = arguments[*at].to_string_lossy();
        word.starts_with("bot:") || module::is_module(&word) || is_remote(&word)
    };
    let is_value = |at: &usize| arguments[*at - 1] == "--bot";
    let name = (verb + 2..dashes).find(|at| is_name(at) && !is_value(at));
    if let Some(name) = name.filter(|name| {
        arguments.get(name + 1).is_some_and(|next| next.to_string_lossy().starts_with('-'))
    }) {
        arguments[name..dashes].rotate_left(1);
    }
    arguments
}

/// Formats a finding of a check as lines for people.
pub(super) fn describe_finding(finding: &check::CheckFinding) -> Vec<String> {
    let mark = if finding.good { "ok  " } else { "BAD " };
    let mut lines = wrap(&format!("{mark} {}", clean(&finding.text)));
    if let Some(slip) = &finding.slip {
        lines.extend(wrap(&format!("     {}", slip.text)));
        if !slip.right.is_empty() {
            lines.push(format!("     right: {}", slip.right));
        }
    }
    if !finding.said.is_empty() {
        lines.push("     the end of its standard error:".to_owned());
    }
    lines.extend(format_output("     | ", &finding.said, screen::terminal_width()));
    lines.extend(file_hint(&finding.said).iter().flat_map(|hint| wrap(&format!("     {hint}"))));
    if let Some(place) = &finding.place {
        let Place { turn, seed, is_debuggable, .. } = place;
        let how = match is_debuggable {
            true => "to see it again, line by line",
            false => "to play it again, and see what it wrote to standard error",
        };
        lines.push(format!("     on turn {turn}, seed {seed}; {how}:"));
        lines.extend(repeat(place).iter().map(|command| format!("       {command}")));
    }
    if !finding.section.is_empty() {
        let docs = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/docs/bots.md");
        lines.push(format!("     see {docs}#{}", finding.section));
    }
    lines.iter().map(|line| clean(line)).collect()
}

/// Returns the commands that play a check's match again, and ask the program about its turn, quoted
/// for a shell.
fn repeat(place: &Place) -> Vec<String> {
    const FILE: &str = "check.json";
    let Place { game, scenario, players, seed, seat, turn, is_debuggable } = place;
    let quote = |word: &str| join_words(&[word.to_owned()]);
    let seated: Vec<String> = players.iter().map(|player| quote(player)).collect();
    let (scenario, program) = (quote(scenario), quote(&players[*seat]));
    let mut commands = vec![format!(
        "quintain match {game} {} --scenario {scenario} --seed {seed} --save {FILE}",
        seated.join(" ")
    )];
    if *is_debuggable {
        let debug = format!("quintain bot debug {program} --record {FILE}");
        commands.push(format!("{debug} --seat {seat} --turn {turn}"));
    } else {
        commands.push(format!("quintain replay {FILE} --log"));
    }
    commands
}

fn serve(
    args: &ServeArgs,
    catalog: &Catalog,
    programs: &Programs,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let field = find_field([args.player.as_str()], None, catalog, Naming::default())?;
    if let Some(scenario) = field.scenario {
        return Err(Failure::Usage(format!(
            "{}: the referee chooses the scenario; leave out :{scenario}",
            args.player
        )));
    }
    let game = field.game;
    let seated = catalog.player(game, &field.players[0])?;
    // A program that cannot begin must not let us answer that it is ready.
    if seated.is_external()
        && let Ok(bot) = programs.bot(&seated.spec)
        && let Err(fault) = bot.other_games(game)
    {
        return Err(Failure::Failed(format!("{}: {}", bot.name(), clean(&bot.explain(&fault)))));
    }
    let server = PlayerServer { catalog, game, player: &seated, budget: args.budget };
    let mut input = BufReader::new(std::io::stdin());
    let served = if args.protocol == "quintain" {
        server.serve(&mut input, out)
    } else {
        let protocols = catalog.entry(game)?.protocols().iter();
        let mut protocols = protocols.filter(|known| known.program.is_some());
        let protocol = protocols.clone().find(|known| known.name == args.protocol);
        let protocol = protocol.ok_or_else(|| {
            let names = protocols.by_ref().map(|known| known.name).chain(["quintain"]);
            Failure::Usage(did_you_mean(&format!("protocol of {game}"), &args.protocol, names))
        })?;
        server.serve_foreign(protocol, &mut input, out)
    };
    served.map_err(|error| match error {
        PlayerServerError::Pipe(error) => error.into(),
        // The program was there, but failed later.
        PlayerServerError::Player(SpecError::External(error)) => {
            Failure::Failed(format!("{}: {}", seated.spec, clean(&error.to_string())))
        }
        PlayerServerError::Player(error) => error.into(),
        error => Failure::Failed(error.to_string()),
    })
}

fn list(catalog: &Catalog, programs: &Arc<Programs>, out: &mut dyn Write) -> Result<(), Failure> {
    let say = |line: &str, out: &mut dyn Write| {
        writeln!(out, "{}", crate::messages::wrap(line, screen::width()))
    };
    writeln!(out, "protocols")?;
    writeln!(out, "  quintain: any game, JSON lines")?;
    for entry in catalog.entries() {
        for protocol in entry.protocols() {
            let (name, game) = (protocol.name, entry.name());
            say(&format!("  {name}: {game}, {}", protocol.summary), out)?;
        }
    }
    writeln!(out, "programs")?;
    let Some(file) = programs.file_if_any()? else {
        writeln!(out, "  none: there is no {}", programs.file_path().display())?;
        return Ok(());
    };
    for name in file.names() {
        match programs.bot(&format!("bot:{name}")) {
            Ok(bot) => say(&format!("  bot:{name}: {}", clean(&bot.command())), out)?,
            // The message begins with the name.
            Err(problem) => say(&format!("  {}", clean(&problem.to_string())), out)?,
        }
        let versions = programs.versions(name)?;
        let hashes: Vec<&str> = versions.iter().rev().map(Version::hash).collect();
        if !hashes.is_empty() {
            let kept = hashes.join(", ");
            say(&format!("    versions kept: {kept}, as bot:{name}@HASH"), out)?;
        }
    }
    let elsewhere = file.remote_players();
    if !elsewhere.is_empty() {
        writeln!(out, "services and models")?;
        say(&format!("  {}", clean(&elsewhere.join(", "))), out)?;
    }
    Ok(())
}
