//! The names that windows and the clipboard go by, asked for once a connection.

x11rb::atom_manager! {
    /// Atoms of EWMH, of ICCCM and of what programs agree on for text.
    pub(crate) Atoms:
    /// The answers to asking for them.
    AtomsCookie {
        _GTK_FRAME_EXTENTS,
        _NET_ACTIVE_WINDOW,
        _NET_CLIENT_LIST,
        _NET_CURRENT_DESKTOP,
        _NET_SUPPORTING_WM_CHECK,
        _NET_WM_DESKTOP,
        _NET_WM_NAME,
        _NET_WM_PID,
        _NET_WM_PING,
        WM_HINTS,
        WM_PROTOCOLS,
        WM_STATE,
        WM_TAKE_FOCUS,
        COMPOUND_TEXT,
        UTF8_STRING,
        TEXT,
        TEXT_PLAIN: b"text/plain",
        TEXT_PLAIN_UTF8: b"text/plain;charset=utf-8",
        CLIPBOARD,
        INCR,
        MULTIPLE,
        TARGETS,
        TIMESTAMP,
        ATOM_PAIR,
        SHINKEN_CLIPBOARD,
        SHINKEN_SCRATCH_KEYS,
        SHINKEN_TIME,
    }
}
