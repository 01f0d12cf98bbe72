//! What a program that was run has to say.

use crate::wire::{Integer, Natural, Number, wire_object, words};

words! {
    /// Where output came from.
    Channel {
        /// Standard output.
        Stdout = "stdout",
        /// Standard error.
        Stderr = "stderr",
    }
}

wire_object! {
    /// A piece of a streamed program's output, as text. Sessions with binary frames get [`BinaryExecOutputHeader`] instead.
    #[derive(Eq)]
    pub struct ExecOutput: Closed {
        fixed "type" = "exec_output";
        /// The call that started it.
        "cause" cause: required String,
        /// Counts the pieces of both channels together, from 0.
        "seq" seq: required Natural,
        /// Which output it is.
        "channel" channel: required Channel,
        /// The bytes in base64; they need not be text.
        "data_b64" data_b64: required String,
    }
}

wire_object! {
    /// The end of a streamed program; exactly one, after its last output.
    pub struct ExecExit: Closed {
        fixed "type" = "exec_exit";
        /// The call that started it.
        "cause" cause: required String,
        /// Its exit code; null where a signal ended it or it never began.
        "exit_code" exit_code: required Option<Integer>,
        /// The signal that ended it.
        "signal" signal: optional Option<Integer>,
        /// Whether it was killed because its time was over.
        "timed_out" timed_out: required bool,
        /// How long it ran, in milliseconds.
        "duration_ms" duration_ms: required Number<0>,
        /// Whether output was dropped because there was too much.
        "truncated" truncated: required bool,
        /// Why it never began, or why its output is not whole.
        "error" error: optional String,
    }
}

wire_object! {
    /// The value of the result of a buffered `exec`.
    pub struct ExecResult: Closed {
        /// Its exit code; null where a signal ended it.
        "exit_code" exit_code: required Option<Integer>,
        /// The signal that ended it.
        "signal" signal: optional Option<Integer>,
        /// Whether it was killed because its time was over.
        "timed_out" timed_out: required bool,
        /// Its standard output; bytes that are not UTF-8 become U+FFFD.
        "stdout" stdout: required String,
        /// Its standard error, likewise.
        "stderr" stderr: required String,
        /// Whether standard output was longer than kept.
        "stdout_truncated" stdout_truncated: required bool,
        /// Whether standard error was longer than kept.
        "stderr_truncated" stderr_truncated: required bool,
        /// How long it ran, in milliseconds.
        "duration_ms" duration_ms: required Number<0>,
    }
}

wire_object! {
    /// A range of bytes in a binary message's payload.
    #[derive(Copy, Eq)]
    pub struct PayloadRange: Closed {
        /// Where it begins.
        "off" off: required Natural,
        /// How many bytes it has.
        "len" len: required Natural,
    }
}

wire_object! {
    /// The header of a binary message that carries a piece of a streamed program's output.
    #[derive(Eq)]
    pub struct BinaryExecOutputHeader: Closed {
        fixed "type" = "exec_output";
        /// The call that started it.
        "cause" cause: required String,
        /// Counts the pieces of both channels together, from 0.
        "seq" seq: required Natural,
        /// Which output it is.
        "channel" channel: required Channel,
        /// Where the bytes are.
        "data" data: required PayloadRange,
    }
}
