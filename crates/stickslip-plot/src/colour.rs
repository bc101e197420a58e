//! The theme's colours.

/// A colour with opacity, 8 bits a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
    /// Opacity: 255 hides what is below.
    pub a: u8,
}

impl Colour {
    /// From `0xrrggbb`.
    #[must_use]
    pub const fn rgb(hex: u32) -> Self {
        Self {
            r: (hex >> 16) as u8,
            g: (hex >> 8) as u8,
            b: hex as u8,
            a: 255,
        }
    }

    /// The same with this opacity, 0 to 1.
    #[must_use]
    pub fn with_opacity(self, opacity: f64) -> Self {
        Self {
            a: (opacity.clamp(0.0, 1.0) * 255.0).round() as u8,
            ..self
        }
    }

    /// Mixed with another: 0 gives `self`, 1 gives `other`.
    #[must_use]
    pub fn mixed(self, other: Self, part: f64) -> Self {
        let part = part.clamp(0.0, 1.0);
        let mix =
            |a: u8, b: u8| (f64::from(a) + part * (f64::from(b) - f64::from(a))).round() as u8;
        Self {
            r: mix(self.r, other.r),
            g: mix(self.g, other.g),
            b: mix(self.b, other.b),
            a: mix(self.a, other.a),
        }
    }

    /// As in SVG, without the opacity.
    #[must_use]
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.r, self.g, self.b)
    }
}

/// Background.
pub const PAPER: Colour = Colour::rgb(0xffffff);
/// Texts.
pub const INK: Colour = Colour::rgb(0x1f2933);
/// Axes, ticks, notes.
pub const GREY: Colour = Colour::rgb(0x5f6b7a);
/// Grid lines.
pub const FAINT: Colour = Colour::rgb(0xe4e8ed);

/// Contacts that stick.
pub const STICK: Colour = SERIES[0];
/// Contacts that slide.
pub const SLIDE: Colour = SERIES[1];

/// Colours of series in their order: after Okabe and Ito, with the yellow left out (unreadable on white) and
/// the lightest ones darkened. Told apart with every common kind of colour vision.
pub const SERIES: [Colour; 7] = [
    Colour::rgb(0x0072b2),
    Colour::rgb(0xd55e00),
    Colour::rgb(0x009e73),
    Colour::rgb(0xb4559a),
    Colour::rgb(0xd99a00),
    Colour::rgb(0x3fa0d8),
    Colour::rgb(0x333b45),
];

/// A scale from dark blue to yellow whose lightness grows evenly (the stops of viridis), 0 to 1.
#[must_use]
pub fn scale(part: f64) -> Colour {
    const STOPS: [u32; 9] = [
        0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725,
    ];
    let place = part.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let k = (place.floor() as usize).min(STOPS.len() - 2);
    Colour::rgb(STOPS[k]).mixed(Colour::rgb(STOPS[k + 1]), place - k as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_starts_and_ends_at_its_stops() {
        assert_eq!(scale(0.0), Colour::rgb(0x440154));
        assert_eq!(scale(1.0), Colour::rgb(0xfde725));
        assert_eq!(scale(f64::NAN.max(0.5)).hex(), "#21918c");
    }
}
