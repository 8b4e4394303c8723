//! `quintain VERB GAME …` for verbs on files that games provide (`solve`, `score`, `stats`). The
//! commands are generated from the games' declarations: no game and no option of a game is named
//! here.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use quintain_core::{
    AnyEntry, Catalog, SolutionStore, StoreUse, Tool, ToolError, ToolInputs, ToolOption,
    ToolOptionKind, ToolRequest, Verb,
};
use quintain_store::{KeptSolutions, Store, StoreError};

use crate::failure::Failure;
use crate::{catalog, sources, stop};

// Ids of the arguments that all tools have in common; upper case distinguishes them from a tool's
// own options.
const INPUTS: &str = "INPUTS";
const FILES: &str = "FILES";
const KEEP: &str = "KEEP";
const STORE: &str = "STORE";
const SETTINGS: &str = "SETTINGS";
const FORMAT: &str = "FORMAT";

/// A tool as requested on the command line.
pub(crate) struct ToolCall {
    verb: String,
    game: String,
    matches: ArgMatches,
}

/// Returns the verbs that games provide, each once, in the order of the catalog.
fn verbs(catalog: &Catalog) -> Vec<Verb> {
    let mut verbs: Vec<Verb> = Vec::new();
    for tool in catalog.entries().flat_map(|entry| entry.tools()) {
        if verbs.iter().all(|known| known.name != tool.verb.name) {
            verbs.push(tool.verb);
        }
    }
    verbs
}

impl clap::Subcommand for ToolCall {
    fn augment_subcommands(command: Command) -> Command {
        let catalog = catalog::catalog();
        let commands = verbs(&catalog).into_iter().map(|verb| verb_command(verb, &catalog));
        command.subcommands(commands.collect::<Vec<_>>())
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        verbs(&catalog::catalog()).iter().any(|verb| verb.name == name)
    }
}

impl clap::FromArgMatches for ToolCall {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::new(clap::error::ErrorKind::MissingSubcommand);
        let (verb, matches) = matches.subcommand().ok_or_else(missing)?;
        let (game, matches) = matches.subcommand().ok_or_else(missing)?;
        Ok(ToolCall { verb: verb.to_owned(), game: game.to_owned(), matches: matches.clone() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Returns `quintain VERB`, with a subcommand for each game that has such a tool.
fn verb_command(verb: Verb, catalog: &Catalog) -> Command {
    let games = catalog.entries().filter_map(|entry| {
        let tool = entry.tool(verb.name)?;
        Some(game_command(entry.name(), tool))
    });
    let usage = format!("quintain {} <GAME> [OPTIONS] {}", verb.name, verb.usage);
    Command::new(verb.name)
        .about(verb.summary)
        .override_usage(usage.trim_end().to_owned())
        .after_help(format!("Options of a game: quintain {} GAME --help", verb.name))
        .subcommand_value_name("GAME")
        .subcommand_help_heading("Games")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        // `run` answers for games without the tool.
        .allow_external_subcommands(true)
        .subcommands(games.collect::<Vec<_>>())
}

/// Returns `quintain VERB GAME`, with the tool's own options.
fn game_command(game: &'static str, tool: &Tool) -> Command {
    let mut command = Command::new(game).about(tool.summary);
    if let Some(inputs) = &tool.inputs {
        command = command.args(input_args(inputs));
    }
    command = command.args(tool.options.iter().map(option_arg));
    let store =
        Arg::new(STORE).long("store").value_name("FILE").value_parser(clap::value_parser!(PathBuf));
    let usual = "[default: quintain.sqlite, or $QUINTAIN_STORE]";
    command = match tool.store {
        StoreUse::Add => command.args([
            Arg::new(KEEP)
                .long("keep")
                .action(ArgAction::SetTrue)
                .help("Keep solutions in the store that are better than those kept so far"),
            store.help(format!("The store to keep solutions in {usual}")),
        ]),
        StoreUse::Read => command.arg(store.help(format!("The store of kept solutions {usual}"))),
        _ => command,
    };
    command.args([
        Arg::new(SETTINGS)
            .long("set")
            .value_name("NAME=VALUE")
            .action(ArgAction::Append)
            .value_parser(parse_setting)
            .help(
                "Another form of an option: --set seed=1 is --seed 1 (may be given several times)",
            ),
        Arg::new(FORMAT)
            .long("format")
            .value_name("FORMAT")
            .value_parser(PossibleValuesParser::new(["text", "json"]))
            .default_value("text")
            .help("The format of the results"),
    ])
}

fn input_args(inputs: &ToolInputs) -> Vec<Arg> {
    let positional = Arg::new(INPUTS)
        .value_names(inputs.value_names)
        .action(ArgAction::Set)
        .required(inputs.required)
        .help(inputs.doc);
    let positional = match inputs.value_names.len() {
        1 => positional.num_args(1..),
        all => positional.num_args(all),
    };
    if !inputs.file_option {
        return vec![positional];
    }
    let names = inputs.value_names.join(" ");
    let files = Arg::new(FILES)
        .short('f')
        .long("file")
        .value_name("FILE")
        .action(ArgAction::Append)
        .help(format!("A file instead of {names} (may be given several times)"));
    // A required argument may be missing if one that conflicts with it is given.
    let positional =
        positional.conflicts_with(FILES).help(format!("{}; or give files with -f", inputs.doc));
    vec![positional, files]
}

fn option_arg(option: &ToolOption) -> Arg {
    let several = if option.repeated { " (may be given several times)" } else { "" };
    let kind = option.kind.clone();
    let arg = Arg::new(option.name)
        .long(option.name)
        .aliases(option.alias)
        .value_name(option.value_name)
        .required(option.required)
        .action(if option.repeated { ArgAction::Append } else { ArgAction::Set })
        .allow_hyphen_values(option.hyphens)
        .help(format!("{}{several}", option.doc));
    let arg = match option.short {
        Some(short) => arg.short(short),
        None => arg,
    };
    match kind {
        ToolOptionKind::Text => arg,
        ToolOptionKind::Choice(words) => arg.value_parser(PossibleValuesParser::new(words)),
        // A negative number is refused as a value and not as an unknown option.
        kind => arg
            .allow_negative_numbers(true)
            .value_parser(move |text: &str| kind.check(text).map(|()| text.to_owned())),
    }
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Moves the game in a tool's call directly behind the verb, where clap looks for it, since options
/// may be written before it.
pub(crate) fn move_game_forward(mut arguments: Vec<OsString>, command: &Command) -> Vec<OsString> {
    let globals: Vec<&Arg> = command.get_arguments().collect();
    let Some(verb) = find_bare(&arguments, 1, &globals) else { return arguments };
    let found = command.get_subcommands().find(|known| arguments[verb] == known.get_name());
    let Some(found) = found.filter(|known| known.is_allow_external_subcommands_set()) else {
        return arguments;
    };
    let own = found.get_subcommands().flat_map(Command::get_arguments);
    let options: Vec<&Arg> = own.chain(globals).collect();
    if let Some(game) = find_bare(&arguments, verb + 1, &options) {
        arguments[verb + 1..=game].rotate_right(1);
    }
    arguments
}

/// Finds the first argument from this index on that is neither an option nor the value of one.
fn find_bare(arguments: &[OsString], from: usize, options: &[&Arg]) -> Option<usize> {
    let takes_value = |named: &dyn Fn(&Arg) -> bool| {
        options.iter().any(|arg| named(arg) && arg.get_action().takes_values())
    };
    let mut index = from;
    while let Some(argument) = arguments.get(index) {
        let argument = argument.to_string_lossy();
        let has_next_value = if argument == "--" {
            false
        } else if let Some(long) = argument.strip_prefix("--") {
            takes_value(&|arg| arg.get_long() == Some(long))
        } else if let Some(letters) = argument.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            // The first letter that takes a value takes the rest of the word, if there is any.
            let taker = letters
                .char_indices()
                .find(|(_, letter)| takes_value(&|arg| arg.get_short() == Some(*letter)));
            taker.is_some_and(|(at, letter)| at + letter.len_utf8() == letters.len())
        } else {
            return Some(index);
        };
        index += if has_next_value { 2 } else { 1 };
    }
    None
}

/// Runs the tool of the game.
pub(crate) fn run(call: &ToolCall, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let entry = catalog.entry(&call.game)?;
    let Some(tool) = entry.tool(&call.verb) else {
        let game = entry.name();
        let verb = verbs(catalog).into_iter().find(|verb| verb.name == call.verb);
        let lack = verb.map_or("no such verb", |verb| verb.lack);
        let others: Vec<&str> = catalog
            .entries()
            .filter(|other| other.tool(&call.verb).is_some())
            .map(|other| other.name())
            .collect();
        let (verb, others) = (&call.verb, others.join(", "));
        return Err(Failure::Usage(format!(
            "{game} has {lack}; `quintain {verb}` is for {others}"
        )));
    };
    let result = tool.call(&request(entry, tool, &call.matches)?);
    if let Ok(text) | Err(ToolError::Unfinished { done: text, .. }) = &result {
        out.write_all(text.as_bytes())?;
    }
    result?;
    Ok(())
}

fn request(
    entry: &dyn AnyEntry,
    tool: &Tool,
    matches: &ArgMatches,
) -> Result<ToolRequest, Failure> {
    let texts = |id: &str| -> Vec<String> {
        let given = matches.try_get_many::<String>(id).ok().flatten();
        given.into_iter().flatten().cloned().collect()
    };
    let mut inputs = texts(FILES);
    inputs.extend(texts(INPUTS));
    let settings = matches.get_many::<(String, String)>(SETTINGS).into_iter().flatten().cloned();
    let own = tool.options.iter().flat_map(|option| {
        texts(option.name).into_iter().map(|value| (option.name.to_owned(), value))
    });
    let store = matches.try_get_one::<PathBuf>(STORE).ok().flatten().map(PathBuf::as_path);
    let keeper = match tool.store {
        StoreUse::Add if matches.get_flag(KEEP) => Some(keeper(entry, store, Store::open)?),
        StoreUse::Read if inputs.is_empty() => Some(open_kept(entry, tool, store)?),
        _ => None,
    };
    Ok(ToolRequest {
        inputs,
        options: settings.chain(own).collect(),
        json: matches.get_one::<String>(FORMAT).is_some_and(|format| format == "json"),
        stop: stop::watch_signals(),
        keeper,
    })
}

/// Opens the store of this folder as the store of a game's solutions.
fn keeper(
    entry: &dyn AnyEntry,
    store: Option<&Path>,
    open: fn(&Path) -> Result<Store, StoreError>,
) -> Result<Arc<dyn SolutionStore>, Failure> {
    let store = open(&sources::store_path(store))?;
    Ok(Arc::new(KeptSolutions::new(store, entry.name())))
}

/// Opens the solutions in the store of this folder for reading.
fn open_kept(
    entry: &dyn AnyEntry,
    tool: &Tool,
    store: Option<&Path>,
) -> Result<Arc<dyn SolutionStore>, Failure> {
    keeper(entry, store, Store::open_to_read).map_err(|failure| {
        let is_missing = !sources::store_path(store).exists();
        let adder = entry.tools().iter().find(|tool| tool.store == StoreUse::Add);
        match (adder, tool.inputs) {
            (Some(adder), Some(inputs)) if is_missing => Failure::Usage(format!(
                "no solutions were kept: there is no store {}; name {}, or keep some first with \
                 quintain {} {} --keep",
                sources::store_path(store).display(),
                inputs.value_names.join(" "),
                adder.verb.name,
                entry.name(),
            )),
            _ => failure,
        }
    })
}

#[cfg(test)]
mod tests {
    use clap::Subcommand;

    use super::*;

    fn command() -> Command {
        let globals = [
            Arg::new("verbose").short('v').action(ArgAction::Count),
            Arg::new("bots").long("bots"),
            Arg::new("sandbox").long("sandbox"),
        ];
        ToolCall::augment_subcommands(Command::new("quintain").args(globals))
    }

    #[test]
    fn the_game_may_follow_options() {
        let reorder = |line: &str| {
            let arguments = line.split(' ').map(OsString::from).collect();
            let moved = move_game_forward(arguments, &command());
            let moved: Vec<_> = moved.iter().map(|word| word.to_string_lossy()).collect();
            moved.join(" ")
        };
        for line in [
            "quintain solve GAME FILE -t 5",
            "quintain -v --bots b.toml solve GAME",
            "quintain match -t 5 GAME",
            "quintain",
            "quintain solve",
        ] {
            assert_eq!(reorder(line), line);
        }
        assert_eq!(reorder("q solve -t 5 GAME FILE"), "q solve GAME -t 5 FILE");
        assert_eq!(reorder("q solve -vt5 -vt 5 GAME"), "q solve GAME -vt5 -vt 5");
        assert_eq!(reorder("q -v solve --keep --time 5 GAME"), "q -v solve GAME --keep --time 5");
        assert_eq!(
            reorder("q solve --time=5 --set a=b GAME x"),
            "q solve GAME --time=5 --set a=b x"
        );
        assert_eq!(reorder("q --sandbox off solve -- GAME x"), "q --sandbox off solve GAME -- x");
    }
}
