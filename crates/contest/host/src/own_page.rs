//! What a participant's own page shows, as plain data: [`crate::pages::me`] renders it.

use std::collections::HashMap;

use quintain_standings::SeedComparison;
use quintain_stats::WinDrawLoss;

use crate::config::Phase;
use crate::contest::Contest;
use crate::disk::{Usage, can_delete};
use crate::error::HostError;
use crate::ladder::Ladder;
use crate::lock::lock;
use crate::pages::measures;
use crate::performance::{self, Names, PerformanceTables, Worst, names_in};
use crate::points::{Points, Published};
use crate::state::{CHECK, Exploited, Kind, Participant, PlayedMatch, Stage, Version};

/// Number of latest matches shown, of worst ones, and of latest challenges.
const LATEST_SHOWN: u32 = 50;
const WORST_SHOWN: usize = 8;
const CHALLENGES_SHOWN: u32 = 10;
/// Number of the active version's latest matches that count for its tables.
const MAX_COUNTED: u32 = 3000;

/// The content of a participant's own page.
pub(crate) struct OwnPage<'a> {
    pub(crate) data: OwnData,
    pub(crate) ladder: OwnLadder,
    pub(crate) finals: OwnFinal,
    pub(crate) phase: &'a Phase,
    /// The contest's address.
    pub(crate) address: &'a str,
    /// The version whose files were just submitted again.
    pub(crate) again: Option<i64>,
    /// Why nothing can be submitted now, if it is so.
    pub(crate) closed: Option<String>,
    /// Until when only this participant may submit.
    pub(crate) extended: Option<i64>,
    /// The participant's points, once points are published.
    pub(crate) points: Option<(Points, Published)>,
    /// The organiser's messages, the latest first: when, and the text.
    pub(crate) messages: Vec<(i64, String)>,
    /// For a team: its members, by the names that pages show.
    pub(crate) members: Vec<String>,
    /// For somebody in a team: the versions that they submitted for themselves, the latest first,
    /// which have passed and are none of the team's.
    pub(crate) before_team: Vec<i64>,
    /// The disk space of the versions.
    pub(crate) usage: Usage,
    /// The numbers of the versions that can be deleted.
    pub(crate) deletable: Vec<i64>,
}

/// What the database has about a participant.
pub(crate) struct OwnData {
    pub(crate) versions: Vec<Version>,
    pub(crate) latest: Vec<PlayedMatch>,
    /// Their challenges, the latest first.
    pub(crate) challenges: Vec<PlayedMatch>,
    /// When waiting versions are checked, if their checks have used up their time.
    pub(crate) checks_go_on: Option<i64>,
    /// Number of challenges that are not played yet.
    pub(crate) waiting: u64,
    /// Whether a repository has its own token.
    pub(crate) has_submit_token: bool,
    /// By version number: pairs of the number of ladder matches and the measure at that time.
    pub(crate) measures: HashMap<i64, Vec<(f64, f64)>>,
    /// All versions on the ladder.
    pub(crate) active: Vec<Version>,
    /// Those, and hidden copies of some.
    playing: Vec<Version>,
    /// The latest matches of the participant's active version.
    of_active: Vec<PlayedMatch>,
    /// How often the active version was beaten by a line of moves, if that is known.
    pub(crate) exploited: Option<Exploited>,
    /// The names of all versions in these matches.
    pub(crate) names: Names,
}

/// How the active version does on the ladder.
pub(crate) struct OwnLadder {
    pub(crate) is_solo: bool,
    /// The standing, in words.
    pub(crate) standing: Option<String>,
    pub(crate) tables: PerformanceTables,
    pub(crate) worst: Vec<Worst>,
    /// The results of the shown matches against others, by match, as the participant sees them.
    pub(crate) results: HashMap<i64, WinDrawLoss>,
    /// In games of solo players: comparisons with the others on common seeds.
    pub(crate) comparisons: Vec<(Version, SeedComparison)>,
}

/// The final, once it has begun.
#[derive(Default)]
pub(crate) struct OwnFinal {
    /// The versions that play in it.
    pub(crate) roster: Vec<i64>,
    /// Which version of the participant is in it, and its standing, in words.
    pub(crate) standing: Option<String>,
    pub(crate) is_over: bool,
}

impl<'a> OwnPage<'a> {
    /// Collects the content. The locks of the database, the ladder and the final are taken one
    /// after the other.
    pub(crate) fn read(
        contest: &'a Contest,
        who: &Participant,
        address: &'a str,
        again: Option<i64>,
    ) -> Result<OwnPage<'a>, HostError> {
        let ladder = lock(&contest.ladder).id().unwrap_or_default();
        let data = OwnData::read(contest, ladder, who)?;
        let ladder = OwnLadder::of(&mut lock(&contest.ladder), who, &data);
        let finals = OwnFinal::of(contest, who, ladder.is_solo);
        let usage = Usage::of(contest, who.id)?;
        let deletable = data.versions.iter().filter(|version| can_delete(contest, version));
        let deletable = deletable.map(|version| version.number).collect();
        let (phase, closed) = (contest.phase()?, contest.closed_for(who)?);
        let extended = who.extended.filter(|_| closed.is_none() && !phase.takes_programs());
        let published = Published::read(&contest.read_state())?;
        let points = published.and_then(|mut published| {
            let own = published.of.remove(&who.person())?;
            Some((own, published))
        });
        let (messages, members) = {
            let state = contest.read_state();
            let mut messages = state.messages_to(who.id)?;
            if who.member.is_some() {
                messages.extend(state.messages_to(who.person())?);
                messages.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
            }
            let members = if who.is_team { state.members_of(who.id)? } else { Vec::new() };
            (messages, members.into_iter().map(|member| member.display_name).collect())
        };
        let mut before_team = match who.is_team {
            true => contest.read_state().versions_of(who.person())?,
            false => Vec::new(),
        };
        before_team.retain(|own| {
            let is_same = |of_team: &Version| of_team.digest == own.digest;
            own.stage == Stage::Passed && !data.versions.iter().any(is_same)
        });
        let before_team = before_team.into_iter().map(|version| version.number).collect();
        Ok(OwnPage {
            data,
            ladder,
            finals,
            phase,
            closed,
            extended,
            address,
            again,
            points,
            messages,
            members,
            before_team,
            usage,
            deletable,
        })
    }
}

impl OwnData {
    fn read(contest: &Contest, ladder: i64, who: &Participant) -> Result<OwnData, HostError> {
        let checks = contest.config.limits.check_quota();
        let state = contest.read_state();
        let of_active = match who.active {
            Some(active) => state.matches_of(active, MAX_COUNTED)?,
            None => Vec::new(),
        };
        let (playing, mut exploited) = (state.playing()?, state.list_exploited()?);
        let active = playing.iter().filter(|version| version.copy_of.is_none()).cloned().collect();
        let mut data = OwnData {
            versions: state.versions_of(who.id)?,
            latest: state.latest_of(who.id, LATEST_SHOWN)?,
            challenges: state.latest_challenges(who.id, CHALLENGES_SHOWN)?,
            checks_go_on: state.used_up_until(who.id, CHECK, checks)?,
            waiting: state.challenges_waiting(who.id)?,
            has_submit_token: state.has_submit_token(who.id)?,
            measures: state.measures_of(ladder, who.id)?,
            active,
            playing,
            of_active,
            exploited: who.active.and_then(|active| exploited.remove(&active)),
            names: Names::new(),
        };
        drop(state);
        let matches = data.latest.iter().chain(&data.of_active).chain(&data.challenges);
        data.names = names_in(contest, &matches.collect::<Vec<_>>())?;
        Ok(data)
    }
}

impl OwnLadder {
    fn of(ladder: &mut Ladder, who: &Participant, data: &OwnData) -> OwnLadder {
        let (own, is_solo) = (who.active.unwrap_or_default(), ladder.is_solo());
        let rungs = ladder.recent_standings(&data.playing);
        let find = |version: i64| rungs.iter().find(|rung| rung.version.id == version);
        let id = ladder.id();
        let is_counted = |played: &&PlayedMatch| played.counts_for(Kind::Ladder, id);
        let counted: Vec<&PlayedMatch> = data.of_active.iter().filter(is_counted).collect();
        let games = |played: &PlayedMatch| ladder.games_of(played);
        let tables = performance::tables(own, &counted, &data.names, &games);
        let mut results: HashMap<i64, WinDrawLoss> = HashMap::new();
        let is_theirs = |version: &i64| {
            data.names.get(version).is_some_and(|named| named.participant == who.id)
        };
        for played in data.latest.iter().chain(&data.challenges) {
            let met = games(played);
            let met = met.iter().filter(|(one, other, _)| is_theirs(one) && !is_theirs(other));
            met.for_each(|(_, _, game)| *results.entry(played.pairing.id).or_default() += *game);
        }
        let worst = match is_solo {
            true => {
                let seeds = ladder.worst_seeds(own, &data.active, WORST_SHOWN);
                performance::worst_alone(&counted, &seeds)
            }
            false => {
                let rating = |version: i64| find(version)?.measure;
                let names = &data.names;
                performance::worst(own, &counted, &games, &rating, names, WORST_SHOWN)
            }
        };
        let others = rungs.iter().map(|rung| &rung.version).filter(|other| other.id != own);
        let compare = |other: &Version| {
            let comparisons = ladder.compare(own, other.id).into_iter();
            comparisons.map(|comparison| (other.clone(), comparison)).collect::<Vec<_>>()
        };
        let comparisons = others.flat_map(compare).collect();
        let standing = find(own).map(|rung| measures::describe(is_solo, rung, rungs.len()));
        OwnLadder { is_solo, standing, tables, worst, results, comparisons }
    }
}

impl OwnFinal {
    fn of(contest: &Contest, who: &Participant, is_solo: bool) -> OwnFinal {
        let mut finals = lock(&contest.finals);
        let Some(finals) = finals.as_mut() else { return OwnFinal::default() };
        let roster = finals.roster().iter().map(|version| version.id).collect();
        let rungs = finals.recent_standings();
        let own = rungs.iter().find(|rung| rung.version.participant == who.id);
        let standing = own.map(|rung| {
            let standing = measures::describe(is_solo, rung, rungs.len());
            let so_far = if finals.is_published() { "" } else { ", so far" };
            format!("version {} is {standing}{so_far}", rung.version.number)
        });
        OwnFinal { roster, standing, is_over: finals.is_published() }
    }
}
