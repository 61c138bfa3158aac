//! Helpers shared by the SVG drawings.

use std::fmt::{Display, Write as _};

/// Foreground colour, also used for text.
pub(super) const INK: &str = "#20242c";

/// Maximum displayed width and height in pixels. Some viewers reject larger drawings.
pub(super) const LARGEST: f64 = 16_000.0;

/// Returns the start of an SVG document. The white background keeps drawings readable on dark
/// pages.
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

/// Writes text at a point, with a font size in pixels. `anchor` is the SVG `text-anchor`: `start`,
/// `middle` or `end`.
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

/// Escapes a string for use in XML elements and attributes.
pub(crate) fn escaped(text: &str) -> String {
    // XML allows no control characters, not even as references.
    let text = text.replace(|c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'), " ");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// Returns the displayed width and height, scaled down if they exceed [`LARGEST`].
fn shown_size(width: f64, height: f64) -> (f64, f64) {
    let scale = (LARGEST / width.max(height)).min(1.0);
    ((width * scale).round(), (height * scale).round())
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
    fn text_cannot_end_its_element() {
        let mut svg = begin(1.0, 1.0, "</title>");
        text(&mut svg, (0, 0), 1, "start", "a < b & \"c\"");
        assert!(svg.contains("<title>&lt;/title&gt;</title>"));
        // XML allows no control characters.
        assert_eq!(escaped("a\u{7}b\u{0}\u{ffff}"), "a b  ");
        assert!(svg.contains(">a &lt; b &amp; &quot;c&quot;</text>"));
    }
}
