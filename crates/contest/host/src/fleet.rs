//! The workers at a NATS server, as those who play the matches of a contest.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use quintain_arena::{Executor, Shard, Tournament};
use quintain_fleet::{Artefact, Fleet, FleetOptions, MAX_ARTEFACT_BYTES, NatsServer, Rounds};

use crate::elsewhere::{PackedProgram, Workers};
use crate::lock::lock;

/// Returns the workers at a server, to play the matches of a contest.
pub fn fleet_workers(server: NatsServer, options: FleetOptions) -> Arc<dyn Workers> {
    Arc::new(FleetWorkers { server, options, rounds: Mutex::default() })
}

struct FleetWorkers {
    server: NatsServer,
    options: FleetOptions,
    /// Set once the contest has begun to hand out matches.
    rounds: Mutex<Option<Arc<Rounds>>>,
}

impl Workers for FleetWorkers {
    fn begin(&self, contest: &str, stop: &AtomicBool) -> Result<(), String> {
        let rounds = Arc::new(Rounds::new(contest));
        rounds.clear(&self.server, stop).map_err(|error| error.to_string())?;
        *lock(&self.rounds) = Some(rounds);
        Ok(())
    }

    fn executor(&self, round: &Tournament, programs: Vec<PackedProgram>) -> Box<dyn Executor> {
        let artefact = |program: PackedProgram| {
            let PackedProgram { player, digest, file } = program;
            Artefact { player, digest, file }
        };
        let artefacts = programs.into_iter().map(artefact).collect();
        let fleet = Fleet::new(self.server.clone(), round, Shard::WHOLE, self.options);
        let fleet = fleet.with_artefacts(artefacts);
        let rounds = lock(&self.rounds).clone();
        match rounds {
            Some(rounds) => Box::new(fleet.in_rounds(rounds)),
            None => Box::new(fleet),
        }
    }

    fn server(&self) -> String {
        self.server.to_string()
    }

    fn count(&self) -> Option<u64> {
        lock(&self.rounds).as_ref()?.count_workers()
    }

    fn max_bytes(&self) -> u64 {
        MAX_ARTEFACT_BYTES
    }
}
