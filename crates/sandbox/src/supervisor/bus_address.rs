//! Addresses of message buses.

use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The address of a bus at a socket. Bytes that mean something in an address, or nothing at all, are written as `%XX`
/// (D-Bus Specification, "Server Addresses").
pub(super) fn of_socket(path: &Path) -> String {
    let mut address = String::from("unix:path=");
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_alphanumeric() || b"-_/.\\*".contains(&byte) {
            address.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            write!(address, "%{byte:02x}").ok();
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_or_split_an_address_is_escaped() {
        assert_eq!(
            of_socket(Path::new("/run/user-1/my.d_r*\\/bus")),
            "unix:path=/run/user-1/my.d_r*\\/bus"
        );
        assert_eq!(
            of_socket(Path::new("/a b,c=d;e%f/é")),
            "unix:path=/a%20b%2cc%3dd%3be%25f/%c3%a9"
        );
    }
}
