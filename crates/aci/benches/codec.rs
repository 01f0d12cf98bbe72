//! What reading and writing messages costs: the small ones that agents send, and the large ones that pictures travel in.

#![expect(clippy::expect_used, reason = "a measurement of nothing had better stop")]

use std::hint::black_box;

use aci::Wire;
use aci::frame::{self, Header};
use aci::message::Message;
use aci::observation::BinaryFrameHeader;
use bytes::Bytes;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde_json::json;

const CLICK: &str = r#"{"type":"action","call_id":"c-1841","action":{"verb":"click","target":{"kind":"point_px","x":640,"y":400}}}"#;

/// A screenshot as text whose base64 has one MiB.
fn text_observation() -> String {
    json!({
        "type": "observation",
        "obs_id": "o-1",
        "cause": "c-1",
        "display": {
            "origin": "top-left", "w": 1920, "h": 1080, "dpr": 1,
            "source_rect": {"x": 0, "y": 0, "w": 1920, "h": 1080},
            "delivered": {"w": 1920, "h": 1080},
        },
        "image": {"ref": "iVBORw0K".repeat(1 << 17), "w": 1920, "h": 1080, "scope": "screen", "format": "png"},
        "frame_hash": "99aa06d3014798d86001c324468d497f",
        "pointer": [960, 540],
    })
    .to_string()
}

/// A delta frame of a full-screen change: 510 tiles of two KiB.
fn tiles() -> (Header, Vec<u8>) {
    const BYTES: usize = 2048;
    let tiles: Vec<_> = (0..510)
        .map(|index| {
            let (x, y) = (index % 30 * 64, index / 30 * 64);
            json!({"x": x, "y": y, "w": 64, "h": 64, "off": index * BYTES, "len": BYTES})
        })
        .collect();
    let payload = vec![0x5a; tiles.len() * BYTES];
    let header = json!({"type": "observation", "obs_id": "o-2", "stream": "s-1", "seq": 41, "tiles": tiles});
    let header = BinaryFrameHeader::decode(header).map(Header::Observation);
    (header.expect("the header follows the schema"), payload)
}

fn text(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("text");
    group.throughput(Throughput::Bytes(CLICK.len() as u64));
    group.bench_function("parse a click", |bencher| {
        bencher.iter(|| Message::parse(black_box(CLICK)))
    });
    let click = Message::parse(CLICK).expect("the click follows the schema");
    group.bench_function("write a click", |bencher| {
        bencher.iter_batched(
            || click.clone(),
            Message::to_text,
            criterion::BatchSize::SmallInput,
        );
    });
    let large = text_observation();
    group.throughput(Throughput::Bytes(large.len() as u64));
    group.bench_function("parse a screenshot of 1 MiB", |bencher| {
        bencher.iter(|| Message::parse(black_box(&large)))
    });
    let observation = Message::parse(&large).expect("the observation follows the schema");
    group.bench_function("write a screenshot of 1 MiB", |bencher| {
        bencher.iter_batched(
            || observation.clone(),
            Message::to_text,
            criterion::BatchSize::LargeInput,
        );
    });
    group.finish();
}

fn binary(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("binary");
    let (header, payload) = tiles();
    let message = frame::encode(header.clone(), &[&payload])
        .map(Bytes::from)
        .expect("the header is short");
    group.throughput(Throughput::Bytes(message.len() as u64));
    group.bench_function("decode 510 tiles", |bencher| {
        bencher.iter(|| frame::decode(black_box(message.clone())))
    });
    group.bench_function("encode 510 tiles", |bencher| {
        bencher.iter_batched(
            || header.clone(),
            |header| frame::encode(header, &[black_box(&payload)]),
            criterion::BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(codec, text, binary);
criterion_main!(codec);
