//! Services and models play against servers in this process.

mod bench;
mod chats;
mod server;
mod services;
