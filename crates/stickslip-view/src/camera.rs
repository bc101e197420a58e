//! Where a picture is taken from.

use crate::film::Extent;
use glam::DVec3;

/// A camera that looks at a point; z is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Point looked at, m.
    pub target: DVec3,
    /// From the target to the eye, m.
    pub distance: f64,
    /// Direction of the eye about z, from the x axis, rad.
    pub azimuth: f64,
    /// Height of the eye, rad.
    pub elevation: f64,
    /// Angle of view in the picture's height, rad.
    pub angle: f64,
}

/// A point as the camera sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// To the right, in half heights of the picture.
    pub x: f64,
    /// Up, in half heights of the picture.
    pub y: f64,
    /// Distance along the view, m; not positive behind the eye.
    pub depth: f64,
}

impl Camera {
    /// As near as can be with a box in sight, in a picture of this width over height.
    #[must_use]
    pub fn around(extent: &Extent, azimuth: f64, elevation: f64, aspect: f64) -> Self {
        let mut camera = Self {
            target: extent.centre(),
            distance: 12.0 * extent.radius(),
            azimuth,
            elevation,
            angle: 0.5,
        };
        let corners = extent.corners();
        let fits = |camera: &Self| {
            corners.iter().all(|corner| {
                let seen = camera.see(*corner);
                seen.depth > 0.0 && seen.x.abs() < 0.9 * aspect && seen.y.abs() < 0.88
            })
        };
        while camera.distance > 0.5 * extent.radius() && fits(&camera) {
            camera.distance *= 0.98;
        }
        camera.distance /= 0.98;
        camera
    }

    /// Right, up and backwards, unit vectors.
    #[must_use]
    pub fn axes(&self) -> [DVec3; 3] {
        let (ca, sa) = (libm::cos(self.azimuth), libm::sin(self.azimuth));
        let (ce, se) = (libm::cos(self.elevation), libm::sin(self.elevation));
        let back = DVec3::new(ce * ca, ce * sa, se);
        let right = DVec3::new(-sa, ca, 0.0);
        [right, back.cross(right), back]
    }

    /// Where the eye is, m.
    #[must_use]
    pub fn eye(&self) -> DVec3 {
        self.target + self.axes()[2] * self.distance
    }

    /// A point of the world in the picture.
    #[must_use]
    pub fn see(&self, point: DVec3) -> Seen {
        let [right, up, back] = self.axes();
        let from = point - self.eye();
        let depth = -from.dot(back);
        let scale = 1.0 / (libm::tan(0.5 * self.angle) * depth);
        Seen {
            x: from.dot(right) * scale,
            y: from.dot(up) * scale,
            depth,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_is_in_the_middle_and_up_is_up() {
        let extent = Extent {
            low: DVec3::new(-1.0, 0.0, 0.0),
            high: DVec3::new(2.0, 1.0, 4.0),
        };
        let camera = Camera::around(&extent, -1.0, 0.3, 1.5);
        let seen = camera.see(camera.target);
        assert!(seen.x.abs() < 1e-12 && seen.y.abs() < 1e-12);
        assert!((seen.depth - camera.distance).abs() < 1e-9);
        assert!(camera.see(camera.target + DVec3::Z).y > 0.0);
        // Right of the view direction, which is −back.
        assert!(camera.see(camera.target + camera.axes()[0]).x > 0.0);
        assert!((camera.axes()[0].cross(camera.axes()[1]) - camera.axes()[2]).length() < 1e-12);
    }
}
