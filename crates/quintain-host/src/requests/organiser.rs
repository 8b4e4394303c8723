//! What the organiser asks for.

use super::*;
use crate::admin::{choose_phase_by, phases_of};
use crate::contest::NewToken;
use crate::grades;
use crate::pages::organiser::OrganiserView;
use crate::state::BanResult;

/// What was done, as far as it is shown.
const SHOWN: u32 = 100;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new()
        .route("/organiser", get(organiser))
        .route("/organiser/pause", post(pause))
        .route("/organiser/phase", post(phase))
        .route("/organiser/rejudge", post(rejudge))
        .route("/organiser/ban", post(ban))
        .route("/organiser/invite", post(invite))
        .route("/organiser/grades.csv", get(export_grades))
}

async fn organiser(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    let who = for_organiser(require_visitor(&host, &headers).await?)?;
    Ok(html(organiser_page(&host, who, None).await?))
}

/// The organiser's page, with somebody's new token if there is one: it is shown once.
async fn organiser_page(
    host: &Arc<Host>,
    who: Participant,
    invited: Option<NewToken>,
) -> Result<Markup, Problem> {
    blocking(host, move |contest| {
        let state = contest.look();
        let (participants, audit) = (state.participants()?, state.audit(SHOWN)?);
        let (is_paused, phases) = (state.is_paused()?, phases_of(&contest.config, &state)?);
        drop(state);
        let shown = OrganiserView {
            participants: &participants,
            audit: &audit,
            is_paused,
            phases: &phases,
            invited: invited.as_ref(),
        };
        Ok(pages::organiser::organiser(&contest.config, &who, &shown))
    })
    .await
}

/// A problem with a link back to the organiser's page.
fn back(problem: Problem) -> Problem {
    problem.leading_to("/organiser", "the organiser's page")
}

#[derive(Deserialize)]
struct Pause {
    paused: bool,
}

async fn pause(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = for_organiser(actor(&host, request.headers()).await?)?;
    let Pause { paused } = form(request).await?;
    blocking(&host, move |contest| Ok(contest.state().pause(&who.name, paused)?)).await?;
    Ok(Redirect::to("/organiser"))
}

/// A phase, or none for what the times say.
#[derive(Deserialize)]
struct ChosenPhase {
    #[serde(default)]
    phase: String,
}

async fn phase(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = for_organiser(actor(&host, request.headers()).await?)?;
    let ChosenPhase { phase } = form(request).await?;
    let work = move |contest: &Contest| {
        let chosen = Some(phase.as_str()).filter(|phase| !phase.is_empty());
        choose_phase_by(&who.name, &contest.config, &mut contest.state(), chosen)?;
        Ok(Redirect::to("/organiser"))
    };
    blocking(&host, work).await.map_err(back)
}

async fn rejudge(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = for_organiser(actor(&host, request.headers()).await?)?;
    let Name { name } = form(request).await?;
    blocking(&host, move |contest| match contest.state().rejudge(&who.name, &name, None)? {
        0 => Err(back(refuse(format!("{name:?} has no version that was checked")))),
        _ => Ok(Redirect::to("/organiser")),
    })
    .await
}

#[derive(Deserialize)]
struct Ban {
    name: String,
    banned: bool,
}

async fn ban(State(host): Shared, request: Request) -> Result<Redirect, Problem> {
    let who = for_organiser(actor(&host, request.headers()).await?)?;
    let Ban { name, banned } = form(request).await?;
    blocking(&host, move |contest| match contest.state().ban(&who.name, &name, banned)? {
        BanResult::Done | BanResult::Already => Ok(Redirect::to("/organiser")),
        BanResult::Nobody => {
            Err(back(refuse(format!("there is no participant {name:?} who can be banned"))))
        }
    })
    .await
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

async fn invite(State(host): Shared, request: Request) -> Result<Response, Problem> {
    let who = for_organiser(actor(&host, request.headers()).await?)?;
    let Name { name } = form(request).await?;
    let invited = blocking(&host, move |contest| {
        Ok(invite_into(&mut contest.state(), &contest.config, &name)?)
    });
    let invited = invited.await.map_err(back)?;
    Ok(html(organiser_page(&host, who, Some(invited)).await?))
}

async fn export_grades(State(host): Shared, headers: HeaderMap) -> Result<Response, Problem> {
    for_organiser(require_visitor(&host, &headers).await?)?;
    let table = blocking(&host, |contest| Ok(grades::of(contest, &[])?));
    let kind = [
        (CONTENT_TYPE, "text/csv; charset=utf-8"),
        (CONTENT_DISPOSITION, "attachment; filename=\"grades.csv\""),
        (CACHE_CONTROL, "no-store"),
    ];
    Ok((kind, table.await?).into_response())
}
