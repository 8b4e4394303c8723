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

use super::access::{Host, Shared, blocking};
use crate::admin::size_of_databases;
use crate::contest::Contest;
use crate::error::HostError;

pub(super) fn routes() -> Router<Arc<Host>> {
    Router::new().route("/health", get(health)).route("/metrics", get(metrics))
}

/// Answers 200 if the contest goes on, and 503 if something keeps it from that.
async fn health(State(host): Shared) -> Result<Response, Problem> {
    let state = blocking(&host, |contest| {
        contest.look().is_paused()?;
        Ok(match contest.troubles.current() {
            None => (StatusCode::OK, serde_json::json!({ "status": "ok" })),
            Some(trouble) => (
                StatusCode::SERVICE_UNAVAILABLE,
                // What it is, with names of files, is the organiser's affair.
                serde_json::json!({
                    "status": "trouble", "since": trouble.since, "count": trouble.count
                }),
            ),
        })
    });
    let (status, body) = state.await?;
    Ok((status, Json(body)).into_response())
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
        let state = contest.look();
        let participants = state.participants()?;
        let count = participants.iter().filter(|who| !who.is_house && !who.is_organiser).count();
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
        ("versions", "gauge", "Versions handed in, by what became of them."),
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
