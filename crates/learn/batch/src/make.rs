//! From an encoding that a game registers to a batch. The game's own crate compiles the batch for
//! the encoding's type, so that stepping a state calls nothing through a pointer; only the catalog
//! does not know the type.

use std::any::Any;
use std::sync::Arc;

use quintain_core::{
    AnyEntry, BuildError, Encoding, EncodingHook, MatchStart, Rng, Rules, Scenario, Seat, Spec,
    SpecError, TypedEncoding,
};

use crate::any::AnyBatch;
use crate::conformance;
use crate::maker::{BatchOptions, MakeBatch};
use crate::opponents::Opponents;
use crate::states::{Batch, DrawInstance, Instance};
use crate::teacher::{AnyTeacher, Teacher};

/// Registers batches of an encoding: the last argument of
/// [`Entry::encoding_with`](quintain_core::Entry::encoding_with).
pub fn batches<E: Encoding>(encoding: TypedEncoding<E>) -> Box<dyn EncodingHook> {
    let maker: Box<dyn MakeBatch> = Box::new(encoding);
    Box::new(BatchHook(maker))
}

/// A batch of states of a scenario, and the scenario's canonical text. If a parameter of the
/// scenario numbers its [instances](quintain_core::Entry::instances) and the text leaves it out,
/// every episode draws its own. If the text gives the instance, so does the canonical text.
///
/// # Errors
/// If the scenario, the encoding or an opponent is unknown, or does not fit the scenario, or the
/// encoding was registered without [`batches`].
pub fn make_batch(
    entry: &dyn AnyEntry,
    scenario: &str,
    options: &BatchOptions,
) -> Result<(Box<dyn AnyBatch>, String), SpecError> {
    find_maker(entry, options.encoding.as_deref())?.make(scenario, options)
}

/// Reads records of a scenario as decisions in numbers, by the encoding named or by the default
/// one.
///
/// # Errors
/// If the scenario or the encoding is unknown, or the two do not fit, or the encoding was
/// registered without [`batches`].
pub fn make_teacher(
    entry: &dyn AnyEntry,
    scenario: &str,
    encoding: Option<&str>,
) -> Result<Box<dyn AnyTeacher>, SpecError> {
    find_maker(entry, encoding)?.teacher(scenario)
}

fn find_maker(
    entry: &dyn AnyEntry,
    encoding: Option<&str>,
) -> Result<Box<dyn MakeBatch>, SpecError> {
    let hook: Box<dyn Any> = entry.encoding_hook(encoding)?;
    let hook = hook.downcast::<BatchHook>().map_err(|_| {
        SpecError::UnknownEncoding(format!("the encoding of {} has no batches", entry.name()))
    })?;
    Ok(hook.0)
}

/// The hook of encodings that are registered with [`batches`].
struct BatchHook(Box<dyn MakeBatch>);

impl EncodingHook for BatchHook {
    fn check(&self, scenario: &str) -> Vec<String> {
        conformance::check_encoding(self.0.as_ref(), scenario)
    }
}

impl<E: Encoding> MakeBatch for TypedEncoding<E> {
    fn entry(&self) -> &dyn AnyEntry {
        &self.entry
    }

    fn name(&self) -> &'static str {
        self.name
    }

    fn make(
        &self,
        scenario: &str,
        options: &BatchOptions,
    ) -> Result<(Box<dyn AnyBatch>, String), SpecError> {
        let (known, spec) = self.entry.find_scenario(scenario)?;
        let (scenario, mut arguments) = self.entry.build_scenario(known, &spec)?;
        let draw = known.listed.instances.and_then(|parameter| {
            let given = spec.arguments.iter().find(|(known, _)| known == parameter);
            if let Some(given) = given {
                if arguments.iter().all(|(known, _)| known != parameter) {
                    arguments.push(given.clone());
                }
                return None;
            }
            Some((parameter, draw_instance(self.clone(), spec.clone(), parameter)))
        });
        let text = Spec { path: spec.path, arguments }.to_string();
        let opponents = find_opponents(self, &scenario, &text, options)?;
        let (autoreset, stop) = (options.autoreset, options.stop.clone());
        let batch = encode(self, scenario)
            .and_then(|common| Batch::new(common, draw, opponents, autoreset, stop))
            .map_err(|why| self.misfit(&text, &why))?;
        Ok((Box::new(batch), text))
    }

    fn teacher(&self, scenario: &str) -> Result<Box<dyn AnyTeacher>, SpecError> {
        let (scenario, text) = self.entry.build(scenario)?;
        let on = encode(self, scenario).map_err(|why| self.misfit(&text, &why))?;
        Ok(Box::new(Teacher::new(on, self.name)))
    }
}

/// What a batch plays on a scenario, with an encoding made from the scenario's first position.
fn encode<E: Encoding>(
    encoding: &TypedEncoding<E>,
    scenario: Scenario<E::Rules>,
) -> Result<Instance<E>, BuildError> {
    let start = scenario.start(&mut Rng::from_seed(0));
    let encoding = (encoding.build)(scenario.rules(), &start)?;
    Ok(Instance { scenario, encoding })
}

/// Builds the scenario and its encoding for any value of the parameter that numbers the instances.
fn draw_instance<E: Encoding>(
    encoding: TypedEncoding<E>,
    open: Spec,
    parameter: &'static str,
) -> DrawInstance<E> {
    Arc::new(move |seed| {
        let mut spec = open.clone();
        spec.arguments.push((parameter.to_owned(), seed.to_string()));
        let entry = &encoding.entry;
        let built = entry
            .find_scenario(&spec.path)
            .and_then(|(known, _)| entry.build_scenario(known, &spec))
            .expect("every number of 64 bits is an instance");
        encode(&encoding, built.0).expect("encoded as the first one is")
    })
}

/// The opponents of a batch, if any are wanted.
fn find_opponents<E: Encoding>(
    encoding: &TypedEncoding<E>,
    scenario: &Scenario<E::Rules>,
    text: &str,
    options: &BatchOptions,
) -> Result<Option<Opponents<E::Rules>>, SpecError> {
    if options.opponents.is_empty() {
        return Ok(None);
    }
    let entry = encoding.entry.as_ref();
    let (name, seats) = (entry.name(), scenario.rules().seats());
    if seats < 2 {
        return Err(SpecError::Mismatch(format!(
            "{name}:{text} has one seat: there is no opponent"
        )));
    }
    if let Some(seat) = options.seat.filter(|seat| *seat >= seats) {
        return Err(SpecError::Mismatch(format!("seat {seat}: expected 0 to {}", seats - 1)));
    }
    if !options.budget.is_reproducible() {
        return Err(SpecError::Mismatch(format!(
            "budget {}: opponents of learners need a limit of work, such as nodes=500; with a \
             limit of time, episodes would depend on the machine",
            options.budget
        )));
    }
    let players = options.opponents.iter().map(|player| {
        let (prepared, spec, _) = entry.prepare(player)?;
        prepared.check(scenario).map_err(|problem| entry.refuse(&spec, problem))?;
        Ok(prepared)
    });
    Ok(Some(Opponents {
        players: players.collect::<Result<_, SpecError>>()?,
        budget: options.budget,
        learner: options.seat.map(Seat::new),
        match_start: MatchStart::new(name, text, seats),
        stop: options.stop.clone(),
    }))
}
