//! What came of a cell, from the kernel's words to those of the wire.

use std::process::ExitStatus;

use aci::exec::PayloadRange;
use aci::extension::run::{BinaryRunResult, RunResult};
use aci::frame::Header;
use aci::message::ResultMsg;
use aci::{Integer, Natural, Number, Wire as _};
use base64::Engine as _;
use bytes::{Buf as _, Bytes};
use serde_json::{Value, json};

use super::Cell;
use crate::outbox::{self, Outgoing};

/// What came of a cell.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) result: RunResult,
    /// What the ranges of its forms point into.
    payload: Bytes,
}

impl Outcome {
    /// Of a cell whose interpreter has ended.
    pub(super) fn lost(status: Option<ExitStatus>, count: u64) -> Self {
        use std::os::unix::process::ExitStatusExt as _;
        Self {
            result: RunResult {
                output: String::new(),
                output_truncated: false,
                error: None,
                value: None,
                value_truncated: false,
                outputs: Vec::new(),
                outputs_truncated: false,
                timed_out: false,
                interrupted: false,
                state_lost: true,
                exit_code: status.and_then(|status| status.code()).map(Integer::clamped),
                signal: status.and_then(|status| status.signal()).map(Integer::clamped),
                restarted: false,
                execution_count: Natural::clamped(count),
                duration_ms: Number::default(),
            },
            payload: Bytes::new(),
        }
    }

    /// Reads the kernel's answer: the length of a header, the header, and the bytes of what was shown. `None` where it is not
    /// one, which only a cell can bring about that meddles with the kernel.
    pub(super) fn read(mut answer: Bytes) -> Option<Self> {
        let length = usize::try_from(answer.try_get_u32_le().ok()?).ok()?;
        if length > answer.len() {
            return None;
        }
        let header = answer.split_to(length);
        let payload = answer;
        let mut value: Value = serde_json::from_slice(&header).ok()?;
        let fields = value.as_object_mut()?;
        fields.retain(|_, field| !field.is_null());
        // What the kernel does not know.
        for unknown in [
            "output_truncated",
            "timed_out",
            "interrupted",
            "state_lost",
            "restarted",
        ] {
            fields.insert(unknown.to_owned(), json!(false));
        }
        fields.insert("output".to_owned(), json!(""));
        fields.insert("duration_ms".to_owned(), json!(0));
        let mut end = 0;
        for output in fields.get_mut("outputs")?.as_array_mut()? {
            for form in output.get_mut("forms")?.as_array_mut()? {
                if let Some(size) = form.as_object_mut()?.remove("size") {
                    let size = usize::try_from(size.as_u64()?).ok()?;
                    form["data"] = json!({"off": end, "len": size});
                    end = size.checked_add(end)?;
                }
            }
        }
        let result = RunResult::decode(value).ok()?;
        (end == payload.len()).then_some(Self { result, payload })
    }

    /// The message that answers the call. What was shown is left out where all of it is more than the client takes.
    pub(super) fn message(mut self, cell: &Cell) -> Outgoing {
        let outbox = cell.session.outbox();
        let message = self.whole_message(cell);
        if outbox.check_size(&message).is_ok() {
            return message;
        }
        self.result.outputs.clear();
        self.result.outputs_truncated = true;
        self.whole_message(cell)
    }

    fn whole_message(&self, cell: &Cell) -> Outgoing {
        let call_id = cell.call_id.clone();
        let mut value = self.result.clone();
        if cell.session.is_binary() && !self.payload.is_empty() && !value.outputs.is_empty() {
            let header = BinaryRunResult { call_id, value };
            if let Some(message) = outbox::binary(Header::Run(Box::new(header)), &[&self.payload]) {
                return message;
            }
            value = self.result.clone();
        }
        for form in value.outputs.iter_mut().flat_map(|output| &mut output.forms) {
            if let Some(PayloadRange { off, len }) = form.data.take() {
                let range = usize::try_from(off.get())
                    .ok()
                    .zip(usize::try_from(len.get()).ok());
                let bytes = range.and_then(|(off, len)| self.payload.get(off..off + len));
                form.data_b64 = bytes.map(|bytes| base64::engine::general_purpose::STANDARD.encode(bytes));
            }
        }
        outbox::text(ResultMsg::value(&cell.call_id, value.encode()).into())
    }
}
