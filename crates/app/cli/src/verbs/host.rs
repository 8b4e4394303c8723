//! `quintain host`: a contest that runs itself; and `quintain submit`, which submits a program.

mod args;
mod matches;
mod people;
mod phases;
mod questions;
mod results;
mod status;

use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use quintain_core::{Catalog, SETTINGS_LIMIT, read_bytes_up_to};
use quintain_host::admin;
use quintain_host::client::{Client, address_of};
use quintain_host::{
    ExploitTerms, ExportOptions, HostError, Kit, NewContest, NewToken, ServeOptions, Workers,
};
use quintain_scene::clean;

pub(crate) use self::args::{Args, SubmitArgs};
use self::args::{HostCommand, InitArgs};
use crate::failure::Failure;
use crate::messages::print_notice;
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
    let bytes = read_bytes_up_to(list, SETTINGS_LIMIT);
    let bytes = bytes.map_err(|error| Failure::Usage(error.to_string()))?;
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
            people::rename(folder, (name, new_name), catalog, out)
        }
        HostCommand::Merge { folder, name, into: Some(into), confirm, .. } => {
            people::merge(folder, (name, into), *confirm, catalog, out)
        }
        HostCommand::Merge { folder, name, into: None, .. } => {
            people::undo_merge(folder, name, catalog, out)
        }
        HostCommand::Activate { folder, name, version } => {
            people::activate(folder, name, *version, catalog, out)
        }
        HostCommand::Remove { folder, name, confirm } => {
            people::remove(folder, name, *confirm, catalog, out)
        }
        HostCommand::Extend { folder, name, until, .. } => {
            people::extend(folder, name, until.as_deref(), catalog, out)
        }
        HostCommand::Team { folder, name, members, leave: true, force } => {
            people::leave_team(folder, (name, members), *force, catalog, out)
        }
        HostCommand::Team { folder, name, members, force, .. } => {
            people::join_team(folder, (name, members), *force, catalog, out)
        }
        HostCommand::Users { folder } => people::list(folder, catalog, out),
        HostCommand::Ban { folder, name, lift } => people::ban(folder, name, *lift, catalog, out),
        HostCommand::Status { folder, format } => status::write(folder, *format, catalog, out),
        HostCommand::Phase { folder, name: Some(name), from: Some(from), confirm, .. } => {
            phases::move_phase(folder, (name, from), *confirm, catalog, out)
        }
        HostCommand::Phase { folder, name, begin, confirm, .. } => {
            phases::choose(folder, name.as_deref(), (*begin, *confirm), catalog, out)
        }
        HostCommand::UndoFinal { folder, confirm } => {
            phases::undo_final(folder, *confirm, catalog, out)
        }
        HostCommand::Grades { folder, points: Some(format), publish, confirm, .. } => {
            results::points(folder, *format, (*publish, *confirm), catalog, out)
        }
        HostCommand::Grades { folder, columns, .. } => {
            results::grades(folder, columns, catalog, out)
        }
        HostCommand::Letters { folder, to } => results::letters(folder, to, catalog, out),
        HostCommand::Pause { folder } => matches::pause(folder, catalog, out),
        HostCommand::Resume { folder } => matches::resume(folder, catalog, out),
        HostCommand::Rejudge { folder, name, version, all, force } => {
            let whose = (name.as_deref(), *version, *all);
            matches::rejudge(folder, whose, *force, catalog, out)
        }
        HostCommand::Reset { folder, confirm } => matches::reset(folder, *confirm, catalog, out),
        HostCommand::Strike { folder, matches, reason, .. } => {
            matches::strike(folder, matches, reason.as_deref(), catalog, out)
        }
        HostCommand::Exploit { folder, show_lines, hide_lines, .. }
            if *show_lines || *hide_lines =>
        {
            results::show_lines(folder, *show_lines, catalog, out)
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
            results::exploit(&terms, out)
        }
        HostCommand::Lessons { command } => results::lessons(command, catalog, out),
        HostCommand::Audit { folder, last } => results::audit(folder, *last, catalog, out),
        HostCommand::Backup { folder, to } => {
            quintain_host::backup(folder, to)?;
            Ok(writeln!(out, "{} is a copy of {}", to.display(), folder.display())?)
        }
        HostCommand::Restore { backup, to } => {
            quintain_host::restore(backup, to)?;
            Ok(writeln!(out, "quintain host serve {}", to.display())?)
        }
        HostCommand::Verify { folder } => results::verify(folder, catalog, out),
        HostCommand::Export { folder, to, latest, anonymous } => {
            let options = ExportOptions { matches: *latest, is_anonymous: *anonymous };
            results::export(folder, to, options, catalog, out)
        }
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
    // Files that were submitted before are the same version, which is not checked twice.
    let is_known = submitted.is_checked();
    let before = if is_known { "; submitted and checked before" } else { "" };
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
