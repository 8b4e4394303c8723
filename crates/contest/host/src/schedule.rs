//! When phases begin: as host.toml says, unless the organiser has moved them since.

use std::time::SystemTime;

use quintain_core::cut;

use crate::config::{Config, Phase};
use crate::error::HostError;
use crate::finals;
use crate::state::{State, time_of};

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

/// Moves the begin of a phase to a time, or without one back to that of host.toml.
pub(crate) fn move_phase_by(
    by: &str,
    config: &Config,
    state: &mut State,
    name: &str,
    to: Option<&str>,
) -> Result<(), HostError> {
    let refuse = |why: String| Err(HostError::Usage(why));
    let Some(at) = config.phases.iter().position(|phase| phase.name == name) else {
        return refuse(format!("there is no phase {:?}", cut(name, MAX_SHOWN)));
    };
    let phase = &config.phases[at];
    if phase.rounds.is_some() && finals::planned(state)?.is_some() {
        return refuse("the final has begun; to move it, undo it first".to_owned());
    }
    let Some(to) = to else {
        return state.set(by, &key(phase), None, &format!("{name:?} begins as in host.toml"));
    };
    let Some(time) = config.zone.read_here(to) else {
        return refuse(format!(
            "{:?} is no time: expected one such as 2030-01-31T18:00 (in {}), or \
             2030-01-31T18:00:00Z",
            cut(to, MAX_SHOWN),
            config.zone.name()
        ));
    };
    let mut schedule = Schedule::of(config, state)?;
    schedule.0[at].1 = Some(time);
    if !schedule.0.iter().filter_map(|(_, time)| *time).is_sorted() {
        return refuse(format!(
            "{name:?} cannot begin then: phases must be in the order of their times"
        ));
    }
    if phase.rounds.is_some() && time <= SystemTime::now() {
        return refuse(
            "that time has passed; to begin the final now, select it and confirm it".to_owned(),
        );
    }
    let moved = format!("{} {}", write_seconds(phase.time()), write_seconds(Some(time)));
    let what = format!("moved the begin of {name:?} to {}", config.zone.write(time));
    state.set(by, &key(phase), Some(&moved), &what)
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
            move_phase_by("organiser", &config, &mut state, name, time)
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
        move_phase_by("organiser", &config, &mut state, "freeze", None).unwrap();
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
        let error = move_phase_by("organiser", &config, &mut state, "final", past).unwrap_err();
        assert!(error.to_string().contains("has passed"), "{error}");
    }
}
