//! `quintain solve polymer INSTANCE…` and `quintain score polymer INSTANCE WALK` (or a
//! proof in place of the walk). An instance is a file, a chain of a file that lists some
//! (`FILE:NAME`), `hp:HPHPPH…`, or a scenario such as `L16_s01?seed=2`.

pub(crate) mod exact;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use quintain_core::{
    Access, Budget, Decision, Entry, Meter, Rules, Seat, StoreUse, Streams, Tool, ToolError,
    ToolInputs, ToolOption, ToolOptionKind, ToolRequest, Turn, Verb, did_you_mean, processor_time,
    read_text, reason,
};
use serde::Serialize;

use crate::notation::{draw, read_chains, read_instance, read_walk, steps_of};
use crate::roster::roster;
use crate::rules::Polymer;
use crate::rules::bounds;
use crate::rules::instance::{Instance, Interaction};

struct Settings {
    player: String,
    /// The time for everything.
    time: Option<Duration>,
    /// Seed of the player's own random numbers.
    random: u64,
    threads: usize,
    nodes: Option<u64>,
    /// Whether branch and bound takes a part of the time on small tori.
    prove: bool,
    /// Where to write the proof.
    proof: Option<String>,
}

/// The time used if neither time nor nodes are limited.
const USUAL_TIME: Duration = Duration::from_secs(10);

/// Up to this many monomers, branch and bound takes part.
const PROVABLE: usize = 60;

impl Settings {
    fn read(request: &ToolRequest) -> Settings {
        let nodes = request.number("nodes");
        Settings {
            player: request.text("player").unwrap_or("champion").to_owned(),
            time: request.duration("time").or(nodes.is_none().then_some(USUAL_TIME)),
            random: request.number("random").unwrap_or(1),
            threads: request.number("threads").unwrap_or(1),
            nodes,
            prove: request.number("prove").unwrap_or(true),
            proof: request.text("proof").map(str::to_owned),
        }
    }

    /// The budget of a share of the time; each share may use all the nodes.
    fn budget(&self, share: f64) -> Budget {
        Budget {
            nodes: self.nodes,
            per_match: self.time.map(|time| time.mul_f64(share)),
            ..Budget::default()
        }
    }

    /// The end of a share of the time that begins now, by the clock on the wall.
    fn end(&self, share: f64) -> Option<Instant> {
        self.time.map(|time| Instant::now() + time.mul_f64(share))
    }

    /// The meter of a proof over a share of the time.
    fn meter(&self, share: f64, stop: &Arc<AtomicBool>) -> Meter {
        let end = self.end(share);
        let meter = Meter::new(self.nodes.unwrap_or(u64::MAX), end).with_stop(Arc::clone(stop));
        match end {
            Some(end) => meter.not_after(end),
            None => meter,
        }
    }
}

/// The instances that an argument names: those of a file that lists chains, each as `FILE:NAME`, or
/// the argument itself.
fn instances_of(text: &str) -> Result<Vec<String>, ToolError> {
    if !Path::new(text).is_file() {
        return Ok(vec![text.to_owned()]);
    }
    let file = read_text(Path::new(text))?;
    Ok(match read_chains(&file) {
        Some(chains) if chains.len() > 1 => {
            chains.iter().map(|(name, _)| format!("{text}:{name}")).collect()
        }
        _ => vec![text.to_owned()],
    })
}

/// The chain of this name in a file that lists chains.
fn chain_of(file: &str, name: &str) -> Result<Polymer, ToolError> {
    let text = read_text(Path::new(file))?;
    let chains = read_chains(&text).unwrap_or_default();
    let Some((_, chain)) = chains.iter().find(|(known, _)| known == name) else {
        let names = chains.iter().map(|(known, _)| known.as_str());
        let problem = did_you_mean("chain", name, names);
        return Err(ToolError::Usage(format!("{file}: {problem}")));
    };
    let instance = Instance::hp_in_the_plane(chain)
        .map_err(|problem| ToolError::Usage(format!("{file}, {name}: {problem}")))?;
    Ok(Polymer::new(instance, false))
}

/// The rules of an instance given by name, as a file or as a string of H and P.
fn rules_of(text: &str) -> Result<Polymer, ToolError> {
    let refused = ToolError::Usage;
    if let Some(sequence) = text.strip_prefix("hp:") {
        let instance = Instance::hp_in_the_plane(sequence)
            .map_err(|problem| refused(format!("{text}: {problem}")))?;
        return Ok(Polymer::new(instance, false));
    }
    if let Some((file, name)) = text.rsplit_once(':')
        && Path::new(file).is_file()
    {
        return chain_of(file, name);
    }
    if Path::new(text).is_file() {
        let file = read_text(Path::new(text))?;
        if let Some([(name, _)]) = read_chains(&file).as_deref() {
            return chain_of(text, name);
        }
        let instance = match read_chains(&file) {
            Some(chains) if chains.len() > 1 => Err(format!(
                "it lists {} chains; name one of them, as {text}:{}",
                chains.len(),
                chains[0].0
            )),
            _ => read_instance(&file).map_err(|problem| problem.to_string()),
        };
        let instance = instance.map_err(|problem| refused(format!("{text}: {problem}")))?;
        return Ok(Polymer::new(instance, false));
    }
    if Path::new(text).is_dir() {
        return Err(refused(format!("{text}: it is a folder, not a file")));
    }
    let entry = roster();
    let is_known = |name| entry.scenario_entries().iter().any(|known| known.listed.name() == name);
    let (scenario, _) = Entry::build(&entry, text).map_err(|error| {
        refused(if text.split('?').next().is_some_and(is_known) {
            error.to_string()
        } else {
            format!(
                "{text} is neither a file nor an instance ({error}); name a file, hp:HPHPPH… or a \
                 scenario such as L16_s01?seed=2"
            )
        })
    })?;
    Ok(scenario.rules().clone())
}

/// The answer for one walk.
#[derive(Serialize)]
struct Answer {
    instance: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    r: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r_nc: Option<i32>,
    /// The proven bound: no walk has a greater R_nc.
    bound: i32,
    /// Whether this walk has the greatest R_nc.
    proved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    energy: Option<i32>,
    /// The energy of the same steps in open space, if the walk meets itself around the torus.
    #[serde(skip_serializing_if = "Option::is_none")]
    energy_in_open_space: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    walk: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    player: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<f64>,
    /// The processor time used, of all threads, where the system tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    processor_seconds: Option<f64>,
    /// The part that branch and bound had in the answer; it helps the player on small tori.
    #[serde(skip)]
    searched: Searched,
}

/// The results that came from branch and bound rather than from the player or the bounds without a
/// search.
#[derive(Clone, Copy, Default)]
struct Searched {
    walk: bool,
    bound: bool,
}

impl Answer {
    fn new(name: &str, instance: &Instance, walk: Option<&[u16]>, bound: i32) -> Answer {
        let r = walk.map(|walk| instance.worth(walk));
        let r_nc = r.map(|r| r - instance.chain());
        let is_hp = instance.interaction() == Interaction::Hp;
        // HP energies are those of open space; a torus of charges is meant to be one.
        let unrolled = walk.filter(|_| is_hp).map(|walk| instance.worth_unrolled(walk));
        let unrolled = unrolled.filter(|unrolled| Some(*unrolled) != r);
        Answer {
            instance: name.to_owned(),
            r,
            r_nc,
            bound,
            proved: r_nc == Some(bound),
            energy: r_nc.filter(|_| is_hp).map(|contacts| -contacts),
            energy_in_open_space: unrolled.map(|unrolled| instance.chain() - unrolled),
            walk: walk.map(|walk| steps_of(instance.torus(), walk)),
            player: None,
            seconds: None,
            processor_seconds: None,
            searched: Searched::default(),
        }
    }

    fn text(&self, instance: &Instance, walk: Option<&[u16]>) -> String {
        let mut text = format!("{}: ", self.instance);
        match (self.r, self.r_nc) {
            (Some(r), Some(r_nc)) => {
                if let Some(energy) = self.energy {
                    text += &format!("energy {energy}, ");
                }
                text += &format!("R {r}, R_nc {r_nc}, bound on R_nc {}", self.bound);
                text += match (self.proved, self.searched) {
                    (true, Searched { walk: true, bound: true }) => {
                        ", found and proved optimal by branch and bound"
                    }
                    (true, Searched { walk: true, .. }) => {
                        ", found by branch and bound, proved optimal"
                    }
                    (true, Searched { bound: true, .. }) => ", proved optimal by branch and bound",
                    (true, _) => ", proved optimal",
                    (false, Searched { walk: true, .. }) => ", found by branch and bound",
                    (false, _) => "",
                };
            }
            _ => text += &format!("no whole walk found, bound on R_nc {}", self.bound),
        }
        if let Some(seconds) = self.seconds {
            text += &format!(", {seconds:.1} s");
            // On a busy machine the same time is less work.
            if let Some(used) = self.processor_seconds.filter(|used| *used < 0.8 * seconds - 0.1) {
                text += &format!(" (the machine was busy: {used:.1} s of processor time)");
            }
        }
        text.push('\n');
        if let Some(energy) = self.energy_in_open_space {
            text += &format!(
                "it meets itself around the torus of {}: in open space the same steps have energy \
                 {energy}; without side, width and height there is room enough\n",
                instance.torus().size()
            );
        }
        if let (Some(cells), Some(steps)) = (walk, &self.walk) {
            text += &format!("{steps}\n");
            // Show a drawing only if a terminal can hold it.
            if instance.torus().width() <= 40 && instance.torus().depth() == 1 {
                text += &format!("\n{}", draw(instance, cells));
            }
        }
        text
    }
}

/// `quintain solve polymer`.
pub(crate) fn solve_tool() -> Tool {
    Tool {
        verb: Verb::SOLVE,
        summary: "Lay a walk for each instance; print R, R_nc (R without the bonds of the chain), \
            an upper bound on R_nc and whether the walk is proved optimal",
        inputs: Some(ToolInputs {
            value_names: &["INSTANCE"],
            doc: "Instances: files, hp:HPHPPH…, or scenarios such as L16_s01?seed=2",
            required: true,
            file_option: true,
        }),
        options: vec![
            ToolOption::text(
                "player",
                "PLAYER",
                "The player that solves, NAME or \"NAME?parameter=value\"",
            ),
            ToolOption::duration(
                "time",
                "Time to take, such as 500ms or 2min; a bare number is in seconds [default: 10s, \
                 unless --nodes is given]",
            )
            .with_short('t'),
            ToolOption::whole("threads", "THREADS", 1..=1024, "Threads to use at once")
                .with_alias("cores")
                .with_short('c'),
            ToolOption::whole(
                "random",
                "SEED",
                0..=u64::MAX,
                "Seed of the player's own random numbers [default: 1]",
            )
            .with_alias("seed"),
            ToolOption::whole("nodes", "NODES", 1..=u64::MAX, "Nodes to search"),
            ToolOption::new(
                "prove",
                "BOOL",
                ToolOptionKind::Choice(&["true", "false"]),
                "Whether branch and bound gets part of the time on small tori [default: true]",
            ),
            ToolOption::text("proof", "FILE", "Write the proof of the bound to this file"),
        ],
        store: StoreUse::None,
        run: Arc::new(solve),
    }
}

/// `quintain score polymer`.
pub(crate) fn score_tool() -> Tool {
    Tool {
        verb: Verb::SCORE,
        summary: "Check the walk of any program, or a proof, and say what it is worth",
        inputs: Some(ToolInputs {
            value_names: &["INSTANCE", "WALK"],
            doc: "The instance, and a file with steps RDLU, coordinates, or a proof",
            required: true,
            file_option: false,
        }),
        options: Vec::new(),
        store: StoreUse::None,
        run: Arc::new(score),
    }
}

/// Plans a walk for each instance.
fn solve(request: &ToolRequest) -> Result<String, ToolError> {
    let settings = Settings::read(request);
    let mut answers = Vec::new();
    let mut text = String::new();
    let named = request.inputs.iter().map(|text| instances_of(text));
    let names = named.collect::<Result<Vec<_>, _>>()?.concat();
    if settings.proof.is_some() {
        refuse_unprovable(&names)?;
    }
    let mut problem = None;
    for name in &names {
        let rules = rules_of(name)?;
        let begin = Instant::now();
        let used_before = processor_time();
        let (walk, bound, searched) = walk_and_bound(&rules, &settings, &request.stop)?;
        let instance = rules.instance();
        let mut answer = Answer::new(name, instance, walk.as_deref(), bound);
        answer.player = Some(settings.player.clone());
        answer.searched = searched;
        let rounded = |time: Duration| (time.as_secs_f64() * 1000.0).round() / 1000.0;
        answer.seconds = Some(rounded(begin.elapsed()));
        answer.processor_seconds =
            processor_time().zip(used_before).map(|(now, before)| rounded(now - before));
        text += &answer.text(instance, walk.as_deref());
        if let Some(path) = &settings.proof {
            match write_proof(instance, bound, path, &settings, &request.stop) {
                Ok(written) => text += &written,
                Err(error) => problem = Some(error),
            }
        }
        answers.push(answer);
    }
    let done = if request.json { json(&answers)? } else { text };
    match problem {
        None => Ok(done),
        Some(problem) => Err(ToolError::Unfinished { done, problem }),
    }
}

/// Refuses to write one proof for several instances, or the proof of an instance that has none.
fn refuse_unprovable(names: &[String]) -> Result<(), ToolError> {
    let [name] = names else {
        let problem = format!(
            "proof: a file holds the proof of one instance; expected one, found {}",
            names.len()
        );
        return Err(ToolError::Usage(problem));
    };
    if exact::suits(rules_of(name)?.instance()) {
        return Ok(());
    }
    Err(ToolError::Usage(format!("{name}: {}", exact::UNSUITED)))
}

/// The best walk, a bound on R_nc, and which of them a search found. Where branch and bound is
/// likely to help, it and the player take turns: first both for a short time, then both for longer.
fn walk_and_bound(
    rules: &Polymer,
    settings: &Settings,
    stop: &Arc<AtomicBool>,
) -> Result<(Option<Vec<u16>>, i32, Searched), ToolError> {
    let instance = rules.instance();
    let mut bound = bounds::best(instance);
    let mut searched = Searched::default();
    if !(settings.prove && instance.len() <= PROVABLE && instance.torus().depth() == 1) {
        return Ok((walk_of(rules, settings, 1.0, stop)?, bound, searched));
    }
    let worth = |walk: &Vec<u16>| instance.worth(walk) - instance.chain();
    let mut best: Option<Vec<u16>> = None;
    for (to_solve, to_prove) in [(0.02, 0.28), (0.2, 0.5)] {
        let walk = walk_of(rules, settings, to_solve, stop)?;
        if walk.as_ref().map(worth) > best.as_ref().map(worth) {
            best = walk;
            searched.walk = false;
        }
        let known = best.as_ref().map_or(i32::MIN, worth);
        let mut meter = settings.meter(to_prove, stop);
        let found = exact::certify(instance, known, &mut meter, settings.threads);
        searched.bound |= found.bound < bound;
        bound = bound.min(found.bound);
        searched.walk |= found.better.is_some();
        best = found.better.or(best);
        if best.as_ref().map(worth) == Some(bound) {
            break;
        }
    }
    Ok((best, bound, searched))
}

/// Writes the proof of a bound; reports where it is, or why there is none.
fn write_proof(
    instance: &Arc<Instance>,
    bound: i32,
    path: &str,
    settings: &Settings,
    stop: &Arc<AtomicBool>,
) -> Result<String, String> {
    let mut meter = settings.meter(1.0, stop);
    let Some(proof) = exact::proof(instance, bound, &mut meter) else {
        let why = match settings.nodes {
            _ if stop.load(Ordering::Relaxed) => "before it was stopped; let it run longer",
            None => "in the time given; give it more time",
            Some(_) => "with the nodes and the time given; give it more",
        };
        return Err(format!(
            "the bound R_nc ≤ {bound} is certified, but its proof, which takes a second search, \
             was not written {why}"
        ));
    };
    std::fs::write(path, &proof)
        .map_err(|error| format!("{path}: {}", reason(&error, Access::Write)))?;
    Ok(format!("proof of R_nc ≤ {bound} written to {path}\n"))
}

/// One answer as an object, several as a list.
fn json(answers: &[Answer]) -> Result<String, ToolError> {
    let text = match answers {
        [answer] => serde_json::to_string_pretty(answer),
        answers => serde_json::to_string_pretty(answers),
    };
    text.map(|text| text + "\n").map_err(|error| ToolError::Failed(error.to_string()))
}

/// The best walk over all threads; among equal ones, that of the first thread.
fn walk_of(
    rules: &Polymer,
    settings: &Settings,
    share: f64,
    stop: &Arc<AtomicBool>,
) -> Result<Option<Vec<u16>>, ToolError> {
    let walks: Vec<Result<Option<Vec<u16>>, ToolError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..settings.threads)
            .map(|thread| {
                scope.spawn(move || play_alone(rules, settings, share, thread as u64, stop))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("players do not panic")).collect()
    });
    let mut best: Option<Vec<u16>> = None;
    for walk in walks {
        let worth = |walk: &Vec<u16>| rules.instance().worth(walk);
        let walk = walk?;
        if walk.as_ref().map(worth) > best.as_ref().map(worth) {
            best = walk;
        }
    }
    Ok(best)
}

/// Lets the player lay the walk in a separate match; nothing if it ends dead.
fn play_alone(
    rules: &Polymer,
    settings: &Settings,
    share: f64,
    thread: u64,
    stop: &Arc<AtomicBool>,
) -> Result<Option<Vec<u16>>, ToolError> {
    let mut player = roster()
        .build_player(&settings.player, rules)
        .map_err(|error| ToolError::Usage(error.to_string()))?;
    let mut rng = Streams::new(settings.random).address("solve", thread);
    let mut state = rules.first_state();
    let budget = settings.budget(share);
    let end = settings.end(share);
    let mut turn = 0;
    while rules.turn(&state) != Turn::Over {
        let left = end.map(|end| end.saturating_duration_since(Instant::now()));
        let mut decision = Decision::new(rules, &state, Seat::new(0), &mut rng)
            .with_limits(turn, budget, left)
            .not_after(end)
            .with_stop(Some(stop));
        let step =
            player.decide(&mut decision).map_err(|fault| ToolError::Failed(fault.to_string()))?;
        rules.step(&mut state, &[step]);
        turn += 1;
    }
    let is_whole = state.walk().len() == rules.instance().len();
    Ok(is_whole.then(|| state.walk().to_vec()))
}

/// Checks the walk of any program and reports its worth.
fn score(request: &ToolRequest) -> Result<String, ToolError> {
    let [name, file] = &request.inputs[..] else {
        return Err(ToolError::Usage(
            "expected INSTANCE WALK: a file, hp:HPHPPH… or a scenario; and a file with steps \
             RDLU, coordinates or a proof"
                .to_owned(),
        ));
    };
    let rules = rules_of(name)?;
    let instance = rules.instance();
    let text = read_text(Path::new(file))?;
    if text.starts_with("polymer proof") {
        let bound = exact::check::check(instance, &text, &request.stop)
            .map_err(|problem| ToolError::Failed(format!("{file}: {problem}")))?;
        return if request.json {
            json(&[Answer::new(name, instance, None, bound)])
        } else {
            Ok(format!("{name}: the proof holds: no walk has R_nc above {bound}\n"))
        };
    }
    if text.trim().is_empty() && instance.len() > 1 {
        let problem = "it is empty; expected steps RDLU…, coordinates or a proof";
        return Err(ToolError::Failed(format!("{file}: {problem}")));
    }
    let walk = read_walk(instance, &text)
        .map_err(|problem| ToolError::Failed(format!("{file}: {problem}")))?;
    let answer = Answer::new(name, instance, Some(&walk), bounds::best(instance));
    if request.json { json(&[answer]) } else { Ok(answer.text(instance, Some(&walk))) }
}
