//! What a stand-in says of itself.

use aci::Positive;
use aci::target::TargetKind;
use aci::verb::Verb;
use aci::welcome::{Capabilities, ImageFormat, ObservationType, Platform, ServerInfo, Welcome};

/// The largest edge that a picture has.
const MAX_LONG_EDGE: i64 = 3840;

/// The verbs that it takes. It runs no programs, and nothing on its screen moves by itself.
pub(crate) const VERBS: &[Verb] = &[
    Verb::Click,
    Verb::DoubleClick,
    Verb::RightClick,
    Verb::Move,
    Verb::Drag,
    Verb::MouseDown,
    Verb::MouseUp,
    Verb::Scroll,
    Verb::TypeText,
    Verb::Key,
    Verb::Screenshot,
    Verb::Wait,
    Verb::Observe,
    Verb::InvokeAction,
    Verb::SetValue,
    Verb::ClipboardGet,
    Verb::ClipboardSet,
    Verb::ActivateWindow,
];

/// The answer to `hello`.
pub(crate) fn welcome() -> Welcome {
    Welcome {
        server: ServerInfo {
            name: "shinken-standin".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            platform: Platform::Linux,
        },
        capabilities: Capabilities {
            verbs: VERBS.to_vec(),
            targets: vec![TargetKind::PointPx, TargetKind::PointNorm, TargetKind::ElementRef],
            observation_types: vec![ObservationType::Screenshot, ObservationType::A11y],
            max_long_edge: Positive::new(MAX_LONG_EDGE),
            image_formats: Some(vec![ImageFormat::Png, ImageFormat::Jpeg]),
            binary_frames: Some(true),
            frame_dedup: Some(true),
            observe_after_act: Some(true),
            structured_observation: Some(true),
        },
    }
}
