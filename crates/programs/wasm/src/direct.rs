//! An instance that is called through its exports: `alloc`, `init` and `decide` or `decide_packed`,
//! with messages in its linear memory. `docs/wasm.md` describes the interface to authors of
//! modules.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll, Waker};

use wasmtime::{Instance, Memory, Store, TypedFunc};

use crate::engine::Compiled;
use crate::host::{Host, Wire, fill, pay_for_memory};
use crate::limits::MAX_LINE;
use crate::module::Interface;
use crate::patience::{GivenUp, MatchPatience, Patience};
use crate::program::Stop;

/// An instance that is called through its exports; see the module.
pub(crate) struct Direct {
    wire: Wire,
    compiled: Arc<Compiled>,
    store: Store<Host>,
    exports: Option<Exports>,
    patience: MatchPatience,
}

#[derive(Clone)]
struct Exports {
    memory: Memory,
    alloc: TypedFunc<u32, u32>,
    init: Option<TypedFunc<(u32, u32), ()>>,
    decide: Decide,
}

#[derive(Clone)]
enum Decide {
    /// `decide`: the address of the reply in the upper 32 bits, its length in the lower.
    Text(TypedFunc<(u32, u32), u64>),
    /// `decide_packed`: the action's number.
    Number(TypedFunc<(u32, u32), u32>),
}

/// What an instance replies to a question.
pub(crate) enum DirectReply {
    Text(String),
    Number(u32),
}

/// A reply or address that lies outside the memory.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BadPlace(String);

impl Direct {
    /// Creates an instance that has not started yet.
    pub(crate) fn new(compiled: Arc<Compiled>, host: Host) -> Direct {
        let wire = host.wire.clone();
        let mut store = Store::new(compiled.instance.module().engine(), host);
        store.limiter(|host| host);
        Direct { wire, compiled, store, exports: None, patience: MatchPatience::new() }
    }

    /// Starts the instance: the module's own start, and `init` with this message. Returns the fuel
    /// that was burnt.
    pub(crate) fn start(
        &mut self,
        message: &str,
        fuel: u64,
        stop: Option<&AtomicBool>,
    ) -> (u64, Result<(), Stop>) {
        let compiled = Arc::clone(&self.compiled);
        let (burnt, result) = self.run_metered(fuel, stop, |store, patience| {
            run(begin(store, &compiled, message), patience)
        });
        (burnt, result.map(|exports| self.exports = Some(exports)))
    }

    /// Runs the module's own start, which needs no match.
    pub(crate) fn try_start(&mut self, fuel: u64) -> Result<(), Stop> {
        let compiled = Arc::clone(&self.compiled);
        let (_, started) = self.run_metered(fuel, None, |store, patience| {
            run(instantiate(store, &compiled), patience)
        });
        started.map(drop)
    }

    /// Asks the instance with this message. Returns the fuel that was burnt, and the reply.
    pub(crate) fn ask(
        &mut self,
        message: &[u8],
        fuel: u64,
        stop: Option<&AtomicBool>,
    ) -> (u64, Result<DirectReply, Stop>) {
        let Some(exports) = self.exports.clone() else {
            return (0, Err(Stop::GivenUp(GivenUp::Match)));
        };
        self.run_metered(fuel, stop, |store, patience| {
            run(decide(store, &exports, message), patience)
        })
    }

    fn run_metered<T>(
        &mut self,
        fuel: u64,
        stop: Option<&AtomicBool>,
        work: impl FnOnce(&mut Store<Host>, &mut Patience<'_>) -> Result<T, Stop>,
    ) -> (u64, Result<T, Stop>) {
        self.wire.lock().given = fuel;
        let mut question = self.patience.of_question(fuel, stop);
        let result = fill(&mut self.store, fuel).map_err(Stop::Error);
        let result = result.and_then(|()| work(&mut self.store, &mut question));
        let burnt = fuel.saturating_sub(self.store.get_fuel().unwrap_or(0));
        self.patience.note(&question, burnt);
        self.wire.lock().burnt += burnt;
        (burnt, result)
    }
}

/// Runs a call to its end, unless it is given up.
fn run<T>(
    call: impl Future<Output = wasmtime::Result<T>>,
    patience: &mut Patience<'_>,
) -> Result<T, Stop> {
    let mut call = pin!(call);
    loop {
        match call.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => return result.map_err(Stop::Error),
            // The call only yields so that it can be stopped: there is nothing to wait for.
            Poll::Pending => patience.look().map_err(Stop::GivenUp)?,
        }
    }
}

/// Makes an instance and runs what it runs before it is asked for anything.
async fn instantiate(store: &mut Store<Host>, compiled: &Compiled) -> wasmtime::Result<Instance> {
    pay_for_memory(store, compiled.memory)?;
    let instance = compiled.instance.instantiate_async(&mut *store).await?;
    if let Ok(initialize) = instance.get_typed_func::<(), ()>(&mut *store, "_initialize") {
        initialize.call_async(&mut *store, ()).await?;
    }
    Ok(instance)
}

async fn begin(
    store: &mut Store<Host>,
    compiled: &Compiled,
    message: &str,
) -> wasmtime::Result<Exports> {
    let instance = instantiate(store, compiled).await?;
    let missing = || BadPlace("there is no memory".to_owned());
    let exports = Exports {
        memory: instance.get_memory(&mut *store, "memory").ok_or_else(missing)?,
        alloc: instance.get_typed_func(&mut *store, "alloc")?,
        init: instance.get_typed_func(&mut *store, "init").ok(),
        decide: match compiled.interface {
            Interface::Packed => {
                Decide::Number(instance.get_typed_func(&mut *store, "decide_packed")?)
            }
            _ => Decide::Text(instance.get_typed_func(&mut *store, "decide")?),
        },
    };
    if let Some(init) = exports.init.clone() {
        let place = put(store, &exports, message.as_bytes()).await?;
        init.call_async(&mut *store, place).await?;
    }
    Ok(exports)
}

async fn decide(
    store: &mut Store<Host>,
    exports: &Exports,
    message: &[u8],
) -> wasmtime::Result<DirectReply> {
    let place = put(store, exports, message).await?;
    let reply = match &exports.decide {
        Decide::Text(decide) => decide.call_async(&mut *store, place).await?,
        Decide::Number(decide) => {
            return decide.call_async(&mut *store, place).await.map(DirectReply::Number);
        }
    };
    let (at, length) = ((reply >> 32) as usize, (reply & 0xffff_ffff) as usize);
    if length > MAX_LINE {
        return Err(crate::host::EndReason::Line.into());
    }
    let outside =
        || BadPlace(format!("decide returned {length} bytes at {at}, outside its memory"));
    let bytes = exports.memory.data(&*store).get(at..).and_then(|rest| rest.get(..length));
    let text = String::from_utf8_lossy(bytes.ok_or_else(outside)?).into_owned();
    Ok(DirectReply::Text(text))
}

/// Writes a message to where `alloc` says.
async fn put(
    store: &mut Store<Host>,
    exports: &Exports,
    message: &[u8],
) -> wasmtime::Result<(u32, u32)> {
    let length = message.len() as u32;
    let at = exports.alloc.call_async(&mut *store, length).await?;
    exports.memory.write(&mut *store, at as usize, message).map_err(|_| {
        BadPlace(format!("alloc returned {at} for {length} bytes, outside its memory"))
    })?;
    Ok((at, length))
}
