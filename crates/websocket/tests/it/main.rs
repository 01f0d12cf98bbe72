//! Sockets beside those of tungstenite, over lines as narrow as they come.

mod broken;
mod interplay;
mod upgrade;
