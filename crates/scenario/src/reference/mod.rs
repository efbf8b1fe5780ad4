//! Reference of all scenario keys, for the documentation, messages and `ictus explain`. Tests compare the keys and
//! defaults with the types that read the file.

use std::fmt::Write as _;

use crate::contact::detection::DetectionMethod;
use crate::contact::response::ResponseMethod;
use crate::field::Field;
use crate::material::LAWS;

/// A key of a scenario.
#[derive(Clone, Copy, Debug)]
pub struct KeyReference {
    /// Table of the key; empty for the top level.
    pub table: &'static str,
    /// Name of the key.
    pub name: &'static str,
    /// Default: a TOML value, a formula such as `end/200`, or words. `None` for a required key (of a material: required
    /// by at least one `model`).
    pub default: Option<&'static str>,
    /// Unit; `-` for a dimensionless quantity, empty for a name, choice, count or direction.
    pub unit: &'static str,
    /// Meaning of the key, without `words`.
    description: &'static str,
    /// Words from which the value is chosen. `None` if the description names the words, or if there is no such choice.
    words: Option<fn() -> Vec<String>>,
}

impl KeyReference {
    /// Meaning of the key.
    pub fn meaning(&self) -> String {
        let words = self.words.map_or(Vec::new(), |words| words());
        let Some((last, others)) = words.split_last() else { return self.description.into() };
        format!("{}: {} or {last}", self.description, others.join(", "))
    }

    pub(super) fn meaning_with_unit(&self) -> String {
        if self.unit.is_empty() { self.meaning() } else { format!("{} [{}]", self.meaning(), self.unit) }
    }

    /// The same key with a value that is one of the `words`.
    const fn one_of(self, words: fn() -> Vec<String>) -> Self {
        Self { words: Some(words), ..self }
    }
}

fn laws() -> Vec<String> {
    LAWS.iter().map(|law| law.name).chain(["rigid"]).map(str::to_owned).collect()
}

/// Words with descriptions in parentheses.
fn described<T: Copy>(words: &[(&str, T)], description: fn(T) -> &'static str) -> Vec<String> {
    words.iter().map(|&(word, method)| format!("{word} ({})", description(method))).collect()
}

fn fields() -> Vec<String> {
    let others = Field::WORDS.iter().filter(|(_, field)| !Field::DEFAULT.contains(field));
    ["those of the default"].into_iter().chain(others.map(|(word, _)| *word)).map(str::to_owned).collect()
}

const fn required(
    table: &'static str,
    name: &'static str,
    unit: &'static str,
    description: &'static str,
) -> KeyReference {
    KeyReference { table, name, default: None, unit, description, words: None }
}

const fn optional(
    [table, name]: [&'static str; 2],
    default: &'static str,
    unit: &'static str,
    description: &'static str,
) -> KeyReference {
    KeyReference { table, name, default: Some(default), unit, description, words: None }
}

/// All keys, in the usual order of a scenario file, without the freely named `parameters`. Of several tables with the
/// same keys, only one is listed: `boundaries.displacement` stands also for `velocity` and `acceleration` of a
/// boundary, and `contact.friction` also for `friction` of pairs and walls.
#[rustfmt::skip]
pub const KEYS: &[KeyReference] = &[
    optional(["", "title"], "the file's name", "", "title of reports"),
    optional(["", "units"], "none", "", "consistent system of units of all numbers: si (or m-kg-s), mm-t-s, mm-kg-ms, mm-g-ms, cm-g-us or in-lbf-s (mass in lbf s²/in); plots then have SI units, and `g` and `second` of probes their defaults in this system"),
    optional(["", "gravity"], "[0, 0, 0]", "m/s²", "gravitational acceleration of all bodies without their own: three numbers or functions of time"),

    required("time", "end", "s", "end of the run; it starts at 0"),
    optional(["time", "step"], "\"auto\"", "s", "\"auto\" (safety times the critical step) or a number"),
    optional(["time", "safety"], "0.8", "-", "fraction of the critical step, in (0, 1]"),
    optional(["time", "flight_step"], "end/200", "s", "largest step in flight"),
    optional(["time", "energy_tolerance"], "0.05", "-", "energy imbalance, relative to the peak energy so far, above which the run stops"),

    optional(["dynamic_relaxation", "tolerance"], "1e-3", "-", "kinetic energy, relative to its peak, below which bodies are at rest; the run starts at t = 0 when all bodies are at rest under gravity, loads and contact"),
    optional(["dynamic_relaxation", "max_steps"], "100000", "", "number of steps after which the run fails if the bodies are not at rest"),

    required("materials", "model", "", "constitutive law, or rigid for a body without deformation").one_of(laws),
    required("materials", "density", "kg/m³", "mass per reference volume; optional for a rigid material whose bodies give their mass"),
    required("materials", "young", "Pa", "Young's modulus (not for rigid)"),
    required("materials", "poisson", "-", "Poisson's ratio, in (-1, 0.5) (not for rigid)"),

    required("bodies", "name", "", "unique name"),
    required("bodies", "mesh", "", "mesh file, relative to the scenario"),
    optional(["bodies", "region"], "the whole mesh", "", "physical group or list of groups whose cells form the body"),
    required("bodies", "material", "", "name of a material"),
    optional(["bodies", "scale"], "1.0", "-", "factor on the coordinates of the mesh, applied first"),
    optional(["bodies", "rotate"], "none", "", "rotation about the origin, applied after the scale: { axis, angle }"),
    optional(["bodies", "translate"], "[0, 0, 0]", "m", "translation, applied last"),
    optional(["bodies", "velocity"], "[0, 0, 0]", "m/s", "initial velocity of the centre of mass"),
    optional(["bodies", "angular_velocity"], "[0, 0, 0]", "rad/s", "initial angular velocity about the centre of mass"),
    optional(["bodies", "gravity"], "that of the scenario", "m/s²", "gravitational acceleration of this body: three numbers or functions of time"),
    optional(["bodies", "mass_damping"], "0", "1/s", "rate α of mass-proportional (Rayleigh) damping, the force -α M v, as a function of time; damps rigid motion too, and a damped body does not fly in closed form"),
    optional(["bodies", "contact"], "\"skin\"", "", "contact surface: \"skin\", a physical group, a list of groups, or false"),
    optional(["bodies", "self_contact"], "that of [contact]", "", "self-contact, needed by folding bodies"),
    optional(["bodies", "contact_thickness"], "thickness, or 0", "m", "thickness of the contact surface: half of the thickness lies outside the faces"),
    optional(["bodies", "hex"], "\"mean-dilatation\"", "", "integration of eight-node hexahedra: \"mean-dilatation\" (eight points) or \"one-point\" (fast; with hourglass control; only for meshes with eight-node hexahedra)"),
    optional(["bodies", "thickness"], "solid", "m", "shell thickness of a rigid body meshed as a surface"),
    optional(["bodies", "mass"], "from the mesh", "kg", "mass of a rigid body; without inertia, it is evenly distributed over the mesh"),
    optional(["bodies", "inertia"], "from the mesh", "kg·m²", "inertia of a rigid body with a given mass about its centre, in the axes of its mesh, turned by rotate: xx, yy, zz, or xx, yy, zz, xy, yz, xz, with xy = -Σ m x y"),
    required("bodies.rotate", "axis", "", "axis, of any length"),
    required("bodies.rotate", "angle", "°", "angle, right-handed about the axis"),

    required("walls", "name", "", "unique name, also among bodies"),
    required("walls", "point", "m", "a point of the plane"),
    required("walls", "normal", "", "outward normal, of any length: bodies are on this side"),
    optional(["walls", "mass"], "fixed", "kg", "mass of a wall that moves freely along its normal"),
    optional(["walls", "velocity"], "[0, 0, 0]", "m/s", "prescribed velocity, three functions of time; with a mass, the initial velocity, along the normal"),
    optional(["walls", "gravity"], "that of the scenario", "m/s²", "gravitational acceleration of a wall with a mass; only its normal component acts"),
    optional(["walls", "friction"], "that of [contact]", "-", "coefficient of friction of bodies with this wall, or { static, dynamic, decay }; [[contact.pairs]] of the wall takes precedence"),
    optional(["walls", "restitution"], "that of [contact]", "-", "coefficient of restitution of bodies with this wall"),

    required("velocities", "body", "", "name of a deformable body"),
    optional(["velocities", "group"], "\"all\"", "", "physical group, or \"all\" for every node of the body; if several [[velocities]] contain a node, the last one applies"),
    optional(["velocities", "velocity"], "[0, 0, 0]", "m/s", "initial velocity of the centre of mass of these nodes, in place of the velocity of the body"),
    optional(["velocities", "angular_velocity"], "[0, 0, 0]", "rad/s", "initial angular velocity of these nodes about their centre of mass"),

    required("boundaries", "body", "", "name of a body"),
    optional(["boundaries", "group"], "\"all\"", "", "physical group, or \"all\" for every node of the body; a boundary of a rigid body constrains the whole body and prevents its rotation, unless a rotation is prescribed"),
    optional(["boundaries", "fix"], "none", "", "fixed axes, as in [\"x\", \"y\"]"),
    optional(["boundaries", "displacement"], "none", "m", "displacement as a function of time, { x = …, y = …, z = … }"),
    optional(["boundaries", "velocity"], "none", "m/s", "velocity as a function of time, { x = …, y = …, z = … }"),
    optional(["boundaries", "acceleration"], "none", "m/s²", "acceleration as a function of time, { x = …, y = …, z = … }"),
    optional(["boundaries", "rotation"], "none", "", "rotation about a fixed axis as a function of time; prescribes all three axes: { axis, point, angle } or { axis, point, speed }"),
    optional(["boundaries.displacement", "x"], "free", "m, m/s or m/s²", "first component: number, expression of t or table [[t, value], …]"),
    optional(["boundaries.displacement", "y"], "free", "m, m/s or m/s²", "second component"),
    optional(["boundaries.displacement", "z"], "free", "m, m/s or m/s²", "third component"),
    required("boundaries.rotation", "axis", "", "axis, of any length; right-handed"),
    required("boundaries.rotation", "point", "m", "a point of the axis"),
    optional(["boundaries.rotation", "angle"], "speed", "rad", "angle from the initial position: number, expression of t or table [[t, value], …]; alternative to speed"),
    optional(["boundaries.rotation", "speed"], "angle", "rad/s", "angular velocity: number, expression of t or table [[t, value], …]; alternative to angle"),

    required("loads", "body", "", "name of a body"),
    optional(["loads", "group"], "\"all\"", "", "physical group, or \"all\" for the whole skin or body"),
    optional(["loads", "pressure"], "none", "Pa", "pressure against the outward normal: number, expression of t or table [[t, value], …]"),
    optional(["loads", "traction"], "none", "Pa", "force per reference area, three functions of time"),
    optional(["loads", "body_force"], "none", "N/m³", "force per reference volume, three functions of time"),

    optional(["contact", "detection"], "\"hierarchy\"", "", "detection method").one_of(|| described(DetectionMethod::WORDS, DetectionMethod::description)),
    optional(["contact", "sort_every"], "10", "", "steps between two sortings (contact.detection = \"sorting\" only); a displacement beyond the buffer zones sorts earlier"),
    optional(["contact", "sort_space_every"], "1", "", "sortings between two computations of the working space (contact.detection = \"sorting\" only)"),
    optional(["contact", "hierarchy"], "\"fast\"", "", "builder of the bounding-volume hierarchies: fast, bottom-up or insertion (the bottom-up tree by a queue and online insertion)"),
    optional(["contact", "hierarchy_volume"], "\"sphere\"", "", "volumes of the hierarchies in flight: sphere or aabb (the roots are spheres)"),
    optional(["contact", "sphere_fit"], "\"minimum-ball\"", "", "fit of spheres to points: minimum-ball or ritter"),
    optional(["contact", "kinematics"], "\"exact\"", "", "velocities and accelerations of predictions: exact, or from-steps (differences of the root positions at the first steps, as in the literature)"),
    optional(["contact", "volumes"], "sphere, aabb, dop14, obb on curved faces, while they save time", "", "bounding volumes tested on pairs of near faces, flat ones too, from loose to tight: sphere, aabb, dop8 (plane problems), dop14, dop18, dop26, obb"),
    optional(["contact", "closest_point"], "\"auto\"", "", "auto (closed form on flat triangles and segments, sqp on other faces), sqp, sqp-bfgs, active-set, interior-point, newton, projection (inside projections only: misses contacts at edges and corners), nearest-node (faces around the nearest node only: misses contacts on long faces), or, on flat triangles and segments only, voronoi or brute-force"),
    optional(["contact", "start"], "\"nearest\"", "", "starting point of iterative methods: nearest (of nodes and centre), centre, or previous (closest point of the previous step)"),
    optional(["contact", "response"], "\"penalty\"", "", "response method").one_of(|| described(ResponseMethod::WORDS, ResponseMethod::description)),
    optional(["contact", "scheme"], "\"staggered\"", "", "time integration of the energy-momentum springs: staggered (gaps at mid-steps, geometry at known positions) or midpoint (gaps at the ends of steps, geometry at mid-steps by iteration; without ties, contact thickness and distance fields)"),
    optional(["contact", "penalty"], "0.5", "-", "factor of the spring stiffness; for penalty, the fraction in (0, 1] of the stability limit; for energy-momentum, any positive number"),
    optional(["contact", "damping"], "0.2 in persistent contacts with friction, else 0", "-", "fraction of critical damping of the normal and tangential springs (not for decomposition)"),
    optional(["contact", "stiffness"], "\"mass\"", "N/m", "spring stiffness: \"mass\" (m/dt²), \"segment\" (bulk modulus of the elements behind the surface) or a number"),
    optional(["contact", "soft_start"], "0.0", "s", "time over which the spring stiffness of a new contact ramps up (penalty only)"),
    optional(["contact", "friction"], "0.0", "-", "coefficient of friction, or { static, dynamic, decay }"),
    optional(["contact", "restitution"], "0 for decomposition, else 1", "-", "coefficient of restitution of each contact, in [0, 1]; for springs an alternative to damping; for penalty in [0.1, 1]"),
    optional(["contact", "order"], "\"together\"", "", "solution of contacts that share nodes: together (by iteration) or one-by-one (decomposition only)"),
    optional(["contact", "every"], "1", "", "number of steps between contact solves (decomposition only)"),
    optional(["contact", "projection"], "1.0", "-", "fraction of the penetration removed by position corrections, in [0, 1] (decomposition only)"),
    optional(["contact", "angular_momentum"], "\"restore\"", "", "angular momentum that position corrections change: restore (by a couple on the nodes of each contact) or none (decomposition only)"),
    optional(["contact", "search_depth"], "half the median edge of the finer surface", "m", "penetration beyond which a contact is lost"),
    optional(["contact", "normal"], "\"target\"", "", "direction of contact (contact.detection = \"distance-field\" only): target (gradient of the distance field of the target) or contactor (opposite to the mean normal at the contactor node; for comparison only: it is tilted at the rim of a surface, so that a sliding block begins to roll)"),
    optional(["contact", "edges"], "\"feature\"", "", "edges with edge-to-edge contact: feature (convex edges with a dihedral turn of 30° or more, and borders), all (all convex edges) or none (always with contact.detection = \"distance-field\")"),
    optional(["contact", "passes"], "2", "", "2: nodes of each body against faces of the other; 1: nodes of the finer surface only, or of the deformable body against a rigid one"),
    optional(["contact", "resolve_impact"], "false", "", "whether a step that contains an impact ends at the time of impact"),
    optional(["contact", "self_contact"], "false", "", "self-contact of deformable bodies without their own key"),
    optional(["contact", "initial_penetration"], "\"error\"", "", "treatment of bodies that overlap at t = 0: error, offset (the gap of a contact is measured from its initial gap until the contact opens) or remove (nodes are moved apart without strain)"),
    required("contact.pairs", "between", "", "names of two bodies, or of a body and a wall"),
    optional(["contact.pairs", "groups"], "[\"all\", \"all\"]", "", "physical groups of faces that the pair is limited to, in the order of between; \"all\" for a wall. Pairs with groups take precedence over the pair without groups; of the pairs with groups, the first that contains a contact applies"),
    optional(["contact.pairs", "contact"], "true", "", "contact between the two"),
    optional(["contact.pairs", "tied"], "false", "", "ties the surfaces where they are close to each other at t = 0; elsewhere the two have no contact"),
    optional(["contact.pairs", "tied_within"], "a quarter of the shortest edge", "m", "largest distance of a tied node from its face; the node is moved onto the face without strain"),
    optional(["contact.pairs", "friction"], "that of the two bodies, of the wall, or of [contact]", "-", "coefficient of friction of this pair, or { static, dynamic, decay }"),
    optional(["contact.pairs", "restitution"], "that of the two bodies, of the wall, or of [contact]", "-", "coefficient of restitution of this pair"),
    optional(["contact.pairs", "penalty"], "that of the two bodies, or of [contact]", "-", "factor of the spring stiffness of this pair"),
    optional(["contact.pairs", "damping"], "that of the two bodies, or of [contact]", "-", "fraction of critical damping of this pair"),
    required("contact.friction", "static", "-", "static coefficient"),
    required("contact.friction", "dynamic", "-", "dynamic coefficient, at most the static one"),
    optional(["contact.friction", "decay"], "infinite", "s/m", "decay rate β, μ = μ_d + (μ_s - μ_d) exp(-β v)"),

    required("probes", "name", "", "unique name, the prefix of its columns in probes.csv"),
    required("probes", "body", "", "name of the measured body"),
    optional(["probes", "nearest_node"], "the centre of mass", "m", "measures the node nearest to this point at t = 0"),
    optional(["probes", "point"], "the centre of mass", "m", "measures the material point with this position at t = 0, by the shape functions of its element; on a rigid body, any point that moves with the body"),
    optional(["probes", "group"], "the centre of mass", "", "measures the mean over the nodes of a physical group"),
    optional(["probes", "quantities"], "[\"displacement\", \"velocity\", \"acceleration\"]", "", "measured quantities: displacement, velocity, acceleration, position; in elements also stress (Cauchy) and strain (Green–Lagrange)"),
    optional(["probes", "frame"], "\"space\"", "", "axes of the components: space, or body (axes that rotate with the body; positions are relative to its centre)"),
    optional(["probes", "interval"], "that of the history; 0 with filter or injury", "s", "time between samples, at the ends of steps; 0 for every step"),
    optional(["probes", "filter"], "none", "", "channel class of SAE J211 of additional filtered columns, written at the end of the run: CFC 60, CFC 180, CFC 600 or CFC 1000, also without the space"),
    optional(["probes", "injury"], "none", "", "injury values of the (filtered) acceleration in summary.json: peak, hic15, hic36, or a list of them"),
    optional(["probes", "g"], "9.80665", "m/s²", "acceleration of 1 g in the units of the scenario, for injury; with `units`, the default is converted to them"),
    optional(["probes", "second"], "1.0", "s", "length of one second in the time unit of the scenario, for filter and injury; with `units`, the default is converted to them"),

    optional(["output", "directory"], "\"out/\" and the file's name", "", "output directory, relative to the working directory"),
    optional(["output", "frames"], "60", "", "number of frames after the initial one; alternative to interval and times"),
    optional(["output", "interval"], "none", "s", "time between frames, at least one step"),
    optional(["output", "times"], "none", "s", "times of the frames, ascending, up to the end"),
    optional(["output", "exact"], "false", "", "whether equal steps end exactly at the times of frames, history rows and probe samples; otherwise these are written at the end of the step that passes their time"),
    optional(["output", "contact_interval"], "as before contact", "s", "largest time between frames after the first contact"),
    optional(["output", "fields"], "[\"displacement\", \"velocity\", \"stress\", \"von-mises\", \"contact-force\", \"friction-force\", \"contact-pressure\", \"contact-gap\", \"contact-status\"]", "", "list of fields in the frames").one_of(fields),
    optional(["output", "detection_volumes"], "false", "", "whether to write the bounding volumes at the top of the queue of predicted contact times with each frame, in NAME_volumes.pvd (contact.detection = \"hierarchy\" only)"),
    optional(["output", "history"], "{ interval = end/1000 }", "", "schedule of history rows: { interval }"),
    optional(["output", "checkpoint"], "none: only when the run is interrupted", "", "checkpoints to resume from: { interval, keep }"),
    required("output.checkpoint", "interval", "s", "time between checkpoints, which are written at the ends of steps; in dynamic relaxation, the time is the sum of the relaxation steps. A checkpoint waits until the one before it is written"),
    optional(["output.checkpoint", "keep"], "2", "", "number of checkpoint files kept, 1 to 1000: checkpoint.bin, and the older checkpoint.1.bin, checkpoint.2.bin, …"),
    required("output.history", "interval", "s", "time between rows, written at the ends of steps, including flight steps; 0 for every step"),
];

pub(super) fn find(table: &str, name: &str) -> Option<&'static KeyReference> {
    let table = match table {
        "boundaries.velocity" | "boundaries.acceleration" => "boundaries.displacement",
        "contact.pairs.friction" | "walls.friction" => "contact.friction",
        table => table,
    };
    KEYS.iter().find(|entry| entry.table == table && entry.name == name)
}

/// [`KEYS`] as Markdown: for each table of the scenario file, a heading and a Markdown table with one row per key.
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
        let _ = writeln!(text, "| `{}` | {default} | {} | {} |", entry.name, entry.unit, entry.meaning());
    }
    text
}

/// Heading of a table, in the notation of the scenario file.
fn heading(table: &str) -> String {
    match table {
        "" => "top of the file".into(),
        "materials" => "`[materials.NAME]`".into(),
        "bodies" | "walls" | "velocities" | "boundaries" | "loads" | "contact.pairs" => {
            format!("`[[{table}]]`")
        }
        "bodies.rotate" => "`rotate = { … }` of a body".into(),
        "boundaries.displacement" => {
            "`displacement`, `velocity` or `acceleration = { … }` of a boundary".into()
        }
        "boundaries.rotation" => "`rotation = { … }` of a boundary".into(),
        "contact.friction" => "`friction = { … }` of the contact or of a pair".into(),
        "output.checkpoint" => "`checkpoint = { … }` of the output".into(),
        "output.history" => "`history = { … }` of the output".into(),
        table => format!("`[{table}]`"),
    }
}

/// Whether a default is a TOML value and not a description in words.
fn is_toml(default: &str) -> bool {
    default.parse::<toml_edit::Value>().is_ok()
}

#[cfg(test)]
mod tests;
