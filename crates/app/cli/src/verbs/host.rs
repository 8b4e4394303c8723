//! `quintain host`: a contest that runs itself; and `quintain submit`, which hands in a program.

mod args;
mod questions;
mod status;

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use quintain_core::Catalog;
use quintain_host::admin::{
    self, FinalProgress, PhaseChoice, PhaseState, PointsFormat, Publishing, Rejudged, User,
};
use quintain_host::client::{Client, address_of};
use quintain_host::{
    Examined, ExaminedProgram, ExploitTerms, ExportOptions, HostError, Kit, NewContest, NewToken,
    ServeOptions, Workers,
};
use quintain_scene::clean;
use unicode_width::UnicodeWidthStr;

pub(crate) use self::args::{Args, SubmitArgs};
use self::args::{HostCommand, InitArgs, LessonsCommand, PointsFor};
use crate::failure::Failure;
use crate::lists::format_count;
use crate::messages::print_notice;
use crate::verbs::exploit::range_of;
use crate::{bots, fleet, stop};

impl From<HostError> for Failure {
    fn from(error: HostError) -> Failure {
        match error {
            HostError::Usage(_)
            | HostError::Unconfirmed { .. }
            | HostError::Config { .. }
            | HostError::Sandbox(_)
            | HostError::Newer { .. } => Failure::Usage(error.to_string()),
            HostError::Store(error) => error.into(),
            error => Failure::Failed(error.to_string()),
        }
    }
}

pub(crate) fn run(args: &Args, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    match &args.command {
        HostCommand::Init(args) => init(args, catalog, out),
        HostCommand::Serve { folder, port, host, nats, patience, credentials } => {
            let nats = nats.as_deref().map(|address| fleet::server(address, credentials));
            let workers = nats.transpose()?.map(|server| {
                print_notice(&format!(
                    "matches are played by workers: quintain worker --on {server}{} \
                     --take-programs",
                    credentials.worker_login()
                ));
                fleet::contest_workers(server, *patience)
            });
            serve(folder, SocketAddr::new(*host, *port), catalog, workers, out)
        }
        HostCommand::Invite { folder, list: Some(list), address, force, .. } => {
            invite_class(folder, (list, *force), address, catalog, out)
        }
        HostCommand::Invite { folder, name, address, .. } => {
            invite(folder, name.as_deref().unwrap_or_default(), address, catalog, out)
        }
        command => manage(command, catalog, out),
    }
}

fn init(args: &InitArgs, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let folder = &args.folder;
    let given = NewContest {
        game: args.game.clone().unwrap_or_default(),
        name: args.name.clone(),
        scenarios: args.scenarios.clone(),
        budget: args.budget.clone(),
        seats: args.seats.clone(),
        house: args.house.clone(),
        has_hidden_names: args.hidden_names,
        has_https: args.https,
        time_zone: args.time_zone.clone(),
        freeze: args.freeze.clone(),
        final_from: args.final_from.clone(),
    };
    let new = match &args.game {
        Some(_) => given,
        None if std::io::stdin().is_terminal() && std::io::stdout().is_terminal() => {
            questions::ask(given, catalog, &mut std::io::stdin().lock(), out)?
        }
        None => {
            return Err(Failure::Usage(format!(
                "a contest needs a game: quintain host init {} --game GAME; there are {}",
                folder.display(),
                questions::games(catalog)
            )));
        }
    };
    let token = quintain_host::init(folder, &new, catalog)?;
    let is_here = folder == Path::new(".");
    let shown = if is_here { String::new() } else { format!(" {}", folder.display()) };
    let file = if is_here { PathBuf::from("host.toml") } else { folder.join("host.toml") };
    writeln!(out, "{} says what is played; look through it", file.display())?;
    writeln!(out, "the organiser's token, shown only now: {token}")?;
    for remark in admin::remarks(folder, catalog)? {
        writeln!(out, "note: {remark}")?;
    }
    if new.freeze.is_none() && new.final_from.is_none() {
        writeln!(out, "note: no freeze and no final are planned; the end of the file shows both")?;
    }
    writeln!(out, "then: quintain host serve{shown}")?;
    let place = if is_here { " ." } else { &shown };
    writeln!(
        out,
        "and, for each participant: quintain host invite{place} NAME (a class: --list FILE)"
    )?;
    Ok(())
}

/// Invites one participant, and writes their token.
fn invite(
    folder: &Path,
    name: &str,
    address: &str,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let invited = quintain_host::invite(folder, name, catalog)?;
    let NewToken { name, display_name, token, is_renewed, .. } = invited;
    writeln!(out, "the token of {}, shown only now: {token}", clean(&display_name))?;
    if is_renewed {
        writeln!(out, "it replaces an older one; that one and their sessions have ended")?;
    } else if name != display_name {
        writeln!(out, "in records and commands, they are {name}")?;
    }
    let at = if address.is_empty() { "the contest's address with " } else { address };
    Ok(writeln!(out, "their page: {}/sign-in?token={token}", at.trim_end_matches('/'))?)
}

/// Invites a class, and writes their tokens as a table.
fn invite_class(
    folder: &Path,
    (list, is_forced): (&Path, bool),
    address: &str,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let address = &match address {
        "" => String::new(),
        address => address_of(address)?,
    };
    let unreadable = |error| Failure::Usage(format!("{}: {error}", list.display()));
    let bytes = std::fs::read(list).map_err(unreadable)?;
    let class = quintain_host::text_of_list(bytes)
        .and_then(|names| quintain_host::invite_class(folder, &names, catalog, is_forced))
        .map_err(|error| match error {
            HostError::Usage(why) => Failure::Usage(format!("{}: {why}", list.display())),
            error => error.into(),
        })?;
    write!(out, "{}", class.table(address)?)?;
    print_notice(&class.describe());
    if address.is_empty() && !class.invited.is_empty() {
        print_notice("the links lack the contest's address; add it with --address URL");
    }
    for remark in &class.remarks {
        print_notice(&format!("note: {}", clean(remark)));
    }
    if !class.known.is_empty() {
        print_notice(&format!(
            "already invited, and unchanged: {}",
            clean(&class.known.join("; "))
        ));
    }
    Ok(())
}

/// Runs the commands that manage a contest, whether or not it is served.
fn manage(command: &HostCommand, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    match command {
        HostCommand::Init(_) | HostCommand::Serve { .. } | HostCommand::Invite { .. } => Ok(()),
        HostCommand::Rename { folder, name, new_name } => {
            quintain_host::rename(folder, name, new_name, catalog)?;
            Ok(writeln!(out, "{} is called {} now", clean(name), clean(new_name))?)
        }
        HostCommand::Merge { folder, name, into: Some(into), confirm, .. } => {
            let plain = admin::merge(folder, catalog, (name, into), *confirm)?;
            writeln!(out, "{} is merged into {}", clean(name), clean(into))?;
            Ok(writeln!(
                out,
                "to take it back: quintain host merge {} {plain} --undo",
                folder.display()
            )?)
        }
        HostCommand::Merge { folder, name, into: None, .. } => {
            let into = admin::undo_merge(folder, catalog, name)?;
            let (name, into) = (clean(name), clean(&into));
            Ok(writeln!(
                out,
                "{name} is no longer merged into {into}, whose sessions and repositories' tokens \
                 have ended; what {name} handed in is off the ladder until {name} or `quintain \
                 host activate` puts it there"
            )?)
        }
        HostCommand::Activate { folder, name, version } => {
            let activated = admin::activate(folder, catalog, name, *version)?;
            let late = match activated.has_final_begun {
                true => "; the final has begun as the ladder was then",
                false => "",
            };
            Ok(writeln!(out, "{} is on the ladder{late}", clean(&activated.what))?)
        }
        HostCommand::Remove { folder, name, confirm } => {
            admin::remove(folder, catalog, name, *confirm)?;
            Ok(writeln!(out, "{} is removed", clean(name))?)
        }
        HostCommand::Extend { folder, name, until, .. } => {
            extend(folder, name, until.as_deref(), catalog, out)
        }
        HostCommand::Team { folder, name, members, leave: true, force } => {
            let all: Vec<String> = [name].into_iter().chain(members).cloned().collect();
            let count = quintain_host::leave_team(folder, &all, catalog, *force)?;
            Ok(writeln!(out, "participants who left their team: {count}")?)
        }
        HostCommand::Team { folder, name, members, force, .. } => {
            let joined = quintain_host::join_team(folder, name, members, catalog, *force)?;
            writeln!(out, "participants who joined {}: {}", clean(name), joined.members)?;
            for remark in &joined.remarks {
                print_notice(&format!("note: {}", clean(remark)));
            }
            Ok(())
        }
        HostCommand::Users { folder } => list_users(folder, catalog, out),
        HostCommand::Status { folder, format } => status::write(folder, *format, catalog, out),
        HostCommand::Phase { folder, name: Some(name), from: Some(from), confirm, .. } => {
            let to = Some(from.as_str()).filter(|from| *from != "file");
            admin::move_phase(folder, catalog, (name, to), *confirm)?;
            list_phases(folder, catalog, out)
        }
        HostCommand::Phase { folder, name, begin, confirm, .. } => {
            if let Some(name) = name {
                let name = Some(name.as_str()).filter(|name| *name != "auto");
                let (begins_final, is_confirmed) = (*begin, *confirm);
                let choice = PhaseChoice { name, begins_final, is_confirmed };
                admin::choose_phase(folder, catalog, choice)?;
            }
            list_phases(folder, catalog, out)
        }
        HostCommand::UndoFinal { folder, confirm } => {
            let (was, phase) = admin::undo_final(folder, catalog, *confirm)?;
            let phases = admin::phases(folder, catalog)?;
            let last = phases.into_iter().find(|phase| phase.rounds.is_some());
            let last = last.map_or("final".to_owned(), |phase| clean(&phase.name));
            let FinalProgress { played, planned, .. } = was;
            writeln!(
                out,
                "the final is undone after {played} of {planned} matches; the phase is {}, and \
                 none begins by its time",
                clean(&phase)
            )?;
            Ok(writeln!(
                out,
                "next: move it (quintain host phase {0} {last} --from TIME) and let the times \
                 decide (quintain host phase {0} auto), or begin it (quintain host phase {0} \
                 {last} --begin)",
                folder.display()
            )?)
        }
        HostCommand::Grades { folder, points: Some(points), publish, confirm, .. } => {
            let format = match points {
                PointsFor::People => PointsFormat::People,
                PointsFor::Moodle => PointsFormat::Moodle,
                PointsFor::Canvas => PointsFormat::Canvas,
            };
            let publishing = match (publish, confirm) {
                (false, _) => Publishing::No,
                (true, false) => Publishing::Unconfirmed,
                (true, true) => Publishing::Confirmed,
            };
            let written = admin::points(folder, catalog, format, publishing)?;
            write!(out, "{}", written.table)?;
            for remark in written.remarks {
                print_notice(&format!("note: {}", clean(&remark)));
            }
            end_grades(folder, catalog, None)
        }
        HostCommand::Grades { folder, columns, .. } => write_grades(folder, columns, catalog, out),
        HostCommand::Letters { folder, to } => {
            let count = quintain_host::letters(folder, to, catalog)?;
            writeln!(out, "{} in {}", format_count(count, "letter"), to.display())?;
            if let Some(merged) = admin::describe_merged(folder, catalog)? {
                print_notice(&format!("note: {}", clean(&merged)));
            }
            Ok(())
        }
        HostCommand::Pause { folder } => {
            let answer = match admin::pause(folder, catalog, true)? {
                true => "paused: matches in progress are played to the end, and no others begin",
                false => "it is paused already",
            };
            Ok(writeln!(out, "{answer}")?)
        }
        HostCommand::Resume { folder } => {
            let answer = match admin::pause(folder, catalog, false)? {
                true => "resumed: matches are played while the host runs",
                false => "it is not paused",
            };
            Ok(writeln!(out, "{answer}")?)
        }
        HostCommand::Ban { folder, name, lift } => {
            let answer = match (admin::ban(folder, catalog, name, !lift)?, lift) {
                (true, false) => "is banned: off the ladder and signed out; nothing is deleted",
                (false, false) => "is banned already",
                (true, true) => "may take part again",
                (false, true) => "is not banned",
            };
            Ok(writeln!(out, "{} {answer}", clean(name))?)
        }
        HostCommand::Rejudge { folder, name, version, all, force } => {
            let (which, whose) = match (name, version) {
                (None, _) if !all => {
                    return Err(Failure::Usage(format!(
                        "whose programs? name a participant (quintain host rejudge {0} NAME), or \
                         take those of everybody (quintain host rejudge {0} --all)",
                        folder.display()
                    )));
                }
                (None, _) => (Rejudged::Everybody, "everybody".to_owned()),
                (Some(name), None) => (Rejudged::Participant(name), clean(name)),
                (Some(name), Some(version)) => (Rejudged::Version(name, *version), clean(name)),
            };
            let count = format_count(admin::rejudge(folder, catalog, which, *force)?, "version");
            Ok(writeln!(
                out,
                "{count} of {whose} to be checked again while the host runs; the ladder stays as \
                 it is, but for versions that no longer pass"
            )?)
        }
        HostCommand::Reset { folder, confirm } => {
            let count = admin::reset(folder, catalog, *confirm)?;
            Ok(writeln!(out, "the ladder starts over; matches that no longer count: {count}")?)
        }
        HostCommand::Strike { folder, matches, reason, .. } => {
            let count = admin::strike(folder, catalog, matches, reason.as_deref())?;
            let what = if reason.is_some() { "are struck out" } else { "count again" };
            Ok(writeln!(out, "matches that {what}: {count}")?)
        }
        HostCommand::Exploit { folder, show_lines, hide_lines, .. }
            if *show_lines || *hide_lines =>
        {
            let answer =
                match (quintain_host::show_exploits(folder, catalog, *show_lines)?, show_lines) {
                    (true, true) => "everybody sees the lines, on the pages of participants",
                    (true, false) => "only the authors see the lines",
                    (false, true) => "everybody sees the lines already",
                    (false, false) => "only the authors see the lines already",
                };
            Ok(writeln!(out, "{answer}")?)
        }
        HostCommand::Exploit { folder, names, seeds, lines, time, .. } => {
            let terms = ExploitTerms {
                folder,
                catalog,
                launcher: &bots::launcher(),
                names,
                seeds: seeds.get(),
                lines: lines.get(),
                time: *time,
                stop: stop::watch_signals_with_notice("stopping: whole programs are kept"),
            };
            exploit(&terms, out)
        }
        HostCommand::Lessons { command } => match command {
            LessonsCommand::Publish { folder, lessons } => {
                let set = quintain_host::publish_lessons(folder, lessons, catalog)?;
                let count = format_count(set.lessons, "lesson");
                Ok(writeln!(out, "set {} is published: {count}, on /lessons", set.number)?)
            }
            LessonsCommand::Withdraw { folder, set } => {
                quintain_host::withdraw_lessons(folder, *set, catalog)?;
                Ok(writeln!(out, "set {set} is withdrawn")?)
            }
        },
        HostCommand::Audit { folder, last } => {
            for (at, who, what) in admin::audit(folder, catalog, *last)? {
                let at = humantime::format_rfc3339_seconds(at);
                writeln!(out, "{at}  {}: {}", clean(&who), clean(&what))?;
            }
            Ok(())
        }
        HostCommand::Backup { folder, to } => {
            quintain_host::backup(folder, to)?;
            Ok(writeln!(out, "{} is a copy of {}", to.display(), folder.display())?)
        }
        HostCommand::Restore { backup, to } => {
            quintain_host::restore(backup, to)?;
            Ok(writeln!(out, "quintain host serve {}", to.display())?)
        }
        HostCommand::Verify { folder } => verify(folder, catalog, out),
        HostCommand::Export { folder, to, latest, anonymous } => {
            let options = ExportOptions { matches: *latest, is_anonymous: *anonymous };
            let exported = quintain_host::export(folder, to, catalog, options)?;
            writeln!(out, "{}", to.join("index.html").display())?;
            if let Some(remark) = exported.remark {
                print_notice(&format!("warning: {}", clean(&remark)));
            }
            Ok(())
        }
    }
}

/// Looks for lines that beat programs, and writes a line for each program.
fn exploit(terms: &ExploitTerms<'_>, out: &mut dyn Write) -> Result<(), Failure> {
    let mut printed = Ok(());
    let report = quintain_host::exploit(terms, &mut |ExaminedProgram { label, found, .. }| {
        let found = match found {
            Examined::Lines { starts, tried } if tried.is_empty() => {
                format!("no line beats it on {starts} starts")
            }
            Examined::Lines { starts, tried } => format!(
                "a line beats it on {} of {starts} starts, found as line {}",
                tried.len(),
                range_of(tried.iter().copied())
            ),
            Examined::Varies => {
                "it answers the same questions differently, so no line can be found".to_owned()
            }
            Examined::Problem(why) => why.clone(),
        };
        if printed.is_ok() {
            printed =
                writeln!(out, "{}: {}", clean(label), clean(&found)).and_then(|()| out.flush());
        }
    })?;
    printed?;
    if report.is_stopped {
        return Err(Failure::Stopped);
    }
    if report.examined == 0 {
        print_notice(
            "all programs on the ladder have been examined; to examine one again, name it",
        );
    }
    if !report.is_shown {
        print_notice("note: the ladder does not show this; exploited = true in host.toml does");
    }
    Ok(())
}

/// Lets somebody hand in after the deadline, or no longer than the others.
fn extend(
    folder: &Path,
    name: &str,
    until: Option<&str>,
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let extension = admin::extend(folder, catalog, name, until)?;
    let who = clean(&extension.display_name);
    match extension.until {
        Some(until) => writeln!(out, "{who} may hand in until {until}, unless the final begins")?,
        None => writeln!(out, "{who} may hand in no longer than the others")?,
    }
    if let Some(at) = extension.final_before {
        print_notice(&format!("note: the final begins before that, at {at}"));
    }
    Ok(())
}

fn list_users(folder: &Path, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let users = admin::users(folder, catalog)?;
    let shown = |User { name, display_name, .. }: &User| {
        clean(&if display_name == name {
            display_name.clone()
        } else {
            format!("{display_name} ({name})")
        })
    };
    let names: Vec<String> = users.iter().map(shown).collect();
    let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
    for (User { is, versions, active, team, is_team, merged, .. }, name) in users.iter().zip(&names)
    {
        let is = match team {
            _ if merged.is_some() => {
                format!("merged into {}", clean(&merged.clone().unwrap_or_default()))
            }
            Some(team) => format!("in the team {}", clean(team)),
            None if *is_team => format!("team, {is}"),
            None => (*is).to_owned(),
        };
        let active = active.map_or(String::new(), |number| format!(", version {number}"));
        let gap = " ".repeat(width - name.width());
        writeln!(out, "{name}{gap}  {is}{active} ({versions} handed in)")?;
    }
    Ok(())
}

fn list_phases(folder: &Path, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let phases = admin::phases(folder, catalog)?;
    for phase in &phases {
        let mark = if phase.is_now { '>' } else { ' ' };
        let chosen = if phase.is_chosen { " (chosen; with `auto`, the times decide)" } else { "" };
        writeln!(out, "{mark} {}: {}{chosen}", clean(&phase.name), describe(phase))?;
    }
    let progress = admin::final_progress(folder, catalog)?;
    let is_over = progress.is_some_and(|progress| progress.is_over);
    if phases.iter().any(|phase| phase.is_chosen) && !is_over {
        writeln!(
            out,
            "a phase was chosen, so none begins by itself until `quintain host phase {} auto`",
            folder.display()
        )?;
    }
    if let Some(missing) = admin::describe_missing(folder, catalog)? {
        print_notice(&format!("warning: {}", clean(&missing)));
    }
    let is_elsewhere = |phase: &PhaseState| phase.is_now && phase.rounds.is_none();
    let Some(progress) = progress.filter(|_| phases.iter().any(is_elsewhere)) else {
        return Ok(());
    };
    let FinalProgress { programs, played, planned, .. } = progress;
    let how_far = match progress.is_over {
        true => "is over".to_owned(),
        false => format!("has stopped at {played} of {planned} matches"),
    };
    let programs = format_count(programs, "program");
    Ok(writeln!(
        out,
        "the final has begun, with {programs}, and {how_far}: programs handed in now are not in it"
    )?)
}

fn write_grades(
    folder: &Path,
    columns: &[String],
    catalog: &Catalog,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    write!(out, "{}", admin::grades(folder, catalog, columns)?)?;
    end_grades(folder, catalog, admin::describe_unfinished(folder, catalog)?)
}

/// Says after grades or points what they lack, and that no record was replayed for them.
///
/// # Errors
/// If matches of a final that was over are missing.
fn end_grades(folder: &Path, catalog: &Catalog, unfinished: Option<String>) -> Result<(), Failure> {
    if let Some(missing) = admin::describe_missing(folder, catalog)? {
        return Err(Failure::Failed(clean(&missing)));
    }
    if let Some(unfinished) = unfinished {
        print_notice(&format!("note: {}", clean(&unfinished)));
    }
    print_notice(&format!(
        "note: no record was replayed for these; `quintain host verify {}` does that",
        folder.display()
    ));
    Ok(())
}

/// Describes when a phase is, and what it allows.
fn describe(phase: &PhaseState) -> String {
    let without = if phase.begins_by_hand { "when it is chosen" } else { "from the beginning" };
    let moved = if phase.is_moved { " (moved)" } else { "" };
    let from =
        phase.from_text.as_ref().map_or(without.to_owned(), |from| format!("from {from}{moved}"));
    if let Some(rounds) = phase.rounds {
        return format!("{from}; the final, {}", format_count(rounds as usize, "round"));
    }
    let programs = if phase.takes_programs { "programs" } else { "no programs" };
    let ladder = if phase.has_ladder { "is played" } else { "rests" };
    format!("{from}; {programs} are accepted, the ladder {ladder}")
}

fn verify(folder: &Path, catalog: &Catalog, out: &mut dyn Write) -> Result<(), Failure> {
    let verified = quintain_host::verify(folder, catalog)?;
    for problem in &verified.bad {
        writeln!(out, "bad: {}", clean(problem))?;
    }
    if let Some((played, planned)) = verified.finals {
        writeln!(out, "the final: {played} of {planned} matches, as its seed determines them")?;
    }
    if verified.gone > 0 {
        writeln!(out, "matches whose records are no longer kept: {}", verified.gone)?;
    }
    match verified.bad.len() {
        0 => Ok(writeln!(out, "{} matches verified", verified.good)?),
        bad => Err(Failure::Failed(format!("{bad} of {} matches are bad", verified.good + bad))),
    }
}

fn serve(
    folder: &Path,
    address: SocketAddr,
    catalog: &Catalog,
    workers: Option<Arc<dyn Workers>>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    let flag = stop::watch_signals();
    let mut printed = Ok(());
    let is_here = folder == Path::new(".");
    let shown = if is_here { "the contest".to_owned() } else { folder.display().to_string() };
    let path = admin::path_of_pages(folder, catalog)?;
    let ready = |bound: SocketAddr| {
        printed = writeln!(out, "{shown} at http://{bound}{path}/; Ctrl-C ends it")
            .and_then(|()| out.flush());
        if bound.ip().is_unspecified()
            && let Some(own) = quintain_host::own_address()
        {
            print_notice(&format!(
                "others on this network reach it at http://{}{path}/",
                SocketAddr::new(own, bound.port())
            ));
        }
        if !bound.ip().is_loopback() {
            print_notice(&format!(
                "warning: tokens travel unencrypted to {bound}; put an HTTPS proxy in front of it"
            ));
        }
    };
    for remark in admin::remarks(folder, catalog)? {
        print_notice(&format!("note: {remark}"));
    }
    let serving = ServeOptions {
        folder,
        catalog,
        launcher: &bots::launcher(),
        address,
        kits: &|game, scenarios| kits(game, scenarios, catalog),
        workers,
    };
    quintain_host::serve(&serving, ready, || flag.load(Ordering::SeqCst))?;
    Ok(printed?)
}

/// Returns the files that `quintain new player` writes, for every language.
fn kits(game: &str, scenarios: &[String], catalog: &Catalog) -> Vec<Kit> {
    let name = "my-bot";
    let kits = quintain_languages::kits(name, game, scenarios, catalog).unwrap_or_default();
    let kit = |kit: quintain_languages::Kit| Kit {
        title: kit.language.to_owned(),
        language: kit.language.to_owned(),
        files: kit.files,
        folder: name.to_owned(),
        player: kit.player,
    };
    kits.into_iter().map(kit).collect()
}

pub(crate) fn submit(args: &SubmitArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let client = Client::new(&args.to, &args.token, args.ca.as_deref())?;
    let notice = &mut |notice: &str| print_notice(&clean(notice));
    let submitted = client.submit(&args.program, notice)?;
    // Files that were handed in before are the same version, which is not checked twice.
    let is_known = submitted.is_checked();
    let before = if is_known { "; handed in and checked before" } else { "" };
    // Whatever the server answers.
    let digest: String = clean(&submitted.digest).chars().take(12).collect();
    writeln!(out, "version {}, {digest}{before}", submitted.version)?;
    out.flush()?;
    if args.no_wait {
        return Ok(());
    }
    let checked = client.wait(submitted, notice)?;
    let shows_log = !is_known || checked.stage != "passed";
    for line in checked.log.lines().filter(|_| shows_log) {
        writeln!(out, "  {}", clean(line))?;
    }
    match checked.stage.as_str() {
        "passed" if checked.active == Some(false) => {
            let what = match checked.other_active {
                Some(true) => "another version is on the ladder: choose on your page",
                Some(false) => {
                    "it is off the ladder, and so are all of yours: put one there on your page, or \
                     ask the organiser"
                }
                None => "it is off the ladder: choose on your page",
            };
            Ok(writeln!(
                out,
                "version {} has these files and has passed its check; {what}",
                checked.version
            )?)
        }
        "passed" => {
            let late = match checked.final_begun {
                Some(true) => "; the final has begun without it",
                _ => "",
            };
            Ok(writeln!(out, "version {} is on the ladder{late}", checked.version)?)
        }
        _ => Err(Failure::Failed(format!("version {} did not pass the check", checked.version))),
    }
}
