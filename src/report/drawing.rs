//! What drawings as SVG have in common.

/// Colour of words and of what stands in front.
pub(super) const INK: &str = "#20242c";

/// Width and height to show a drawing at: its own in pixels or, where viewers may refuse that, as much smaller as it takes.
pub(super) fn shown_size(width: f64, height: f64) -> (f64, f64) {
    const LARGEST: f64 = 16_000.0;
    let scale = (LARGEST / width.max(height)).min(1.0);
    if scale == 1.0 {
        (width, height)
    } else {
        ((width * scale).round(), (height * scale).round())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case((300.0, 16_000.0), (300.0, 16_000.0))]
    #[case((64_000.0, 600.0), (16_000.0, 150.0))]
    fn drawings_are_never_too_large(#[case] size: (f64, f64), #[case] shown: (f64, f64)) {
        assert_eq!(shown_size(size.0, size.1), shown);
    }
}
