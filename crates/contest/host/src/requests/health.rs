//! Whether the host is well, and figures about it, for programs that watch over it. Both are
//! public: they name nobody, and say nothing that pages do not.

use std::fmt::{Display, Write};
use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use quintain_web::Problem;
use serde_json::json;

use super::access::{Host, Shared, blocking};
use crate::admin::size_of_databases;
use crate::contest::Contest;
use crate::error::HostError;
use crate::finals::Finals;
use crate::lock::lock;
use crate::state::time_of;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new().route("/health", get(health)).route("/metrics", get(metrics))
}

/// Answers 200 if the contest goes on, and 503 if something keeps it from that.
async fn health(State(host): Shared) -> Result<Response, Problem> {
    let state = blocking(&host, |contest| {
        let last = contest.read_state().last_match_at()?.map(time_of);
        let last = last.map(|at| humantime::format_rfc3339_seconds(at).to_string());
        let mut body = json!({
            "status": "ok",
            "contest": activity(contest)?.word(),
            "last_match": last,
            "version": env!("CARGO_PKG_VERSION"),
        });
        let Some(trouble) = contest.troubles.current() else { return Ok((StatusCode::OK, body)) };
        body["status"] = "trouble".into();
        // What it is, with names of files, is the organiser's affair.
        body["reason"] = trouble.kind.words().into();
        body["since"] = trouble.since.into();
        body["count"] = trouble.count.into();
        Ok((StatusCode::SERVICE_UNAVAILABLE, body))
    });
    let (status, body) = state.await?;
    Ok((status, Json(body)).into_response())
}

/// What a contest is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Activity {
    /// The organiser has paused the matches.
    Paused,
    PlaysFinal,
    /// The final has begun and is not over, and the phase is another.
    FinalStopped,
    PlaysLadder,
    /// No match is to be played now.
    Rests,
}

impl Activity {
    fn word(self) -> &'static str {
        match self {
            Activity::Paused => "paused",
            Activity::PlaysFinal => "final",
            Activity::FinalStopped => "final stopped",
            Activity::PlaysLadder => "ladder",
            Activity::Rests => "rests",
        }
    }
}

fn activity(contest: &Contest) -> Result<Activity, HostError> {
    let phase = contest.phase()?;
    let (is_paused, active) = {
        let state = contest.read_state();
        (state.is_paused()?, state.playing()?)
    };
    let is_over = lock(&contest.finals).as_ref().map(Finals::is_published);
    let is_final = phase.rounds.is_some();
    Ok(match is_over {
        _ if is_paused => Activity::Paused,
        Some(false) if is_final => Activity::PlaysFinal,
        Some(false) => Activity::FinalStopped,
        _ if is_final || !phase.has_ladder() => Activity::Rests,
        _ => {
            let mut ladder = lock(&contest.ladder);
            let rungs = ladder.recent_standings(&active);
            let has_all = rungs.iter().all(|rung| rung.matches >= contest.config.matches);
            match ladder.count_under_way() == 0 && has_all {
                true => Activity::Rests,
                false => Activity::PlaysLadder,
            }
        }
    })
}

/// Returns figures in the text format of Prometheus.
async fn metrics(State(host): Shared) -> Result<Response, Problem> {
    let text = blocking(&host, |contest| Ok(figures(contest)?)).await?;
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

/// A text of figures, in the format of Prometheus.
#[derive(Default)]
struct Figures(String);

impl Figures {
    /// Adds a figure with its help and kind, and a value for each label.
    fn add<'a, V: Display>(
        &mut self,
        (name, kind, help): (&str, &str, &str),
        values: impl IntoIterator<Item = (&'a str, V)>,
    ) {
        let _ = writeln!(
            self.0,
            "# HELP quintain_host_{name} {help}\n# TYPE quintain_host_{name} {kind}"
        );
        for (labels, value) in values {
            let _ = writeln!(self.0, "quintain_host_{name}{labels} {value}");
        }
    }
}

fn figures(contest: &Contest) -> Result<String, HostError> {
    let (matches, versions, participants, is_paused) = {
        let state = contest.read_state();
        let participants = state.participants()?;
        let count = participants.iter().filter(|who| who.is_graded()).count();
        (state.count_matches()?, state.count_by_stage()?, count, state.is_paused()?)
    };
    let mut figures = Figures::default();
    figures.add(
        ("matches_total", "counter", "Matches played."),
        [
            ("{kind=\"ladder\"}", matches.ladder),
            ("{kind=\"final\"}", matches.finals),
            ("{kind=\"challenge\"}", matches.challenges),
        ],
    );
    figures.add(("matches_under_way", "gauge", "Matches being played."), [("", matches.under_way)]);
    figures.add(
        ("versions", "gauge", "Submitted versions, by stage."),
        [
            ("{stage=\"waiting\"}", versions.waiting),
            ("{stage=\"on_ladder\"}", versions.on_ladder),
            ("{stage=\"passed\"}", versions.passed),
            ("{stage=\"refused\"}", versions.refused),
        ],
    );
    figures.add(("participants", "gauge", "Invited participants."), [("", participants)]);
    figures.add(
        ("paused", "gauge", "Whether the organiser has paused the matches."),
        [("", u8::from(is_paused))],
    );
    let (database, records) = size_of_databases(&contest.folder);
    figures.add(
        ("disk_bytes", "gauge", "Size of the databases."),
        [("{file=\"database\"}", database), ("{file=\"records\"}", records)],
    );
    let trouble = contest.troubles.current().map_or(0, |trouble| trouble.count);
    figures.add(
        ("trouble", "gauge", "How often what keeps the contest from going on has occurred."),
        [("", trouble)],
    );
    let counts: Vec<(String, u64)> = contest
        .events
        .counts()
        .into_iter()
        .map(|((event, result), count)| {
            (format!("{{event=\"{event}\",result=\"{result}\"}}"), count)
        })
        .collect();
    figures.add(
        ("events_total", "counter", "Lines of the event log since the host started."),
        counts.iter().map(|(labels, count)| (labels.as_str(), count)),
    );
    Ok(figures.0)
}
