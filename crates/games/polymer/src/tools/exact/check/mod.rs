//! A checker of proofs, separate from the search that writes them: the two share only the rules. It
//! goes through all walks, one of each two mirror images. Wherever the proof cuts one off, it
//! verifies again, from the plain position, that nothing above the target can follow.
//!
//! A proof is a line `polymer proof 2`, the instance, the claim, the monomer that is laid first,
//! and the marks of [`segments`]. Older proofs have a 1 in the first line, and the marks of
//! [`prefixes`] without such a monomer.

mod error;
mod laid;
mod marks;
mod prefixes;
mod segments;

use std::sync::atomic::AtomicBool;

pub use self::error::ProofError;
use self::marks::Marks;
use crate::rules::instance::Instance;

/// Verifies a proof for an instance, unless `stop` is set meanwhile; returns the bound on R_nc that
/// it proves.
///
/// # Errors
/// [`ProofError`] if it is of another instance, is incomplete, or cuts off too much, and if the
/// check was stopped.
pub fn check(instance: &Instance, text: &str, stop: &AtomicBool) -> Result<i32, ProofError> {
    let mut rest = text;
    let mut line = || {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        rest = after;
        line.strip_suffix('\r').unwrap_or(line)
    };
    let version = match line() {
        "polymer proof 1" => 1,
        "polymer proof 2" => 2,
        _ => return Err("it does not begin with “polymer proof 1” or “polymer proof 2”".into()),
    };
    let kind = instance.interaction();
    let stated = format!("{kind} {}", crate::notation::write_instance(instance).trim_end());
    if line() != stated {
        return Err("it is for another instance".into());
    }
    let target = line().strip_prefix("no walk has R_nc above ");
    let target: i32 = target
        .and_then(|number| number.parse().ok())
        .ok_or("line 3: expected “no walk has R_nc above” and a number")?;
    let torus = instance.torus();
    if !torus.is_bipartite() || torus.degree() < 4 || torus.depth() > 1 {
        return Err(super::UNSUITED.into());
    }
    if version == 1 {
        prefixes::check(instance, target, Marks::new(rest, text.len(), stop))?;
    } else {
        let first = line().strip_prefix("from monomer ");
        let first = first.and_then(|number| number.parse().ok());
        let first = first
            .filter(|first| (1..=instance.len()).contains(first))
            .ok_or("line 4: expected “from monomer” and its number")?;
        segments::check(instance, target, first - 1, Marks::new(rest, text.len(), stop))?;
    }
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::read_instance;
    use crate::rules::instance::Interaction;

    /// Proofs that earlier versions of the program have written.
    #[test]
    fn old_proofs_still_hold() {
        let charges = include_str!("../../../../tests/proofs/charges_6x4.txt");
        let hp = include_str!("../../../../tests/proofs/hp_12x12.txt");
        for (interaction, text, bound) in
            [(Interaction::Charge, charges, 6), (Interaction::Hp, hp, 4)]
        {
            let (_, numbers) = text.lines().nth(1).unwrap().split_once(' ').unwrap();
            let read = read_instance(numbers).unwrap();
            let monomers = read.monomers().to_vec();
            let instance = Instance::new(read.torus().clone(), interaction, monomers).unwrap();
            assert_eq!(check(&instance, text, &AtomicBool::new(false)), Ok(bound));
            let lie = text.replace(&format!("above {bound}"), &format!("above {}", bound - 1));
            assert!(check(&instance, &lie, &AtomicBool::new(false)).is_err());
        }
    }

    #[test]
    fn a_check_that_is_stopped_says_how_far_it_got() {
        let text = include_str!("../../../../tests/proofs/charges_6x4.txt");
        let (_, numbers) = text.lines().nth(1).unwrap().split_once(' ').unwrap();
        let problem = check(&read_instance(numbers).unwrap(), text, &AtomicBool::new(true));
        let message = problem.unwrap_err().to_string();
        let expected = format!("of {} bytes: nothing is known of the proof", text.len());
        assert!(message.starts_with("stopped after ") && message.ends_with(&expected), "{message}");
    }
}
