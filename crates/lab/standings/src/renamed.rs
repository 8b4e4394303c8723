//! Standings in which players have other names.

use crate::table::Standings;

impl Standings {
    /// Gives players the names that people know them by, where `name_of` returns one.
    pub fn rename(&mut self, name_of: impl Fn(&str) -> Option<String>) {
        for name in self.names() {
            if let Some(new) = name_of(name) {
                *name = new;
            }
        }
    }

    /// All places where a player is named.
    fn names(&mut self) -> Vec<&mut String> {
        let mut names: Vec<&mut String> = Vec::new();
        names.extend(self.overall.iter_mut().map(|row| &mut row.player));
        names.extend(self.certainty.open.iter_mut().flat_map(|open| &mut open.players));
        names.extend(self.versus.iter_mut().flat_map(|versus| &mut versus.players));
        names.extend(self.bracket.iter_mut().flat_map(|bracket| &mut bracket.players));
        names.extend(self.rounds.iter_mut().flat_map(|rounds| &mut rounds.players));
        names.extend(&mut self.challengers);
        names.extend(self.difference.iter_mut().flat_map(|difference| &mut difference.players));
        names.extend(self.superiority.iter_mut().flat_map(|superiority| &mut superiority.players));
        names.extend(self.rings.iter_mut().flatten());
        for scenario in &mut self.scenarios {
            names.extend(&mut scenario.winners);
            names.extend(scenario.rows.iter_mut().map(|row| &mut row.player));
        }
        names.extend(self.regret.iter_mut().map(|regret| &mut regret.player));
        names
    }
}
