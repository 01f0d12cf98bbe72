//! The daemon as a process of its own, on real X servers, spoken to over real sockets.

mod agent;
mod begun_wrongly;
mod client;
mod clipboard;
mod daemon;

mod elements;
mod exec;
mod files;
mod handshake;
mod kill;
mod launch;
mod limits;
mod order;
mod outside;
mod pictures;
mod places;
mod run;
mod screencast;
mod soak;
mod tasks;
mod typing;
mod wire;
