//! Requests by the organiser.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::SystemTime;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, Query, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use quintain_web::Problem;
use quintain_web::pages::Page;
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;

use super::access::{
    Host, Shared, actor, blocking, form, form_and_fields, form_within, html, own_address, refuse,
    require_organiser, require_visitor,
};
use super::upload_form::read_upload;
use crate::admin::{
    PhaseChoice, PointsFormat, Rejudged, activate_by, choose_phase_by, extend_by, merge_by,
    phases_of, rejudge_by, remove_by, reset_by, strike_by, undo_final_by, undo_merge_by, users_of,
    write_points,
};
use crate::bulk::Bulk;
use crate::contest::Contest;
use crate::download::{self, Download};
use crate::error::{CONFIRM, HostError};
use crate::grades;
use crate::invitation::{invite_class_into, invite_into, plain_name, rename_by, shortened};
use crate::kit::Kit;
use crate::lock::lock;
use crate::pages::organiser::{FinalBegun, NewTokens, OrganiserView};
use crate::points::{PointsTable, Published, describe_merged};
use crate::schedule::move_phase_by;
use crate::state::{BanResult, Participant, Version};
use crate::token::new_token;
use crate::{export, lessons, pages, program, similarity};

/// Number of audit entries shown.
const AUDIT_SHOWN: u32 = 100;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/organiser", get(organiser))
        .route("/organiser/pause", post(pause))
        .route("/organiser/phase", post(phase))
        .route("/organiser/move-phase", post(move_phase))
        .route("/organiser/undo-final", post(undo_final))
        .route("/organiser/rejudge", post(rejudge))
        .route("/organiser/ban", post(ban))
        .route("/organiser/bulk", post(do_in_bulk))
        .route("/organiser/reset", post(reset))
        .route("/organiser/strike", post(strike))
        .route("/organiser/invite", post(invite))
        .route("/organiser/invite-class", post(invite_class))
        .route(
            "/organiser/invite-file",
            // The body is read up to the contest's own limit.
            post(invite_file).layer(DefaultBodyLimit::disable()),
        )
        .route("/organiser/rename", post(rename))
        .route("/organiser/remove", post(remove))
        .route("/organiser/extend", post(extend))
        .route("/organiser/merge", post(merge))
        .route("/organiser/undo-merge", post(undo_merge))
        .route("/organiser/activate", post(activate))
        .route("/organiser/participants/{id}", get(programs))
        .route("/organiser/program.zip", post(download_program))
        .route("/organiser/grades.csv", get(export_grades))
        .route("/organiser/points", get(preview_points).post(publish_points))
        .route("/organiser/points.csv", get(export_points))
        .route("/organiser/similarity", get(list_similar))
        .route("/organiser/similarity/{first}/{second}", get(compare))
        .route("/organiser/site.zip", post(download_site))
        .route("/organiser/anonymous.zip", post(download_anonymous))
        .route("/organiser/letters.zip", post(download_letters))
        .route("/organiser/backup.zip", post(download_backup))
        .route(
            "/organiser/lessons",
            // The body is read up to the contest's own limit.
            post(offer_lessons).layer(DefaultBodyLimit::disable()),
        )
        .route("/organiser/publish-lessons", post(publish_lessons))
        .route("/organiser/withdraw-lessons", post(withdraw_lessons))
}

/// Returns the organiser, if it is the organiser who sends a form.
async fn organiser_of(host: &Arc<Host>, headers: &HeaderMap) -> Result<Participant, Problem> {
    require_organiser(actor(host, headers).await?)
}

async fn organiser(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    Ok(html(organiser_page(&host, None).await?))
}

/// The organiser's page, with new tokens if there are any, which are shown only once.
async fn organiser_page(
    host: &Arc<Host>,
    invited: Option<(NewTokens, String)>,
) -> Result<Page, Problem> {
    blocking(host, move |contest| {
        let state = contest.look();
        let (users, audit) = (users_of(&state)?, state.audit(AUDIT_SHOWN)?);
        let (is_paused, phases) = (state.is_paused()?, phases_of(&contest.config, &state)?);
        let (versions, matches) = (state.count_by_stage()?, state.count_matches()?);
        let lesson_sets = state.list_lesson_sets()?;
        drop(state);
        let shown = OrganiserView {
            users: &users,
            audit: &audit,
            is_paused,
            phases: &phases,
            final_begun: lock(&contest.finals).as_ref().map(|finals| FinalBegun {
                programs: finals.roster().len(),
                played: finals.count_played(),
                planned: finals.len(),
                is_over: finals.is_published(),
            }),
            not_verified: export::why_not_verified(contest),
            has_formula: contest.formula().is_ok_and(|formula| formula.is_some()),
            versions,
            matches,
            lesson_sets: &lesson_sets,
            is_solo: lock(&contest.ladder).is_solo(),
            trouble: contest.troubles.current(),
            invited: invited.as_ref().map(|(invited, at)| (invited, at.as_str())),
        };
        Ok(pages::organiser::organiser(&contest.config, &shown))
    })
    .await
}

/// Adds a link back to the organiser's page to a problem.
fn back(problem: Problem) -> Problem {
    problem.leading_to("/organiser", "the organiser's page")
}

#[derive(Deserialize)]
struct Pause {
    paused: bool,
}

async fn pause(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let Pause { paused } = form(request).await?;
    blocking(&host, move |contest| Ok(contest.state().pause(&who.name, paused)?)).await?;
    Ok(Redirect::to("/organiser"))
}

/// A phase, or none to follow what the times say.
#[derive(Deserialize)]
struct ChosenPhase {
    #[serde(default)]
    phase: String,
    /// Whether this may begin the final.
    #[serde(default)]
    begin: bool,
    /// Whether this may stop it.
    #[serde(default)]
    confirm: bool,
}

async fn phase(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, ChosenPhase { phase, begin, confirm }| {
        let name = Some(phase.as_str()).filter(|phase| !phase.is_empty());
        let chosen = PhaseChoice { name, begins_final: begin, is_confirmed: confirm };
        choose_phase_by(by, &contest.config, &mut contest.state(), chosen)?;
        Ok(())
    })
    .await
}

/// When a phase is to begin, in the contest's time zone; without a time, as host.toml says.
#[derive(Deserialize)]
struct MovedPhase {
    phase: String,
    #[serde(default)]
    from: String,
    #[serde(default)]
    confirm: bool,
}

async fn move_phase(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, MovedPhase { phase, from, confirm }| {
        let to = Some(from.as_str()).filter(|from| !from.is_empty());
        let (config, mut state) = (&contest.config, contest.state());
        Ok(move_phase_by(by, config, &mut state, (&phase, to), confirm)?)
    })
    .await
}

/// Whether what cannot be taken back is really wanted.
#[derive(Deserialize)]
struct Confirmation {
    #[serde(default)]
    confirm: bool,
}

/// Why what a form asks for is not done.
enum Undone {
    /// It wants to be confirmed: what would happen, and the field that confirms it.
    Unconfirmed(String, &'static str),
    Refused(Problem),
}

impl From<Problem> for Undone {
    fn from(problem: Problem) -> Undone {
        Undone::Refused(problem)
    }
}

impl From<HostError> for Undone {
    fn from(error: HostError) -> Undone {
        match error {
            HostError::Unconfirmed { what, option } => Undone::Unconfirmed(what, option),
            error => Undone::Refused(error.into()),
        }
    }
}

/// Does what the organiser's form asks for, and returns to their page; or asks whether they want
/// what it does, with the same form once more.
async fn change<T: for<'a> Deserialize<'a> + Send + 'static>(
    host: &Arc<Host>,
    request: Request,
    work: impl FnOnce(&Contest, &str, T) -> Result<(), Undone> + Send + 'static,
) -> Result<Response, Problem> {
    let who = organiser_of(host, request.headers()).await?;
    let to = request.uri().path().to_owned();
    let (wanted, fields) = form_and_fields::<T>(request).await?;
    finish(host, (&to, "/organiser"), fields, move |contest| work(contest, &who.name, wanted)).await
}

/// Does what a form that was sent to an address asks for, and then returns to a page.
async fn finish(
    host: &Arc<Host>,
    (to, next): (&str, &str),
    fields: Vec<(String, String)>,
    work: impl FnOnce(&Contest) -> Result<(), Undone> + Send + 'static,
) -> Result<Response, Problem> {
    let done = blocking(host, move |contest| match work(contest) {
        Ok(()) => Ok(None),
        Err(Undone::Unconfirmed(what, option)) => Ok(Some((what, option))),
        Err(Undone::Refused(problem)) => Err(problem),
    });
    Ok(match done.await.map_err(back)? {
        None => Redirect::to(next).into_response(),
        Some((what, option)) => {
            let page = pages::organiser::confirmation(to, &fields, &what, option);
            (StatusCode::CONFLICT, html(page)).into_response()
        }
    })
}

async fn undo_final(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Confirmation { confirm }| {
        let (config, store) = (&contest.config, contest.store());
        undo_final_by(by, config, &mut contest.state(), &store, confirm)?;
        Ok(contest.drop_undone_final()?)
    })
    .await
}

/// Whose programs are checked again: all versions, or only one.
#[derive(Deserialize)]
struct Rejudge {
    name: String,
    #[serde(default)]
    version: String,
    #[serde(default)]
    force: bool,
}

async fn rejudge(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Rejudge { name, version, force }| {
        let which = match version.trim() {
            "" => Rejudged::Participant(&name),
            number => {
                let number = number.parse().map_err(|_| {
                    refuse(format!(
                        "{number:?} is not a version number: leave it out for all versions"
                    ))
                })?;
                Rejudged::Version(&name, number)
            }
        };
        rejudge_by(by, &contest.config, &mut contest.state(), which, force)?;
        Ok(())
    })
    .await
}

#[derive(Deserialize)]
struct Ban {
    name: String,
    banned: bool,
}

async fn ban(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let Ban { name, banned } = form(request).await?;
    blocking(&host, move |contest| match contest.state().ban(&who.name, &name, banned)? {
        BanResult::Done | BanResult::Already => Ok(Redirect::to("/organiser")),
        BanResult::Nobody => {
            let shown = shortened(&name);
            Err(back(refuse(format!("there is no participant {shown:?} who can be banned"))))
        }
    })
    .await
}

/// Maximum size of a form with many participants and a message, in bytes.
const MAX_BULK: usize = 64 << 10;

/// Does something with all participants who are selected.
async fn do_in_bulk(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    // One field for each participant, all of one name.
    let fields: Vec<(String, String)> = form_within(request, MAX_BULK).await?;
    let sent = fields.clone();
    let work = move |contest: &Contest| {
        let field = |wanted: &str| {
            let found = fields.iter().find(|(name, _)| name == wanted);
            found.map_or("", |(_, value)| value.as_str())
        };
        let selected = fields.iter().filter(|(name, _)| name == "who");
        let numbers: Vec<i64> = selected.filter_map(|(_, value)| value.parse().ok()).collect();
        let is_set = |wanted: &str| field(wanted) == "true";
        let bulk = Bulk::read(field("action"), field("text"), (is_set(CONFIRM), is_set("force")))
            .ok_or_else(|| refuse("this is none of the actions on the page"))?;
        Ok(bulk.apply(&who.name, &contest.config, &mut contest.state(), &numbers)?)
    };
    finish(&host, ("/organiser/bulk", "/organiser#participants"), sent, work).await
}

async fn reset(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Confirmation { confirm }| {
        reset_by(by, &contest.config, &mut contest.state(), confirm)?;
        Ok(())
    })
    .await
}

/// Matches by their numbers, and why they do not count; without a reason they count again.
#[derive(Deserialize)]
struct Strike {
    matches: String,
    #[serde(default)]
    reason: String,
}

async fn strike(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Strike { matches, reason }| {
        let matches: Vec<String> = matches.split(',').map(str::to_owned).collect();
        let reason = Some(reason.trim()).filter(|reason| !reason.is_empty());
        strike_by(by, &mut contest.state(), &matches, reason)?;
        Ok(())
    })
    .await
}

/// Checks lessons that the organiser has chosen, and asks whether they are to be published.
async fn offer_lessons(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let (upload, _place) = read_upload(&host, &who, request).await.map_err(back)?;
    let _turn = host.uploads.unpack().await;
    let work = move |contest: &Contest| {
        let tree = upload.into_tree(lessons::upload_limits()).map_err(refuse)?;
        Ok(lessons::check_uploaded(contest, &tree)?)
    };
    let checked = blocking(&host, work).await.map_err(back)?;
    let count = checked.len();
    let draft = new_token().map_err(|error| back(error.into()))?;
    *lock(&host.lesson_draft) = Some((draft.clone(), checked));
    let what = format!(
        "this publishes {count} {} as a set: everybody sees them, and the check of programs tries \
         them",
        if count == 1 { "lesson" } else { "lessons" }
    );
    let fields = [("draft".to_owned(), draft)];
    let page = pages::organiser::confirmation(PUBLISH, &fields, &what, CONFIRM);
    Ok((StatusCode::CONFLICT, html(page)).into_response())
}

/// Where lessons that were chosen are published.
const PUBLISH: &str = "/organiser/publish-lessons";

/// Lessons that were chosen before, by the name of the draft.
#[derive(Deserialize)]
struct Draft {
    draft: String,
}

async fn publish_lessons(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let waiting = Arc::clone(&host);
    change(&host, request, move |contest, by, Draft { draft }| {
        let mut waiting = lock(&waiting.lesson_draft);
        let Some((_, lessons)) = waiting.take_if(|(name, _)| *name == draft) else {
            let text = "these lessons are not here any more: choose the files again";
            return Err(Undone::Refused(refuse(text)));
        };
        contest.state().publish_lessons(by, &lessons)?;
        Ok(())
    })
    .await
}

/// A published set that is to be withdrawn.
#[derive(Deserialize)]
struct Withdrawal {
    set: i64,
    #[serde(default)]
    confirm: bool,
}

async fn withdraw_lessons(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Withdrawal { set, confirm }| {
        if !confirm {
            let what = format!("nobody sees lesson set {set} any more, and it is deleted");
            return Err(Undone::Unconfirmed(what, CONFIRM));
        }
        Ok(lessons::withdraw_by(by, &mut contest.state(), set)?)
    })
    .await
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

async fn invite(State(host): Shared, request: Request) -> Result<Response, Problem> {
    organiser_of(&host, request.headers()).await?;
    let address = own_address(&host, request.headers());
    let Name { name } = form(request).await?;
    let invited = blocking(&host, move |contest| {
        Ok(invite_into(&mut contest.state(), &contest.config, &name)?)
    });
    let invited = NewTokens::One(invited.await.map_err(back)?);
    Ok(html(organiser_page(&host, Some((invited, address))).await?))
}

#[derive(Deserialize)]
struct Renaming {
    name: String,
    new: String,
}

async fn rename(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Renaming { name, new }| {
        Ok(rename_by(by, &contest.config, &mut contest.state(), &name, &new)?)
    })
    .await
}

#[derive(Deserialize)]
struct Removal {
    name: String,
    #[serde(default)]
    confirm: bool,
}

async fn remove(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Removal { name, confirm }| {
        Ok(remove_by(by, &mut contest.state(), &name, confirm)?)
    })
    .await
}

/// Who may hand in after the deadline, and until when, in the contest's time zone; without a time,
/// no longer than the others.
#[derive(Deserialize)]
struct Longer {
    name: String,
    #[serde(default)]
    until: String,
}

async fn extend(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Longer { name, until }| {
        let until = Some(until.as_str()).filter(|until| !until.is_empty());
        extend_by(by, &contest.config, &mut contest.state(), &name, until)?;
        Ok(())
    })
    .await
}

#[derive(Deserialize)]
struct Merging {
    name: String,
    into: String,
    #[serde(default)]
    confirm: bool,
}

async fn merge(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Merging { name, into, confirm }| {
        merge_by(by, &mut contest.state(), (&name, &into), confirm)?;
        Ok(())
    })
    .await
}

async fn undo_merge(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Name { name }| {
        undo_merge_by(by, &mut contest.state(), &name)?;
        Ok(())
    })
    .await
}

/// A version that is to be on the ladder.
#[derive(Deserialize)]
struct Activation {
    name: String,
    version: i64,
}

async fn activate(State(host): Shared, request: Request) -> Result<Response, Problem> {
    change(&host, request, |contest, by, Activation { name, version }| {
        activate_by(by, &mut contest.state(), &name, version)?;
        Ok(())
    })
    .await
}

/// Maximum size of a list of names in bytes: enough for a few thousand.
const MAX_LIST: usize = 256 << 10;

#[derive(Deserialize)]
struct ClassList {
    list: String,
    /// Whether teams change although no programs are accepted.
    #[serde(default)]
    force: bool,
}

async fn invite_class(State(host): Shared, request: Request) -> Result<Response, Problem> {
    organiser_of(&host, request.headers()).await?;
    let address = own_address(&host, request.headers());
    let sent = form_within(request, MAX_LIST).await?;
    invite_all(&host, sent, address).await
}

/// Invites those on a list that is uploaded as a file.
async fn invite_file(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let address = own_address(&host, request.headers());
    let (upload, _place) = read_upload(&host, &who, request).await.map_err(back)?;
    let bytes = upload.into_file().unwrap_or_default();
    if bytes.len() > MAX_LIST {
        let text = format!("a class list has at most {} kB", MAX_LIST >> 10);
        return Err(back(refuse(text)));
    }
    let list = String::from_utf8(bytes.to_vec()).map_err(|_| {
        let text = "the file is not in UTF-8: save it as UTF-8 (in a spreadsheet, “CSV UTF-8”)";
        back(refuse(text))
    })?;
    invite_all(&host, ClassList { list, force: false }, address).await
}

/// Invites those on a list, or asks first if it changes teams while no programs are accepted.
async fn invite_all(
    host: &Arc<Host>,
    sent: ClassList,
    address: String,
) -> Result<Response, Problem> {
    let ClassList { list, force } = sent;
    let fields = [("list".to_owned(), list.clone())];
    let invited = blocking(host, move |contest| {
        match invite_class_into(&mut contest.state(), &contest.config, &list, force) {
            Ok(class) => Ok(Ok(class)),
            Err(HostError::Unconfirmed { what, option }) => Ok(Err((what, option))),
            Err(error) => Err(error.into()),
        }
    });
    match invited.await.map_err(back)? {
        Ok(class) => {
            let invited = NewTokens::Class(class);
            Ok(html(organiser_page(host, Some((invited, address))).await?))
        }
        Err((what, option)) => {
            let to = "/organiser/invite-class";
            let page = pages::organiser::confirmation(to, &fields, &what, option);
            Ok((StatusCode::CONFLICT, html(page)).into_response())
        }
    }
}

/// Finds a participant by number.
fn find_by_id(contest: &Contest, id: i64) -> Result<Participant, Problem> {
    let all = contest.look().participants()?;
    let found = all.into_iter().find(|who| who.id == id && !who.is_house);
    let missing =
        || Problem::new(StatusCode::NOT_FOUND, "there is no participant with that number");
    found.ok_or_else(|| back(missing()))
}

async fn programs(
    State(host): Shared,
    Path(id): Path<i64>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let page = blocking(&host, move |contest| {
        let whose = find_by_id(contest, id)?;
        let versions = contest.look().versions_of(id)?;
        Ok(pages::programs::page_of(&contest.config.zone, &whose, &versions))
    });
    Ok(html(page.await?))
}

/// A version of a participant.
#[derive(Deserialize)]
struct ProgramChoice {
    participant: i64,
    version: i64,
}

/// Downloads what a participant handed in, unchanged.
async fn download_program(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let ProgramChoice { participant, version } = form(request).await?;
    let _turn = host.uploads.unpack().await;
    let packed = blocking(&host, move |contest| {
        let whose = find_by_id(contest, participant)?;
        let versions = contest.look().versions_of(participant)?;
        let found = versions.into_iter().find(|known| known.number == version);
        let missing = || Problem::new(StatusCode::NOT_FOUND, "there is no such version");
        let found = found.ok_or_else(|| back(missing()))?;
        let tree = program::read_kept(&contest.folder, &found.digest).map_err(refuse)?;
        let zip = tree.zip().map_err(refuse)?;
        let what = format!("downloaded version {version} of {}", whose.name);
        contest.state().log_action(&who.name, &what)?;
        Ok((format!("{}-{version}.zip", whose.name), zip))
    });
    let (name, zip) = packed.await?;
    Ok(file("application/zip", &name, zip.into()))
}

/// Returns the name of a download: the contest, its kind, and the day.
fn download_name(contest: &Contest, what: &str, ending: &str) -> String {
    let day = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    format!("{}-{what}-{}.{ending}", plain_name(&contest.config.name), &day[..10])
}

/// The columns of the grades, separated by commas; if empty, the usual ones.
#[derive(Deserialize)]
struct Columns {
    #[serde(default)]
    columns: String,
}

async fn export_grades(
    State(host): Shared,
    Query(Columns { columns }): Query<Columns>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let table = blocking(&host, move |contest| {
        let named = columns.split(',').map(str::trim).filter(|column| !column.is_empty());
        let named: Vec<String> = named.map(str::to_owned).collect();
        Ok(grades::of(contest, &named)?)
    });
    let table = table.await.map_err(back)?;
    let name = download_name(&host.contest, "grades", "csv");
    Ok(file("text/csv; charset=utf-8", &name, table.into()))
}

/// Shows the points as they are now, beside those that are published.
async fn preview_points(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let page = blocking(&host, move |contest| {
        let points = PointsTable::of(contest)?;
        let published = Published::read(&contest.look())?;
        let merged = describe_merged(&contest.look())?;
        let zone = &contest.config.zone;
        Ok(pages::points::page_of(zone, &points, published.as_ref(), merged.as_deref()))
    });
    Ok(html(page.await.map_err(back)?))
}

async fn publish_points(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let to = request.uri().path().to_owned();
    let (Confirmation { confirm }, fields) = form_and_fields(request).await?;
    finish(&host, (&to, &to), fields, move |contest| {
        Ok(PointsTable::of(contest)?.publish(&mut contest.state(), &who.name, confirm)?)
    })
    .await
}

/// For which platform points are written.
#[derive(Deserialize)]
struct PointsFor {
    #[serde(default)]
    format: String,
}

async fn export_points(
    State(host): Shared,
    Query(PointsFor { format }): Query<PointsFor>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let (kind, what) = match format.as_str() {
        "moodle" => (PointsFormat::Moodle, "points-for-moodle"),
        "canvas" => (PointsFormat::Canvas, "points-for-canvas"),
        _ => (PointsFormat::People, "points"),
    };
    let text = blocking(&host, move |contest| {
        Ok(write_points(&PointsTable::of(contest)?, &contest.config.name, kind)?)
    });
    let name = download_name(&host.contest, what, "csv");
    Ok(file("text/csv; charset=utf-8", &name, text.await.map_err(back)?.into()))
}

fn all_kits(host: &Host) -> Vec<Kit> {
    host.kits.iter().map(|(kit, _)| kit.clone()).collect()
}

/// Lists the programs that are alike.
async fn list_similar(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let kits = all_kits(&host);
    let page = blocking(&host, move |contest| {
        Ok(pages::similarity::list(&similarity::find(contest, &kits)?))
    });
    Ok(html(page.await?))
}

/// Shows the code of two versions side by side.
async fn compare(
    State(host): Shared,
    Path((first, second)): Path<(i64, i64)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    let kits = all_kits(&host);
    let page = blocking(&host, move |contest| {
        let missing = || Problem::new(StatusCode::NOT_FOUND, "there is no such version");
        let find = |id| contest.look().version(id)?.ok_or_else(missing);
        let (first, second): (Version, Version) = (find(first)?, find(second)?);
        let files = similarity::side_by_side(contest, &kits, [&first, &second]);
        Ok(pages::similarity::side_by_side([&first, &second], &files))
    });
    Ok(html(page.await.map_err(back)?))
}

/// How many pages of matches the site has.
#[derive(Deserialize)]
struct SiteOptions {
    matches: u32,
}

/// Maximum number of pages of matches for each version; the command allows more.
const MAX_MATCHES: u32 = 50;

async fn download_site(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    let SiteOptions { matches } = form(request).await?;
    if matches > MAX_MATCHES {
        let text = format!("a site has pages for at most {MAX_MATCHES} matches of each version");
        return Err(back(refuse(text)));
    }
    send_download(&host, who, Download::Site { matches }).await
}

async fn download_anonymous(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    send_download(&host, who, Download::Anonymous).await
}

async fn download_letters(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    send_download(&host, who, Download::Letters).await
}

async fn download_backup(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = organiser_of(&host, request.headers()).await?;
    send_download(&host, who, Download::Backup).await
}

/// Makes a download and sends it piece by piece.
async fn send_download(
    host: &Arc<Host>,
    who: Participant,
    what: Download,
) -> Result<Response, Problem> {
    let place = Arc::clone(&host.downloads).try_acquire_owned().map_err(|_| {
        let text = "something is being downloaded already; try again when that is done";
        back(Problem::new(StatusCode::SERVICE_UNAVAILABLE, text))
    })?;
    // The place stays reserved until the download is made, even if nobody waits for it any more.
    let packed = blocking(host, move |contest| {
        let packed = download::make(contest, what)?;
        contest.state().log_action(&who.name, what.words())?;
        Ok((packed, place))
    });
    let (packed, place) = packed.await.map_err(back)?;
    let length = packed.metadata().map_err(|error| back(refuse(error)))?.len();
    let name = download_name(&host.contest, what.name(), "zip");
    let mut answer = file("application/zip", &name, stream(packed, place));
    answer.headers_mut().insert(CONTENT_LENGTH, length.into());
    Ok(answer)
}

/// Returns a response that a browser saves as a file.
fn file(kind: &str, name: &str, body: Body) -> Response {
    let kept = format!("attachment; filename=\"{name}\"");
    let head =
        [(CONTENT_TYPE, kind), (CONTENT_DISPOSITION, kept.as_str()), (CACHE_CONTROL, "no-store")];
    (head, body).into_response()
}

/// Size of a piece in bytes, and number of pieces that wait to be sent.
const PIECE: usize = 64 << 10;
const PIECES: usize = 4;

/// Returns a file as the body of a response. Its thread waits for the client; if the client takes
/// nothing for too long, the connection breaks and ends the thread.
fn stream(mut file: File, place: OwnedSemaphorePermit) -> Body {
    let (sender, receiver) = tokio::sync::mpsc::channel::<io::Result<Bytes>>(PIECES);
    tokio::task::spawn_blocking(move || {
        // Reserved until all is sent, or nobody takes it any more.
        let _place = place;
        let mut piece = vec![0; PIECE];
        loop {
            let read = match file.read(&mut piece) {
                Ok(0) => return,
                Ok(count) => Ok(Bytes::copy_from_slice(&piece[..count])),
                Err(error) => Err(error),
            };
            // A response that has begun can only be aborted.
            let is_last = read.is_err();
            if sender.blocking_send(read).is_err() || is_last {
                return;
            }
        }
    });
    let pieces = futures_util::stream::unfold(receiver, async |mut receiver| {
        let piece = receiver.recv().await?;
        Some((piece, receiver))
    });
    Body::from_stream(pieces)
}
