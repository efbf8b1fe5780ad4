//! Bodies that overlap before the run begins.

use std::fmt;

use crate::contact::detection::Entry;
#[cfg(doc)]
use crate::contact::detection::Penetration;

/// Two bodies that overlap at t = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// Their names.
    pub bodies: [String; 2],
    /// What of one is in the other.
    pub entry: Entry,
    /// How far one must be moved at least to be out of the other \[m\]; see [`Penetration::depth`].
    pub depth: f64,
    /// Greatest depth at which there is contact between them \[m\]; infinite for a wall, 0 where their faces line up and
    /// contact finds nothing.
    pub deepest: f64,
    /// Where \[m\].
    pub point: [f64; 3],
}

/// How many there are, in a sentence.
pub(super) fn count(overlaps: &[Overlap]) -> String {
    match overlaps.len() {
        1 => "two bodies".into(),
        n => format!("{n} pairs of bodies"),
    }
}

/// Other remedies, among them a policy where one helps: none keeps or removes an overlap where faces line up.
pub(super) fn others(overlaps: &[Overlap], policy: &str) -> String {
    let exclude = "exclude the pair with [[contact.pairs]] contact = false";
    let line_up = overlaps.iter().any(|overlap| overlap.entry == Entry::Insides);
    if line_up { format!("or {exclude}") } else { format!("{exclude}, or {policy}") }
}

/// Overlaps one after the other.
pub(super) struct Overlaps<'a>(pub &'a [Overlap]);

impl fmt::Display for Overlaps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self.0, |f, overlap| write!(f, "{overlap}"))
    }
}

/// The same, with how deep they may be.
pub(super) struct DeepOverlaps<'a>(pub &'a [Overlap]);

impl fmt::Display for DeepOverlaps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self.0, |f, overlap| match overlap.entry {
            Entry::Insides => write!(f, "{overlap}, where their faces line up and no node is in the other"),
            Entry::Nodes | Entry::Faces => {
                write!(f, "{overlap}, where contact is looked for to {:.3e} m", overlap.deepest)
            }
        })
    }
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([first, second], depth, [x, y, z]) = (&self.bodies, self.depth, self.point);
        write!(f, "`{first}` and `{second}` by {depth:.3e} m at ({x:.6}, {y:.6}, {z:.6})")
    }
}

/// Writes overlaps one after the other.
fn list(
    f: &mut fmt::Formatter<'_>,
    overlaps: &[Overlap],
    write_one: impl Fn(&mut fmt::Formatter<'_>, &Overlap) -> fmt::Result,
) -> fmt::Result {
    overlaps.iter().enumerate().try_for_each(|(k, overlap)| {
        f.write_str(if k > 0 { ", " } else { "" })?;
        write_one(f, overlap)
    })
}
