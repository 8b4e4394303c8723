//! The verb `self-play`: plays matches of a network against itself, and writes their positions for
//! training.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use std::{fs, thread};

use quintain_core::{
    Entry, MakeEncoding, Rng, Rules, SEED, ScenarioSet, StoreUse, Tool, ToolError, ToolOption,
    ToolOptionKind, ToolRequest, Verb,
};
use quintain_search::puct::{Options, Rollouts, Root};
use quintain_search::utility::utility_range;
use serde_json::{Value, json};

use crate::description::{self, DESCRIPTION, Positions};
use crate::players::{Encodings, Guide, LoadedNetwork};
use crate::self_play::{Run, SelfPlayError, SelfPlayResult, Table, Tables, play};

/// The value of `--leaves` for searches by the rules' estimates.
const ESTIMATES: &str = "estimates";

/// The verb `self-play`, for a game with an encoding.
pub(crate) fn self_play_tool<R: Rules>(entry: &Entry<R>) -> Tool {
    let game = Arc::new(entry.bare());
    let encodings = Encodings::of(entry);
    Tool {
        verb: Verb {
            name: "self-play",
            summary: "Play a network against itself, for training",
            usage: "",
            lack: "no encoding for networks",
        },
        summary: "Play a network against itself and write the positions as arrays for NumPy",
        inputs: None,
        options: vec![
            ToolOption { required: true, ..ToolOption::text("out", "FOLDER", "Output folder") },
            ToolOption::text(
                "net",
                "FILE",
                "The network, or the game's name for the one that comes with it; without one, see \
                 leaves",
            ),
            ToolOption::text(
                "scenario",
                "SCENARIO",
                "The scenario, if not the default; in a family, a new problem for each match",
            ),
            ToolOption::text("encoding", "NAME", "The encoding, if no network is given"),
            ToolOption::new(
                "leaves",
                "KIND",
                ToolOptionKind::Choice(&["rollouts", ESTIMATES]),
                "What positions are worth if no network is given: by rollouts, or by the game's \
                 estimates [default: rollouts]",
            ),
            ToolOption::whole("matches", "N", 1..=1_000_000_000, "Matches to play [default: 256]"),
            ToolOption::whole(
                "simulations",
                "N",
                1..=1_000_000,
                "Simulations per decision [default: 32]",
            ),
            ToolOption::whole(
                "random-turns",
                "N",
                0..=10_000,
                "Begin with up to N random turns [default: 4]",
            ),
            ToolOption::whole(
                "side-by-side",
                "N",
                1..=65_536,
                "Matches that share a batch and a file [default: 16]",
            ),
            ToolOption::whole(
                "turns",
                "N",
                1..=1_000_000,
                "The most turns of a match [default: 1000]",
            ),
            ToolOption::whole("seed", "N", 0..=u64::MAX, "The first match's seed [default: 1]"),
            ToolOption::whole("threads", "N", 1..=1024, "Threads [default: all cores]"),
        ],
        store: StoreUse::None,
        run: Arc::new(move |request| run_tool(&game, &encodings, request)),
    }
}

fn run_tool<R: Rules>(
    game: &Arc<Entry<R>>,
    encodings: &Encodings<R>,
    request: &ToolRequest,
) -> Result<String, ToolError> {
    let loaded = match request.text("net") {
        Some(path) => Some(encodings.load(path).map_err(usage)?),
        None => None,
    };
    let default = game.scenario_entries().first().map_or("", |known| known.listed.name());
    let wanted = request.text("scenario").unwrap_or(default);
    // Where the scenario has instances, every match has the one of its seed, as learners have.
    let set = ScenarioSet::text_of(game, wanted);
    let text_of = |seed: u64| match &set {
        Some(set) => set.replace(SEED, &seed.to_string()),
        None => wanted.to_owned(),
    };
    let make = encodings.choose(loaded.as_ref(), request.text("encoding")).map_err(usage)?;
    let by_estimates = is_by_estimates(request, loaded.is_some())?;
    let table_of = |seed: u64| table(game, make, loaded.as_ref(), by_estimates, &text_of(seed));
    let run = read_run(request);
    let folder = PathBuf::from(request.text("out").unwrap_or("."));
    let name = encodings.all.iter().find(|(_, known)| Arc::ptr_eq(known, make));
    let name = name.map_or("", |(name, _)| name);
    let first = table_of(run.seed)?;
    let text = match &set {
        Some(set) => set.clone(),
        None => game.build(wanted).map_err(usage)?.1,
    };
    let mut about = describe(game.name(), &text, name, &first, &run, &loaded);
    if by_estimates {
        about["leaves"] = ESTIMATES.into();
    }
    keep_description(&folder, &about)?;
    let began = Instant::now();
    let drawn = |seed| table_of(seed).expect("one was made before, and all are alike");
    let common = || drawn(run.seed);
    let tables = match set {
        Some(_) => Tables::Drawn(&drawn),
        None => Tables::Common(&common),
    };
    let played = play(&tables, &run, &folder, &request.stop).map_err(|error| {
        ToolError::Failed(match error {
            SelfPlayError::Write(error) => format!("cannot write {}: {error}", folder.display()),
            SelfPlayError::Evaluation(why) => why,
        })
    })?;
    Ok(report(&played, began.elapsed().as_secs_f64(), request.json))
}

fn usage(error: impl ToString) -> ToolError {
    ToolError::Usage(error.to_string())
}

/// Whether searches are to be guided by the rules' estimates.
fn is_by_estimates(request: &ToolRequest, has_network: bool) -> Result<bool, ToolError> {
    match request.text("leaves") {
        None | Some("rollouts") => Ok(false),
        Some(_) if has_network => Err(usage("--leaves: the network says what positions are worth")),
        Some(_) => Ok(true),
    }
}

/// Makes the table of a scenario, guided by the network if there is one.
fn table<R: Rules>(
    game: &Entry<R>,
    make: &MakeEncoding<R>,
    loaded: Option<&LoadedNetwork<R>>,
    by_estimates: bool,
    text: &str,
) -> Result<Table<R, Guide<R>>, ToolError> {
    let (scenario, _) = game.build(text).map_err(usage)?;
    let (rules, start) = (scenario.rules(), scenario.start(&mut Rng::from_seed(0)));
    let encoding = make(rules, &start).map_err(usage)?;
    let evaluator = match loaded {
        None if by_estimates => Guide::Estimates,
        None => Guide::Rollouts(Rollouts { limit: 10_000 }),
        Some(loaded) => {
            let network = loaded.evaluator(rules, &start);
            Guide::Network(Box::new(network.map_err(|misfit| usage(misfit.0))?))
        }
    };
    Ok(Table { scenario, encoding, evaluator })
}

/// The settings of the run that a request asks for.
fn read_run(request: &ToolRequest) -> Run {
    let threads = thread::available_parallelism().map_or(1, |threads| threads.get());
    let search = Options {
        root: Root::Gumbel,
        noise: 1.0,
        simulations: request.number("simulations").unwrap_or(32),
        ..Options::default()
    };
    Run {
        matches: request.number("matches").unwrap_or(256),
        side_by_side: request.number("side-by-side").unwrap_or(16),
        seed: request.number("seed").unwrap_or(1),
        search,
        random_turns: request.number("random-turns").unwrap_or(4),
        most_turns: request.number("turns").unwrap_or(1000),
        threads: request.number("threads").unwrap_or(threads),
    }
}

/// Says what was played in so many seconds, in words or as JSON.
fn report(played: &SelfPlayResult, seconds: f64, as_json: bool) -> String {
    if as_json {
        let figures = json!({
            "matches": played.matches, "resumed": played.resumed, "positions": played.positions,
            "evaluated": played.evaluated, "seconds": seconds,
        });
        return format!("{figures}\n");
    }
    let resumed = match played.resumed {
        0 => String::new(),
        count => format!(" ({count} were there already)"),
    };
    format!(
        "{} matches{resumed}, {} positions in {seconds:.1} s: {:.0} positions and {:.0} \
         evaluations a \
         second\n",
        played.matches,
        played.positions,
        played.positions as f64 / seconds,
        played.evaluated as f64 / seconds,
    )
}

/// The data of a run that trainers need, and that identifies the run.
fn describe<R: Rules>(
    game: &str,
    scenario_text: &str,
    encoding_name: &str,
    table: &Table<R, Guide<R>>,
    run: &Run,
    loaded: &Option<LoadedNetwork<R>>,
) -> Value {
    let positions = Positions {
        game,
        scenario: scenario_text,
        encoding: encoding_name,
        layout: table.encoding.layout(),
        range: utility_range(table.scenario.rules()),
    };
    let run = json!({
        "network": loaded.as_ref().map(|loaded| loaded.model.digest().to_owned()),
        "simulations": run.search.simulations,
        "side_by_side": run.side_by_side,
        "random_turns": run.random_turns,
        "turns": run.most_turns,
        "seed": run.seed,
    });
    description::describe(&positions, run)
}

/// Writes the description, or checks that the folder's description is the same: otherwise, shards
/// of another run would be taken for those of this one.
fn keep_description(folder: &Path, about: &Value) -> Result<(), ToolError> {
    let path = folder.join(DESCRIPTION);
    let failed = |error: std::io::Error| {
        ToolError::Failed(format!("cannot write {}: {error}", path.display()))
    };
    fs::create_dir_all(folder).map_err(failed)?;
    if let Ok(known) = fs::read_to_string(&path) {
        let known: Value = serde_json::from_str(&known).unwrap_or(Value::Null);
        if known == *about {
            return Ok(());
        }
        let differs = about.as_object().into_iter().flatten();
        let differs = differs.filter(|(key, value)| known.get(key) != Some(value));
        let differs: Vec<&str> = differs.map(|(key, _)| key.as_str()).collect();
        return Err(ToolError::Usage(format!(
            "{} holds another run, which differs in {}; name another folder by --out",
            folder.display(),
            differs.join(", ")
        )));
    }
    let text = serde_json::to_string_pretty(about).unwrap_or_default() + "\n";
    fs::write(&path, text).map_err(failed)
}
