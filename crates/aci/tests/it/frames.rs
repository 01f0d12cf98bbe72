//! Binary messages: what is written is read again, nothing is copied, and no lie about a length gets through.

use aci::exec::{BinaryExecOutputHeader, Channel, PayloadRange};
use aci::extension::Extensions;
use aci::extension::view::{BinaryView, Settle};
use aci::frame::{Frame, FrameError, Header, decode, decode_with, encode};
use aci::observation::{BinaryFrameHeader, BinaryImage, BinaryTile, Observation};
use aci::target::Scope;
use aci::welcome::ImageFormat;
use aci::{Array, Integer, Natural, NonEmpty, Number, Positive, Wire};
use bytes::Bytes;
use serde_json::json;

use crate::random::Random;

fn natural(value: usize) -> Natural {
    Natural::clamped(value)
}

fn observation(image: Option<BinaryImage>, tiles: Option<Vec<BinaryTile>>) -> BinaryFrameHeader {
    let stream = tiles.is_some();
    BinaryFrameHeader {
        obs_id: "o-1".to_owned(),
        cause: (!stream).then(|| "call".to_owned()),
        stream: stream.then(|| "s".to_owned()),
        seq: stream.then(|| natural(3)),
        display: None,
        image,
        tiles: tiles.and_then(NonEmpty::new),
        frame_hash: None,
        pointer: None,
    }
}

fn picture(off: Natural, len: Natural) -> BinaryImage {
    let size = Integer::clamped(64);
    BinaryImage {
        off,
        len,
        w: size,
        h: size,
        scope: None,
        format: Some(ImageFormat::Jpeg),
    }
}

fn tile(off: usize, len: usize) -> BinaryTile {
    let size = Positive::clamped(64);
    BinaryTile {
        x: natural(64),
        y: natural(0),
        w: size,
        h: size,
        off: natural(off),
        len: natural(len),
    }
}

fn output(off: usize, len: usize) -> Header {
    Header::ExecOutput(BinaryExecOutputHeader {
        cause: "c".to_owned(),
        seq: natural(0),
        channel: Channel::Stderr,
        data: PayloadRange {
            off: natural(off),
            len: natural(len),
        },
    })
}

fn text(random: &mut Random) -> String {
    let letters = ["a", "\"", "\\", "\n", "é", "🎌", "\u{0}"];
    (0..random.below(6)).map(|_| *random.pick(&letters)).collect()
}

/// A random header with the parts of its payload in the order of its ranges.
fn random_frame(random: &mut Random) -> (Header, Vec<Vec<u8>>) {
    let part = |random: &mut Random| -> Vec<u8> {
        let length = random.below(40);
        (0..length).map(|_| random.next() as u8).collect()
    };
    if random.once_in(3) {
        let data = part(random);
        let Header::ExecOutput(mut header) = output(0, data.len()) else {
            unreachable!()
        };
        header.cause = text(random);
        header.seq = Natural::clamped(random.next());
        return (Header::ExecOutput(header), vec![data]);
    }
    if random.once_in(2) {
        let data = part(random);
        let mut header = observation(Some(picture(natural(0), natural(data.len()))), None);
        header.obs_id = text(random);
        header.frame_hash = random.once_in(2).then(|| text(random));
        header.pointer = random
            .once_in(2)
            .then(|| Array([random.next(), random.next()].map(Integer::clamped)));
        if let Some(image) = &mut header.image {
            image.scope = random.once_in(2).then(|| Scope::Window(random.next()));
        }
        return (Header::Observation(header), vec![data]);
    }
    let parts: Vec<Vec<u8>> = (0..1 + random.below(8)).map(|_| part(random)).collect();
    let mut off = 0;
    let tiles = parts.iter().map(|part| {
        off += part.len();
        tile(off - part.len(), part.len())
    });
    (
        Header::Observation(observation(None, Some(tiles.collect()))),
        parts,
    )
}

fn ranges(header: &Header) -> Vec<(Natural, Natural)> {
    match header {
        Header::ExecOutput(header) => vec![(header.data.off, header.data.len)],
        Header::View(view) => vec![(view.image.off, view.image.len)],
        Header::Run(header) => {
            let forms = header.value.outputs.iter().flat_map(|output| &output.forms);
            let data = forms.filter_map(|form| form.data);
            data.map(|data| (data.off, data.len)).collect()
        }
        Header::Observation(header) => {
            let image = header.image.iter().map(|image| (image.off, image.len));
            image
                .chain(
                    header
                        .tiles
                        .iter()
                        .flat_map(|tiles| tiles.as_slice())
                        .map(|tile| (tile.off, tile.len)),
                )
                .collect()
        }
    }
}

fn written(header: Header, parts: &[Vec<u8>]) -> Bytes {
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    Bytes::from(encode(header, &parts).expect("the header is short"))
}

#[test]
fn frames_survive_the_way_and_are_not_copied() {
    let seed = Random::fresh_seed();
    println!("seed {seed}");
    for mut random in [Random::new(7), Random::new(seed)] {
        for _ in 0..3_000 {
            let (header, parts) = random_frame(&mut random);
            let message = written(header.clone(), &parts);
            let frame = decode(message.clone()).unwrap();
            assert_eq!(frame.header(), &header);
            let size: usize = parts.iter().map(Vec::len).sum();
            let payload_at = message.len() - size;
            assert_eq!(
                frame.payload().as_ptr(),
                message[payload_at..].as_ptr(),
                "the payload is the message's own"
            );
            for ((off, len), part) in ranges(&header).into_iter().zip(&parts) {
                let slice = frame.slice(off, len);
                assert_eq!(&slice, part);
                if !part.is_empty() {
                    let at = payload_at + usize::try_from(off.get()).unwrap();
                    assert_eq!(
                        slice.as_ptr(),
                        message[at..].as_ptr(),
                        "a slice is the message's own"
                    );
                }
            }
            // Cut off anywhere it is no frame, for the last range then ends past the payload.
            let kept = random.below(message.len());
            let cut = decode(message.slice(..kept));
            let without_bytes = kept >= payload_at && size == 0;
            assert!(
                cut.is_err() || without_bytes,
                "{kept} of {} bytes: {cut:?}",
                message.len()
            );
        }
    }
}

#[test]
fn a_view_is_read_where_it_is_on_and_its_range_is_checked() {
    let view = |len| {
        let mut seen = Observation::new("o1");
        seen.tree_text = Some("app:\"a\"".to_owned());
        Header::View(Box::new(BinaryView {
            seen,
            image: picture(natural(0), natural(len)),
            settle: Settle {
                quiesced: true,
                waited_ms: Number::default(),
            },
        }))
    };
    let message = written(view(3), &[vec![1, 2, 3]]);
    let frame = decode_with(message.clone(), &Extensions::all()).unwrap();
    assert_eq!(frame.header(), &view(3));
    assert_eq!(&frame.slice(natural(0), natural(3))[..], [1, 2, 3]);
    assert!(matches!(decode(message), Err(FrameError::Header(_))));
    let lie = written(view(4), &[vec![1, 2, 3]]);
    assert!(matches!(
        decode_with(lie, &Extensions::all()),
        Err(FrameError::RangePastEnd { .. })
    ));
}

#[test]
fn what_a_cell_showed_is_read_where_run_is_on_and_its_ranges_are_checked() {
    let form = |off: usize, len: usize| json!({"mime": "image/png", "data": {"off": off, "len": len}});
    let message = |forms: serde_json::Value| {
        let header = json!({"type": "result", "call_id": "c", "value": {
            "output": "", "output_truncated": false, "value_truncated": false, "outputs_truncated": false,
            "timed_out": false, "interrupted": false, "state_lost": false, "restarted": false,
            "execution_count": 1, "duration_ms": 1, "outputs": [{"kind": "figure", "forms": forms}],
        }});
        let header = header.to_string();
        let mut bytes = u32::try_from(header.len()).unwrap().to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(&[1, 2, 3]);
        Bytes::from(bytes)
    };
    let whole = message(json!([form(0, 2), form(2, 1)]));
    let frame = decode_with(whole.clone(), &Extensions::all()).unwrap();
    assert_eq!(ranges(frame.header()).len(), 2);
    assert_eq!(
        encode(frame.header().clone(), &[&[1, 2, 3]]).unwrap().len(),
        whole.len()
    );
    assert!(matches!(decode(whole), Err(FrameError::Header(_))));
    for (forms, overlaps) in [
        (json!([form(0, 4)]), false),
        (json!([form(0, 2), form(1, 2)]), true),
    ] {
        match decode_with(message(forms), &Extensions::all()) {
            Err(FrameError::RangePastEnd { .. }) => assert!(!overlaps),
            Err(FrameError::Overlap { .. }) => assert!(overlaps),
            other => panic!("{other:?}"),
        }
    }
    let both = json!([{"mime": "text/html", "text": "", "data_b64": ""}]);
    assert!(matches!(
        decode_with(message(both), &Extensions::all()),
        Err(FrameError::Header(_))
    ));
}

#[test]
fn lengths_that_lie_are_refused() {
    let most = usize::MAX;
    for (off, len) in [
        (0, 7),
        (7, 0),
        (6, 1),
        (most, 1),
        (1, most),
        (most, most),
        (most, 0),
    ] {
        let (off, len) = (natural(off), natural(len));
        let image = Header::Observation(observation(Some(picture(off, len)), None));
        let refused = decode(written(image, &[vec![0; 6]])).unwrap_err();
        assert!(
            matches!(&refused, FrameError::RangePastEnd { what, payload: 6, .. } if what == "image"),
            "{refused}"
        );
    }
    let tiles = Header::Observation(observation(None, Some(vec![tile(0, 3), tile(3, 4)])));
    let refused = decode(written(tiles, &[vec![0; 6]])).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "tiles[1] is said to have 4 bytes at 3, but the payload has 6"
    );
    let refused = decode(written(output(2, 5), &[vec![0; 6]])).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "data is said to have 5 bytes at 2, but the payload has 6"
    );
}

#[test]
fn ranges_that_share_bytes_are_refused() {
    let frame = |tiles: &[(usize, usize)]| {
        let tiles = tiles.iter().map(|(off, len)| tile(*off, *len)).collect();
        decode(written(
            Header::Observation(observation(None, Some(tiles))),
            &[vec![0; 10]],
        ))
    };
    let refused = frame(&[(0, 4), (6, 4), (3, 2)]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "tiles[2] begins at 3, inside of tiles[0], which ends at 4"
    );
    for overlapping in [&[(0, 10), (2, 2)][..], &[(5, 1), (5, 1)], &[(4, 6), (0, 5)]] {
        assert!(
            matches!(frame(overlapping), Err(FrameError::Overlap { .. })),
            "{overlapping:?}"
        );
    }
    // Gaps, another order and tiles without bytes harm nobody.
    for apart in [
        &[(0, 4), (4, 6)][..],
        &[(8, 2), (0, 3)],
        &[(0, 10), (5, 0), (10, 0)],
    ] {
        assert!(frame(apart).is_ok(), "{apart:?}");
    }
}

#[test]
fn headers_that_are_none_are_refused() {
    let frame = |length: u32, rest: &[u8]| decode([&length.to_le_bytes(), rest].concat().into());
    for short in 0..4 {
        assert_eq!(decode(vec![0; short].into()), Err(FrameError::TooShort(short)));
    }
    for claimed in [3, 4, 1 << 16, 1 << 31, u32::MAX] {
        let refused = frame(claimed, b"{}");
        assert_eq!(
            refused,
            Err(FrameError::HeaderPastEnd {
                claimed: claimed as usize,
                available: 2
            })
        );
    }
    for broken in [
        &b""[..],
        b"{",
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe\x00",
        b"{\"type\":\"observation\",\"obs_id\":\"\xc3\x28\"}",
        b"{\"type\":\"observation\"}",
        b"{\"type\":\"ping\"}",
        b"{\"type\":7}",
        // A header has no base64 picture, and not both kinds of pixels.
        br#"{"type":"observation","obs_id":"o","image":{"ref":"","w":1,"h":1}}"#,
        br#"{"type":"exec_output","cause":"c","seq":0,"channel":"stdout","data_b64":""}"#,
        br#"{"type":"exec_output","cause":"c","seq":0,"channel":"stdout","data":{"off":-1,"len":0}}"#,
        br#"{"type":"exec_output","cause":"c","seq":0,"channel":"stdin","data":{"off":0,"len":0}}"#,
        br#"{"type":"observation","obs_id":"o","stream":"s","seq":1,"image":{"off":0,"len":0,"w":1,"h":1},
            "tiles":[{"x":0,"y":0,"w":1,"h":1,"off":0,"len":0}]}"#,
    ] {
        let refused = frame(u32::try_from(broken.len()).unwrap(), broken);
        assert!(matches!(refused, Err(FrameError::Header(_))), "{refused:?}");
    }
    let nothing = br#"{"type":"observation","obs_id":"o"}"#;
    assert_eq!(frame(nothing.len() as u32, nothing), Err(FrameError::NoPixels));
    // Nested far deeper than any message.
    let deep = [&b"{\"type\":"[..], &[b'['; 100_000]].concat();
    assert!(matches!(
        frame(deep.len() as u32, &deep),
        Err(FrameError::Header(_))
    ));
}

/// What decodes is written again as a frame that decodes to the same.
fn decodes_again(frame: &Frame) {
    let message = encode(frame.header().clone(), &[frame.payload()]).expect("the header is short");
    assert_eq!(&decode(message.into()).unwrap(), frame);
}

#[test]
fn no_bytes_make_it_panic() {
    let seed = Random::fresh_seed();
    println!("seed {seed}");
    let mut decoded = 0;
    for mut random in [Random::new(11), Random::new(seed)] {
        for round in 0..20_000 {
            let bytes = if round % 4 == 0 {
                (0..random.below(200)).map(|_| random.next() as u8).collect()
            } else {
                // A good frame with a few bytes changed, put in or taken out.
                let (header, parts) = random_frame(&mut random);
                let mut bytes = Vec::from(written(header, &parts));
                for _ in 0..1 + random.below(3) {
                    let at = random.below(bytes.len());
                    match random.below(3) {
                        0 => bytes[at] = random.next() as u8,
                        1 => bytes.insert(at, *random.pick(b"\"\\{}[]0-9e,:\xff\x00")),
                        _ => drop(bytes.remove(at)),
                    }
                }
                bytes
            };
            if let Ok(frame) = decode(bytes.into()) {
                decoded += 1;
                decodes_again(&frame);
            }
        }
    }
    assert!(decoded > 100, "only {decoded} changed frames were still frames");
}

#[test]
fn a_header_alone_follows_the_schema_and_a_frame_the_prose() {
    // The schema lets a header have no pixels at all; the contract's text does not.
    let header = json!({"type": "observation", "obs_id": "o"});
    let header = BinaryFrameHeader::decode(header).unwrap();
    let message = encode(Header::Observation(header), &[]).unwrap();
    assert_eq!(decode(message.into()), Err(FrameError::NoPixels));
}
