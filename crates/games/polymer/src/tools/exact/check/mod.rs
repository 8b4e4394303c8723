//! A checker of proofs, separate from the search that writes them: the two share only the rules. It goes
//! through all walks, one of each two mirror images. Wherever the proof cuts one off, it verifies anew, from
//! the plain position, that nothing above the target can follow. It is slow, and meant for small cases.
//!
//! A proof is a line `polymer proof 2`, the instance, the claim, the monomer that is laid first, and the marks
//! of [`segments`]. Older proofs have a 1 in the first line, and the marks of [`prefixes`] without such a
//! monomer.

mod error;
mod laid;
mod prefixes;
mod segments;

pub use self::error::ProofError;
use crate::rules::instance::Instance;

/// Verifies a proof for an instance; returns the bound on R_nc that it proves.
///
/// # Errors
/// [`ProofError`] if it is of another instance, is incomplete, or cuts off too much.
pub fn check(instance: &Instance, text: &str) -> Result<i32, ProofError> {
    let mut lines = text.lines();
    let version = match lines.next() {
        Some("polymer proof 1") => 1,
        Some("polymer proof 2") => 2,
        _ => return Err("it does not begin with “polymer proof 1” or “polymer proof 2”".into()),
    };
    let kind = instance.interaction();
    let stated = format!("{kind} {}", crate::notation::write_instance(instance).trim_end());
    let claim = lines.next().unwrap_or_default();
    if claim != stated {
        return Err("it is for another instance".into());
    }
    let target = lines.next().and_then(|line| line.strip_prefix("no walk has R_nc above "));
    let target: i32 = target
        .and_then(|number| number.parse().ok())
        .ok_or("line 3: expected “no walk has R_nc above” and a number")?;
    let torus = instance.torus();
    if !torus.is_bipartite() || torus.degree() < 4 || torus.depth() > 1 {
        return Err("proofs are only for tori with even sides of at least 4".into());
    }
    if version == 1 {
        let marks: String = lines.collect();
        prefixes::check(instance, target, &marks)?;
    } else {
        let first = lines.next().and_then(|line| line.strip_prefix("from monomer "));
        let first = first.and_then(|number| number.parse().ok());
        let first = first
            .filter(|first| (1..=instance.len()).contains(first))
            .ok_or("line 4: expected “from monomer” and its number")?;
        let marks: String = lines.collect();
        segments::check(instance, target, first - 1, &marks)?;
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
            assert_eq!(check(&instance, text), Ok(bound));
            let lie = text.replace(&format!("above {bound}"), &format!("above {}", bound - 1));
            assert!(check(&instance, &lie).is_err());
        }
    }
}
