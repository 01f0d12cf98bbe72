//! Addresses of message buses.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use zbus::Address;
use zbus::address::Transport;
use zbus::address::transport::{Unix, UnixSocket};

/// Reads an address. zbus 5 takes the escapes in a socket's path for parts of its name, so those are read here
/// (D-Bus Specification, "Server Addresses"); whatever has none is left to it.
pub(crate) fn parse(text: &str) -> zbus::Result<Address> {
    // A server may offer several; all that is met in practice offers one, and the first is as good as any.
    let first = text.split(';').next().unwrap_or_default();
    let path = first
        .strip_prefix("unix:")
        .and_then(|options| options.split(',').find_map(|option| option.strip_prefix("path=")));
    match path {
        Some(path) if path.contains('%') => {
            let bytes = unescaped(path.as_bytes())
                .ok_or_else(|| zbus::Error::Address(format!("a % without two digits in {text:?}")))?;
            let path = PathBuf::from(OsString::from_vec(bytes));
            Ok(Address::new(Transport::Unix(Unix::new(UnixSocket::File(path)))))
        }
        _ => first.parse(),
    }
}

fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, after @ ..] = rest {
        rest = after;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let [high, low, after @ ..] = after else {
            return None;
        };
        let digit = |byte: u8| char::from(byte).to_digit(16);
        // Two hexadecimal digits are at most 255.
        bytes.push(u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?);
        rest = after;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(text: &str) -> PathBuf {
        match parse(text).unwrap().transport() {
            Transport::Unix(unix) => match unix.path() {
                UnixSocket::File(path) => path.clone(),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn escapes_stand_for_their_bytes() {
        let odd = "unix:path=/a%20b%2cc%3Dd/bus,guid=0123456789abcdef0123456789abcdef";
        assert_eq!(socket(odd), PathBuf::from("/a b,c=d/bus"));
        assert_eq!(
            socket("unix:guid=0123456789abcdef0123456789abcdef,path=/%c3%a9;unix:path=/b"),
            PathBuf::from("/é")
        );
        assert_eq!(
            socket("unix:path=/run/user/1000/bus"),
            PathBuf::from("/run/user/1000/bus")
        );
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", "unix", "unix:path=/a%2", "unix:path=/a%zz", "nothing:path=/a"] {
            assert!(parse(text).is_err(), "{text:?}");
        }
    }
}
