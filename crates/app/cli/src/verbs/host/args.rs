//! What `quintain host` and `quintain submit` read from the command line.

use std::net::{IpAddr, Ipv4Addr};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

use super::status;
use crate::options;
use crate::server::Credentials;
use crate::usage::{positive, time};

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(super) command: HostCommand,
}

#[derive(clap::Subcommand)]
pub(super) enum HostCommand {
    /// Create a contest: a folder with a commented host.toml, and the organiser's token
    ///
    /// Without --game, it asks on a terminal what the contest is to be.
    Init(InitArgs),
    /// Run a contest: its pages, the checks and the ladder
    Serve {
        /// The contest's folder
        #[arg(default_value = ".")]
        folder: PathBuf,
        #[arg(short, long, default_value_t = 8080, help = options::PORT)]
        port: u16,
        #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
        #[arg(help = options::HOST)]
        host: IpAddr,
        #[arg(long = "on", visible_alias = "nats", value_name = "ADDRESS", help = options::with(
            options::ON,
            "(whose workers play the matches: see `quintain worker --take-programs`; several \
             servers of a cluster, separated by commas)",
        ))]
        nats: Option<String>,
        #[arg(long, value_name = "TIME", allow_negative_numbers = true, value_parser = time)]
        #[arg(requires = "nats", help = options::with(options::PATIENCE, "[default: 30s]"))]
        patience: Option<Duration>,
        #[command(flatten)]
        credentials: Box<Credentials>,
    },
    /// Make a token for a participant, replacing an earlier one; or tokens for a class
    Invite {
        /// The contest's folder
        folder: PathBuf,
        /// The participant's name: letters of any script, digits, spaces
        #[arg(required_unless_present = "list", conflicts_with = "list")]
        name: Option<String>,
        /// Invite everybody in this file who is not invited yet: one name per line, or the CSV of
        /// Moodle, Canvas or a spreadsheet; the tokens are written as CSV
        #[arg(long, value_name = "FILE")]
        list: Option<PathBuf>,
        /// The contest's address, such as https://cup.example.org, to print links that can be sent
        #[arg(long, value_name = "URL", default_value = "")]
        address: String,
        /// Also in a phase that takes no programs
        #[arg(long, requires = "list")]
        force: bool,
    },
    /// Change a participant's name on pages; in records the plain name stays
    Rename {
        /// The contest's folder
        folder: PathBuf,
        /// The participant
        name: String,
        /// The new name
        new_name: String,
    },
    /// Merge a participant who was invited twice into the other one: their token leads there, and
    /// what they submitted leaves the ladder
    Merge {
        /// The contest's folder
        folder: PathBuf,
        /// The participant
        name: String,
        /// The other one, who stays
        #[arg(required_unless_present = "undo")]
        into: Option<String>,
        /// Do it; without this, the command only says what it would do (needed if their numbers or
        /// e-mail addresses differ, or a program leaves the ladder)
        #[arg(long, alias = "yes")]
        confirm: bool,
        /// Take a merge back instead: the participant's token is their own again
        #[arg(long, conflicts_with_all = ["into", "confirm"])]
        undo: bool,
    },
    /// Put a version that has passed its check on the ladder for a participant or a team, in any
    /// phase; a version of a member's own becomes one of the team
    Activate {
        /// The contest's folder
        folder: PathBuf,
        /// The participant or the team
        name: String,
        /// The version
        version: i64,
    },
    /// Remove a participant who has submitted nothing
    Remove {
        /// The contest's folder
        folder: PathBuf,
        /// The participant
        name: String,
        /// Do it; without this, the command only says what it would do (needed for a member of a
        /// team that has results, after the final has begun, and once points are published)
        #[arg(long)]
        confirm: bool,
    },
    /// Let a participant, or the team for which they play, submit after the deadline, unless the
    /// final has begun
    Extend {
        /// The contest's folder
        folder: PathBuf,
        /// The participant
        name: String,
        /// Until a time such as 2030-01-31T18:00 in the contest's time zone, or
        /// 2030-01-31T18:00:00Z
        #[arg(long, value_name = "TIME", required_unless_present = "end")]
        until: Option<String>,
        /// End the extension instead
        #[arg(long, conflicts_with = "until")]
        end: bool,
    },
    /// Put participants into a team, which is made if there is none of that name: it stands on the
    /// ladder with one program, which every member can submit
    Team {
        /// The contest's folder
        folder: PathBuf,
        /// The team's name; with --leave, the first who leaves
        name: String,
        /// The members
        #[arg(required_unless_present = "leave")]
        members: Vec<String>,
        /// Take participants out of their teams instead: they play for themselves again
        #[arg(long)]
        leave: bool,
        /// Also in a phase that takes no programs
        #[arg(long)]
        force: bool,
    },
    /// List the participants and how far they are
    Users {
        /// The contest's folder
        #[arg(default_value = ".")]
        folder: PathBuf,
    },
    /// Show the state of the contest: phase, participants, versions, matches, workers, disk
    Status {
        /// The contest's folder
        #[arg(default_value = ".")]
        folder: PathBuf,
        #[arg(long, value_enum, default_value_t = status::Format::Text, help = options::FORMAT)]
        format: status::Format,
    },
    /// List the phases, or switch to another phase
    Phase {
        /// The contest's folder
        folder: PathBuf,
        /// The phase to switch to, whatever the time, or the start of its name; with `auto`, the
        /// times decide again
        name: Option<String>,
        /// Allow the final to begin: it is played once, by the programs then on the ladder
        #[arg(long, requires = "name")]
        begin: bool,
        /// Move the beginning of the phase instead: to a time such as 2030-01-31T18:00 in the
        /// contest's time zone, or 2030-01-31T18:00:00Z; `file` returns to that of host.toml
        #[arg(long, value_name = "TIME", requires = "name", conflicts_with = "begin")]
        from: Option<String>,
        /// Do it; without this, the command only says what it would do (needed to leave the phase
        /// of a final that has begun, or if another phase begins at once)
        #[arg(long, requires = "name")]
        confirm: bool,
    },
    /// Undo a final that is not over: its matches are deleted, and it can begin again, on other
    /// seeds
    UndoFinal {
        /// The contest's folder
        folder: PathBuf,
        /// Do it; without this, the command only says what it would do
        #[arg(long)]
        confirm: bool,
    },
    /// Print the grades as CSV: of the final, once there is one; otherwise of the ladder
    Grades {
        /// The contest's folder
        #[arg(default_value = ".")]
        folder: PathBuf,
        /// The columns to print, in this order, from rank, name, version, measure, low, high,
        /// matches, faults, submitted, called, is, standings, best_rank, worst_rank; and also
        /// number, mail, login and section of a class list, glicko2 and glicko2_deviation,
        /// exploited and exploited_of, or mean_score where everybody plays alone
        #[arg(long, value_name = "COLUMN,…", value_delimiter = ',')]
        columns: Vec<String>,
        /// Print points by the formula in host.toml instead: for people, or as Moodle or Canvas
        /// imports them
        #[arg(long, value_enum, value_name = "FORMAT", conflicts_with = "columns")]
        points: Option<PointsFor>,
        /// Let every participant see their points
        #[arg(long, requires = "points")]
        publish: bool,
        /// Do it; without this, the command only says what it would do (needed if a final is
        /// planned and not over, or has too few rounds for anybody to have the points for beating a
        /// player)
        #[arg(long, requires = "publish")]
        confirm: bool,
    },
    /// Write a letter for every participant on how they did, as Markdown and as HTML
    Letters {
        /// The contest's folder
        folder: PathBuf,
        /// The folder for the letters; it is created
        to: PathBuf,
    },
    /// Play no more matches until `resume`; programs are still accepted and checked
    Pause {
        /// The contest's folder
        #[arg(default_value = ".")]
        folder: PathBuf,
    },
    /// Resume the matches
    Resume {
        /// The contest's folder
        #[arg(default_value = ".")]
        folder: PathBuf,
    },
    /// Ban a participant; nothing of theirs is deleted
    Ban {
        /// The contest's folder
        folder: PathBuf,
        /// The participant
        name: String,
        /// Let them take part again
        #[arg(long)]
        lift: bool,
    },
    /// Build and check programs again; who is on the ladder with which version stays as it is,
    /// except for versions that no longer pass
    Rejudge {
        /// The contest's folder
        folder: PathBuf,
        /// The participant
        name: Option<String>,
        /// The version [default: all]
        version: Option<i64>,
        /// The programs of everybody
        #[arg(long, conflicts_with = "name")]
        all: bool,
        /// Also in a phase that takes no programs
        #[arg(long)]
        force: bool,
    },
    /// Restart the ladder: no match played so far counts for it any more
    Reset {
        /// The contest's folder
        folder: PathBuf,
        /// Do it; without this, the command only says what it would do
        #[arg(long)]
        confirm: bool,
    },
    /// Strike matches of the ladder out, so that they do not count
    Strike {
        /// The contest's folder
        folder: PathBuf,
        /// The matches by their numbers, such as 12 or 15-20
        #[arg(required = true)]
        matches: Vec<String>,
        /// Why; shown with the matches
        #[arg(long, value_name = "TEXT", required_unless_present = "lift")]
        reason: Option<String>,
        /// Let them count again
        #[arg(long, conflicts_with = "reason")]
        lift: bool,
    },
    /// Look for lines of moves that beat programs on the ladder, for its column “exploited”
    ///
    /// The search plays matches beside the contest, one at a time; the ladder neither counts them
    /// nor waits for them. Only the authors see the lines.
    Exploit {
        /// The contest's folder
        folder: PathBuf,
        /// Participants and house players [default: all that have not been examined yet]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        #[arg(long, value_name = "N", default_value = "10", allow_negative_numbers = true)]
        #[arg(value_parser = positive::<NonZeroU64>)]
        #[arg(help = options::with(options::SEEDS, "(on each scenario)"))]
        seeds: NonZeroU64,
        #[arg(long, value_name = "N", default_value = "20", allow_negative_numbers = true)]
        #[arg(value_parser = positive::<NonZeroU64>, help = options::LINES)]
        lines: NonZeroU64,
        #[arg(long, value_name = "TIME", default_value = "1m", allow_negative_numbers = true)]
        #[arg(value_parser = time, help = options::with(options::TIME, "(for each seed)"))]
        time: Duration,
        /// Look for nothing, but let everybody see the lines that were found
        #[arg(long, conflicts_with_all = ["names", "hide_lines"])]
        show_lines: bool,
        /// Look for nothing, but show the lines to nobody but the authors again
        #[arg(long, conflicts_with = "names")]
        hide_lines: bool,
    },
    /// Publish lessons for the participants, or withdraw them
    Lessons {
        #[command(subcommand)]
        command: LessonsCommand,
    },
    /// Show what was done, when and by whom
    Audit {
        /// The contest's folder
        #[arg(default_value = ".")]
        folder: PathBuf,
        /// The number of entries to show, the latest ones
        #[arg(long, default_value_t = 50)]
        last: u32,
    },
    /// Copy a contest while it runs
    Backup {
        /// The contest's folder
        folder: PathBuf,
        /// The folder for the copy; it is created
        to: PathBuf,
    },
    /// Make a contest from a backup
    Restore {
        /// The backup: its folder, or the zip file from the organiser's page
        backup: PathBuf,
        /// The contest's folder; it is created
        to: PathBuf,
    },
    /// Replay every record, and check the final against its schedule
    Verify {
        /// The contest's folder, or a backup
        #[arg(default_value = ".")]
        folder: PathBuf,
    },
    /// Write a contest as a static website: ladder, final, matches, tables, records
    ///
    /// Visitors verify a final that is over in their browsers, on verify.html. A program that was
    /// built without the verifier takes it from the contest's folder, as verifier.wasm, which
    /// scripts/verifier makes in Quintain's sources of the same version.
    Export {
        /// The contest's folder
        folder: PathBuf,
        /// The folder for the website; it is created
        to: PathBuf,
        /// The number of each participant's latest matches that get a page
        #[arg(long, alias = "matches", value_name = "N", default_value_t = 5)]
        latest: u32,
        /// Leave out the names, for research; then there are tables but no matches
        #[arg(long)]
        anonymous: bool,
    },
}

#[derive(clap::Subcommand)]
pub(super) enum LessonsCommand {
    /// Publish a folder of lessons as a set: each is checked, and says nothing about who played
    Publish {
        /// The contest's folder
        folder: PathBuf,
        /// The folder of the lessons, made by `quintain lesson`
        lessons: PathBuf,
    },
    /// Withdraw a published set
    Withdraw {
        /// The contest's folder
        folder: PathBuf,
        /// The number of the set
        #[arg(allow_negative_numbers = true, value_parser = set_number)]
        set: i64,
    },
}

/// Parses the number of a set of lessons.
fn set_number(text: &str) -> Result<i64, String> {
    let read = text.parse().ok().filter(|number| *number > 0);
    read.ok_or_else(|| {
        "expected the number of a set, as the page of the lessons shows it".to_owned()
    })
}

/// Who reads the points.
#[derive(Clone, Copy, clap::ValueEnum)]
pub(super) enum PointsFor {
    People,
    Moodle,
    Canvas,
}

#[derive(clap::Args)]
pub(super) struct InitArgs {
    /// The contest's folder; it is created
    #[arg(default_value = ".")]
    pub(super) folder: PathBuf,
    #[arg(short, long, help = options::GAME)]
    pub(super) game: Option<String>,
    /// The name of the contest
    #[arg(long)]
    pub(super) name: Option<String>,
    #[arg(short, long = "scenario", value_name = "SCENARIO")]
    #[arg(help = options::with(options::SCENARIO, options::USUAL_SCENARIO))]
    pub(super) scenarios: Vec<String>,
    #[arg(short, long, help = options::with(options::BUDGET, "[default: move=1s]"))]
    pub(super) budget: Option<String>,
    /// The names of the two seats if they have different roles, such as builder,sequencer
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    pub(super) seats: Vec<String>,
    /// A house player (may be given several times)
    #[arg(long, value_name = "PLAYER")]
    pub(super) house: Vec<String>,
    /// Show numbers instead of names until the final is over
    #[arg(long)]
    pub(super) hidden_names: bool,
    /// The pages are reached by HTTPS, through a proxy
    #[arg(long)]
    pub(super) https: bool,
    /// The time zone, such as Europe/Berlin, of times below that have none, and of those on pages
    /// and in letters. Without it, pages and letters are in UTC, and a time below needs a zone of
    /// its own, such as Z
    #[arg(long, value_name = "ZONE")]
    pub(super) time_zone: Option<String>,
    /// The time after which no programs are accepted, such as 2030-01-31T18:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(super) freeze: Option<String>,
    /// The time at which the final begins
    #[arg(long = "final", value_name = "TIME")]
    pub(super) final_from: Option<String>,
}

#[derive(clap::Args)]
pub(crate) struct SubmitArgs {
    /// The program's folder, or its only file
    pub(super) program: PathBuf,
    /// The address of the contest, such as http://host:8080
    #[arg(long, value_name = "URL")]
    pub(super) to: String,
    /// The token from your invitation
    #[arg(long, env = "QUINTAIN_TOKEN", hide_env_values = true)]
    pub(super) token: String,
    /// Trust an HTTPS server with a certificate from one of the authorities in this file (PEM)
    #[arg(long, value_name = "FILE", env = "SSL_CERT_FILE", hide_env_values = true)]
    pub(super) ca: Option<PathBuf>,
    /// Do not wait for the check
    #[arg(long)]
    pub(super) no_wait: bool,
}
