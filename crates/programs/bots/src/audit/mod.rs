//! Attacks the sandbox with programs that mean harm. Each attack of the collection plays one match
//! against an innocent program, as the user who runs the audit and on the machine at hand. The
//! audit looks for harm from outside: whether the opponent lost by a fault, whether someone else's
//! files changed in any way, whether a listener was reached, and whether anything is left running.
//! The attacks themselves are programs in Python (`attacks/`, one file for each group).

mod canary;

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use quintain_core::{Catalog, Fault, Outcome, Setup};
use tempfile::TempDir;

use crate::Settings;
use crate::programs::Programs;
use crate::temporary::Temporary;

use canary::Canary;

/// The files of the program that carries out the attacks, by name.
const ATTACKS: [(&str, &str); 10] = [
    ("attack.py", include_str!("attacks/attack.py")),
    ("clock.py", include_str!("attacks/clock.py")),
    ("files.py", include_str!("attacks/files.py")),
    ("kernel.py", include_str!("attacks/kernel.py")),
    ("main.py", include_str!("attacks/main.py")),
    ("network.py", include_str!("attacks/network.py")),
    ("pauses.py", include_str!("attacks/pauses.py")),
    ("processes.py", include_str!("attacks/processes.py")),
    ("protocol.py", include_str!("attacks/protocol.py")),
    ("resources.py", include_str!("attacks/resources.py")),
];
const BYSTANDER: &str = include_str!("bystander.py");

/// Has Python start without the packages of its user and system, which takes most of its time.
const BARE: &str = "-SEs";

/// The longest that a match with an attack may take: far more than all its limits allow.
const MAX_WALL_TIME: Duration = Duration::from_secs(60);

/// The environment variable that identifies the processes an attack has left running.
const MARK: &str = "QUINTAIN_AUDIT";

/// How long processes that were ended may take to disappear, and how often that is checked.
const ENDING: Duration = Duration::from_secs(5);
const GLANCE: Duration = Duration::from_millis(20);

/// The limits of an attack's program. They are small, so that reaching them takes little time; but
/// an attack that is to exhaust something other than time gets enough time for it.
fn limits(attack: &Attack) -> String {
    let answer = if attack.group == "resources" { "8s" } else { "300ms" };
    format!(
        "{{ answer = \"{answer}\", memory = \"256MB\", scratch = \"50MB\", processes = 20, \
         output = \"4MB\", cpu = \"20s\" }}"
    )
}

/// An attack: a program that means harm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attack {
    /// What it is directed at, such as `files` or `clock`.
    pub group: String,
    /// What it does.
    pub name: String,
    expectation: Expectation,
    /// The file in which it is, without its extension.
    file: String,
    needs_namespaces: bool,
}

impl Attack {
    /// Whether it can be tried or withstood only where programs have namespaces of their own.
    pub fn needs_namespaces(&self) -> bool {
        self.needs_namespaces
    }
}

/// How a match with an attack must end.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Expectation {
    /// The attack is refused, and the program plays on to the end.
    Denied,
    /// It ends the program, with one of these faults.
    Ends(Vec<String>),
    /// The program is allowed to do this.
    Survives,
}

/// The result of an attack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttackResult {
    /// The attack.
    pub attack: Attack,
    /// What happened to the program.
    pub outcome: String,
    /// The harm that was done, one line each; empty if there was none.
    pub harm: Vec<String>,
}

/// Why the audit could not be carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// There is no Python to run the attacks with.
    #[error("the attacks are Python programs, but there is no python3 ({0})")]
    NoPython(String),
    /// No game seats two players.
    #[error("there is no game for two players in which a program could meet an opponent")]
    NoGame,
    /// A file cannot be written, with what the system says.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A program cannot be seated.
    #[error("{0}")]
    Seat(String),
}

/// The attacks of the collection, in its order.
///
/// # Errors
/// [`AuditError::NoPython`], [`AuditError::Io`]
pub fn attacks() -> Result<Vec<Attack>, AuditError> {
    let folder = tempfile::tempdir()?;
    put_program(folder.path())?;
    let listed = Command::new("python3")
        .args([BARE, "main.py", "--list"])
        .current_dir(folder.path())
        .output();
    let listed = listed.map_err(|error| AuditError::NoPython(error.to_string()))?;
    if !listed.status.success() {
        return Err(AuditError::NoPython(String::from_utf8_lossy(&listed.stderr).into_owned()));
    }
    let text = String::from_utf8_lossy(&listed.stdout);
    Ok(text.lines().filter_map(parse_attack).collect())
}

fn parse_attack(line: &str) -> Option<Attack> {
    let mut parts = line.split('\t');
    let mut next = || parts.next();
    let (group, name, expectation, file) = (next()?, next()?, next()?, next()?);
    let needs_namespaces = next()? == "namespaces";
    let expectation = match expectation.split_once(':') {
        Some((_, kinds)) => Expectation::Ends(kinds.split(' ').map(str::to_owned).collect()),
        None if expectation == "denied" => Expectation::Denied,
        None => Expectation::Survives,
    };
    let (group, file) = (group.to_owned(), file.to_owned());
    Some(Attack { group, name: name.replace('_', " "), expectation, file, needs_namespaces })
}

/// Plays a match with every one of these attacks, `at_once` of them at a time. `settings` are those
/// of programs in general; their file is not read. `on_finding` is called with each finding as it
/// comes.
///
/// # Errors
/// [`AuditError`] if no match can be played.
pub fn audit(
    catalog: &Catalog,
    settings: &Settings,
    attacks: &[Attack],
    at_once: usize,
    on_finding: &(dyn Fn(&AttackResult) + Sync),
) -> Result<Vec<AttackResult>, AuditError> {
    // Otherwise each match would make one, with a process that outlives it.
    let _kept = Temporary::of_this_process(&settings.launcher)?;
    let next = AtomicUsize::new(0);
    let findings: Mutex<Vec<(usize, AttackResult)>> = Mutex::default();
    let work = || -> Result<(), AuditError> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(attack) = attacks.get(number) else { return Ok(()) };
            let finding = play(catalog, settings, attack)?;
            on_finding(&finding);
            findings.lock().expect("no holder panics").push((number, finding));
        }
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..at_once.max(1)).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let mut findings = findings.into_inner().expect("no holder panics");
    findings.sort_by_key(|(number, _)| *number);
    Ok(findings.into_iter().map(|(_, finding)| finding).collect())
}

/// Plays one match and looks for harm.
fn play(
    catalog: &Catalog,
    settings: &Settings,
    attack: &Attack,
) -> Result<AttackResult, AuditError> {
    let folder = tempfile::tempdir()?;
    let canary = Canary::put(&folder.path().join("bystander"), BYSTANDER)?;
    let script = attack.name.replace(' ', "_");
    put_attacker(&folder, &canary, attack, &script)?;
    let programs = Programs::new(Settings {
        file: folder.path().join("bots.toml"),
        launcher: settings.launcher.clone(),
        protection: settings.protection,
        protocols: Vec::new(),
    });
    let begun = Instant::now();
    let outcome = play_match(catalog, &programs)?;
    let took = begun.elapsed();
    let mut harm = canary.harm();
    // The catalog of the match, which held the programs, is gone, and so are all programs.
    drop(programs);
    if took > MAX_WALL_TIME {
        harm.push(format!("it held up the match for {} s", took.as_secs()));
    }
    let left = count_left(&script);
    if left > 0 {
        harm.push(format!("it left {left} processes behind"));
    }
    let fault = outcome.fault.as_ref();
    if let Some(fault) = fault.filter(|fault| fault.seat.index() == 1) {
        harm.push(format!("its opponent lost by a fault: {}", fault.fault));
    }
    let own = fault.filter(|fault| fault.seat.index() == 0).map(|fault| &fault.fault);
    if let Some(problem) = judge(&attack.expectation, own) {
        harm.push(problem);
    }
    let outcome = own.map_or("played to the end".to_owned(), describe);
    Ok(AttackResult { attack: attack.clone(), outcome, harm })
}

/// Returns the beginning of a fault's text.
fn describe(fault: &Fault) -> String {
    fault.to_string().chars().take(100).collect()
}

/// Returns what is wrong with the way a program ended, if anything.
fn judge(expectation: &Expectation, fault: Option<&Fault>) -> Option<String> {
    let succeeded = fault.is_some_and(|fault| fault.detail.contains("succeeded"));
    match (expectation, fault) {
        _ if succeeded => Some("it succeeded".to_owned()),
        (Expectation::Denied | Expectation::Survives, None) => None,
        (Expectation::Denied | Expectation::Survives, Some(fault)) => {
            Some(format!("it should have been able to play on: {fault}"))
        }
        (Expectation::Ends(_), None) => Some("it should not have played to the end".to_owned()),
        (Expectation::Ends(kinds), Some(fault)) => {
            let kind = serde_json::to_value(fault.kind).expect("a kind has a JSON form");
            let kind = kind.as_str().unwrap_or_default().to_owned();
            (!kinds.contains(&kind))
                .then(|| format!("it should have ended by {}", kinds.join(" or ")))
        }
    }
}

/// Writes the attacks' program into a folder.
fn put_program(folder: &Path) -> std::io::Result<()> {
    ATTACKS.iter().try_for_each(|(name, text)| std::fs::write(folder.join(name), text))
}

/// Writes the attacker's folder and the file that names both programs.
fn put_attacker(
    folder: &TempDir,
    canary: &Canary,
    attack: &Attack,
    script: &str,
) -> Result<(), AuditError> {
    let attacker = folder.path().join("attacker");
    std::fs::create_dir(&attacker)?;
    put_program(&attacker)?;
    std::fs::write(attacker.join("results.sqlite"), b"SQLite format 3\0 and more")?;
    std::os::unix::fs::symlink(canary.folder().join("bystander.py"), attacker.join("outside"))?;
    let canary = canary.folder().display();
    let bots = format!(
        "[attacker]\ncommand = \"python3 {BARE} main.py {file} {script}\"\nfolder = \"attacker\"\n\
         environment = {{ CANARY = {canary:?}, {MARK} = {script:?} }}\nlimits = {limits}\n\
         [bystander]\ncommand = \"python3 {BARE} bystander.py\"\nfolder = \"bystander\"\n\
         environment = {{ PAUSE = \"{pause}\" }}\n",
        file = attack.file,
        canary = canary.to_string(),
        pause = if attack.group == "pauses" { 0.6 } else { 0.0 },
        limits = limits(attack),
    );
    std::fs::write(folder.path().join("bots.toml"), bots)?;
    Ok(())
}

fn play_match(
    catalog: &Catalog,
    programs: &std::sync::Arc<Programs>,
) -> Result<Outcome, AuditError> {
    let seat = |error: &dyn std::fmt::Display| AuditError::Seat(error.to_string());
    let [named, commands] = programs.sources(crate::Unstarted::Forfeit);
    let catalog = catalog.clone().with_external(named).with_external(commands);
    for entry in catalog.entries() {
        let (name, scenario) = (entry.name(), entry.scenarios().first().map_or("", |s| s.name()));
        let game = entry.game(scenario).map_err(|error| seat(&error))?;
        if game.seats() != 2 {
            continue;
        }
        let player = |spec| catalog.player(name, spec).map_err(|error| seat(&error));
        let (attacker, bystander) = (player("bot:attacker")?, player("bot:bystander")?);
        let setup = Setup::new(1);
        let record = game.play(&setup, &[&attacker, &bystander], None);
        return record.map(|record| record.outcome).map_err(|error| seat(&error));
    }
    Err(AuditError::NoGame)
}

/// Counts an attack's processes that do not end by themselves soon: on a busy machine, those that
/// were just killed take a moment to disappear.
fn count_left(script: &str) -> usize {
    let begun = Instant::now();
    loop {
        let left = count_marked(script);
        if left == 0 || begun.elapsed() > ENDING {
            return left;
        }
        std::thread::sleep(GLANCE);
    }
}

/// Counts the living processes whose environment carries an attack's mark.
fn count_marked(script: &str) -> usize {
    let mark = format!("{MARK}={script}\0");
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    let contains_it = |path: &Path| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        environment.windows(mark.len()).any(|window| window == mark.as_bytes())
    };
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| contains_it(path)).count()
}
