//! A crate depends only on crates of its own wing and of the wings below it.

use crate::workspace::{Crate, WINGS, crates};

/// Returns the dependencies that point to a higher wing.
pub fn problems() -> Vec<String> {
    upward_dependencies(&crates())
}

fn upward_dependencies(crates: &[Crate]) -> Vec<String> {
    let height = |wing: &str| WINGS.iter().position(|known| *known == wing);
    let mut problems = Vec::new();
    for krate in crates {
        for dependency in &krate.dependencies {
            let Some(other) = crates.iter().find(|other| &other.name == dependency) else {
                continue;
            };
            if height(other.wing) > height(krate.wing) {
                problems.push(format!(
                    "{} ({}) depends on {dependency} of the higher wing {}",
                    krate.name, krate.wing, other.wing
                ));
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_on_a_higher_wing_is_found() {
        let krate = |name: &str, wing, dependencies: &[&str]| Crate {
            name: name.to_owned(),
            folder: "".into(),
            wing,
            dependencies: dependencies.iter().map(|&name| name.to_owned()).collect(),
        };
        let crates = [
            krate("quintain-core", "engine", &["quintain-store"]),
            krate("quintain-store", "lab", &["quintain-core"]),
        ];
        let problems = upward_dependencies(&crates);
        assert_eq!(
            problems,
            ["quintain-core (engine) depends on quintain-store of the higher wing lab"]
        );
    }
}
