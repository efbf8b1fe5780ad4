//! Contact laws and exclusions by groups of faces: a floor with a smooth part, and a floor with a hole.
//!
//! ```text
//!   [block] -> v
//!  =================/////////////////////    smooth from x = 0 to 1, rough from 1 to 3
//! ```

use crate::model::{RESPONSES, box_mesh, from_text, lossy, run, velocity};

/// A plane of two faces at z = 1 with upward normals: group "near" for x from 0 to 1, and group "far" for x from 1 to
/// 3.
const FLOOR: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n\
    $PhysicalNames\n2\n2 1 \"near\"\n2 2 \"far\"\n$EndPhysicalNames\n\
    $Nodes\n6\n1 0 -1 1\n2 1 -1 1\n3 3 -1 1\n4 0 1 1\n5 1 1 1\n6 3 1 1\n$EndNodes\n\
    $Elements\n2\n1 3 2 1 1 1 2 5 4\n2 3 2 2 2 2 3 6 5\n$EndElements\n";

/// A scenario of rigid blocks on the rigid floor, with these keys of the contact and these tables of pairs.
fn scenario(end: f64, contact: &str, pairs: &str, blocks: &str) -> String {
    format!(
        "gravity = [0, 0, -9.81]\n[time]\nend = {end:?}\nstep = 2e-5\n[contact]\n{contact}\
         [materials.m]\nmodel = \"rigid\"\ndensity = 1000.0\n\
         [[bodies]]\nname = \"floor\"\nmesh = \"floor.msh\"\nmaterial = \"m\"\nthickness = 0.01\n\
         contact_thickness = 0\ngravity = [0, 0, 0]\n\
         [[boundaries]]\nbody = \"floor\"\nfix = [\"x\", \"y\", \"z\"]\n{blocks}{pairs}"
    )
}

fn block(name: &str, x: f64, speed: f64) -> String {
    format!(
        "[[bodies]]\nname = \"{name}\"\nmesh = \"block.msh\"\nmaterial = \"m\"\n\
         translate = [{x:?}, 0.0, 1.000000001]\nvelocity = [{speed:?}, 0.0, 0.0]\n"
    )
}

fn meshes() -> [(&'static str, String); 2] {
    [
        ("floor.msh", FLOOR.to_owned()),
        ("block.msh", box_mesh([0.0, -0.05, 0.0], [0.1, 0.05, 0.02], [2, 2, 1])),
    ]
}

/// Goal: a block that slides at 2 m/s keeps its velocity on the smooth part, to 1e-9 m/s. When the block is entirely on
/// the rough part, it has the deceleration μ g. This holds with every response, whether the law is given for the rough
/// or for the smooth part. Tolerance of the deceleration: 1 %, because the contact force oscillates from step to step.
#[test]
fn block_slides_from_a_smooth_part_onto_a_rough_one() {
    let pair = |group: &str, friction: f64| {
        format!(
            "[[contact.pairs]]\nbetween = [\"block\", \"floor\"]\ngroups = [\"all\", \"{group}\"]\n\
             friction = {friction:?}\n"
        )
    };
    for response in RESPONSES {
        for (friction, pair) in [(0.0, pair("far", 0.4)), (0.4, pair("near", 0.0))] {
            let contact = format!("response = \"{response}\"\nfriction = {friction:?}\n{}", lossy(response));
            let text = scenario(0.42, &contact, &pair, &block("block", 0.5, 2.0));
            let mut simulation = from_text(&text, &meshes());
            let (mut smooth, mut rough) = (2.0_f64, Vec::new());
            run(&mut simulation, |simulation| {
                let (front, speed) = (simulation.balances()[1].centre.x + 0.05, velocity(simulation, 1).x);
                if front < 1.0 {
                    smooth = smooth.min(speed);
                } else if front > 1.12 {
                    rough.push((simulation.state().time, speed));
                }
            });
            let (first, last) = (rough[0], rough[rough.len() - 1]);
            let slowing = -(last.1 - first.1) / (last.0 - first.0);
            println!("{response}, {friction}: slowest {smooth}, then {slowing} m/s^2");
            assert!(smooth > 2.0 - 1e-9, "{response}: {smooth}");
            assert!(
                last.0 - first.0 > 0.05 && (slowing / (0.4 * 9.81) - 1.0).abs() < 0.01,
                "{response}: {slowing}"
            );
            assert!(simulation.audit().largest_momentum_error() < 1e-10, "{response}");
        }
    }
}

/// Goal: a part of the floor that is excluded from contact with one block does not act on this block. The block falls
/// by ½ g t² and has no first contact. Another block stands on the same part. Tolerances: 1e-4 of the fall; 1e-5 m for
/// the standing block.
#[test]
fn block_falls_through_a_part_that_is_taken_out() {
    let hole = "[[contact.pairs]]\nbetween = [\"floor\", \"falls\"]\ngroups = [\"near\", \"all\"]\ncontact = false\n";
    for response in RESPONSES {
        let contact = format!("response = \"{response}\"\n{}", lossy(response));
        let blocks = block("falls", 0.3, 0.0) + &block("stands", 0.6, 0.0);
        let mut simulation = from_text(&scenario(0.05, &contact, hole, &blocks), &meshes());
        run(&mut simulation, |_| ());
        let [falls, stands] = [1, 2].map(|body| simulation.balances()[body].centre.z - 1.01);
        println!("{response}: {falls} and {stands} m");
        assert!((falls / (-0.5 * 9.81 * 0.05 * 0.05) - 1.0).abs() < 1e-4, "{response}: {falls}");
        assert!(stands.abs() < 1e-5, "{response}: {stands}");
        let bodies: Vec<_> = simulation.first_contacts().iter().map(|contact| contact.bodies).collect();
        assert_eq!(bodies, [[0, 2]], "{response}");
    }
}

/// Goal: invalid uses of groups are rejected before the run, with the remedy.
#[test]
fn groups_that_cannot_touch_are_refused() {
    let refused = |group: &str, floor: &str| {
        let pair = format!(
            "[[contact.pairs]]\nbetween = [\"block\", \"floor\"]\ngroups = [\"all\", \"{group}\"]\nfriction = 0.1\n"
        );
        let text = scenario(0.1, "", &pair, &block("block", 0.5, 0.0));
        let text = text.replace("contact_thickness = 0\n", &format!("contact_thickness = 0\n{floor}"));
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in meshes() {
            std::fs::write(folder.path().join(name), content).unwrap();
        }
        let scenario =
            ictus::scenario::Scenario::parse(&text, &folder.path().join("test.toml"), &[]).unwrap();
        let error = ictus::simulation::Simulation::new(&scenario).err().unwrap();
        assert!(text[error.span().unwrap()].contains(group));
        error.to_string()
    };
    let unknown = refused("fra", "");
    assert!(unknown.contains("body `floor`") && unknown.contains("did you mean `far`?"), "{unknown}");
    let idle = "no face of the group `far` of body `floor` is in its contact surface; add the group to `contact` of the \
                body, or name another group";
    assert_eq!(refused("far", "contact = \"near\"\n"), idle);
}
