//! Limits on how much a client may hold, and on how long it may take. A client is an address, and
//! whatever it holds is released with its [`Place`].

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::Semaphore;

use super::options::MatchLimits;
use super::problem::Problem;

/// What the server allows at the same time, and for how long it waits for a client.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    pub(super) connections: Allowance,
    /// Matches under way.
    pub(super) matches: Allowance,
    /// Exports being sent.
    pub(super) downloads: Allowance,
    /// Pages listening for news.
    pub(super) listeners: Allowance,
    /// Replays and pictures.
    pub(super) renderings: RenderingLimits,
    /// Time for the whole header of the next request.
    pub(super) header: Duration,
    /// Time for the whole body of a request.
    pub(super) body: Duration,
    /// How fast a client must take what is sent.
    pub(super) taking: Pace,
}

/// The slowest pace at which a client may take what is sent: so many bytes a second, with a time in
/// which it may fall behind.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Pace {
    pub(super) grace: Duration,
    pub(super) rate: u32,
}

impl Pace {
    /// Returns how far behind a client is that waited for so long and then took so many bytes.
    pub(super) fn behind(self, before: Duration, waited: Duration, taken: usize) -> Duration {
        let due = Duration::from_secs_f64(taken as f64 / f64::from(self.rate));
        (before + waited).saturating_sub(due)
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: Allowance { all: 512, each: 64 },
            matches: {
                let MatchLimits { all, each } = MatchLimits::default();
                Allowance { all, each }
            },
            downloads: Allowance { all: 16, each: 4 },
            listeners: Allowance { all: 256, each: 16 },
            renderings: RenderingLimits::default(),
            header: Duration::from_secs(30),
            body: Duration::from_secs(10),
            taking: Pace { grace: Duration::from_secs(60), rate: 16 << 10 },
        }
    }
}

/// Limits on what is made of records on request.
#[derive(Clone, Copy, Debug)]
pub(super) struct RenderingLimits {
    /// Requests that wait for a replay or a picture.
    pub(super) waiting: Allowance,
    /// Replays and pictures made at the same time.
    pub(super) at_once: usize,
    /// Time for each.
    pub(super) time: Duration,
    /// Bytes that a replay may take in memory.
    pub(super) bytes: usize,
}

impl Default for RenderingLimits {
    fn default() -> RenderingLimits {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        RenderingLimits {
            waiting: Allowance { all: 128, each: 16 },
            at_once: (cores / 2).clamp(2, 4),
            time: Duration::from_secs(30),
            bytes: 32 << 20,
        }
    }
}

/// Maximum number at the same time: in all, and for each client.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    pub(super) all: usize,
    pub(super) each: usize,
}

/// Returns the client of an address. In IPv6, the 2^64 addresses of the same network count as one
/// client.
pub(super) fn client(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from(network))
        }
        address => address,
    }
}

/// Counts what clients hold.
pub(super) struct Quota {
    share: Allowance,
    held: Mutex<HashMap<IpAddr, usize>>,
}

/// The reason why there is no place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Full {
    /// All places are taken.
    All,
    /// The client has used up its share.
    Own,
}

impl Full {
    /// Returns the message for the client; `things` are matches, downloads, …
    pub(super) fn problem(self, things: &str) -> Problem {
        match self {
            Full::All => {
                let text = format!("too many {things} are under way; try again later");
                Problem::new(StatusCode::SERVICE_UNAVAILABLE, text)
            }
            Full::Own => {
                let text = format!(
                    "too many {things} from your address are under way; end one, or wait three \
                     minutes until an abandoned one makes room"
                );
                Problem::new(StatusCode::TOO_MANY_REQUESTS, text)
            }
        }
    }
}

impl Quota {
    pub(super) fn new(share: Allowance) -> Arc<Quota> {
        Arc::new(Quota { share, held: Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of places that each client holds.
    pub(super) fn counts(&self) -> HashMap<IpAddr, usize> {
        self.lock().clone()
    }

    /// The number of places that are held.
    #[cfg(test)]
    pub(super) fn held(&self) -> usize {
        self.lock().values().sum()
    }

    /// Takes a place for the client at this address.
    pub(super) fn take(self: &Arc<Quota>, address: IpAddr) -> Result<Place, Full> {
        let client = client(address);
        let mut held = self.lock();
        if held.get(&client).is_some_and(|own| *own >= self.share.each) {
            return Err(Full::Own);
        }
        if held.values().sum::<usize>() >= self.share.all {
            return Err(Full::All);
        }
        *held.entry(client).or_default() += 1;
        Ok(Place { quota: Arc::clone(self), client })
    }
}

/// The turns of clients: each has a few at a time, and waits for the next one in order.
pub(super) struct Turns {
    each: usize,
    clients: Mutex<HashMap<IpAddr, Weak<Semaphore>>>,
}

impl Turns {
    pub(super) fn new(each: usize) -> Turns {
        Turns { each, clients: Mutex::default() }
    }

    /// Returns the turns of the client at this address.
    pub(super) fn of(&self, address: IpAddr) -> Arc<Semaphore> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        // Clients without a request need not be remembered.
        clients.retain(|_, own| own.strong_count() > 0);
        let client = client(address);
        clients.get(&client).and_then(Weak::upgrade).unwrap_or_else(|| {
            let own = Arc::new(Semaphore::new(self.each));
            clients.insert(client, Arc::downgrade(&own));
            own
        })
    }
}

/// A place that a client holds, released when this is dropped.
pub(super) struct Place {
    quota: Arc<Quota>,
    client: IpAddr,
}

impl Place {
    pub(super) fn client(&self) -> IpAddr {
        self.client
    }

    pub(super) fn is_of(&self, address: IpAddr) -> bool {
        self.client == client(address)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut held = self.quota.lock();
        if let Some(own) = held.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                held.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> IpAddr {
        address.parse().unwrap()
    }

    #[test]
    fn a_place_is_free_again_once_it_is_dropped() {
        let quota = Quota::new(Allowance { all: 3, each: 2 });
        let first = quota.take(at("10.0.0.1")).ok().unwrap();
        let _second = quota.take(at("10.0.0.1")).ok().unwrap();
        assert_eq!(quota.take(at("10.0.0.1")).err(), Some(Full::Own));
        let _other = quota.take(at("10.0.0.2")).ok().unwrap();
        assert_eq!(quota.take(at("10.0.0.3")).err(), Some(Full::All));
        drop(first);
        assert!(quota.take(at("10.0.0.3")).is_ok());
    }

    #[test]
    fn whoever_takes_a_little_now_and_then_falls_behind() {
        let pace = Limits::default().taking;
        let take = |seconds: u64, bytes: usize| {
            let mut behind = Duration::ZERO;
            (1..=1000).find(|_| {
                behind = pace.behind(behind, Duration::from_secs(seconds), bytes);
                behind > pace.grace
            })
        };
        assert_eq!(take(50, 4 << 10), Some(2));
        assert_eq!(take(1, 8 << 10), Some(121));
        assert_eq!(take(1, 16 << 10), None);
        assert_eq!(take(50, 1 << 20), None);
    }

    #[test]
    fn many_addresses_of_one_network_are_one_client() {
        assert_eq!(client(at("2001:db8::1")), client(at("2001:db8::ffff:1:2:3")));
        assert_ne!(client(at("2001:db8:0:1::1")), client(at("2001:db8::1")));
        assert_eq!(client(at("::ffff:10.0.0.1")), at("10.0.0.1"));
        assert_ne!(client(at("10.0.0.1")), client(at("10.0.0.2")));
    }
}
