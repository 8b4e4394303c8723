//! A contest below a path: every link, form, picture, cookie and redirect stays below it.

use std::collections::BTreeSet;
use std::fs;

use crate::lessons::{self, lesson};
use crate::setup::{Contest, WALKER};

/// Returns the values of these attributes in a page.
fn addresses(page: &str) -> Vec<String> {
    let attributes = ["href", "src", "action", "data-replay", "data-part", "data-live"];
    let of = |attribute: &str| {
        let opening = format!(" {attribute}=\"");
        let pieces: Vec<&str> = page.split(&opening).skip(1).collect();
        pieces.into_iter().map(|piece| piece.split('"').next().unwrap().to_owned())
    };
    attributes.into_iter().flat_map(|attribute| of(attribute).collect::<Vec<_>>()).collect()
}

#[test]
fn nothing_on_any_page_leads_out_of_the_path_of_a_contest() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("# path = \"/tron\"", "path = \"/cups/tron/\"")]);
    contest.append("[grades]\nmilestones = { passed = 4 }\n");
    let (ada, bob) = (contest.invite("ada"), contest.invite("bob"));
    lessons::publish(&contest, &[lesson()]).unwrap();
    let server = contest.serve();
    for token in [&ada, &bob] {
        server.enter(token, WALKER);
    }
    server.until("matches are played", |_| {
        contest.one("SELECT count(*) FROM matches WHERE record IS NOT NULL") > 20
    });
    let origin = format!("http://{}", server.address);
    let sign_in = |token: &str| {
        let answer = server.form_from(&origin, "/cups/tron/sign-in", "", &format!("token={token}"));
        assert_eq!(answer.status, 303, "{}", answer.body);
        assert!(answer.head.contains("; path=/cups/tron;"), "{}", answer.head);
        assert!(answer.head.contains("location: /cups/tron/"), "{}", answer.head);
        answer.cookie()
    };
    let mut visited = BTreeSet::new();
    for cookie in [String::new(), sign_in(&ada), sign_in(&contest.organiser)] {
        let mut seen = BTreeSet::new();
        let mut open = vec!["/cups/tron".to_owned(), "/cups/tron/show".to_owned()];
        while let Some(path) = open.pop() {
            if !seen.insert(path.clone()) {
                continue;
            }
            let page = server.get_as(&cookie, &path);
            assert!(page.status < 400, "{path}: {}", page.body);
            if !page.head.contains("content-type: text/html") || page.head.contains("attachment") {
                continue;
            }
            for address in addresses(&page.body) {
                let is_elsewhere =
                    ["#", "?", "data:", "http"].iter().any(|to| address.starts_with(to));
                if is_elsewhere || address.is_empty() {
                    continue;
                }
                assert!(address.starts_with("/cups/tron/"), "{path} leads to {address}");
                let page = address.split(['#', '?']).next().unwrap();
                // One match is like another, and forms are sent, not opened.
                let kind = page.trim_end_matches(|sign: char| sign.is_ascii_alphanumeric());
                let is_first = page.len() - kind.len() < 16 || visited.insert(kind.to_owned());
                let is_data = page.contains("/api/");
                if is_first && !is_data && !is_form(page) {
                    open.push(page.to_owned());
                }
            }
        }
        visited.extend(seen);
    }
    for part in [
        "/me",
        "/organiser",
        "/organiser/similarity",
        "/matches",
        "/lessons",
        "/lessons/1.zip",
        "/assets/page.js",
    ] {
        assert!(visited.contains(&format!("/cups/tron{part}")), "{part}: {visited:?}");
    }
    let problem = server.get("/cups/tron/nowhere");
    assert!(problem.status == 404 && problem.body.contains("href=\"/cups/tron/\""));
    // A proxy may have removed the path.
    assert_eq!(server.get("/rules").status, 200);
}

/// Returns whether an address is only the target of forms.
fn is_form(address: &str) -> bool {
    let page = address.trim_start_matches("/cups/tron");
    let is_of_organiser = page.starts_with("/organiser/")
        && !["similarity", "points", "participants"].iter().any(|part| page.contains(part));
    is_of_organiser || page == "/sign-out" || (page.starts_with("/me/") && !page.contains("match"))
}

#[test]
fn a_program_is_handed_in_to_an_address_with_a_path() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("# path = \"/tron\"", "path = \"/tron\"")]);
    let ada = contest.invite("ada");
    let server = contest.serve();
    let file = contest.at().join("bot.py");
    fs::write(&file, WALKER).unwrap();
    let client =
        quintain_host::client::Client::new(&format!("{}/tron/", server.address), &ada, None);
    let client = client.unwrap();
    let submitted = client.submit(&file, &mut |_| {}).unwrap();
    assert_eq!(client.wait(submitted, &mut |_| {}).unwrap().stage, "passed");
    // Kits and invitations name that address.
    let organiser = server.sign_in(&contest.organiser);
    let invited = server.form("/tron/organiser/invite", &organiser, "name=eve").body;
    assert!(invited.contains(&format!("{}/tron/sign-in?token=", server.address)), "{invited}");
}

#[test]
fn a_path_that_is_none_is_refused_in_one_line() {
    let Some(contest) = Contest::new() else { return };
    contest.edit(&[("# path = \"/tron\"", "path = \"https://example.org/tron\"")]);
    let Err(error) = contest.try_serve() else { panic!("it is served") };
    let error = error.to_string();
    assert!(error.contains("path: expected a path of letters") && error.lines().count() == 1);
}

#[test]
fn every_page_says_which_contest_it_is_and_who_is_signed_in() {
    let Some(contest) = Contest::new() else { return };
    let ada = contest.invite("Ada Lovelace");
    let server = contest.serve();
    let as_ada = server.sign_in(&ada);
    for path in ["/", "/matches", "/final", "/rules", "/kits", "/me", "/show", "/nowhere"] {
        let head = |body: String| body.split("</header>").next().unwrap().to_owned();
        let page = head(server.get_as(&as_ada, path).body);
        assert!(page.contains("href=\"/me\"") && page.contains("Ada Lovelace"), "{path}: {page}");
        assert!(page.contains(">tron contest</span></a>"), "{path}: {page}");
        let visitor = head(server.get(path).body);
        assert!(path == "/me" || visitor.contains("href=\"/sign-in\""), "{path}: {visitor}");
        assert!(!visitor.contains("Lovelace"), "{path}");
    }
}
