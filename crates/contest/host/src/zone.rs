//! The contest's time zone: that of times in host.toml that have none, and of times that people
//! read.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, AmbiguousTimestamp, TimeZone};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// A time zone.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Zone {
    zone: TimeZone,
    /// Its name, such as `Europe/Berlin`; none for UTC, unless host.toml names it.
    name: Option<String>,
}

/// The first moment that a contest may have, in seconds since 1970: that of the year 2000. What is
/// before it is a slip in the year.
const FIRST: u64 = 946_684_800;

/// Returns whether somebody may mean this moment.
fn is_plausible(at: SystemTime) -> bool {
    at >= SystemTime::UNIX_EPOCH + Duration::from_secs(FIRST)
}

/// Says which day the calendar does not have, if a text begins with one.
fn describe_wrong_day(text: &str) -> Option<String> {
    let day = text.split(['T', 't', ' ']).next()?;
    let mut parts = day.split('-');
    let (year, month, number) = (parts.next()?, parts.next()?, parts.next()?);
    let (year, month, number): (i16, i8, u16) =
        (year.parse().ok()?, month.parse().ok()?, number.parse().ok()?);
    if parts.next().is_some() || !(0..=9999).contains(&year) {
        return None;
    }
    if !(1..=12).contains(&month) {
        return Some(format!("{day} is no day: a year has the months 01 to 12"));
    }
    let days = Date::new(year, month, 1).ok()?.days_in_month() as u16;
    let is_wrong = !(1..=days).contains(&number);
    is_wrong.then(|| format!("{day} is no day: that month has the days 01 to {days}"))
}

/// Whether clocks that are put forward never show this time.
fn is_skipped(local: &AmbiguousTimestamp) -> bool {
    matches!(local.offset(), AmbiguousOffset::Gap { .. })
}

impl Default for Zone {
    fn default() -> Zone {
        Zone { zone: TimeZone::UTC, name: None }
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(text: D) -> Result<Zone, D::Error> {
        Zone::find(&String::deserialize(text)?).map_err(D::Error::custom)
    }
}

impl Zone {
    /// Finds a zone by its name.
    pub(crate) fn find(name: &str) -> Result<Zone, String> {
        let zone = TimeZone::get(name).map_err(|_| {
            format!(
                "time_zone: this machine knows no zone {name:?}: expected a name such as \
                 Europe/Berlin (from the package tzdata), or UTC"
            )
        })?;
        Ok(Zone { zone, name: Some(name.to_owned()) })
    }

    /// Returns its name.
    pub(crate) fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("UTC")
    }

    /// Returns the moment of a time, if it is one: with its difference from UTC, or without one if
    /// host.toml names the zone. Where clocks are put back, it is the earlier moment with that
    /// reading; where they are put forward, what they skip is no time.
    pub(crate) fn read(&self, text: &str) -> Option<SystemTime> {
        let has_zone = self.name.is_some() || text.parse::<Timestamp>().is_ok();
        self.read_here(text).filter(|_| has_zone)
    }

    /// Returns the moment of a time, which may be without its difference from UTC.
    pub(crate) fn read_here(&self, text: &str) -> Option<SystemTime> {
        let moment = match text.parse::<Timestamp>() {
            Ok(moment) => moment,
            Err(_) => {
                let local = self.zone.to_ambiguous_timestamp(text.parse().ok()?);
                if is_skipped(&local) {
                    return None;
                }
                local.compatible().ok()?
            }
        };
        moment.try_into().ok()
    }

    /// As [`Zone::read`], for a time that somebody gives now: the year must be plausible.
    pub(crate) fn read_given(&self, text: &str) -> Option<SystemTime> {
        self.read(text).filter(|at| is_plausible(*at))
    }

    /// As [`Zone::read_here`], for a time that somebody gives now: the year must be plausible.
    pub(crate) fn read_given_here(&self, text: &str) -> Option<SystemTime> {
        self.read_here(text).filter(|at| is_plausible(*at))
    }

    /// Says why a text is no time, and what is expected: `expected`, unless it is on a day that the
    /// calendar does not have, long ago, or a time that the clocks of the zone skip.
    pub(crate) fn explain(&self, text: &str, expected: &str) -> String {
        if let Some(wrong) = describe_wrong_day(text) {
            return wrong;
        }
        if self.read_here(text).is_some_and(|at| !is_plausible(at)) {
            return format!("{text} is before the year 2000: expected a time of the contest");
        }
        let local = text.parse::<DateTime>().ok();
        let skipped = local.map(|local| self.zone.to_ambiguous_timestamp(local));
        let skipped =
            skipped.filter(|local| text.parse::<Timestamp>().is_err() && is_skipped(local));
        let nearest = skipped.and_then(|local| Some((local.earlier().ok()?, local.later().ok()?)));
        let Some((before, after)) = nearest else { return expected.to_owned() };
        let write = |at: Timestamp| {
            at.to_zoned_datetime(self.zone.clone()).strftime("%Y-%m-%dT%H:%M").to_string()
        };
        format!(
            "{text} is no time in {}, where clocks are put forward then: write {} or {}",
            self.name(),
            write(before),
            write(after)
        )
    }

    /// Returns a time as people write it, with the zone.
    pub(crate) fn write(&self, at: SystemTime) -> String {
        self.format(at, "%Y-%m-%d %H:%M %Z")
    }

    /// Returns a time as a browser's field has it, without the zone.
    pub(crate) fn write_for_field(&self, at: SystemTime) -> String {
        self.format(at, "%Y-%m-%dT%H:%M")
    }

    fn format(&self, at: SystemTime, how: &str) -> String {
        // No clock reads what is out of range.
        let at = Timestamp::try_from(at).unwrap_or_default();
        at.to_zoned_datetime(self.zone.clone()).strftime(how).to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_without_a_zone_are_those_of_the_contest() {
        let berlin = Zone::find("Europe/Berlin").unwrap();
        for (local, utc, written) in [
            ("2030-01-31T19:00:00", "2030-01-31T18:00:00Z", "2030-01-31 19:00 CET"),
            ("2030-07-31T19:00", "2030-07-31T17:00:00Z", "2030-07-31 19:00 CEST"),
            ("2030-07-31T19:00:00-05:00", "2030-08-01T00:00:00Z", "2030-08-01 02:00 CEST"),
            // Twice on the clock.
            ("2030-10-27T02:30:00", "2030-10-27T00:30:00Z", "2030-10-27 02:30 CEST"),
        ] {
            let at = berlin.read(local).unwrap();
            assert_eq!(Some(at), Zone::default().read(utc), "{local}");
            assert_eq!(berlin.write(at), written);
        }
        assert_eq!(Zone::default().read("2030-01-31T19:00:00"), None);
        assert!(berlin.read("soon").is_none() && berlin.read("19:00").is_none());
    }

    #[test]
    fn a_time_that_clocks_skip_is_refused_with_the_nearest_ones() {
        let berlin = Zone::find("Europe/Berlin").unwrap();
        let skipped = "2030-03-31T02:30:00";
        assert_eq!((berlin.read(skipped), berlin.read_here(skipped)), (None, None));
        assert_eq!(
            berlin.explain(skipped, "expected"),
            "2030-03-31T02:30:00 is no time in Europe/Berlin, where clocks are put forward then: \
             write 2030-03-31T01:30 or 2030-03-31T03:30"
        );
        for other in ["soon", "2030-03-31T02:30:00Z", "2030-03-31T03:00:00"] {
            assert_eq!(berlin.explain(other, "expected"), "expected");
        }
        assert!(berlin.read("2030-03-31T02:30:00+01:00").is_some());
    }

    #[test]
    fn a_day_that_no_calendar_has_and_a_year_long_ago_are_named() {
        let berlin = Zone::find("Europe/Berlin").unwrap();
        for (text, why) in [
            ("2030-02-30T18:00", "2030-02-30 is no day: that month has the days 01 to 28"),
            ("2032-02-30T18:00:00Z", "2032-02-30 is no day: that month has the days 01 to 29"),
            ("2030-04-00", "2030-04-00 is no day: that month has the days 01 to 30"),
            ("2030-13-01T18:00", "2030-13-01 is no day: a year has the months 01 to 12"),
            (
                "1030-01-31T18:00:00Z",
                "1030-01-31T18:00:00Z is before the year 2000: expected a time of the contest",
            ),
        ] {
            for zone in [&berlin, &Zone::default()] {
                assert_eq!(zone.read_given(text), None, "{text}");
                assert_eq!(zone.read_given_here(text), None, "{text}");
                assert_eq!(zone.explain(text, "expected"), why);
            }
        }
        assert!(berlin.read_given("2000-01-01T01:00").is_some());
        assert_eq!(berlin.read_given("2000-01-01T00:59"), None, "in UTC, it is 1999 still");
        for other in ["2030-02", "soon-ish-now", "2030-02-28T25:00", "-2030-02-30"] {
            assert_eq!(berlin.explain(other, "expected"), "expected");
        }
    }

    #[test]
    fn without_a_zone_times_are_in_utc() {
        let at = SystemTime::UNIX_EPOCH + Duration::from_secs(86_400 + 3_660);
        assert_eq!(Zone::default().write(at), "1970-01-02 01:01 UTC");
        assert_eq!(Zone::default().write_for_field(at), "1970-01-02T01:01");
    }

    #[test]
    fn a_zone_that_is_none_is_refused_with_an_example() {
        assert!(Zone::find("Mars/Base").unwrap_err().contains("such as Europe/Berlin"));
    }
}
