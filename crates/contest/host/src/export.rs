//! Exports a contest as a site of files that needs no server: the ladder, the final, and
//! everybody's latest matches in the viewer. Next to them are tables, and the records for anybody
//! who wants to verify them. Private data are left out: tokens, files that were submitted, and what
//! programs said.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use maud::{DOCTYPE, Markup, PreEscaped, html};
use quintain_core::Catalog;
use quintain_standings::columns::LADDER_FIELDS;
use quintain_store::Store;
use quintain_web::check_page::{CheckPage, render_check_page};
use quintain_web::pages::{figure, name};
use quintain_web::{Replay, standalone};

use crate::config::short_scenario;
use crate::contest::{Contest, STORE};
use crate::error::{HostError, file_error};
use crate::final_document::{PublishedFinal, has_verifier, read_verifier, write_verifier_command};
use crate::finals::{self, FinalResult, Finals};
use crate::grades::{ALONE, StandingsBySeat};
use crate::ladder::Rung;
use crate::lessons;
use crate::lock::lock;
use crate::maps::{self, MapFile};
use crate::pages;
use crate::pages::measures::{Measures, measure_name};
use crate::performance::names_in;
use crate::state::{Kind, PlayedMatch, Version, copy_database};
use crate::verify::require_true_records;
use quintain_final::FinalDocument;
use quintain_final::seeds::commitment;

/// The style of all pages, which load nothing.
const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
padding:0 1rem;color:#1a1a1a;background:#fff}table{border-collapse:collapse}\
th,td{padding:.2rem .8rem;text-align:left;border-bottom:1px solid #ddd}\
td.number{text-align:right;font-variant-numeric:tabular-nums}.wide{overflow-x:auto}\
code{overflow-wrap:anywhere}\
@media(max-width:40rem){th,td{padding:.2rem .3rem;font-size:.85rem}.less{display:none}}\
.narrow{display:none}.lessons img{display:block;max-width:20rem;width:100%}\
@media(prefers-color-scheme:dark){body{color:#eee;background:#1a1a1a}a{color:#8cf}\
th,td{border-color:#444}}";

/// The page on which visitors verify the final.
const CHECK_PAGE: &str = "verify.html";

/// The page of the published lessons.
const LESSONS_PAGE: &str = "lessons.html";

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub struct ExportOptions {
    /// How many of the latest matches of each version on the ladder get a page.
    pub matches: u32,
    /// Whether participants are called P01, P02 and so on. If so, pages of matches and records are
    /// left out, since both contain names.
    pub is_anonymous: bool,
}

/// What was exported.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Exported {
    /// Why a final that is over has no page on which visitors verify it, and what to do, in a line.
    pub remark: Option<String>,
}

/// Writes the site into a new folder, after every match that counts was replayed.
///
/// # Errors
/// If there is no contest, a match is not what its record says, the folder is not empty, or either
/// cannot be read or written.
pub fn export(
    folder: &Path,
    to: &Path,
    catalog: &Catalog,
    options: ExportOptions,
) -> Result<Exported, HostError> {
    let contest = Contest::read(folder, catalog, Path::new(""))?;
    read_verifier(folder)?;
    require_true_records(&contest)?;
    fs::create_dir_all(to).map_err(file_error(to))?;
    if fs::read_dir(to).map_err(file_error(to))?.next().is_some() {
        return Err(HostError::Usage(format!("{} is not empty", to.display())));
    }
    let active = contest.read_state().playing()?;
    let rungs = lock(&contest.ladder).standings(&active);
    let result = lock(&contest.finals).as_mut().map(Finals::result);
    let (final_secret, undone) = {
        let state = contest.read_state();
        (finals::secret(&state)?, state.undone_finals()?)
    };
    let undone = pages::finals::undone(&contest.config.zone, &undone);
    let names = Names::new(&contest, options.is_anonymous)?;
    let pages = match options.is_anonymous {
        true => Vec::new(),
        false => matches(&contest, &rungs, to, options.matches)?,
    };
    let title = &contest.config.name;
    let is_solo = lock(&contest.ladder).is_solo();
    let table = Table { names: &names, is_solo };
    let has_seats = !contest.config.seats.is_empty();
    let maps = &contest.config.maps;
    let has_lessons = write_lessons(&contest, to)?;
    let parts = Parts { has_seats, has_lessons, result: result.as_ref(), pages: &pages, maps };
    let front = front(title, &rungs, &table, &parts);
    write(&to.join("index.html"), front.into())?;
    let mut exported = Exported::default();
    if let Some(result) = &result {
        let secret = result.is_over().then_some(&final_secret);
        let check_page = match options.is_anonymous || !result.is_over() {
            true => CheckPageState::NotMeant,
            false => write_check_page(&contest, &undone, to)?,
        };
        exported.remark = check_page.remark(&contest.folder);
        let commitment = &commitment(&final_secret);
        let seed = Seed { commitment, secret, check_page, undone: &undone };
        let page = final_page(title, result, &table, &seed);
        write(&to.join("final.html"), page.into())?;
        write(&to.join("final.csv"), standings(&result.rungs, &names)?)?;
    }
    if !contest.config.seats.is_empty() {
        write(&to.join("seats.csv"), by_seat(&contest, &names)?)?;
    }
    write(&to.join("ladder.csv"), standings(&rungs, &names)?)?;
    write_results(&contest, &names, &to.join("matches.csv"))?;
    maps::copy(maps, to)?;
    if !options.is_anonymous && contest.store().exists() {
        copy_database(&contest.store(), &to.join(STORE))?;
    }
    Ok(exported)
}

fn write(path: &Path, text: String) -> Result<(), HostError> {
    fs::write(path, text).map_err(file_error(path))
}

/// The names of participants in the export.
struct Names {
    instead: Option<HashMap<String, String>>,
    banned: Vec<i64>,
}

impl Names {
    /// Numbers follow the order of a keyed digest, so that they reveal nothing about the names.
    fn new(contest: &Contest, is_anonymous: bool) -> Result<Names, HostError> {
        let all = contest.read_state().participants()?;
        let banned = all.iter().filter(|who| who.is_banned).map(|who| who.id).collect();
        if !is_anonymous {
            return Ok(Names { instead: None, banned });
        }
        let mut names: Vec<String> =
            all.into_iter().filter(|who| !who.is_house).map(|who| who.name).collect();
        names.sort_by_cached_key(|name| {
            blake3::hash(format!("{}\n{name}", contest.secret).as_bytes()).to_hex().to_string()
        });
        let numbered = names.into_iter().enumerate();
        let instead = numbered.map(|(at, name)| (name, format!("P{:02}", at + 1))).collect();
        Ok(Names { instead: Some(instead), banned })
    }

    /// Returns the name that pages show for a version's author.
    fn display_name<'a>(&'a self, version: &'a Version) -> &'a str {
        match self.instead {
            Some(_) => self.of(&version.name),
            None => &version.display_name,
        }
    }

    fn of<'a>(&'a self, name: &'a str) -> &'a str {
        let instead = self.instead.as_ref().and_then(|instead| instead.get(name));
        instead.map_or(name, String::as_str)
    }
}

/// Writes the pages of the latest matches; returns their files and titles.
fn matches(
    contest: &Contest,
    rungs: &[Rung],
    to: &Path,
    most: u32,
) -> Result<Vec<(String, String)>, HostError> {
    let store = contest.store();
    if most == 0 || !store.exists() {
        return Ok(Vec::new());
    }
    let store = Store::open_to_read(&store)?;
    let folder = to.join("matches");
    fs::create_dir(&folder).map_err(file_error(&folder))?;
    let mut pages: Vec<(String, String)> = Vec::new();
    for rung in rungs {
        // Not evaluated in the head of the loop, which would keep the database locked throughout.
        let latest = contest.read_state().matches_of(rung.version.id, most)?;
        for played in latest {
            let file = format!("matches/{}.html", played.pairing.id);
            if pages.iter().any(|(known, _)| *known == file) {
                continue;
            }
            let Some(stored) = store.find(&played.record)? else { continue };
            let (Ok(record), Ok(game)) = (stored.record(), {
                let pairing = &played.pairing;
                contest.game_of(&pairing.scenario, pairing.seed)
            }) else {
                continue;
            };
            let Ok(replay) = Replay::of(&*game, &record) else { continue };
            // Its record is in the store beside the pages.
            let scenario = short_scenario(&played.pairing.scenario);
            let called = format!("match {} on {scenario}", played.pairing.id);
            let Ok(page) = standalone::render_page_called(replay, &called, standalone::LIMIT)
            else {
                continue;
            };
            write(&to.join(&file), page)?;
            let labels = names_in(contest, &[&played])?;
            let seats = played.pairing.seats.iter();
            let seats = seats.filter_map(|seat| Some(labels.get(seat)?.label.as_str()));
            let scores = played.scores.iter().map(|score| figure(*score)).collect::<Vec<_>>();
            let seats = seats.collect::<Vec<_>>().join(" – ");
            let (number, scenario) = (played.pairing.id, &played.pairing.scenario);
            let title = format!("{number}: {seats}, {} on {scenario}", scores.join(" – "));
            pages.push((file, title));
        }
    }
    Ok(pages)
}

fn frame(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="content-security-policy"
                    content="default-src 'none'; img-src data:; style-src 'unsafe-inline'";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
}

/// How tables are shown.
struct Table<'a> {
    names: &'a Names,
    is_solo: bool,
}

fn rows(rungs: &[Rung], table: &Table<'_>, ranges: Option<&Vec<Option<(u64, u64)>>>) -> Markup {
    let Table { names, is_solo } = *table;
    let measures = Measures::of(is_solo, rungs);
    html! {
        div class="wide" {
            table {
                thead { tr {
                    th { "rank" }
                    @if ranges.is_some() { th { "likely ranks (95 %)" } }
                    th { "participant" } th { "version" } (measures.heads())
                } }
                tbody {
                    @for (at, rung) in rungs.iter().enumerate() {
                        tr {
                            td class="number" { (rung.rank) }
                            @if let Some(ranges) = ranges {
                                td class="number" {
                                    @if let Some(Some((best, worst))) = ranges.get(at) {
                                        (best) "–" (worst)
                                    }
                                }
                            }
                            td {
                                (name(names.display_name(&rung.version)))
                                @if names.banned.contains(&rung.version.participant) { " (banned)" }
                            }
                            td class="number" { (rung.version.number) }
                            (measures.cells(rung))
                        }
                    }
                }
            }
        }
    }
}

/// Writes the published lessons, as a page and as files; returns whether there are any.
fn write_lessons(contest: &Contest, to: &Path) -> Result<bool, HostError> {
    let state = contest.read_state();
    let numbers = state.list_lesson_sets()?;
    let mut sets = Vec::new();
    for number in numbers {
        sets.extend(state.lesson_set(number)?);
    }
    drop(state);
    for (path, text) in sets.iter().flat_map(lessons::list_files) {
        let file = to.join(path);
        let folder = file.parent().unwrap_or(to);
        fs::create_dir_all(folder).map_err(file_error(folder))?;
        write(&file, text)?;
    }
    if sets.is_empty() {
        return Ok(false);
    }
    let body = html! {
        h1 { "Lessons" }
        p { a href="index.html" { "The contest" } }
        @for set in &sets {
            h2 { "Set " (set.number) ": the files in lessons-" (set.number) }
            (pages::lessons::cards(set))
        }
    };
    write(&to.join(LESSONS_PAGE), frame("Lessons", &body).into())?;
    Ok(true)
}

/// What the first page has besides the ladder.
struct Parts<'a> {
    has_seats: bool,
    has_lessons: bool,
    result: Option<&'a FinalResult>,
    pages: &'a [(String, String)],
    maps: &'a [MapFile],
}

/// Renders the first page: the final, once there is one, then the ladder.
fn front(title: &str, rungs: &[Rung], table: &Table<'_>, parts: &Parts<'_>) -> Markup {
    let Parts { has_seats, has_lessons, result, pages, maps } = *parts;
    let body = html! {
        h1 { (name(title)) }
        p {
            "As tables: "
            @if result.is_some() { a href="final.csv" { "the final" } ", " }
            @if has_seats { a href="seats.csv" { "by seat" } ", " }
            a href="ladder.csv" { "the ladder" } ", " a href="matches.csv" { "all matches" } "."
        }
        @if has_lessons { p { a href=(LESSONS_PAGE) { "Lessons" } " from its matches." } }
        @if !maps.is_empty() {
            p id="maps" {
                "Played on: "
                @for map in maps { a href=(map.place()) { (name(&map.file.name)) } " " }
            }
        }
        @if let Some(result) = result {
            h2 { "The final" }
            p {
                (result.played) " of " (result.planned) " matches played. "
                a href="final.html" { "Its seed" }
            }
            (rows(&result.rungs, table, result.ranges.as_ref()))
            h2 { "The ladder before" }
        }
        (rows(rungs, table, None))
        @if !pages.is_empty() {
            h2 { "Latest matches" }
            ul { @for (file, title) in pages { li { a href=(file) { (name(title)) } } } }
        }
    };
    frame(title, &body)
}

/// What is shown of the seed of the final.
struct Seed<'a> {
    commitment: &'a str,
    /// Once all is played.
    secret: Option<&'a String>,
    check_page: CheckPageState,
    /// The finals that were undone before.
    undone: &'a Markup,
}

fn final_page(title: &str, result: &FinalResult, table: &Table<'_>, seed: &Seed<'_>) -> Markup {
    let body = html! {
        h1 { "The final of " (name(title)) }
        p {
            (result.played) " of " (result.planned) " matches played. "
            a href="index.html" { "The contest" }
        }
        @match seed.check_page {
            CheckPageState::Written => p {
                a href=(CHECK_PAGE) { "Verify it yourself" } ": your browser replays every match."
            },
            CheckPageState::NoModule | CheckPageState::HasMaps => p id="not-verified" {
                strong { "This site has no page on which your browser verifies the final" }
                @if seed.check_page == CheckPageState::NoModule {
                    ": it was written without the verifier. The organiser can export it again \
                     with it."
                } @else { ", since its boards are files." }
                " The records are in " code { (STORE) } ": "
                code { "quintain verify --store " (STORE) } " replays them."
            },
            CheckPageState::NotMeant => {}
        }
        (rows(&result.rungs, table, result.ranges.as_ref()))
        p { "Digest of the seed: " code { (seed.commitment) } }
        @if let Some(secret) = seed.secret { p { "The seed: " code { (secret) } } }
        (seed.undone)
    };
    frame("Final", &body)
}

/// Says why sites of this contest will have no page on which visitors verify a final, and what to
/// do, if that is so.
pub(crate) fn why_not_verified(contest: &Contest) -> Option<String> {
    let state = match has_verifier(&contest.folder) {
        _ if contest.config.final_rounds().is_none() => CheckPageState::NotMeant,
        _ if !contest.config.maps.is_empty() => CheckPageState::HasMaps,
        true => CheckPageState::Written,
        false => CheckPageState::NoModule,
    };
    state.remark(&contest.folder)
}

/// Whether there is a page on which visitors verify the final.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CheckPageState {
    Written,
    /// The final is not over, or has no names.
    NotMeant,
    NoModule,
    /// A scenario is a file, which a page does not have.
    HasMaps,
}

impl CheckPageState {
    /// Says why the page is missing, and what to do.
    fn remark(self, contest: &Path) -> Option<String> {
        let why = match self {
            CheckPageState::Written | CheckPageState::NotMeant => return None,
            CheckPageState::NoModule => format!(
                "this program was built without the verifier; use a released one, or in \
                 Quintain's sources of version {}: {}; then export again",
                env!("CARGO_PKG_VERSION"),
                write_verifier_command(contest)
            ),
            CheckPageState::HasMaps => {
                "its boards are files; `quintain host verify` replays its matches".to_owned()
            }
        };
        Some(format!(
            "the site has no {CHECK_PAGE}, so nobody can verify the final in a browser: {why}"
        ))
    }
}

/// Writes the page on which visitors verify a final that is over, if that is possible.
fn write_check_page(
    contest: &Contest,
    undone: &Markup,
    to: &Path,
) -> Result<CheckPageState, HostError> {
    if !contest.config.maps.is_empty() {
        return Ok(CheckPageState::HasMaps);
    }
    let Some(module) = read_verifier(&contest.folder)? else { return Ok(CheckPageState::NoModule) };
    let Some(published) = PublishedFinal::read(contest)? else {
        return Ok(CheckPageState::NotMeant);
    };
    let document = &published.document;
    let measure = measure_name(lock(&contest.ladder).is_solo());
    let title = format!("The final of {}, to be verified", document.contest);
    let above = said_by_host(document, measure, undone);
    let page = render_check_page(&CheckPage {
        title: &title,
        above,
        document: &serde_json::to_string(document).expect("a document has a JSON form"),
        records: &published.records,
        rules: &module,
    });
    write(&to.join(CHECK_PAGE), page)?;
    Ok(CheckPageState::Written)
}

/// Renders what the host says about a final, above what a visitor's browser makes of it.
fn said_by_host(document: &FinalDocument, measure: &str, undone: &Markup) -> Markup {
    // The page compares what it shows, cell by cell, with what it has verified.
    let shown = document.shown();
    html! {
        h1 { "The final of " (name(&document.contest)) }
        p { a href="index.html" { "The contest" } ", " a href="final.html" { "the final" } }
        div class="wide" {
            table id="standings" {
                thead { tr {
                    th { "rank" } th { "likely ranks (95 %)" } th { "player in the records" }
                    th { (measure) } th { "called by the host" }
                } }
                tbody {
                    @for row in &shown.standings { tr { @for cell in row { td { (cell) } } } }
                }
            }
        }
        p {
            "The digest of the seed, which was shown on the contest’s page “Final” before the \
             final began; compare it with what you noted then: "
            code id="commitment" { (shown.commitment) }
        }
        (undone)
        p id="not-proved" {
            "What your browser can prove is the seed, the matches, and the ranks of the players by \
             their names in the records. What the players and the contest are called, and which \
             files were submitted, is only the host’s word: no record has it. Whoever took part \
             can look for their own player (“bot:NAME.3” is the third version that NAME handed \
             in), and compare the digest with the one on their page."
        }
        details {
            summary { "Digests of the programs (the host’s word)" }
            div class="wide" {
                table id="programs" {
                    thead { tr {
                        th { "player in the records" } th { "called by the host" } th { "digest" }
                    } }
                    tbody {
                        @for row in &shown.programs { tr { @for cell in row { td { (cell) } } } }
                    }
                }
            }
        }
    }
}

fn standings(rungs: &[Rung], names: &Names) -> Result<String, HostError> {
    // Mean scores are only in the grades.
    let fields = || LADDER_FIELDS.iter().filter(|field| field.key != ALONE);
    let head: Vec<&str> =
        ["rank", "name", "version"].into_iter().chain(fields().map(|field| field.key)).collect();
    let row = |rung: &Rung| -> Vec<String> {
        let name = names.of(&rung.version.name).to_owned();
        let own = [rung.rank.to_string(), name, rung.version.number.to_string()];
        own.into_iter().chain(fields().map(|field| (field.read)(rung))).collect()
    };
    crate::grades::table(&head, rungs.iter().map(row))
}

/// Renders the mean score of everybody at the first seat against everybody at the second.
fn by_seat(contest: &Contest, names: &Names) -> Result<String, HostError> {
    let head: Vec<&str> =
        contest.config.seats.iter().map(String::as_str).chain(["mean_score"]).collect();
    let StandingsBySeat { versions, table, .. } = StandingsBySeat::of(contest)?;
    let player = |at: usize| format!("{}.{}", names.of(&versions[at].name), versions[at].number);
    let pairs = (0..versions.len()).flat_map(|a| (0..versions.len()).map(move |b| (a, b)));
    let row = |(first, second): (usize, usize)| {
        let mean = table.mean_of(first, second)?;
        Some(vec![player(first), player(second), format!("{mean:.3}")])
    };
    crate::grades::table(&head, pairs.filter_map(row))
}

/// Writes the results of all matches one by one, as there may be too many for the memory.
fn write_results(contest: &Contest, names: &Names, file: &Path) -> Result<(), HostError> {
    let mut players: HashMap<i64, String> = HashMap::new();
    for (version, name, number) in contest.read_state().list_players()? {
        players.insert(version, format!("{}.{number}", names.of(&name)));
    }
    let row = |played: &PlayedMatch| {
        let PlayedMatch { pairing, scores, fault, record, is_hidden, struck, .. } = played;
        let name = |seat| players.get(seat).map_or("", String::as_str);
        let seats: Vec<&str> = pairing.seats.iter().map(name).collect();
        [
            pairing.id.to_string(),
            pairing.kind.word().to_owned(),
            pairing.scenario.clone(),
            if *is_hidden { String::new() } else { pairing.seed.to_string() },
            seats.join(" "),
            scores.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            fault.as_ref().map_or(String::new(), |(seat, _)| seat.to_string()),
            // The id is a digest of the players' names, among other things, and names can be
            // guessed.
            if names.instead.is_some() || *is_hidden { String::new() } else { record.clone() },
            struck.clone().unwrap_or_default(),
        ]
    };
    let failed = |error: csv::Error| file_error(file)(std::io::Error::other(error));
    let mut table = csv::Writer::from_path(file).map_err(failed)?;
    table
        .write_record([
            "match",
            "for",
            "scenario",
            "seed",
            "seats",
            "scores",
            "fault_seat",
            "record",
            "struck_out",
        ])
        .map_err(failed)?;
    for kind in [Kind::Ladder, Kind::Challenge, Kind::Final] {
        let mut written = Ok(());
        contest.read_state().for_each_played(kind, |played| {
            if written.is_ok() {
                written = table.write_record(row(&played));
            }
        })?;
        written.map_err(failed)?;
    }
    table.flush().map_err(file_error(file))
}
