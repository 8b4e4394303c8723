//! Participants of a class who take what all share, each in another way: a program that thinks for
//! most of its time, builds that never end, uploads that trickle in, and somebody else's program,
//! which is submitted again and again with small changes.

use std::io::Write;
use std::net::TcpStream;

use crate::hostile_requests::begin_upload;
use crate::server::Server;
use crate::setup::{Contest, WALKER, walker_choosing};
use crate::similarity::OWN;
use crate::time_shares::built_for;

/// Number of looks at the host between two submissions.
const LOOKS: usize = 50;
/// Number of uploads that trickle in at the same time.
const UPLOADS: usize = 4;
/// The honest participant whose program is copied.
pub(crate) const AUTHOR: &str = "author";
pub(crate) const SLOW: &str = "slow";
pub(crate) const COPYIST: &str = "copyist";

/// The participants, and what they have done.
pub(crate) struct Rogues<'a> {
    contest: &'a Contest,
    builder: String,
    copyist: String,
    uploader: String,
    uploads: Vec<TcpStream>,
    looks: usize,
    /// Numbers of builds and copies that were taken, and of uploads begun.
    builds: usize,
    copies: usize,
    begun: usize,
}

impl<'a> Rogues<'a> {
    /// Invites them, and puts the slow program and the one that is copied on the ladder.
    pub(crate) fn enter(contest: &'a Contest, server: &Server) -> Rogues<'a> {
        let slow = contest.invite(SLOW);
        // Two thirds of the time that it has, so that a busy machine does not end its matches.
        server.enter(&slow, &walker_choosing("__import__('time').sleep(0.4)"));
        server.enter(&contest.invite(AUTHOR), &format!("{WALKER}{OWN}"));
        let [builder, copyist, uploader] =
            ["builder", COPYIST, "uploader"].map(|name| contest.invite(name));
        let uploads = Vec::new();
        let (looks, builds, copies, begun) = (0, 0, 0, 0);
        Rogues { contest, builder, copyist, uploader, uploads, looks, builds, copies, begun }
    }

    /// Goes on with the uploads, and submits now and then.
    pub(crate) fn act(&mut self, server: &Server) {
        self.uploads.retain_mut(|upload| upload.write_all(b"#").is_ok());
        while self.uploads.len() < UPLOADS {
            self.uploads.push(begin_upload(server, &self.uploader));
            self.begun += 1;
        }
        if self.looks.is_multiple_of(LOOKS) {
            let build = built_for(3000.0, &self.looks.to_string());
            self.builds += usize::from(is_taken(server, &self.builder, "", &build));
            if self.are_copies_checked() {
                let other = format!("field{}", self.looks);
                let copy = format!("# mine\n{WALKER}{}", OWN.replace("board", &other));
                let taken = is_taken(server, &self.copyist, "bot.py", copy.as_bytes());
                self.copies += usize::from(taken);
            }
        }
        self.looks += 1;
    }

    /// Returns whether all copies so far are checked.
    pub(crate) fn are_copies_checked(&self) -> bool {
        let sql =
            "SELECT count(*) FROM versions AS v JOIN participants AS p ON p.id = v.participant
                   WHERE v.stage IN ('waiting', 'checking') AND p.name = ";
        self.contest.one(&format!("{sql} '{COPYIST}'")) == 0
    }

    /// Checks that the organiser sees whose program was copied; returns what they have done.
    pub(crate) fn expect_to_be_found(&self, server: &Server) -> String {
        let organiser = server.sign_in(&self.contest.organiser);
        let page = server.get_as(&organiser, "/organiser/similarity").body;
        let is_pair = |row: &&str| row.contains(AUTHOR) && row.contains(COPYIST);
        let pair = page.split("<tr>").find(is_pair).unwrap_or_else(|| panic!("{page}"));
        assert!(pair.contains("the same but for comments and names"), "{pair}");
        format!("{} builds, {} copies, {} uploads begun", self.builds, self.copies, self.begun)
    }
}

/// Submits; returns whether it was taken. If not, then for now.
fn is_taken(server: &Server, token: &str, name: &str, bytes: &[u8]) -> bool {
    let answer = server.hand_in(token, name, bytes);
    assert!(matches!(answer.status, 201 | 429), "{}: {}", answer.status, answer.body);
    answer.status == 201
}
