//! The encodings of an entry: for players and searches in the numbers of an encoding of whatever
//! type, and, with the type, for what crates above this one make of it.

use std::sync::Arc;

use super::{Entry, HookEncoding};
use crate::build_error::BuildError;
use crate::encoding::Encoding;
use crate::encoding_hook::EncodingHook;
use crate::numbered_rules::{AnyEncoding, EncodingWithLayout, MakeEncoding};
use crate::rules::Rules;
use crate::spec_error::SpecError;
use crate::suggest::did_you_mean;

/// Builds an encoding from the rules of a scenario and one of its first positions.
type BuildEncoding<E> = Arc<
    dyn Fn(
            &<E as Encoding>::Rules,
            &<<E as Encoding>::Rules as Rules>::State,
        ) -> Result<E, BuildError>
        + Send
        + Sync,
>;

/// An encoding of a game, with its type and all that is registered for the game.
pub struct TypedEncoding<E: Encoding> {
    /// The game.
    pub entry: Arc<Entry<E::Rules>>,
    /// The encoding's name.
    pub name: &'static str,
    /// Makes it, as described at [`Entry::encoding`].
    pub build: BuildEncoding<E>,
}

impl<E: Encoding> TypedEncoding<E> {
    /// The error for a scenario that it does not fit.
    pub fn misfit(&self, scenario: &str, why: &BuildError) -> SpecError {
        let (game, encoding) = (self.entry.name(), self.name);
        SpecError::Mismatch(format!("{game}:{scenario}, encoding {encoding}: {why}"))
    }
}

impl<E: Encoding> Clone for TypedEncoding<E> {
    fn clone(&self) -> Self {
        TypedEncoding {
            entry: Arc::clone(&self.entry),
            name: self.name,
            build: Arc::clone(&self.build),
        }
    }
}

impl<R: Rules> Entry<R> {
    /// Registers an encoding of the game's states for players and searches that work with numbers;
    /// the first one is the default. `build` makes it from the rules of a scenario and one of the
    /// positions in which its matches begin, or says why there is none. That position is the one of
    /// seed 0; others differ in what chance decides.
    pub fn encoding<E: Encoding<Rules = R>>(
        mut self,
        name: &'static str,
        build: impl Fn(&R, &R::State) -> Result<E, BuildError> + Send + Sync + 'static,
    ) -> Self {
        debug_assert!(self.encodings.iter().all(|(known, _)| *known != name), "{name} twice");
        self.encodings.push((
            name,
            Arc::new(move |rules, start| {
                Ok(Arc::new(EncodingWithLayout::new(build(rules, start)?))
                    as Arc<dyn AnyEncoding<R>>)
            }),
        ));
        self
    }

    /// Registers an encoding, as [`Entry::encoding`] does, also for something that a crate above
    /// this one makes of it and that has to know its type: batches of states, by
    /// `quintain_batch::batches`.
    pub fn encoding_with<E: Encoding<Rules = R>>(
        self,
        name: &'static str,
        build: impl Fn(&R, &R::State) -> Result<E, BuildError> + Send + Sync + 'static,
        hook: fn(TypedEncoding<E>) -> Box<dyn EncodingHook>,
    ) -> Self {
        let build: BuildEncoding<E> = Arc::new(build);
        let build_typed = Arc::clone(&build);
        let mut entry = self.encoding(name, move |rules, start| build(rules, start));
        let hook: HookEncoding<R> = Arc::new(move |entry| {
            let (entry, build) = (Arc::clone(entry), Arc::clone(&build_typed));
            hook(TypedEncoding { entry, name, build })
        });
        entry.hooks.push((name, hook));
        entry
    }

    /// What was registered with an encoding, or with the default one.
    pub(crate) fn encoding_hook(
        self: &Arc<Self>,
        wanted: Option<&str>,
    ) -> Result<Box<dyn EncodingHook>, SpecError> {
        let (name, _) = self.find_encoding(wanted)?;
        let hook = self.hooks.iter().find(|(known, _)| *known == name);
        let (_, hook) = hook.ok_or_else(|| {
            let game = self.name();
            SpecError::UnknownEncoding(format!(
                "{game}'s encoding {name} is not for batches; register it with \
                 quintain_batch::batches"
            ))
        })?;
        Ok(hook(self))
    }

    /// The encoding of this name, or the default one.
    pub(crate) fn find_encoding(
        &self,
        wanted: Option<&str>,
    ) -> Result<(&'static str, &MakeEncoding<R>), SpecError> {
        let (name, all) = (self.name(), &self.encodings);
        let Some((default, _)) = all.first() else {
            return Err(SpecError::UnknownEncoding(format!(
                "{name} has no encoding for learners; register one on its entry"
            )));
        };
        let wanted = wanted.unwrap_or(default);
        let found = all.iter().find(|(known, _)| *known == wanted);
        let (known, found) = found.ok_or_else(|| {
            let known = all.iter().map(|(known, _)| *known);
            SpecError::UnknownEncoding(did_you_mean(&format!("{name} encoding"), wanted, known))
        })?;
        Ok((known, found))
    }

    /// Its encodings, the default first, for players and searches that work with numbers.
    pub fn encodings(&self) -> &[(&'static str, MakeEncoding<R>)] {
        &self.encodings
    }
}
