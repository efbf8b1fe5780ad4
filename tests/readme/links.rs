//! Links, anchors and pictures of the README and the book.

use std::path::{Path, PathBuf};

use super::{book_pages, files, pages, prose, read, root};

/// Targets of the links and pictures of a page.
fn targets(page: &str) -> Vec<String> {
    let text = prose(&read(page));
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.filter(|target| !target.contains("://")).map(str::to_owned).collect()
}

/// File of a target, relative to the root, and its anchor.
fn resolve(page: &str, target: &str) -> (PathBuf, Option<String>) {
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let folder = Path::new(page).parent().unwrap();
    let file = if file.is_empty() { PathBuf::from(page) } else { folder.join(file) };
    (file, anchor.map(str::to_owned))
}

/// Anchors of the headings of a page, formed as Git hosting sites and mdBook do.
fn anchors(page: &Path) -> Vec<String> {
    let text = prose(&read(page.to_str().unwrap()));
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| slug(line.trim_start_matches('#').trim())).collect()
}

fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn links_and_anchors_resolve() {
    for page in pages() {
        for target in targets(&page) {
            let (file, anchor) = resolve(&page, &target);
            assert!(root().join(&file).exists(), "{page} links to {target}, which does not exist");
            if let Some(anchor) = anchor {
                assert!(anchors(&file).contains(&anchor), "{page} links to {target}: no such heading");
            }
        }
    }
}

#[test]
fn headings_of_a_page_have_different_anchors() {
    for page in pages() {
        let mut found = anchors(Path::new(&page));
        found.sort();
        let repeated = found.windows(2).find(|pair| pair[0] == pair[1]);
        assert!(repeated.is_none(), "{page}: {repeated:?}");
    }
}

/// A page of the book has no link to a file outside `docs/`, because the rendered book contains no such file.
#[test]
fn pages_of_the_book_link_within_it() {
    for page in book_pages() {
        assert!(targets(&page).iter().all(|target| !target.starts_with("..")), "{page} links out of docs/");
    }
}

#[test]
fn contents_and_guide_list_every_page() {
    for list in ["docs/SUMMARY.md", "docs/guide.md"] {
        let listed = targets(list);
        for name in files("docs", "md").iter().filter(|name| *name != "SUMMARY.md" && *name != "guide.md") {
            assert!(listed.contains(name), "{list} does not list {name}");
        }
    }
}

/// A picture of each scenario of `configs/` is in the gallery.
#[test]
fn the_gallery_shows_every_scenario() {
    let text = read("docs/gallery.md");
    for file in files("configs", "toml") {
        let name = file.trim_end_matches(".toml");
        let section = text.split(&format!("\n## {name}\n")).nth(1).unwrap_or_else(|| panic!("no {name}"));
        let section = section.split("\n## ").next().unwrap();
        assert!(section.contains("](pictures/"), "no picture of {name}");
    }
}

/// The README is short and the pictures are small files. Every picture is shown on a page.
#[test]
fn the_readme_and_the_pictures_are_small() {
    assert!(read("README.md").len() <= 12_000);
    let shown: Vec<PathBuf> = pages()
        .iter()
        .flat_map(|page| targets(page).into_iter().map(|target| resolve(page, &target).0).collect::<Vec<_>>())
        .collect();
    for name in files("docs/pictures", "png") {
        let file = Path::new("docs/pictures").join(name);
        assert!(shown.contains(&file), "no page shows {}", file.display());
        let size = std::fs::metadata(root().join(&file)).unwrap().len();
        assert!(size < 300_000, "{} has {size} bytes", file.display());
    }
}
