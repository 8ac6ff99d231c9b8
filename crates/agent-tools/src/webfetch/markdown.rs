//! HTML to Markdown.

use htmd::HtmlToMarkdown;

/// What carries no text for a reader.
const LEFT_OUT: [&str; 8] = ["script", "style", "noscript", "template", "svg", "iframe", "head", "canvas"];

/// The deepest nesting that is converted; the converter goes down by recursion.
const MAX_DEPTH: usize = 1000;

/// The stack for that, in bytes: pages of it that are not used are never there.
const STACK: usize = 256 * 1024 * 1024;

/// Elements that do not nest, since they have no end or end by themselves.
const FLAT: [&str; 26] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "dt", "dd", "td", "th", "tr", "option", "thead", "tbody", "colgroup", "rp",
];

/// Converts a page. One that is nested too deep is given as its text alone.
pub(crate) fn markdown(html: &str) -> String {
    let converted = if depth(html) > MAX_DEPTH { None } else { on_large_stack(html) };
    let text = converted.unwrap_or_else(|| plain(html));
    text.trim().to_owned() + "\n"
}

fn on_large_stack(html: &str) -> Option<String> {
    std::thread::scope(|scope| {
        let converting = std::thread::Builder::new()
            .name("webfetch-markdown".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, || {
                HtmlToMarkdown::builder().skip_tags(LEFT_OUT.to_vec()).build().convert(html).ok()
            });
        // A panic of the converter counts as a page it cannot read.
        converting.ok()?.join().ok()?
    })
}

/// Returns how deep the elements of a page are nested, or more: what a page leaves open counts as nested.
fn depth(html: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for tag in html.split('<').skip(1) {
        let (closing, name) = tag.strip_prefix('/').map_or((false, tag), |name| (true, name));
        let end = name.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(name.len());
        let name = name.get(..end).unwrap_or_default().to_ascii_lowercase();
        if name.is_empty() || FLAT.contains(&name.as_str()) {
            continue;
        }
        depth = if closing { depth.saturating_sub(1) } else { depth + 1 };
        deepest = deepest.max(depth);
    }
    deepest
}

/// Returns a page without its tags.
fn plain(html: &str) -> String {
    let pieces = html.split('<').enumerate().map(|(at, piece)| match (at, piece.split_once('>')) {
        (0, _) => piece,
        (_, Some((_, text))) => text,
        (_, None) => "",
    });
    let text: String = pieces.collect();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page() {
        insta::assert_snapshot!(
            markdown(
                "<html><head><title>t</title><style>p{}</style></head><body><h1>Title</h1><p>One <b>bold</b> \
                 <a href=\"/x?a=1&amp;b=2\">link</a>.<p>Two<br>lines<ul><li>a<li>b<ul><li>c</ul></ul>\
                 <pre><code class=\"language-rust\">fn f() {\n    1 &lt; 2\n}\n</code></pre><script>x</script>\
                 <table><tr><th>h</th><th>i</th></tr><tr><td>1</td><td>2</td></tr></table><img src=a.png alt=pic>\
                 <blockquote>quote</blockquote>中文</body></html>"
            ),
            @"
        # Title

        One **bold** [link](/x?a=1&b=2).

        Two  
        lines

        *   a
        *   b
            *   c

        ```rust
        fn f() {
            1 < 2
        }
        ```

        | h | i |
        | - | - |
        | 1 | 2 |

        ![pic](a.png)

        > quote

        中文
        "
        );
    }

    #[test]
    fn depth_is_no_danger() {
        for (open, close) in [
            ("<div>", "</div>"),
            ("<b>", ""),
            ("<p>", ""),
            ("<ul><li>", ""),
            ("<blockquote>", "</blockquote>"),
        ] {
            for times in [100, 900, 100_000] {
                let html = format!("{}deep{}", open.repeat(times), close.repeat(times));
                assert!(markdown(&html).contains("deep"), "{open} {times}");
            }
        }
    }
}
