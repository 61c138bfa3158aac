//! What drawings as SVG have in common.

use std::fmt::{Display, Write as _};

/// Colour of text and of the foreground.
pub(super) const INK: &str = "#20242c";

/// The largest width or height in pixels that a drawing is shown at: viewers may refuse more.
pub(super) const LARGEST: f64 = 16_000.0;

/// The beginning of a drawing of this size in pixels, on a ground of its own, so that it can be read on dark pages too.
pub(super) fn begin(width: f64, height: f64, title: &str) -> String {
    let (shown_width, shown_height) = shown_size(width, height);
    let title = escaped(title);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{shown_width}" height="{shown_height}" viewBox="0 0 {width} {height}" font-family="sans-serif">
<title>{title}</title>
<rect width="{width}" height="{height}" fill="#ffffff"/>
"##
    )
}

/// Words of this size in pixels at a point, which is their `start`, `middle` or `end`.
pub(super) fn text(
    svg: &mut String,
    (x, y): (impl Display, impl Display),
    size: u32,
    anchor: &str,
    text: &str,
) {
    let text = escaped(text);
    let _ = writeln!(
        svg,
        r#"<text x="{x:.1}" y="{y:.1}" font-size="{size}" text-anchor="{anchor}" fill="{INK}">{text}</text>"#
    );
}

/// A text as XML has it between tags and in attributes.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Width and height to show a drawing at: its own in pixels or as much smaller as it takes.
fn shown_size(width: f64, height: f64) -> (f64, f64) {
    let largest = width.max(height);
    if largest <= LARGEST {
        return (width, height);
    }
    [width, height]
        .map(|pixels| (pixels * LARGEST / largest).round())
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_are_never_too_large() {
        assert_eq!(shown_size(300.0, 16_000.0), (300.0, 16_000.0));
        assert_eq!(shown_size(64_000.0, 600.0), (16_000.0, 150.0));
    }

    #[test]
    fn words_cannot_end_their_element() {
        let mut svg = begin(1.0, 1.0, "</title>");
        text(&mut svg, (0, 0), 1, "start", "a < b & \"c\"");
        assert!(svg.contains("<title>&lt;/title&gt;</title>"));
        assert!(svg.contains(">a &lt; b &amp; &quot;c&quot;</text>"));
    }
}
