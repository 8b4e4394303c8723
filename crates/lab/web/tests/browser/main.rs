//! The pages in a real browser: Chromium, controlled by its driver over WebDriver. Skipped with a
//! message where these are not installed.

mod looks;
mod own_module;
mod pages;
mod phones;
mod served;
mod watching;
#[path = "../webdriver/mod.rs"]
mod webdriver;
