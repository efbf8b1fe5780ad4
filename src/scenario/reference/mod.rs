//! Every key a scenario can have, for people: the one place where defaults are written out, checked in tests
//! against the types that read the file and the values they fill in.

use std::fmt::Write as _;

/// A key of a scenario.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyReference {
    /// Table it stands in; empty for the top of the file.
    pub table: &'static str,
    /// Name.
    pub name: &'static str,
    /// What holds where it is left out; `None` where it is required.
    pub default: Option<&'static str>,
    /// Unit of its number; empty for none.
    pub unit: &'static str,
    /// Meaning.
    pub meaning: &'static str,
}

impl KeyReference {
    pub(super) fn meaning_with_unit(&self) -> String {
        if self.unit.is_empty() { self.meaning.into() } else { format!("{} [{}]", self.meaning, self.unit) }
    }
}

const fn required(
    table: &'static str,
    name: &'static str,
    unit: &'static str,
    meaning: &'static str,
) -> KeyReference {
    KeyReference { table, name, default: None, unit, meaning }
}

const fn optional(
    [table, name]: [&'static str; 2],
    default: &'static str,
    unit: &'static str,
    meaning: &'static str,
) -> KeyReference {
    KeyReference { table, name, default: Some(default), unit, meaning }
}

/// All keys, in the order in which a scenario is usually written.
#[rustfmt::skip]
pub const KEYS: &[KeyReference] = &[
    optional(["", "title"], "the file's name", "", "title for people"),
    optional(["", "gravity"], "[0, 0, 0]", "m/s²", "acceleration of every body that does not give its own"),

    required("time", "end", "s", "end of the run; it starts at 0"),
    optional(["time", "step"], "\"auto\"", "s", "\"auto\" (safety times the critical step) or a number"),
    optional(["time", "safety"], "0.8", "-", "fraction of the critical step, in (0, 1]"),
    optional(["time", "flight_step"], "end/200", "s", "largest step while every body flies free"),
    optional(["time", "energy_tolerance"], "0.05", "-", "imbalance of the energy, over its peak so far, past which the run stops"),

    required("materials", "model", "", "linear-elastic, st-venant-kirchhoff, neo-hookean or rigid"),
    required("materials", "density", "kg/m³", "mass per volume before deformation; a rigid material can leave it out where its bodies give their mass"),
    required("materials", "young", "Pa", "Young's modulus (not for rigid)"),
    required("materials", "poisson", "-", "Poisson's ratio, in (-1, 0.5) (not for rigid)"),

    required("bodies", "name", "", "unique name"),
    required("bodies", "mesh", "", "mesh file, relative to the scenario"),
    optional(["bodies", "region"], "the whole mesh", "", "physical group or list of groups whose cells make the body"),
    required("bodies", "material", "", "name of a material"),
    optional(["bodies", "scale"], "1.0", "-", "factor on the coordinates of the mesh, applied first"),
    optional(["bodies", "rotate"], "none", "", "rotation about the origin, applied after the scale: { axis, angle }"),
    optional(["bodies", "translate"], "[0, 0, 0]", "m", "translation, applied last"),
    optional(["bodies", "velocity"], "[0, 0, 0]", "m/s", "initial velocity of the centre of mass"),
    optional(["bodies", "angular_velocity"], "[0, 0, 0]", "rad/s", "initial angular velocity about the centre of mass"),
    optional(["bodies", "gravity"], "that of the scenario", "m/s²", "acceleration of this body"),
    optional(["bodies", "contact"], "\"skin\"", "", "what can touch: \"skin\", a physical group, a list of groups, or false"),
    optional(["bodies", "self_contact"], "that of [contact]", "", "whether it can also touch itself, as when it folds"),
    optional(["bodies", "contact_thickness"], "thickness, or 0", "m", "thickness of its surface in contact: half of it on the outside of the faces"),
    optional(["bodies", "hex"], "\"mean-dilatation\"", "", "integration of eight-node hexahedra: \"mean-dilatation\" (eight points) or \"one-point\" (fast; hourglass control; refused of a body without them)"),
    optional(["bodies", "thickness"], "solid", "m", "makes a rigid body of a surface mesh a shell"),
    optional(["bodies", "mass"], "from the mesh", "kg", "mass of a rigid body, together with inertia"),
    optional(["bodies", "inertia"], "from the mesh", "kg·m²", "inertia of a rigid body about its centre, in the axes of its mesh, turned by rotate: xx, yy, zz, or xx, yy, zz, xy, yz, xz, with xy = -Σ m x y"),
    required("bodies.rotate", "axis", "", "axis, of any length"),
    required("bodies.rotate", "angle", "°", "angle, right-handed about the axis"),

    required("walls", "name", "", "unique name, also among bodies"),
    required("walls", "point", "m", "a point of the plane"),
    required("walls", "normal", "", "direction out of the wall, of any length: bodies are on this side"),
    optional(["walls", "mass"], "held", "kg", "lets the wall move along its normal as forces drive it"),
    optional(["walls", "velocity"], "[0, 0, 0]", "m/s", "prescribed velocity, three functions of time; of a wall with a mass the initial one, along the normal"),
    optional(["walls", "gravity"], "that of the scenario", "m/s²", "acceleration of a wall with a mass; its part along the normal acts"),
    optional(["walls", "friction"], "that of [contact]", "-", "coefficient of friction of bodies with this wall, or { static, dynamic, decay }; [[contact.pairs]] of the wall and a body has precedence"),
    optional(["walls", "restitution"], "that of [contact]", "-", "coefficient of restitution of bodies with this wall"),

    required("boundaries", "body", "", "name of a body"),
    optional(["boundaries", "group"], "\"all\"", "", "physical group, or \"all\" for every node of the body; a rigid body is held whole and does not turn but by rotation"),
    optional(["boundaries", "fix"], "none", "", "axes that stay where they are, as in [\"x\", \"y\"]"),
    optional(["boundaries", "displacement"], "none", "m", "displacement in time, { x = …, y = …, z = … }"),
    optional(["boundaries", "velocity"], "none", "m/s", "velocity in time, { x = …, y = …, z = … }"),
    optional(["boundaries", "acceleration"], "none", "m/s²", "acceleration in time, { x = …, y = …, z = … }"),
    optional(["boundaries", "rotation"], "none", "", "rotation in time about an axis that stands, of all three axes: { axis, point, angle } or { axis, point, speed }"),
    optional(["boundaries.displacement", "x"], "free", "m", "first component: number, expression of t or table [[t, value], …]"),
    optional(["boundaries.displacement", "y"], "free", "m", "second component"),
    optional(["boundaries.displacement", "z"], "free", "m", "third component"),
    required("boundaries.rotation", "axis", "", "axis, of any length; right-handed"),
    required("boundaries.rotation", "point", "m", "a point of the axis"),
    optional(["boundaries.rotation", "angle"], "speed", "rad", "angle from the initial position: number, expression of t or table [[t, value], …]; or give speed"),
    optional(["boundaries.rotation", "speed"], "angle", "rad/s", "angular velocity: number, expression of t or table [[t, value], …]; or give angle"),

    required("loads", "body", "", "name of a body"),
    optional(["loads", "group"], "\"all\"", "", "physical group, or \"all\" for the whole skin or body"),
    optional(["loads", "pressure"], "none", "Pa", "against the outward normal: number, expression of t or table [[t, value], …]"),
    optional(["loads", "traction"], "none", "Pa", "force per area before deformation, three functions of time"),
    optional(["loads", "body_force"], "none", "N/m³", "force per volume before deformation, three functions of time"),

    optional(["contact", "detection"], "\"hierarchy\"", "", "hierarchy, buckets or all-pairs"),
    optional(["contact", "hierarchy"], "\"fast\"", "", "how trees are built: fast or bottom-up"),
    optional(["contact", "volumes"], "[\"sphere\", \"aabb\", \"dop14\", \"obb\"]", "", "bounding volumes tried on curved faces at the leaves, from loose to tight, as long as they save more than they cost: sphere, aabb, dop8 (for plane bodies), dop14, dop18, dop26, obb"),
    optional(["contact", "closest_point"], "\"auto\"", "", "auto (closed form on flat triangles and segments, sqp on other faces), sqp, active-set, interior-point, newton, or, on flat triangles and segments only, voronoi or brute-force"),
    optional(["contact", "start"], "\"nearest\"", "", "where an iterative search starts: nearest (of nodes and centre), centre, or previous (closest point of the step before)"),
    optional(["contact", "response"], "\"penalty\"", "", "penalty (springs), decomposition (impulses) or energy-momentum (springs that conserve energy for any stiffness)"),
    optional(["contact", "penalty"], "0.5", "-", "factor of the stiffness of springs; of the stable limit by mass and step in (0, 1], for energy-momentum any size"),
    optional(["contact", "damping"], "0.2 in contacts with friction that outlast an impact, else 0", "-", "fraction of critical damping of springs, along the normal and across it (not for decomposition)"),
    optional(["contact", "stiffness"], "\"mass\"", "N/m", "of springs: \"mass\" (m/dt²), \"segment\" (bulk modulus of the elements behind the surface) or a number"),
    optional(["contact", "soft_start"], "0.0", "s", "time in which the springs of a new contact come to their stiffness (penalty only)"),
    optional(["contact", "friction"], "0.0", "-", "coefficient of friction, or { static, dynamic, decay }"),
    optional(["contact", "restitution"], "0 for decomposition, else 1", "-", "coefficient of restitution of each contact, in [0, 1]; of springs, instead of damping; of penalty springs in [0.1, 1]"),
    optional(["contact", "order"], "\"together\"", "", "contacts that share nodes are answered together (by iteration) or one-by-one (decomposition only)"),
    optional(["contact", "every"], "1", "", "contact is answered every so many steps (decomposition only)"),
    optional(["contact", "projection"], "1.0", "-", "part of a penetration that is taken out of the positions when it is found, in [0, 1] (decomposition only)"),
    optional(["contact", "edges"], "\"feature\"", "", "edges that can touch edges: feature (convex ones where the faces turn by 30° or more, and borders), all (convex ones) or none"),
    optional(["contact", "passes"], "2", "", "2: nodes of both bodies touch the faces of the other; 1: those of the finer surface, and of deformable bodies those of rigid ones"),
    optional(["contact", "resolve_impact"], "false", "", "whether a step within which something meets ends at that instant"),
    optional(["contact", "self_contact"], "false", "", "whether the bodies that do not say can touch themselves; rigid ones do not"),
    optional(["contact", "initial_penetration"], "\"error\"", "", "what becomes of bodies that overlap at t = 0: error (refused), offset (gaps count from the initial ones until they open) or remove (nodes are moved apart without strain)"),
    required("contact.pairs", "between", "", "names of two bodies, or of a body and a wall"),
    optional(["contact.pairs", "groups"], "[\"all\", \"all\"]", "", "physical groups of faces of the two, in this order, that the pair is of; a wall has \"all\". Of the pairs of two bodies the first that a contact is of holds, those with groups before the one without"),
    optional(["contact.pairs", "contact"], "they can", "", "whether they can touch"),
    optional(["contact.pairs", "tied"], "false", "", "whether they are glued together where their surfaces are near each other at t = 0; elsewhere they do not touch"),
    optional(["contact.pairs", "tied_within"], "a quarter of the shortest edge", "m", "how far a node may be from a face to be tied to it; it is moved there without strain"),
    optional(["contact.pairs", "friction"], "that of the two bodies, of the wall, or of [contact]", "-", "coefficient of friction of this pair, or { static, dynamic, decay }"),
    optional(["contact.pairs", "restitution"], "that of the two bodies, of the wall, or of [contact]", "-", "coefficient of restitution of this pair"),
    optional(["contact.pairs", "penalty"], "that of the two bodies, or of [contact]", "-", "factor of the stiffness of this pair"),
    optional(["contact.pairs", "damping"], "that of the two bodies, or of [contact]", "-", "fraction of critical damping of this pair"),
    required("contact.friction", "static", "-", "coefficient at rest"),
    required("contact.friction", "dynamic", "-", "coefficient in fast motion, no larger"),
    optional(["contact.friction", "decay"], "at once", "s/m", "rate β of the fall between them, μ = μ_d + (μ_s - μ_d) exp(-β v)"),

    required("probes", "name", "", "unique name, with which its columns in probes.csv begin"),
    required("probes", "body", "", "name of the body that is measured"),
    optional(["probes", "nearest_node"], "the centre of mass", "m", "measures the node that is nearest to this place at t = 0"),
    optional(["probes", "point"], "the centre of mass", "m", "measures the material point that is at this place at t = 0, by the shape functions of its element; of a rigid body any point that moves with it"),
    optional(["probes", "group"], "the centre of mass", "", "measures the mean over the nodes of a physical group"),
    optional(["probes", "quantities"], "[\"displacement\", \"velocity\", \"acceleration\"]", "", "these, position, and of elements stress (Cauchy) and strain (Green–Lagrange)"),
    optional(["probes", "frame"], "\"space\"", "", "axes of the components: space, or body (those that turn with the body; positions count from its centre)"),
    optional(["probes", "interval"], "that of the history", "s", "time between samples, at the ends of steps; 0 for every step"),
    optional(["probes", "filter"], "none", "", "channel class of SAE J211 that adds filtered columns at the end of the run: CFC 60, CFC 180, CFC 600 or CFC 1000"),
    optional(["probes", "injury"], "none", "", "what summary.json tells of the acceleration, filtered if it is: peak, hic15, hic36, or a list of them"),
    optional(["probes", "g"], "9.80665", "m/s²", "acceleration of 1 g in the units of the scenario, for injury"),
    optional(["probes", "second"], "1.0", "s", "one second in the units of the scenario, for filter and injury"),

    optional(["output", "directory"], "\"out/\" and the file's name", "", "where results go, relative to the working directory"),
    optional(["output", "frames"], "60", "", "number of frames after the initial one; or give interval or times"),
    optional(["output", "interval"], "none", "s", "time between frames; where steps are longer, one frame each step"),
    optional(["output", "times"], "none", "s", "times of the frames, ascending, up to the end"),
    optional(["output", "exact"], "false", "", "whether steps end where scheduled frames and rows of the history are due, in equal steps up to each; else they stand at the end of the step that passes their time"),
    optional(["output", "contact_interval"], "as before contact", "s", "largest time between frames from the first contact on"),
    optional(["output", "fields"], "[\"displacement\", \"velocity\", \"stress\", \"von-mises\", \"contact-force\", \"friction-force\", \"contact-pressure\", \"contact-gap\", \"contact-status\"]", "", "fields in the frames: these and acceleration"),
    optional(["output", "detection_volumes"], "false", "", "whether each frame also shows the bounding volumes at the top of the queue, in NAME_volumes.pvd (with contact.detection = \"hierarchy\" only)"),
    optional(["output", "history"], "{ interval = end/1000 }", "", "rows of the history: { interval }"),
    required("output.history", "interval", "s", "time between rows, at the ends of steps (also those of flight); 0 for every step"),
];

/// The key `name` of `table`; the motions of a boundary share the entries of `displacement`.
pub(super) fn find(table: &str, name: &str) -> Option<&'static KeyReference> {
    let table = match table {
        "boundaries.velocity" | "boundaries.acceleration" => "boundaries.displacement",
        "contact.pairs.friction" => "contact.friction",
        table => table,
    };
    KEYS.iter().find(|entry| entry.table == table && entry.name == name)
}

/// [`KEYS`] as Markdown: a heading and a table for each table of the file.
pub fn reference_markdown() -> String {
    let mut text = String::new();
    let mut table = None;
    for entry in KEYS {
        if table != Some(entry.table) {
            let gap = if table.is_some() { "\n" } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "{gap}**{}**\n\n| key | default | unit | meaning |\n|---|---|---|---|\n",
                heading(entry.table)
            );
            table = Some(entry.table);
        }
        let default = match entry.default {
            None => "required".into(),
            Some(words) if is_toml(words) => format!("`{words}`"),
            Some(words) => words.to_owned(),
        };
        let _ = writeln!(text, "| `{}` | {default} | {} | {} |", entry.name, entry.unit, entry.meaning);
    }
    text
}

/// How a table is opened in the file.
fn heading(table: &str) -> String {
    match table {
        "" => "top of the file".into(),
        "materials" => "`[materials.NAME]`".into(),
        "bodies" | "walls" | "boundaries" | "loads" | "contact.pairs" => format!("`[[{table}]]`"),
        "bodies.rotate" => "`rotate = { … }` of a body".into(),
        "boundaries.displacement" => {
            "`displacement`, `velocity` or `acceleration = { … }` of a boundary".into()
        }
        "boundaries.rotation" => "`rotation = { … }` of a boundary".into(),
        "contact.friction" => "`friction = { … }` of the contact or of a pair".into(),
        "output.history" => "`history = { … }` of the output".into(),
        table => format!("`[{table}]`"),
    }
}

/// Whether a default is a value that can be written in the file, not a description.
fn is_toml(default: &str) -> bool {
    default.parse::<toml_edit::Value>().is_ok()
}

#[cfg(test)]
mod tests;
