//! Hard cases of the situations.

use crate::invariance::{RIGID, flat_impact};
use crate::stage::Placement;
use crate::true_sides::{faults_of_pegs, hold};
use crate::variations::{
    OF_RUBBER, SEAMS, faults_of_floors, faults_of_rubber_boxes, faults_of_seams, faults_of_sheets, variations,
};

/// Goal: a block whose edge is on a seam at the end of a step slides over it with a velocity that is constant to 1e-9, a
/// thousand sizes off and turned about some axis.
#[test]
fn seams_under_the_end_of_a_step_are_not_felt_far_off() {
    faults_of_seams(&SEAMS[..1], &variations(0.2)[2..]).are_none();
}

/// Goal: a cube that strikes a fixed floor with a corner, with friction, flies on alike from a wall and from a mesh by
/// springs too: nothing else touches, and they are as stiff. Tolerance 1e-6.
#[test]
fn walls_and_fixed_meshes_are_alike_on_springs() {
    faults_of_floors(&["penalty", "energy-momentum"], &variations(0.2)).are_none();
}

/// Goal: elastic boxes bounce alike on any floor by springs.
#[test]
fn rubber_boxes_bounce_alike_on_springs() {
    faults_of_rubber_boxes(&["penalty", "energy-momentum"]).are_none();
}

/// Goal: a cube of stiff rubber meets a sheet in time by penalty springs, and bounces.
#[test]
fn rubber_cubes_meet_sheets_on_penalty_springs() {
    faults_of_sheets(&["penalty"], &[(OF_RUBBER, Placement::plain())]).are_none();
}

/// Goal: a peg that strikes the sides of its hole flat stays in it, and the run goes to its end.
#[test]
fn a_level_peg_stays_in_its_hole() {
    hold(&faults_of_pegs(&[(0.0, 0.0)]));
}

/// Goal: a rigid cube that lands flat on a free one moves alike after it whatever its numbers and names are.
#[test]
fn flat_impacts_are_the_same_however_described() {
    crate::invariance::hold(&[flat_impact("decomposition")], RIGID);
}
