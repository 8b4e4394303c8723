//! An instance that communicates by standard input and output. It runs on a separate fiber, which
//! is suspended where it waits for input and resumed with the next line: no thread is started.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll, Waker};

use wasmtime::Store;

use crate::engine::Compiled;
use crate::host::{Host, Wire, fill, pay_for_memory};
use crate::patience::{GivenUp, MatchPatience};

/// How an instance's run ended.
pub(crate) enum Stop {
    /// By this error, which may mean that it ended by itself.
    Error(wasmtime::Error),
    /// It was given up: no one waits for it any more.
    GivenUp(GivenUp),
}

type Run = Pin<Box<dyn Future<Output = (u64, wasmtime::Error)> + Send>>;

/// An instance that communicates by standard input and output; see the module.
pub(crate) struct Program {
    wire: Wire,
    /// None once it has ended.
    run: Option<Run>,
    patience: MatchPatience,
}

impl Program {
    /// Creates an instance that has not started yet.
    pub(crate) fn new(compiled: Arc<Compiled>, host: Host) -> Program {
        let wire = host.wire.clone();
        let run = Box::pin(async move {
            let mut store = Store::new(compiled.instance.module().engine(), host);
            store.limiter(|host| host);
            let error = start(&mut store, &compiled).await;
            (store.get_fuel().unwrap_or(0), error)
        });
        Program { wire, run: Some(run), patience: MatchPatience::new() }
    }

    /// Gives the instance a line and fuel, and lets it run until it waits for the next line.
    /// Returns the fuel that it has burnt.
    pub(crate) fn run(
        &mut self,
        line: &[u8],
        fuel: u64,
        stop: Option<&AtomicBool>,
    ) -> (u64, Result<(), Stop>) {
        {
            let mut ends = self.wire.lock();
            ends.input.extend(line);
            ends.given = fuel;
            ends.is_waiting = false;
        }
        let Some(run) = &mut self.run else { return (0, Err(Stop::GivenUp(GivenUp::Match))) };
        let mut question = self.patience.of_question(fuel, stop);
        let (left, result) = loop {
            match run.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready((left, error)) => {
                    self.run = None;
                    break (left, Err(Stop::Error(error)));
                }
                Poll::Pending if self.wire.lock().is_waiting => {
                    break (self.wire.lock().left, Ok(()));
                }
                Poll::Pending => {
                    if let Err(why) = question.look() {
                        self.run = None;
                        break (fuel, Err(Stop::GivenUp(why)));
                    }
                }
            }
        };
        let burnt = fuel.saturating_sub(left);
        self.patience.note(&question, burnt);
        self.wire.lock().burnt += burnt;
        (burnt, result)
    }
}

/// Runs an instance from its beginning to its end.
async fn start(store: &mut Store<Host>, compiled: &Compiled) -> wasmtime::Error {
    let run = async {
        let given = store.data().wire.lock().given;
        fill(store, given)?;
        pay_for_memory(store, compiled.memory)?;
        let instance = compiled.instance.instantiate_async(&mut *store).await?;
        let start = instance.get_typed_func::<(), ()>(&mut *store, "_start")?;
        start.call_async(&mut *store, ()).await
    };
    match run.await {
        Ok(()) => crate::host::EndReason::Exit(0).into(),
        Err(error) => error,
    }
}
