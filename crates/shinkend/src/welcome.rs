//! What this daemon says of itself.

use aci::Positive;
use aci::Wire as _;
use aci::extension::Extensions;
use aci::message::Message;
use aci::target::TargetKind;
use aci::verb::Verb;
use aci::welcome::{Capabilities, ImageFormat, ObservationType, Platform, ServerInfo, Welcome};

use crate::outbox::Outgoing;

/// The largest edge that a picture can have: X11's coordinates end there.
const MAX_LONG_EDGE: i64 = 32_767;

/// What needs the accessibility tree.
const STRUCTURED: &[Verb] = &[Verb::Observe, Verb::InvokeAction, Verb::SetValue];

/// The answer to `hello`, with what is offered beyond the contract.
pub(crate) fn message(structured: bool, extensions: &Extensions) -> Outgoing {
    let mut welcome = Message::from(welcome(structured)).encode();
    extensions.put_into(&mut welcome);
    Outgoing::Text(welcome.to_string().into())
}

fn welcome(structured: bool) -> Welcome {
    let mut targets = vec![TargetKind::PointPx, TargetKind::PointNorm];
    let mut observation_types = vec![ObservationType::Screenshot, ObservationType::Screencast];
    if structured {
        targets.push(TargetKind::ElementRef);
        observation_types.push(ObservationType::A11y);
    }
    Welcome {
        server: ServerInfo {
            name: "shinkend".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            platform: Platform::Linux,
        },
        capabilities: Capabilities {
            verbs: Verb::ALL
                .iter()
                .copied()
                .filter(|verb| structured || !STRUCTURED.contains(verb))
                .collect(),
            targets,
            observation_types,
            max_long_edge: Positive::new(MAX_LONG_EDGE),
            image_formats: Some(vec![ImageFormat::Png, ImageFormat::Jpeg]),
            binary_frames: Some(true),
            frame_dedup: Some(true),
            observe_after_act: Some(true),
            structured_observation: Some(structured),
        },
    }
}
