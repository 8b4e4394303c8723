//! The tuned weights of each distribution: the table `profiles.tsv`, read once.

use std::sync::LazyLock;

use super::weight_sets::{ENDINGS, WeightSets};
use super::weights::{COUNT, Weights};

/// A named profile.
pub(super) struct Profile {
    /// The name of the distribution that it was tuned on.
    pub(super) name: String,
    /// Its weights.
    pub(super) weights: WeightSets,
}

/// The table of profiles: a line with names of columns, then a line for each weight. A column is
/// named after a profile, with the ending of one of the further sets of [`WeightSets`] if it is not
/// the first.
static TABLE: &str = include_str!("profiles.tsv");

/// The lines of a table but for the comments at its head, which say where its numbers are from.
pub(super) fn table_lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().filter(|line| !line.starts_with('#'))
}

/// All tuned profiles.
pub(super) fn profiles() -> &'static [Profile] {
    static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
        let mut lines = table_lines(TABLE);
        let heads: Vec<&str> = lines.next().unwrap_or_default().split('\t').skip(1).collect();
        let mut columns = vec![Weights([0.0; COUNT]); heads.len()];
        for (index, line) in lines.enumerate() {
            for (column, value) in columns.iter_mut().zip(line.split('\t').skip(1)) {
                column.0[index] = value.parse().expect("the table has numbers");
            }
        }
        let find = |name: &str| heads.iter().position(|head| *head == name);
        let column = |name: String| find(&name).map(|at| columns[at].clone());
        let is_first = |head: &&&str| ENDINGS[1..].iter().all(|ending| !head.ends_with(ending));
        let profile = |name: &&str| Profile {
            name: (*name).to_owned(),
            weights: WeightSets::new(ENDINGS.map(|ending| column(format!("{name}{ending}"))))
                .expect("its first set is there"),
        };
        heads.iter().filter(is_first).map(profile).collect()
    });
    &PROFILES
}

#[cfg(test)]
mod tests {
    use super::super::weights::names;
    use super::*;

    #[test]
    fn every_column_of_the_table_belongs_to_a_profile() {
        let heads = table_lines(TABLE).next().unwrap().split('\t').skip(1);
        for head in heads {
            let is_own = |profile: &Profile| {
                ENDINGS.iter().any(|ending| head == format!("{}{ending}", profile.name))
            };
            assert!(profiles().iter().any(is_own), "{head}");
        }
    }

    #[test]
    fn the_table_has_a_line_for_each_weight_in_order() {
        let found: Vec<&str> =
            table_lines(TABLE).skip(1).map(|line| line.split('\t').next().unwrap()).collect();
        assert_eq!(found, names());
        let columns = table_lines(TABLE).next().unwrap().split('\t').count();
        assert!(table_lines(TABLE).all(|line| line.split('\t').count() == columns));
    }
}
