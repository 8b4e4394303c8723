//! What participants do with a browser.

use crate::contest::{Contest, output};
use crate::webdriver::Browser;

#[test]
fn a_program_is_handed_in_by_page() {
    let Some(contest) = Contest::new("per_hour = 20 ") else { return };
    let Some(mut browser) = Browser::open() else { return };
    let eve = contest.invite("eve");
    let server = contest.serve();
    browser.go(&format!("http://{}/sign-in?token={eve}", server.address));
    browser.click("main button");
    browser.until("return location.pathname === '/me'");
    browser.choose("#file", &contest.at().join("walker/bot.py"));
    browser.click("form[action='/me/submit'] button");
    browser.until("return document.body.textContent.includes('Version 1')");
    browser.go(&format!("http://{}/", server.address));
    browser.until(
        "return [...document.querySelectorAll('#ladder tbody tr')].some((row) =>
            row.textContent.includes('eve (you)') && row.cells[4].textContent.includes('to'))",
    );
    browser.click("header a[href='/me']");
    browser.until("return document.querySelectorAll('#matches tbody tr').length > 0");
    browser.click("#matches tbody a");
    browser.until("return location.pathname.startsWith('/me/matches/')");
    browser.click("main a[href^='/matches/']");
    browser.until("return document.querySelector('canvas') !== null");
    assert_eq!(browser.complaints(), "");
}
