//! When phases begin: as host.toml says, unless the organiser has moved them since.

use std::time::SystemTime;

use quintain_core::cut;

use crate::config::{Config, Phase};
use crate::error::{CONFIRM, HostError};
use crate::finals;
use crate::state::{State, time_of};

/// The setting that names the chosen phase, whatever the time.
pub(crate) const PHASE: &str = "phase";
/// Maximum number of letters that a message repeats.
const MAX_SHOWN: usize = 60;

/// The times of a contest's phases.
#[derive(Clone, Debug)]
pub(crate) struct Schedule<'a>(Vec<(&'a Phase, Option<SystemTime>)>);

impl<'a> Schedule<'a> {
    /// Returns the schedule of a contest now.
    pub(crate) fn of(config: &'a Config, state: &State) -> Result<Schedule<'a>, HostError> {
        let time = |phase: &'a Phase| {
            let moved = state.setting(&key(phase))?;
            let moved = moved.as_deref().and_then(|moved| read_moved(phase, moved));
            Ok((phase, moved.or(phase.time())))
        };
        config.phases.iter().map(time).collect::<Result<_, HostError>>().map(Schedule)
    }

    /// Returns the schedule of host.toml.
    #[cfg(test)]
    pub(crate) fn of_file(config: &'a Config) -> Schedule<'a> {
        Schedule(config.phases.iter().map(|phase| (phase, phase.time())).collect())
    }

    /// Returns when a phase begins, if it has a time.
    pub(crate) fn time(&self, phase: &Phase) -> Option<SystemTime> {
        self.0.iter().find(|(known, _)| known.name == phase.name).and_then(|(_, time)| *time)
    }

    /// Returns the current phase: the one `chosen` by name, otherwise the last that has begun, or
    /// else the first.
    pub(crate) fn phase(&self, now: SystemTime, chosen: Option<&str>) -> &'a Phase {
        let has_begun = |(_, time): &&(_, Option<SystemTime>)| time.is_some_and(|at| at <= now);
        let named = self.0.iter().find(|(phase, _)| Some(phase.name.as_str()) == chosen);
        named.or_else(|| self.0.iter().rev().find(has_begun)).unwrap_or(&self.0[0]).0
    }

    /// Returns since when no programs are accepted, if that is so in a phase and has a time.
    pub(crate) fn deadline_before(&self, phase: &Phase) -> Option<SystemTime> {
        let at = self.0.iter().position(|(known, _)| known.name == phase.name)?;
        let closed = self.0[..=at].iter().rev().take_while(|(phase, _)| !phase.takes_programs());
        closed.last().and_then(|(_, time)| *time)
    }

    /// Returns a phase that would be on the wrong side of another one if that began at this time,
    /// and whether it comes before that.
    fn find_conflict(&self, at: usize, time: SystemTime) -> Option<(&'a Phase, bool)> {
        let before = self.0[..at].iter().rev().find(|(_, other)| other.is_some_and(|o| o > time));
        let after = self.0[at + 1..].iter().find(|(_, other)| other.is_some_and(|o| o < time));
        before.map(|(phase, _)| (*phase, true)).or(after.map(|(phase, _)| (*phase, false)))
    }

    /// Returns the phases that have not begun yet, with their times.
    pub(crate) fn coming(&self, now: SystemTime) -> Vec<(&'a Phase, SystemTime)> {
        let all = self.0.iter().filter_map(|(phase, time)| Some((*phase, (*time)?)));
        all.filter(|(_, time)| *time > now).collect()
    }
}

/// The setting with the time to which a phase was moved.
fn key(phase: &Phase) -> String {
    format!("begin of {}", phase.name)
}

/// Returns the time to which a phase was moved, unless its time in host.toml was changed since.
fn read_moved(phase: &Phase, moved: &str) -> Option<SystemTime> {
    let (before, to) = moved.split_once(' ')?;
    let to = to.parse().ok().map(time_of);
    to.filter(|_| before == write_seconds(phase.time()))
}

fn write_seconds(at: Option<SystemTime>) -> String {
    let seconds = at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    seconds.map_or("-".to_owned(), |seconds| seconds.as_secs().to_string())
}

/// Finds a phase by its name, or the beginning of its name.
pub(crate) fn find_phase<'a>(config: &'a Config, name: &str) -> Result<&'a Phase, HostError> {
    config.find_phase(name).ok_or_else(|| {
        let known: Vec<&str> = config.phases.iter().map(|phase| phase.name.as_str()).collect();
        HostError::Usage(format!(
            "there is no phase {:?}; host.toml has {}",
            cut(name, MAX_SHOWN),
            known.join(", ")
        ))
    })
}

/// Says what changes at once if one phase takes the place of another: whether a final that is not
/// over stops, and whether programs are accepted.
pub(crate) fn describe_switch(
    state: &State,
    from: &Phase,
    to: &Phase,
) -> Result<Vec<String>, HostError> {
    let mut effects = Vec::new();
    if from.rounds.is_some() && to.rounds.is_none() {
        let (planned, played) = (finals::planned(state)?, state.count_matches()?.finals);
        let is_published = finals::is_published(state)?;
        let stopped = planned.filter(|_| !is_published);
        effects.extend(stopped.map(|all| format!("the final stops at {played} of {all} matches")));
    }
    effects.extend(match (from.takes_programs(), to.takes_programs()) {
        (true, false) => Some("no more programs are accepted".to_owned()),
        (false, true) => Some("programs are accepted again".to_owned()),
        _ => None,
    });
    Ok(effects)
}

/// Moves the begin of a phase to a time, or without one back to that of host.toml.
pub(crate) fn move_phase_by(
    by: &str,
    config: &Config,
    state: &mut State,
    (name, to): (&str, Option<&str>),
    is_confirmed: bool,
) -> Result<(), HostError> {
    let phase = find_phase(config, name)?;
    let name = &phase.name;
    check_final(config, state, phase)?;
    let time = read_begin(config, phase, to)?;
    let mut schedule = Schedule::of(config, state)?;
    let (now, chosen) = (SystemTime::now(), state.setting(PHASE)?);
    let before = schedule.phase(now, chosen.as_deref());
    let at = schedule.0.iter().position(|(known, _)| known.name == *name).unwrap_or(0);
    if at == 0 && to.is_some() && time.is_some_and(|time| time > now) {
        return Err(HostError::Usage(format!(
            "{name:?} is the first phase, which begins with the contest: move the phase after it"
        )));
    }
    schedule.0[at].1 = time;
    check_order(config, &schedule, at)?;
    if phase.rounds.is_some() && time.is_some_and(|time| time <= now) {
        return Err(HostError::Usage(
            "that time has passed; to begin the final now, select it and confirm it".to_owned(),
        ));
    }
    let after = schedule.phase(now, chosen.as_deref());
    if after.name != before.name && !is_confirmed {
        let effects = describe_switch(state, before, after)?;
        let effects = effects.iter().map(|effect| format!("; {effect}")).collect::<String>();
        let what =
            format!("the phase is {:?} at once, no longer {:?}{effects}", after.name, before.name);
        return Err(HostError::Unconfirmed { what, option: CONFIRM });
    }
    match time.filter(|_| to.is_some()) {
        None => state.set(by, &key(phase), None, &format!("{name:?} begins as in host.toml")),
        Some(time) => {
            let moved = format!("{} {}", write_seconds(phase.time()), write_seconds(Some(time)));
            let what = format!("moved the begin of {name:?} to {}", config.zone.write(time));
            state.set(by, &key(phase), Some(&moved), &what)
        }
    }
}

/// Refuses to move a phase that is not after the final once that has begun.
fn check_final(config: &Config, state: &State, phase: &Phase) -> Result<(), HostError> {
    if finals::planned(state)?.is_none() {
        return Ok(());
    }
    let name = &phase.name;
    let at = |wanted: &dyn Fn(&Phase) -> bool| config.phases.iter().position(wanted);
    let is_later = at(&|known| known.name == *name) > at(&|known| known.rounds.is_some());
    match finals::is_published(state)? {
        _ if is_later => Ok(()),
        true => Err(HostError::Usage(format!("the final is over and stays, so {name:?} is past"))),
        false => Err(HostError::Usage(format!(
            "the final has begun, so {name:?} cannot be moved; undo the final first (on the \
             organiser's page, or `quintain host undo-final`), and then move it"
        ))),
    }
}

/// Reads the time to which a phase is moved, or returns that of host.toml, if it has one.
fn read_begin(
    config: &Config,
    phase: &Phase,
    to: Option<&str>,
) -> Result<Option<SystemTime>, HostError> {
    let Some(to) = to else { return Ok(phase.time()) };
    if let Some(time) = config.zone.read_given_here(to) {
        return Ok(Some(time));
    }
    let expected = format!(
        "{:?} is no time: expected one such as 2030-01-31T18:00 (in {}), or 2030-01-31T18:00:00Z",
        cut(to, MAX_SHOWN),
        config.zone.name()
    );
    Err(HostError::Usage(config.zone.explain(to, &expected)))
}

/// Refuses a schedule in which the phase of this number, which was moved, is on the wrong side of
/// another one.
fn check_order(config: &Config, schedule: &Schedule<'_>, at: usize) -> Result<(), HostError> {
    let (phase, time) = schedule.0[at];
    let Some(time) = time else { return Ok(()) };
    let Some((other, is_before)) = schedule.find_conflict(at, time) else { return Ok(()) };
    let begins = schedule.time(other).map_or(String::new(), |at| config.zone.write(at));
    let (order, name, other) =
        (if is_before { "after" } else { "before" }, &phase.name, &other.name);
    Err(HostError::Usage(format!(
        "{name:?} cannot begin at {}: phases are in the order of their times, and it comes {order} \
         {other:?}, which begins at {begins}; move {other:?} first",
        config.zone.write(time)
    )))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const FILE: &str = "name = 'x'\ngame = 'tron'\nscenarios = ['hackerrank']\n\
                        time_zone = 'Europe/Berlin'\n[[phases]]\nname = 'open'\n\
                        [[phases]]\nname = 'freeze'\nfrom = 2030-01-31T19:00:00\n\
                        submissions = false\n[[phases]]\nname = 'final'\nfinal = 9\n\
                        from = 2030-01-31T20:00:00\n";

    #[test]
    fn a_phase_is_moved_within_the_order_until_its_time_in_the_file_changes() {
        let (folder, catalog) = (tempfile::tempdir().unwrap(), quintain_games::catalog());
        let mut state = State::open(folder.path()).unwrap();
        let config = Config::parse(FILE, &catalog).unwrap();
        let begins = |config: &Config, state: &State| {
            let at = Schedule::of(config, state).unwrap().time(&config.phases[1]);
            config.zone.write(at.unwrap())
        };
        assert_eq!(begins(&config, &state), "2030-01-31 19:00 CET");
        let mut to = |name: &str, time: Option<&str>| {
            move_phase_by("organiser", &config, &mut state, (name, time), false)
        };
        to("freeze", Some("2030-01-31T19:30")).unwrap();
        for (name, time, why) in [
            ("freeze", "2030-01-31T21:00", "order of their times"),
            ("freeze", "soon", "no time"),
            ("final", "2001-01-31T21:00", "order of their times"),
            ("never", "2030-01-31T21:00", "no phase"),
        ] {
            let error = to(name, Some(time)).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        assert_eq!(begins(&config, &state), "2030-01-31 19:30 CET");
        let later = Config::parse(&FILE.replace("19:00", "18:00"), &catalog).unwrap();
        assert_eq!(begins(&later, &state), "2030-01-31 18:00 CET");
        let now = config.zone.read("2030-01-31T19:10").unwrap();
        let schedule = Schedule::of(&config, &state).unwrap();
        assert_eq!(schedule.phase(now, None).name, "open");
        assert_eq!(schedule.phase(now + Duration::from_secs(1200), None).name, "freeze");
        assert_eq!(schedule.coming(now).len(), 2);
        move_phase_by("organiser", &config, &mut state, ("freeze", None), false).unwrap();
        assert_eq!(begins(&config, &state), "2030-01-31 19:00 CET");
    }

    #[test]
    fn the_phase_is_the_last_that_has_begun() {
        let catalog = quintain_games::catalog();
        let text = "name = 'x'\ngame = 'tron'\nscenarios = ['hackerrank']\n\
                    [[phases]]\nname = 'one'\n[[phases]]\nname = 'two'\n\
                    from = 2020-01-01T00:00:00Z\nsubmissions = false\n";
        let config = Config::parse(text, &catalog).unwrap();
        let schedule = Schedule::of_file(&config);
        assert_eq!(schedule.phase(SystemTime::now(), None).name, "two");
        assert!(!schedule.phase(SystemTime::now(), None).takes_programs());
        assert_eq!(schedule.phase(SystemTime::UNIX_EPOCH, None).name, "one");
        // Without a time, a later phase begins only when it is chosen.
        let by_hand = text.replace("from = 2020-01-01T00:00:00Z\n", "");
        let config_by_hand = Config::parse(&by_hand, &catalog).unwrap();
        let by_hand = Schedule::of_file(&config_by_hand);
        assert_eq!(by_hand.phase(SystemTime::now(), None).name, "one");
        assert_eq!(by_hand.phase(SystemTime::now(), Some("two")).name, "two");
        assert_eq!(schedule.phase(SystemTime::now(), Some("one")).name, "one");
        assert_eq!(schedule.phase(SystemTime::now(), Some("gone")).name, "two");
        let local = text.replace("00Z", "00");
        assert!(Config::parse(&local, &catalog).unwrap_err().contains("such as 2030"));
    }

    #[test]
    fn a_final_is_not_begun_by_moving_it_into_the_past() {
        let (folder, catalog) = (tempfile::tempdir().unwrap(), quintain_games::catalog());
        let mut state = State::open(folder.path()).unwrap();
        let file = "name = 'x'\ngame = 'tron'\nscenarios = ['hackerrank']\n[[phases]]\n\
                    name = 'open'\n[[phases]]\nname = 'final'\nfinal = 9\n";
        let config = Config::parse(file, &catalog).unwrap();
        let past = Some("2001-01-01T00:00:00Z");
        let moved = move_phase_by("organiser", &config, &mut state, ("final", past), true);
        let error = moved.unwrap_err();
        assert!(error.to_string().contains("has passed"), "{error}");
    }

    #[test]
    fn what_would_change_the_phase_at_once_is_said_before_and_wants_a_confirmation() {
        let (folder, catalog) = (tempfile::tempdir().unwrap(), quintain_games::catalog());
        let mut state = State::open(folder.path()).unwrap();
        let config = Config::parse(FILE, &catalog).unwrap();
        let mut to = |name: &str, time: Option<&str>, is_confirmed: bool| {
            move_phase_by("organiser", &config, &mut state, (name, time), is_confirmed)
        };
        let past = Some("2020-01-31T19:30");
        let asked = to("free", past, false).unwrap_err().to_string();
        assert_eq!(
            asked,
            "the phase is \"freeze\" at once, no longer \"open\"; no more programs are accepted; \
             to do it, confirm it with --confirm"
        );
        to("freeze", past, true).unwrap();
        // Back into the future, programs are accepted again.
        let asked = to("freeze", None, false).unwrap_err().to_string();
        assert!(asked.contains("programs are accepted again"), "{asked}");
        to("freeze", None, true).unwrap();
        let first = to("open", Some("2029-01-31T19:30"), true).unwrap_err().to_string();
        assert!(first.contains("is the first phase, which begins with the contest"), "{first}");
        let unknown = to("frieze", past, true).unwrap_err().to_string();
        assert!(unknown.contains("host.toml has open, freeze, final"), "{unknown}");
    }

    #[test]
    fn the_deadline_is_when_programs_were_no_longer_accepted() {
        let config = Config::parse(FILE, &quintain_games::catalog()).unwrap();
        let schedule = Schedule::of_file(&config);
        let deadline = |at: usize| {
            schedule.deadline_before(&config.phases[at]).map(|at| config.zone.write(at))
        };
        assert_eq!(deadline(0), None);
        for later in [1, 2] {
            assert_eq!(deadline(later).as_deref(), Some("2030-01-31 19:00 CET"));
        }
    }
}
