//! The organiser's page: the participants, what was done, and what can be done by a click.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html};
use quintain_web::pages::{Page, name};

use super::{moment, page, sentence};
use crate::admin::{MatchCounts, PhaseState, User, VersionCounts};
use crate::config::Config;
use crate::grades::list_columns;
use crate::invitation::{InvitedClass, sign_in_link};
use crate::state::time_of;
use crate::token::NewToken;
use crate::trouble::Trouble;

/// The content of the organiser's page.
pub(crate) struct OrganiserView<'a> {
    pub(crate) users: &'a [User],
    /// Time, name and action, the latest first.
    pub(crate) audit: &'a [(i64, String, String)],
    pub(crate) is_paused: bool,
    pub(crate) phases: &'a [PhaseState],
    pub(crate) final_begun: Option<FinalBegun>,
    /// Why sites have no page on which visitors verify a final, if that is so.
    pub(crate) not_verified: Option<String>,
    /// Whether host.toml has a formula for points.
    pub(crate) has_formula: bool,
    pub(crate) versions: VersionCounts,
    pub(crate) matches: MatchCounts,
    /// The numbers of the published sets of lessons.
    pub(crate) lesson_sets: &'a [i64],
    /// Whether everybody plays alone.
    pub(crate) is_solo: bool,
    /// What keeps the contest from going on.
    pub(crate) trouble: Option<Trouble>,
    /// New tokens, which are shown once, and the address of the contest.
    pub(crate) invited: Option<(&'a NewTokens, &'a str)>,
}

/// A final that has begun.
#[derive(Clone, Copy)]
pub(crate) struct FinalBegun {
    pub(crate) programs: usize,
    pub(crate) played: usize,
    pub(crate) planned: usize,
    /// Whether its result is published.
    pub(crate) is_over: bool,
}

/// Those who have just been invited.
pub(crate) enum NewTokens {
    /// One participant.
    One(Box<NewToken>),
    /// Everybody on a list.
    Class(InvitedClass),
}

/// Renders the page.
pub(crate) fn organiser(config: &Config, shown: &OrganiserView<'_>) -> Page {
    let has_teams = shown.users.iter().any(|who| who.is_team);
    let body = html! {
        main {
            h1 { "Organiser of " (name(&config.name)) }
            @match shown.invited {
                Some((NewTokens::One(invited), at)) => { (token(invited, at)) }
                Some((NewTokens::Class(invited), at)) => { (class(invited, at)) }
                None => {}
            }
            @if let Some(Trouble { what, since, count, .. }) = &shown.trouble {
                p class="fault" id="trouble" {
                    (quintain_scene::clean(what)) ", " (count) " times since "
                    (moment(&config.zone, time_of(*since)))
                }
            }
            p class="note" id="status" { (counts(shown)) }
            form method="post" action="/organiser/pause" {
                input type="hidden" name="paused" value=(!shown.is_paused);
                button { (if shown.is_paused { "Resume" } else { "Pause" }) " the matches" }
            }
            (audit(config, shown.audit))
            (phases(config, shown))
            h2 { "Participants" }
            (invitations())
            (bulk())
            div class="wide" {
                table class="list compact sortable searched selectable" id="participants" {
                    thead { tr {
                        th { span class="hidden" { "selected" } }
                        th { "name" }
                        @if has_teams { th { "team" } }
                        th { "state" } th { "submitted" } th { "actions" }
                    } }
                    tbody { @for who in shown.users { (one(config, who, has_teams)) } }
                }
            }
            p {
                a href="/organiser/similarity" { "Programs that are alike" } " · "
                a href="/show" { "A page for the projector" }
            }
            (languages(config))
            (ladder())
            (lessons(shown.lesson_sets))
            (downloads(&list_columns(shown.is_solo), shown.not_verified.as_deref()))
        }
    };
    page("Organiser", &[], body)
}

/// Renders the question whether the organiser wants what a form does; the answer is the same form
/// with one more field, to the address that it was sent to.
pub(crate) fn confirmation(
    to: &str,
    fields: &[(String, String)],
    what: &str,
    option: &str,
) -> Page {
    // Below whatever path the contest is.
    let to = to.find("/organiser").map_or(to, |at| &to[at..]);
    let body = html! {
        main {
            h1 { "Do this?" }
            p id="what-happens" { (quintain_scene::clean(&sentence(what))) "." }
            form method="post" action=(to) {
                @for (field, value) in fields.iter().filter(|(field, _)| field != option) {
                    input type="hidden" name=(field) value=(value);
                }
                input type="hidden" name=(option) value="true";
                button { "Do it" }
            }
            p { a href="/organiser" { "No: back to the organiser's page" } }
        }
    };
    page("Do this?", &[], body)
}

/// How many of the latest actions are shown at once.
const LATEST_ACTIONS: usize = 5;

/// Renders what was done last, and all of it folded.
fn audit(config: &Config, actions: &[(i64, String, String)]) -> Markup {
    let lines = |actions: &[(i64, String, String)]| {
        html! {
            @for (at, who, what) in actions {
                (moment(&config.zone, time_of(*at))) "  "
                (quintain_scene::clean(who)) ": " (quintain_scene::clean(what)) "\n"
            }
        }
    };
    let (latest, earlier) = actions.split_at(actions.len().min(LATEST_ACTIONS));
    html! {
        h2 { "What was done last" }
        pre class="lines" id="audit" { (lines(latest)) }
        @if !earlier.is_empty() {
            details { summary { "Earlier" } pre class="lines" { (lines(earlier)) } }
        }
    }
}

/// Says which languages this host builds from source, and why it does not build the others.
fn languages(config: &Config) -> Markup {
    let (others, built): (Vec<_>, Vec<_>) =
        config.build.list().into_iter().partition(|known| known.why_not.is_some());
    let built: Vec<&str> = built.iter().map(|known| known.name).collect();
    let others = others
        .into_iter()
        .filter_map(|known| known.why_not.map(|why_not| format!("{} ({why_not})", known.name)));
    let others: Vec<String> = others.collect();
    html! {
        p class="note" id="languages" {
            @if built.is_empty() { "No language is built from source here." }
            @else { "Built from source here: " (name(&built.join(", "))) "." }
            @if !others.is_empty() { " Not built: " (name(&others.join("; "))) "." }
        }
    }
}

/// Renders the forms that strike matches out and reset the ladder.
fn ladder() -> Markup {
    html! {
        h2 { "The ladder" }
        form method="post" action="/organiser/strike" class="search" {
            label for="matches-struck" { "Strike out the matches" }
            input id="matches-struck" name="matches" required placeholder="such as 12, 15-20";
            label for="reason" { "because" }
            input id="reason" name="reason" maxlength="200"
                placeholder="the reason";
            button { "Strike out" }
        }
        p class="note" { "Without a reason, they count again." }
        form method="post" action="/organiser/reset" {
            button { "Reset the ladder …" }
            " " span class="note" { "Nothing played so far counts for it any more." }
        }
    }
}

/// Renders the forms that publish lessons and withdraw sets.
fn lessons(sets: &[i64]) -> Markup {
    let to = "/organiser/lessons";
    html! {
        h2 id="lessons" { "Lessons" }
        form method="post" action=(to) enctype="multipart/form-data" class="search" {
            label for="lesson-file" { "Publish a set of lessons: a zip, or one file" }
            input id="lesson-file" name="file" type="file" accept=".zip,.json" required;
            button { "Publish …" }
        }
        form method="post" action=(to) enctype="multipart/form-data" class="search" {
            label for="lesson-folder" { "or a folder" }
            input id="lesson-folder" name="folder" type="file" webkitdirectory multiple required;
            button { "Publish the folder …" }
        }
        p class="note" { "Each is checked first, and says nothing about who played." }
        @for set in sets {
            form method="post" action="/organiser/withdraw-lessons" {
                input type="hidden" name="set" value=(set);
                a href={ "/lessons/" (set) } { "Set " (set) } " "
                button { "Withdraw …" }
            }
        }
    }
}

/// Renders the forms that invite one participant or a class.
fn invitations() -> Markup {
    html! {
        form method="post" action="/organiser/invite" class="search" {
            label for="name" { "Invite, or replace a token" }
            input id="name" name="name" required maxlength="60" placeholder="such as Ada Lovelace";
            button { "Invite" }
        }
        p class="note" {
            "Letters of any script, digits, spaces. Records and tables show a plain form of \
             it. A participant who is invited already gets a new token, and the old one \
             becomes invalid."
        }
        details id="class" {
            summary { "Invite a class" }
            form method="post" action="/organiser/invite-file" enctype="multipart/form-data"
                class="search"
            {
                label for="list-file" { "The file as your platform exports it" }
                input id="list-file" name="file" type="file" accept=".csv,.txt,.tsv,text/csv"
                    required;
                button { "Invite the class" }
            }
            form method="post" action="/organiser/invite-class" {
                p {
                    label for="list" {
                        "or as text: one name per line; Moodle’s list of participants, Canvas’ \
                         gradebook, or a spreadsheet (CSV) with a column " code { "name" }
                    }
                }
                textarea id="list" name="list" rows="8" required {}
                button { "Invite all of them" }
            }
            p class="note" {
                "Numbers and e-mail addresses in it are kept for you. People who are invited \
                 already keep their tokens. If a line cannot be a name, it is reported, and \
                 nobody is invited."
            }
        }
    }
}

/// Renders the form that does something with all participants who are selected in the table.
fn bulk() -> Markup {
    html! {
        form method="post" action="/organiser/bulk" class="search" id="bulk" {
            label for="action" { "With those selected below" }
            select id="action" name="action" {
                option value="message" { "write to them" }
                option value="withdraw" { "take off the ladder" }
                option value="rejudge" { "check again" }
                option value="join" { "put into the team" }
                option value="leave" { "take out of their teams" }
                option value="ban" { "ban" }
                option value="lift" { "let in again" }
            }
            label for="text" { "message, or name of the team" }
            input id="text" name="text" maxlength="2000";
            button { "Do it" }
        }
        p class="note" {
            "Messages appear on their pages. A team stands on the ladder with one program, which \
             all of its members submit; what members had there themselves leaves it."
        }
    }
}

/// Renders the phases, what goes on now, and a form that chooses a phase whatever the time.
fn phases(config: &Config, shown: &OrganiserView<'_>) -> Markup {
    let phases = shown.phases;
    let is_chosen = phases.iter().any(|phase| phase.is_chosen);
    let of_final = phases.iter().position(|phase| phase.rounds.is_some());
    // Once the final has begun, what comes before it is past.
    let is_past =
        |at: usize| shown.final_begun.is_some() && of_final.is_some_and(|last| at <= last);
    let is_over = shown.final_begun.is_some_and(|begun| begun.is_over);
    let others_begin = phases.iter().enumerate().any(|(at, phase)| {
        at > 0 && phase.from.is_some() && !phase.is_now && !(is_past(at) && is_over)
    });
    html! {
        h2 { "Phases" }
        ul id="phases" {
            @for (at, phase) in phases.iter().enumerate() {
                li {
                    (name(&phase.name))
                    @if let Some(from) = phase.from { ", from " (moment(&config.zone, from)) }
                    @if phase.begins_by_hand { ", when you choose it" }
                    @if phase.is_now { ", " strong { "now" } }
                    @if phase.is_chosen { " (chosen, whatever the time)" }
                    @if phase.is_moved { ", moved" }
                    @if at > 0 && !is_past(at) { (move_phase(config, phase)) }
                }
            }
        }
        (explain_phase(config, shown))
        form method="post" action="/organiser/phase" class="search" {
            label for="phase" { "From now on" }
            select id="phase" name="phase" {
                option value="" selected[!is_chosen] { "by the times" }
                @for phase in phases {
                    option value=(phase.name) selected[phase.is_chosen] { (name(&phase.name)) }
                }
            }
            button { "Set the phase" }
        }
        @if is_chosen && others_begin {
            p class="fault" id="chosen" {
                "You have chosen a phase, so no other phase begins by itself until you choose “by \
                 the times”."
            }
        }
    }
}

/// Says what goes on in the contest now, and what the organiser can do next.
fn explain_phase(config: &Config, shown: &OrganiserView<'_>) -> Markup {
    let Some(now) = shown.phases.iter().find(|phase| phase.is_now) else { return html! {} };
    let last = shown.phases.iter().find(|phase| phase.rounds.is_some());
    html! {
        @if let Some(begun) = shown.final_begun {
            p class="note" id="final-begun" { (in_final(begun, now, last, shown.has_formula)) }
            @if !begun.is_over {
                form method="post" action="/organiser/undo-final" id="undo-final" {
                    button { "Undo the final …" }
                }
            }
        } @else {
            p class="note" id="now" {
                @if now.rounds.is_some() { (before_final(shown)) }
                @else {
                    @if now.takes_programs { "Programs are accepted" }
                    @else { "No programs are accepted" }
                    @if now.has_ladder { ", and the ladder is played. " }
                    @else { ", and no matches are played. " }
                    @match last {
                        None => {
                            "No final is planned, so the ladder’s standings count; a final is a \
                             phase in host.toml."
                        }
                        Some(PhaseState { name: last, from: Some(at), .. })
                            if !shown.phases.iter().any(|phase| phase.is_chosen) =>
                        {
                            "The final, “" (name(last)) "”, begins at "
                            (moment(&config.zone, *at)) "."
                        }
                        Some(PhaseState { name: last, .. }) => {
                            "The final begins when you set the phase “" (name(last)) "”."
                        }
                    }
                }
            }
        }
    }
}

/// Says why a final whose phase it is has not begun.
fn before_final(shown: &OrganiserView<'_>) -> Markup {
    html! {
        @if shown.is_paused { "The final begins when the matches are resumed." }
        @else if shown.versions.waiting > 0 {
            "The final begins when all that was submitted is checked: " (shown.versions.waiting)
            " to go."
        } @else if shown.versions.on_ladder == 0 {
            "The final waits for a participant’s program on the ladder: set a phase in which \
             programs are accepted."
        } @else { "The final begins in a moment." }
    }
}

/// Says how far the final is, and what the organiser can do.
fn in_final(
    begun: FinalBegun,
    now: &PhaseState,
    last: Option<&PhaseState>,
    has_formula: bool,
) -> Markup {
    let FinalBegun { programs, played, planned, is_over } = begun;
    html! {
        @if is_over {
            "The final is over. Its result, of " (programs) " programs, is published and stays. \
             Next: " a href="#downloads" { "grades, letters and the site" }
            @if has_formula { ", and the " a href="/organiser/points" { "points" } }
            "."
            @if now.takes_programs {
                " Programs submitted now climb the ladder, which counts for nothing any more."
            }
        } @else if now.rounds.is_some() {
            "The final is played by " (programs) " programs: " (played) " of " (planned)
            " matches. Programs submitted now do not play in it. Until its last match is played, \
             it can be undone."
        } @else {
            "The final has stopped at " (played) " of " (planned) " matches, since the phase is “"
            (name(&now.name)) "”. "
            @if let Some(last) = last {
                "It goes on when you set the phase “" (name(&last.name)) "”."
            }
        }
    }
}

/// Renders the form that moves the begin of a phase.
fn move_phase(config: &Config, phase: &PhaseState) -> Markup {
    let field = phase.from.map(|from| config.zone.write_for_field(from));
    html! {
        details {
            summary { "Move …" }
            form method="post" action="/organiser/move-phase" class="search" {
                input type="hidden" name="phase" value=(phase.name);
                label {
                    "It begins at " input type="datetime-local" name="from" value=[field] required;
                    " in " (name(config.zone.name()))
                }
                button { "Move" }
            }
            @if phase.is_moved {
                form method="post" action="/organiser/move-phase" {
                    input type="hidden" name="phase" value=(phase.name);
                    button { "As in host.toml" }
                }
            }
        }
    }
}

fn token(invited: &NewToken, at: &str) -> Markup {
    html! {
        p {
            "The token of " (name(&invited.display_name)) ", shown only now: "
            code id="invited" { (invited.token) }
        }
        @if invited.is_renewed {
            p class="fault" {
                "It replaces an older one, which is now invalid; their sessions have ended."
            }
        } @else if invited.name != invited.display_name {
            p { "In records and tables they are " code { (invited.name) } "." }
        }
        p { "Their link: " code class="digest" { (sign_in_link(at, &invited.token)) } }
    }
}

/// Renders links for a whole class, and the same as a file.
fn class(class: &InvitedClass, at: &str) -> Markup {
    let file = class.table(at).unwrap_or_default();
    let file = format!("data:text/csv;charset=utf-8;base64,{}", STANDARD.encode(file));
    html! {
        p id="class-invited" {
            (sentence(&class.describe()))
            @if !class.known.is_empty() {
                "; already invited, and unchanged: " (name(&class.known.join("; ")))
            }
            "."
        }
        @if !class.remarks.is_empty() {
            ul class="fault" id="class-remarks" {
                @for remark in &class.remarks { li { (name(&sentence(remark))) "." } }
            }
        }
        @if !class.invited.is_empty() {
            p {
                a href=(file) download="invitations.csv" { "Save their links as a table (CSV)" } "."
            }
            div class="wide" {
                table class="list compact" id="links" {
                    thead { tr { th { "name" } th { "link" } } }
                    tbody {
                        @for new in &class.invited {
                            tr {
                                th scope="row" { (name(&new.display_name)) }
                                td { code class="digest" { (sign_in_link(at, &new.token)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the counts of versions and matches, in one line.
fn counts(shown: &OrganiserView<'_>) -> String {
    let VersionCounts { waiting, on_ladder, passed, refused } = shown.versions;
    let MatchCounts { ladder, finals, challenges, under_way, .. } = shown.matches;
    format!(
        "Versions: {on_ladder} on the ladder, {waiting} to be checked, {passed} others passed, \
         {refused} did not pass. Matches: {ladder} of the ladder, {finals} of the final, \
         {challenges} challenges; {under_way} under way."
    )
}

/// Renders downloads of what the commands `grades`, `letters`, `export` and `backup` write.
fn downloads(columns: &str, not_verified: Option<&str>) -> Markup {
    let zip = |what: &str, word: &str, is: &str| {
        html! {
            form method="post" action={ "/organiser/" (what) ".zip" } {
                button { (word) }
                " " span class="note" { (is) }
            }
        }
    };
    html! {
        h2 id="downloads" { "Downloads" }
        p class="note" {
            "Downloads show the final once it has begun, and the ladder before that. Only one is \
             made at a time, while the contest goes on."
        }
        form method="get" action="/organiser/grades.csv" class="search" {
            label for="columns" { "Grades (CSV), with these columns" }
            input id="columns" name="columns" placeholder="default";
            button { "Grades" }
        }
        p class="note" { "Columns: " (columns) "." }
        p {
            a href="/organiser/points" { "Points by the formula in host.toml" }
            ", with tables for Moodle and Canvas"
        }
        (zip(
            "letters",
            "Letters",
            "a page for every participant who is not merged into another one, as Markdown and as \
             HTML",
        ))
        form method="post" action="/organiser/site.zip" class="search" {
            label for="matches" { "A static site, with the latest matches of each version" }
            input id="matches" name="matches" type="number" min="0" max="50" value="5";
            button { "Site" }
        }
        @if let Some(why) = not_verified {
            p class="fault" id="not-verified" {
                (quintain_scene::clean(&sentence(why))) "."
            }
        }
        (zip(
            "anonymous",
            "Tables without names",
            "for research, with P01, P02 … in place of names",
        ))
        (zip(
            "backup",
            "Backup",
            "the whole contest, with all programs and the secret seeds: keep it to yourself",
        ))
    }
}

/// Renders a participant.
fn one(config: &Config, who: &User, has_teams: bool) -> Markup {
    html! {
        tr {
            td {
                @if !who.is_organiser && who.merged.is_none() {
                    input type="checkbox" name="who" value=(who.id) form="bulk"
                        aria-label={ "select " (quintain_scene::clean(&who.display_name)) };
                }
            }
            th scope="row" {
                @if who.is_organiser { (name(&who.display_name)) }
                @else {
                    a href={ "/organiser/participants/" (who.id) } { (name(&who.display_name)) }
                }
                @if who.display_name != who.name {
                    " " span class="note" { "(" (name(&who.name)) ")" }
                }
            }
            @if has_teams {
                td {
                    @if who.is_team { "(a team)" }
                    @else if let Some(team) = &who.team { (name(team)) }
                }
            }
            td {
                @match &who.merged {
                    Some(into) => { "merged into " (name(into)) }
                    None => { (who.is) }
                }
                @if let Some(active) = who.active { ", version " (active) }
                @if let Some(until) = who.extended {
                    ", may submit until " (moment(&config.zone, until))
                }
            }
            td class="number" { @if !who.is_organiser { (who.versions) } }
            td { (actions(who)) }
        }
    }
}

/// Renders what the organiser can do with a participant alone.
fn actions(who: &User) -> Markup {
    let form = |word: &str| {
        html! {
            form method="post" action="/organiser/ban" {
                input type="hidden" name="name" value=(who.name);
                input type="hidden" name="banned" value=(!who.is_banned);
                button { (word) }
            }
        }
    };
    html! {
        @if who.is_organiser {}
        @else if who.merged.is_some() {
            form method="post" action="/organiser/undo-merge" {
                input type="hidden" name="name" value=(who.name);
                button { "Undo the merge" }
            }
        }
        @else if who.is_banned { (form("Let in again")) }
        @else {
            form method="post" action="/organiser/rejudge" {
                input type="hidden" name="name" value=(who.name);
                input type="number" name="version" min="1" max=(who.versions)
                    placeholder="all" aria-label="the version";
                button { "Check again" }
            }
            details {
                summary { "Ban …" }
                p class="note" {
                    "They leave the ladder and are signed out; nothing of theirs is \
                     deleted."
                }
                (form("Ban"))
            }
        }
    }
}
