//! Pixels: the same for the same form, and sent only where they are not known.

use shinken::aci::error_code::ErrorCode;
use shinken::{Options, Shot};

use crate::stage::{client, client_with, start};

#[tokio::test]
async fn equal_actions_give_equal_pixels_in_every_process() {
    let (one, other) = (start(&[]), start(&[]));
    let mut hashes = Vec::new();
    for standin in [&one, &one, &other] {
        let client = client(standin).await;
        let before = client.screenshot(Shot::screen()).await.unwrap();
        let after = client
            .type_text("deterministic")
            .observe(Shot::screen())
            .await
            .unwrap();
        assert_eq!((before.w, before.h), (1280, 800));
        assert_ne!(before.frame_hash, after.frame_hash);
        let pixels = after.decode().unwrap().rgb().to_vec();
        hashes.push((before.frame_hash, after.frame_hash, pixels));
    }
    assert!(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
}

#[tokio::test]
async fn every_form_of_a_picture_is_there() {
    let standin = start(&[]);
    for binary_frames in [true, false] {
        let options = Options {
            binary_frames,
            ..Options::default()
        };
        let client = client_with(&standin, options).await;
        let png = client.screenshot(Shot::screen().png()).await.unwrap();
        let jpeg = client.screenshot(Shot::screen().jpeg(80)).await.unwrap();
        // The hash is one of pixels, whatever they are coded in.
        assert_eq!(png.frame_hash, jpeg.frame_hash);
        assert_eq!(jpeg.decode().unwrap().width(), 1280);
        let small = client
            .screenshot(Shot::active_window().max_long_edge(280))
            .await
            .unwrap();
        assert_eq!((small.w, small.h), (280, 200));
        let display = small.display.unwrap();
        assert_eq!(
            (display.source_rect.x.get(), display.source_rect.w.get()),
            (40, 560)
        );
        assert_eq!(small.pointer, Some((640, 400)));
        let none = client.screenshot(Shot::window(2)).await.unwrap_err();
        assert_eq!(none.code(), Some(ErrorCode::WindowNotFound), "{none}");
    }
    let narrow = Options {
        max_message_bytes: 1000,
        ..Options::default()
    };
    let client = client_with(&standin, narrow).await;
    let large = client.screenshot(Shot::screen()).await.unwrap_err();
    assert_eq!(large.code(), Some(ErrorCode::CaptureFailed), "{large}");
}
