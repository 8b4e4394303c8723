//! `quintain solve hextris -f FILE… [-t TIME] [-m MEGABYTES] [-c THREADS] [-p PHRASE…]`, which is
//! also the contest's `play_icfp2015`: it writes a list of solutions to standard output and
//! progress to standard error. Whatever a solver does, the best so far is written when the time is
//! up or a stop is requested.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quintain_core::{
    Meter, StoreUse, Streams, Tool, ToolError, ToolInputs, ToolOption, ToolRequest, Verb,
};

use super::inputs::{
    PROBLEMS, check_seed, phrase_option, phrases, phrases_option, problems, solution_key,
};
use super::turns::{self, Pass, Turn, Turns};
use crate::notation::{Solution, read_solutions, write_solutions};
use crate::players;
use crate::players::{Incumbent, SolverInput, TextSolver};
use crate::rules::Instance;
use crate::rules::phrases::Phrases;

/// The player of the quick pass over many games: on most boards it takes some milliseconds.
const QUICK_SOLVER: &str = "post?weights=-1";

/// The time used if neither time nor nodes are limited.
const USUAL_TIME: Duration = Duration::from_secs(10);

struct Settings {
    player: String,
    /// The time for all games together.
    time: Option<Duration>,
    /// The bytes for all games together.
    memory: usize,
    threads: usize,
    /// Only these seeds; empty for all.
    seeds: Vec<u32>,
    /// The seed of the solver's own random numbers.
    random: u64,
    /// The limit of each game's solver.
    nodes: Option<u64>,
    tag: Option<String>,
}

impl Settings {
    fn read(request: &ToolRequest) -> Settings {
        let nodes = request.number("nodes");
        let megabytes: usize = request.number("memory").unwrap_or(1 << 10);
        Settings {
            player: request.text("player").unwrap_or(players::USUAL_SOLVER).to_owned(),
            time: request.duration("time").or(nodes.is_none().then_some(USUAL_TIME)),
            memory: megabytes.saturating_mul(1 << 20),
            threads: request.number("threads").unwrap_or(1),
            seeds: request.texts("seed").filter_map(|seed| seed.parse().ok()).collect(),
            random: request.number("random").unwrap_or(1),
            nodes,
            tag: request.text("tag").map(str::to_owned),
        }
    }

    /// The moment that is so much earlier than the end of the time: a share of it, within limits in
    /// seconds.
    fn time_before_end(
        &self,
        begin: Instant,
        share: f64,
        (least, most): (f64, f64),
    ) -> Option<Instant> {
        let time = self.time?.as_secs_f64();
        let early = (time * share).clamp(least, most);
        Some(begin + Duration::from_secs_f64((time - early).max(0.0)))
    }
}

/// The best so far of every game, the turns to come, and the scores announced for games that are
/// done.
struct Board {
    best: Vec<(String, u64)>,
    turns: Turns,
    announced: Vec<Option<u64>>,
}

/// The weight of a game in sharing the time. Long games on large boards get more than others, but
/// not in proportion, since small ones are searched more thoroughly.
fn weight(game: &Instance) -> f64 {
    let board = game.problem().board();
    ((game.queue().len() + 1) as f64 * board.cells() as f64).sqrt()
}

/// What the threads share.
struct Work {
    games: Vec<Instance>,
    solver: Arc<dyn TextSolver>,
    /// The solver of the quick pass.
    quick: Arc<dyn TextSolver>,
    board: Mutex<Board>,
    deadline: Option<Instant>,
    nodes: Option<u64>,
    random: u64,
    /// The threads and the bytes that one game may use.
    threads_each: usize,
    memory_each: usize,
    /// Set when a stop is requested, or when the time of the whole call is up.
    halt: Arc<AtomicBool>,
}

impl Work {
    fn board(&self) -> std::sync::MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes turns until none is left.
    fn take_turns(&self, done: &Sender<()>) {
        let time_left = || self.deadline.map(|end| end.saturating_duration_since(Instant::now()));
        loop {
            let Some(turn) = self.board().turns.take(time_left()) else { return };
            self.solve(turn);
            let mut board = self.board();
            if turn.pass == Pass::Short && board.best[turn.game].0.is_empty() {
                board.turns.retry(turn, time_left());
            }
            drop(board);
            if turn.pass == Pass::Main && done.send(()).is_err() {
                return;
            }
        }
    }

    /// Has the solver take this turn.
    fn solve(&self, turn: Turn) {
        let instance = &self.games[turn.game];
        let begin = Instant::now();
        let start = instance.start();
        let input = SolverInput {
            instance,
            start: &start,
            threads: self.threads_each,
            memory: self.memory_each,
        };
        let end = turn.time.map(|time| begin + time);
        let mut meter =
            Meter::new(self.nodes.unwrap_or(u64::MAX), end).with_stop(Arc::clone(&self.halt));
        if let Some(at_most) = turn.at_most {
            // Waits for a core prolong a turn no further: other games would have less.
            meter = meter.not_after(begin + at_most);
        }
        let stream = (u64::from(instance.problem().id()) << 32) + u64::from(instance.seed());
        let mut rng = Streams::new(self.random).address("solve", stream);
        let mut keep_best = |text: &str, score: u64| {
            let best = &mut self.board().best[turn.game];
            if score > best.1 {
                *best = (text.to_owned(), score);
            }
        };
        let mut best = Incumbent::new(&input, &mut keep_best);
        let solver = if turn.pass == Pass::Quick { &self.quick } else { &self.solver };
        solver.solve(&input, &mut meter, &mut rng, &mut best);
        let is_optimal = best.is_optimal();
        let mut board = self.board();
        let score = board.best[turn.game].1;
        if turn.pass != Pass::Quick {
            board.turns.report(&turn, score);
        }
        if is_optimal {
            board.turns.leave_out(turn.game);
        }
        let is_news = match turn.pass {
            Pass::Further => is_optimal || board.announced[turn.game] != Some(score),
            // Where one pass gives way to the next, two threads may have the same game.
            pass => (pass == Pass::Main || is_optimal) && board.announced[turn.game].is_none(),
        };
        if is_news {
            let optimal = if is_optimal { ", the most that is possible," } else { "" };
            let another = if turn.pass == Pass::Further { "another " } else { "" };
            let seconds = begin.elapsed().as_secs_f64();
            self.tell(&mut board, turn.game, &format!("{optimal} in {another}{seconds:.1} s"));
        }
    }

    /// Writes a line about every game that has become better since it was announced, or never was;
    /// returns what all games have now. That is written, even if a thread that ends a little later
    /// finds more.
    fn tell_rest(&self) -> Vec<(String, u64)> {
        let mut board = self.board();
        for game in 0..self.games.len() {
            if board.announced[game].is_none_or(|announced| announced != board.best[game].1) {
                self.tell(&mut board, game, " when the time was up");
            }
        }
        board.best.clone()
    }

    /// Writes a line about a game to standard error, after playing it to its end.
    fn tell(&self, board: &mut Board, game: usize, how: &str) {
        let instance = &self.games[game];
        board.best[game] = play_to_end(instance, &board.best[game].0);
        let (id, seed) = (instance.problem().id(), instance.seed());
        let score = board.best[game].1;
        board.announced[game] = Some(score);
        let done = board.announced.iter().flatten().count();
        eprintln!("problem {id} seed {seed}: {score}{how} ({done} of {})", self.games.len());
    }
}

/// Plays a game on from a text to its end, with its score: the units fall to the left and to the
/// right in turn. That is poor but takes no time, and it is better than nothing if a game was cut
/// off or had no time at all, as happens where many games share little time and on a busy machine.
/// A unit that only falls never comes back to a position.
fn play_to_end(instance: &Instance, text: &str) -> (String, u64) {
    let mut state = instance.start();
    for letter in text.bytes() {
        let effect = instance.speak(&mut state, letter);
        debug_assert!(effect.is_ok(), "{effect:?} at “{}” of “{text}”", letter as char);
    }
    let mut text = text.to_owned();
    loop {
        let letter = if state.came.is_multiple_of(2) { 'a' } else { 'l' };
        if instance.speak(&mut state, letter as u8).is_err() {
            return (text, instance.score(&state));
        }
        text.push(letter);
    }
}

/// `quintain solve hextris`.
pub(crate) fn tool() -> Tool {
    Tool {
        verb: Verb::SOLVE,
        summary: "Solve problems, all their games side by side, and write the solutions",
        inputs: Some(ToolInputs {
            value_names: &["PROBLEM"],
            doc: PROBLEMS,
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
            ToolOption::whole("memory", "MEGABYTES", 1..=1 << 30, "The most megabytes to use")
                .with_short('m'),
            ToolOption::whole("threads", "THREADS", 1..=1024, "Threads to use at once")
                .with_alias("cores")
                .with_short('c'),
            phrase_option(),
            phrases_option(),
            ToolOption::whole(
                "seed",
                "SEED",
                0..=u32::MAX.into(),
                "Solve only the game with this source seed, instead of all games of a problem",
            )
            .with_repetition(),
            ToolOption::whole(
                "random",
                "SEED",
                0..=u64::MAX,
                "Seed of the player's own random numbers [default: 1]",
            ),
            ToolOption::whole("nodes", "NODES", 1..=u64::MAX, "Nodes to search for each game"),
            ToolOption::text("tag", "TAG", "The tag of the solutions [default: the player]"),
        ],
        store: StoreUse::Add,
        run: Arc::new(solve),
    }
}

/// Solves every game of the problems given.
///
/// # Errors
/// If a file, a seed or a player is wrong.
fn solve(request: &ToolRequest) -> Result<String, ToolError> {
    let begin = Instant::now();
    let settings = Settings::read(request);
    let solver = players::parse_solver(&settings.player)?;
    let phrases = phrases(request)?;
    let games = games(request, &settings, &phrases)?;
    // Solvers need a moment to hand out what they have, and the list must be written.
    let deadline = settings.time_before_end(begin, 0.03, (0.02, 0.5));
    let end = settings.time_before_end(begin, 0.008, (0.006, 0.3));
    let takers = settings.threads.min(games.len()).max(1);
    let whole = deadline.map(|end| end.saturating_duration_since(begin));
    let turns = Turns::new(games.iter().map(weight).collect(), takers, whole);
    let work = Arc::new(Work {
        solver,
        quick: players::parse_solver(QUICK_SOLVER)?,
        board: Mutex::new(Board {
            best: vec![(String::new(), 0); games.len()],
            turns,
            announced: vec![None; games.len()],
        }),
        deadline,
        nodes: settings.nodes,
        random: settings.random,
        threads_each: (settings.threads / takers).max(1),
        memory_each: settings.memory / takers,
        halt: Arc::default(),
        games,
    });
    let done = start(&work, takers);
    wait(&work, &request.stop, &done, end);
    let found = work.tell_rest();
    if let Some(whole) = whole {
        tell_of_little_time(work.games.len(), takers, whole);
    }
    let tag = settings.tag.as_deref().unwrap_or(&settings.player);
    let mut solutions = Vec::new();
    for (instance, (text, score)) in work.games.iter().zip(found) {
        let solution = Solution {
            problem_id: instance.problem().id(),
            seed: instance.seed(),
            tag: tag.to_owned(),
            solution: text,
        };
        solutions.push(keep(request, instance, &phrases, solution, score)?);
    }
    Ok(write_solutions(&solutions))
}

/// Starts so many threads that take turns; returns what tells of each game that is done.
fn start(work: &Arc<Work>, takers: usize) -> Receiver<()> {
    let (sender, done) = channel();
    for _ in 0..takers {
        let (work, sender) = (Arc::clone(work), sender.clone());
        std::thread::spawn(move || work.take_turns(&sender));
    }
    done
}

/// Tells how much time would have been enough if games had less than a second each of `whole`.
fn tell_of_little_time(games: usize, takers: usize, whole: Duration) {
    if games > takers && whole * (takers as u32) < turns::LEAST * (games as u32) {
        // The quick pass and the short one take some as well.
        let enough = (1.1 * games as f64 / takers as f64).ceil() + 1.0;
        eprintln!(
            "{games} games had less than a second each; with -t {enough} -c {takers} each has one"
        );
    }
}

/// Returns the games asked for.
fn games(
    request: &ToolRequest,
    settings: &Settings,
    phrases: &Arc<Phrases>,
) -> Result<Vec<Instance>, ToolError> {
    let mut games = Vec::new();
    for input in &request.inputs {
        for problem in problems(input)? {
            let seeds = match settings.seeds.is_empty() {
                true => problem.distinct_seeds(),
                false => settings.seeds.clone(),
            };
            for seed in seeds {
                check_seed(&problem, seed).map_err(ToolError::Usage)?;
                games.push(Instance::new(Arc::clone(&problem), seed, Arc::clone(phrases)));
            }
        }
    }
    Ok(games)
}

/// Waits until all games are done, the time is up, or a stop is requested. In the last two cases
/// the solvers are halted and get a moment to hand out what they have.
fn wait(work: &Work, stop: &AtomicBool, done: &Receiver<()>, end: Option<Instant>) {
    const LOOK: Duration = Duration::from_millis(20);
    const MOMENT: Duration = Duration::from_millis(300);
    let mut end = end;
    loop {
        let now = Instant::now();
        let is_late = work.deadline.is_some_and(|deadline| now >= deadline);
        if (is_late || stop.load(Ordering::Relaxed)) && !work.halt.swap(true, Ordering::Relaxed) {
            let soon = now + MOMENT;
            end = Some(end.map_or(soon, |end| end.min(soon)));
        }
        let next = work.deadline.filter(|deadline| *deadline > now).or(end);
        let left = next.map_or(LOOK, |next| next.saturating_duration_since(now).min(LOOK));
        if end.is_some_and(|end| now >= end) {
            return;
        }
        match done.recv_timeout(left) {
            Err(RecvTimeoutError::Disconnected) => return,
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Keeps a solution if it is better than the one kept; returns the better one.
fn keep(
    request: &ToolRequest,
    instance: &Instance,
    phrases: &Phrases,
    solution: Solution,
    score: u64,
) -> Result<Solution, ToolError> {
    let Some(keeper) = &request.keeper else { return Ok(solution) };
    let name = solution_key(instance.problem(), instance.seed(), phrases);
    let text = write_solutions(std::slice::from_ref(&solution));
    let known = keeper.keep(&name, score as f64, &text)?;
    let (id, seed) = (instance.problem().id(), instance.seed());
    match known {
        Some(known) if known >= score as f64 => {
            eprintln!(
                "problem {id} seed {seed}: {score} is not better than {known}, which is kept"
            );
            let kept = keeper.solutions()?;
            let kept = kept.into_iter().find(|(other, _)| *other == name);
            let kept = kept.and_then(|(_, text)| read_solutions(&text).ok()?.pop());
            Ok(kept.unwrap_or(solution))
        }
        Some(known) => {
            eprintln!("problem {id} seed {seed}: {score} replaces {known}");
            Ok(solution)
        }
        None => {
            eprintln!("problem {id} seed {seed}: {score}, the first solution");
            Ok(solution)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::LetterError;
    use crate::scenarios::generate::{Filling, Units, draw_problem};
    use crate::tools::account::score;
    use quintain_core::Rng;

    #[test]
    fn a_game_that_was_cut_off_anywhere_is_played_to_its_end_and_loses_nothing() {
        let problem = draw_problem(1, Units::Usual, Filling::Usual, 5);
        let instance = Instance::new(Arc::new(problem), 0, Arc::new(Phrases::contest()));
        let start = instance.start();
        let input = SolverInput::new(&instance, &start);
        let mut tell = |_: &str, _| {};
        let mut best = Incumbent::new(&input, &mut tell);
        let solver = players::parse_solver("champion").unwrap();
        solver.solve(&input, &mut Meter::of(500), &mut Rng::from_seed(1), &mut best);
        let whole = best.text();
        assert_eq!(play_to_end(&instance, whole), (whole.to_owned(), best.score()));
        for cut in 0..whole.len() {
            let (text, points) = play_to_end(&instance, &whole[..cut]);
            let before = score(&instance, &whole[..cut]).unwrap().score();
            assert!(text.starts_with(&whole[..cut]) && points >= before, "{cut}");
            assert_eq!(score(&instance, &text).unwrap().score(), points);
            let over = score(&instance, &(text + "a")).unwrap_err();
            assert_eq!(over.why, LetterError::Over);
        }
    }
}
