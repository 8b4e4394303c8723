//! On which scenarios programs of foreign protocols play, of all games: a scenario that a protocol
//! cannot express is refused before a match, in one line.

use std::collections::BTreeMap;
use std::sync::Arc;

use quintain_core::{
    ExternalError, ExternalPlayer, ExternalSource, Lifecycle, MatchStart, Question, Seat,
};
use quintain_games::catalog;

/// Programs that are never started, each named after its protocol: `speaks:gaic2010`.
struct Programs(Vec<&'static str>);

impl ExternalSource for Programs {
    fn prefix(&self) -> &str {
        "speaks"
    }

    fn resolve(&self, spec: &str, _game: &str) -> Result<String, ExternalError> {
        Ok(spec.to_owned())
    }

    fn foreign_protocol(&self, spec: &str) -> Option<&'static str> {
        self.0.iter().copied().find(|name| spec.ends_with(name))
    }

    fn open(&self, _spec: &str) -> Result<Box<dyn ExternalPlayer>, ExternalError> {
        Err("it is never started".into())
    }
}

#[test]
fn every_scenario_is_refused_in_one_line_or_can_be_asked_about_at_every_seat() {
    let names = catalog();
    let names = names.entries().flat_map(|entry| entry.protocols()).map(|known| known.name);
    let catalog = catalog().with_external(Arc::new(Programs(names.collect())));
    let mut refused: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for entry in catalog.entries() {
        for protocol in entry.protocols() {
            let name = protocol.name;
            let player = catalog.player(entry.name(), &format!("speaks:{name}")).unwrap();
            // The starter package's maps are not everywhere.
            let texts = entry.scenarios().into_iter().filter(|known| known.name() != "starter");
            let texts = texts.map(|known| known.name().to_owned());
            let more = ["empty?players=4", "empty?players=4&width=32&height=22&trails=vanish"];
            for text in texts.chain(more.map(str::to_owned)) {
                // Some need a file or data, and games have scenarios of their own.
                let Ok(game) = catalog.game(entry.name(), &text) else { continue };
                if let Err(error) = game.accepts(&player) {
                    let error = error.to_string();
                    assert!(!error.contains('\n') && error.contains(name), "{error}");
                    refused.entry(name).or_default().push(text);
                    continue;
                }
                if protocol.lifecycle == Lifecycle::Plan {
                    continue;
                }
                let start = game.begin(3);
                for seat in Seat::all(game.seats()) {
                    let mut referee = (protocol.referee)();
                    let about = MatchStart::new(entry.name(), &text, game.seats());
                    let about = about.with_seat(seat, 1, Default::default());
                    referee.match_start(&about, &game.setting()).unwrap();
                    let question =
                        Question::new(seat, 0, start.observation(seat), start.actions(seat));
                    let asked = referee.question(&question).unwrap();
                    assert!(asked.ends_with('\n'), "{name} on {text}: {asked}");
                }
            }
        }
    }
    let wide = "empty?players=4&width=32&height=22&trails=vanish";
    for name in ["hackerrank-tron", "gaic2010", "riddles-tron"] {
        assert_eq!(refused.remove(name).unwrap(), ["empty?players=4", wide], "{name}");
    }
    let others = ["hackerrank", "tronv2", "riddles", "empty", "obstacles", "rings", "rooms"];
    let others = [&others[..], &["corridors", "empty?players=4"]].concat();
    assert_eq!(refused.remove("codingame-tron").unwrap(), others);
    assert_eq!(refused.remove("battlesnake").unwrap(), ["codingame"]);
    assert!(refused.is_empty(), "{refused:?}");
}
