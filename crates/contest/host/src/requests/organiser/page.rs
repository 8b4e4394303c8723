//! The organiser's page.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use quintain_web::Problem;
use quintain_web::pages::Page;

use crate::admin::{phases_of, users_of};
use crate::lock::lock;
use crate::pages::organiser::{FinalBegun, NewTokens, OrganiserView};
use crate::requests::access::{Host, Shared, blocking, html, require_organiser, require_visitor};
use crate::{export, pages};

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new().route("/organiser", get(organiser))
}

/// Number of audit entries shown.
const AUDIT_SHOWN: u32 = 100;

pub(super) async fn organiser(
    State(host): Shared,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    require_organiser(require_visitor(&host, &headers).await?)?;
    Ok(html(organiser_page(&host, None).await?))
}

/// The organiser's page, with new tokens if there are any, which are shown only once.
pub(super) async fn organiser_page(
    host: &Arc<Host>,
    invited: Option<(NewTokens, String)>,
) -> Result<Page, Problem> {
    blocking(host, move |contest| {
        let state = contest.read_state();
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
