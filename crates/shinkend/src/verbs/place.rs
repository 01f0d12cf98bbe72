//! From a target on the wire to a pixel of the screen.

use aci::error_code::CodedError;
use aci::geometry::share_of;
use aci::target::Target;
use desktop::backend::Point;

use super::aim;
use crate::reply::invalid;
use crate::session::Session;

/// The pixel that a target names. That it is on the screen is checked where the input is made.
pub(super) async fn point(session: &Session, target: &Target) -> Result<Point, CodedError> {
    match target {
        Target::PointPx(point) => Ok(Point {
            x: pixel(point.x.get())?,
            y: pixel(point.y.get())?,
        }),
        Target::PointNorm(point) => {
            let (w, h) = session.daemon().desk.screen_size().await?;
            let share =
                |share: f64, size: u32| i32::try_from(share_of(share, size.into())).unwrap_or(i32::MAX);
            Ok(Point {
                x: share(point.x.get(), w),
                y: share(point.y.get(), h),
            })
        }
        Target::ElementRef(element) => aim::point(session, element).await,
    }
}

/// The pixel that contains a coordinate.
fn pixel(coordinate: f64) -> Result<i32, CodedError> {
    let floor = coordinate.floor();
    if floor < f64::from(i32::MIN) || floor > f64::from(i32::MAX) {
        return Err(invalid(format!(
            "the coordinate {coordinate} is off every screen"
        )));
    }
    // The range was checked.
    Ok(floor as i32)
}
