//! Helpers shared by the SVG drawings.

use std::fmt::{Display, Write as _};

/// Foreground colour, also used for text.
pub(super) const INK: &str = "#20242c";

/// Returns the start of an SVG document. The white background keeps drawings readable on dark
/// pages.
pub(super) fn begin(width: u32, height: u32, title: &str) -> String {
    let title = escaped(title);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" font-family="sans-serif">
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_end_its_element() {
        let mut svg = begin(1, 1, "</title>");
        text(&mut svg, (0, 0), 1, "start", "a < b & \"c\"");
        assert!(svg.contains("<title>&lt;/title&gt;</title>"));
        // XML allows no control characters.
        assert_eq!(escaped("a\u{7}b\u{0}\u{ffff}"), "a b  ");
        assert!(svg.contains(">a &lt; b &amp; &quot;c&quot;</text>"));
    }
}
