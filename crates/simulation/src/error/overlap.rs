//! Overlaps of bodies at t = 0.

use std::fmt;

use crate::contact::detection::Entry;
#[cfg(doc)]
use crate::contact::detection::Penetration;

/// Two bodies that overlap at t = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// Names of the bodies.
    pub bodies: [String; 2],
    /// Whether nodes, faces or only the insides of the bodies overlap.
    pub entry: Entry,
    /// Approximate length of the smallest translation that separates the offset surfaces of the bodies \[m\] (see
    /// [`Penetration::depth`]).
    pub depth: f64,
    /// Search distance of the bodies \[m\]. Infinite if one of them is a wall. Zero for [`Entry::Insides`]: contact
    /// detection does not find such an overlap.
    pub deepest: f64,
    /// A point of the overlap \[m\].
    pub point: [f64; 3],
    /// Symbol of the scenario's unit of length.
    pub unit: String,
}

/// Bodies that lie wholly behind a wall at t = 0.
#[derive(Clone, Debug, PartialEq)]
pub struct BehindWall {
    /// Names of the bodies.
    pub bodies: Vec<String>,
    /// Name of the wall.
    pub wall: String,
    /// Unit normal out of the wall.
    pub normal: [f64; 3],
}

/// Depth above which an overlap in metres indicates a mesh in millimetres \[m\].
const LARGE_DEPTH: f64 = 1.0;

pub(super) fn count(overlaps: &[Overlap]) -> String {
    match overlaps.len() {
        1 => "two bodies".into(),
        n => format!("{n} pairs of bodies"),
    }
}

/// Remedies other than to move the bodies. `policy` is the remedy by `contact.initial_penetration`. It fails, and is
/// omitted, if an overlap is [`Entry::Insides`]: the faces of the bodies line up.
pub(super) fn others(overlaps: &[Overlap], policy: &str) -> String {
    let exclude = "exclude the pair with [[contact.pairs]] contact = false";
    let line_up = overlaps.iter().any(|overlap| overlap.entry == Entry::Insides);
    let remedies = if line_up { format!("or {exclude}") } else { format!("{exclude}, or {policy}") };
    let is_deep = overlaps.iter().any(|overlap| overlap.unit == "m" && overlap.depth > LARGE_DEPTH);
    if is_deep {
        format!("{remedies}; `scale = 1e-3` takes a mesh from millimetres to metres")
    } else {
        remedies
    }
}

pub(super) struct Overlaps<'a>(pub &'a [Overlap]);

impl fmt::Display for Overlaps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self.0, |f, overlap| write!(f, "{overlap}"))
    }
}

/// Overlaps whose text includes the search distances.
pub(super) struct DeepOverlaps<'a>(pub &'a [Overlap]);

impl fmt::Display for DeepOverlaps<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        list(f, self.0, |f, overlap| match overlap.entry {
            Entry::Insides => write!(f, "{overlap}, where their faces line up and no node is in the other"),
            Entry::Nodes | Entry::Faces => {
                let Overlap { deepest, unit, .. } = overlap;
                write!(f, "{overlap}, where the search depth of contact is {deepest:.3e} {unit}")
            }
        })
    }
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bodies: [first, second], depth, point: [x, y, z], unit, .. } = self;
        write!(f, "`{first}` and `{second}` by {depth:.3e} {unit} at ({x:.6}, {y:.6}, {z:.6})")
    }
}

impl fmt::Display for BehindWall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.bodies.iter().map(|body| format!("`{body}`")).collect();
        let (bodies, verb) = if names.len() == 1 { ("body", "is") } else { ("bodies", "are") };
        let (names, wall, normal) = (names.join(", "), &self.wall, self.normal);
        let reversed = normal.map(|component| 0.0 - component);
        write!(
            f,
            "{bodies} {names} {verb} wholly behind wall `{wall}`, whose normal {normal:?} points to the other side; \
             reverse the normal of the wall (normal = {reversed:?}), or move the {bodies} to the side it points to"
        )
    }
}

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
