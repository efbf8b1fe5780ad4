//! The remaining clusters during locally-ordered clustering, in their order along the space-filling curve.
//!
//! In each round, each cluster prefers the partner nearby on the curve with which it has the smallest joint sphere.
//! Clusters that prefer each other merge.
//!
//! The arrays are padded to a multiple of eight lanes. The lanes after the last cluster contain undefined values.

use bytemuck::cast;

use crate::detection::volume::Sphere;
use crate::math::eight_lanes::{EightLanes, WIDTH, set_bits};
use crate::math::space_filling_curve::{Cube, LARGEST_COMPARABLE};

/// Largest distance, in places along the curve, of two compared clusters. A larger value gives no better trees.
const WINDOW: usize = 4;

/// Mask of the low bits of a preference, a number defined at `Pairs::choose_partners`. These bits encode the partner.
const PARTNER_BITS: u32 = 31;

/// Spheres of the clusters, scaled to the unit cube, and their vertices.
pub struct Clusters {
    count: usize,
    x: Vec<f32>,
    y: Vec<f32>,
    z: Vec<f32>,
    radius: Vec<f32>,
    vertex: Vec<u32>,
}

/// The merging pairs of a round.
pub struct Pairs {
    /// Least preference of each cluster; zeros after the last cluster.
    best: Vec<u32>,
    /// Preferences of all pairs (i, i + d) for one distance d along the curve.
    preferences: Vec<u32>,
    lower: Vec<u32>,
    /// One bit per lane, set for the cluster with the higher index of each pair, and for lanes after the last cluster.
    removed: Vec<u8>,
    count: usize,
}

impl Clusters {
    /// One cluster per sphere. Points at the corner of the cube replace spheres with non-finite or very large numbers.
    #[inline(always)]
    pub fn new(spheres: &[Sphere], first_vertex: u32, cube: Cube) -> Self {
        let scale = if cube.extent > 0.0 { 1.0 / cube.extent } else { 1.0 };
        let (n, mut clusters) = (spheres.len(), Self::with_room(spheres.len()));
        let Self { x, y, z, radius, vertex, .. } = &mut clusters;
        let (x, y, z, radius, vertex) =
            (&mut x[..n], &mut y[..n], &mut z[..n], &mut radius[..n], &mut vertex[..n]);
        for i in 0..n {
            let Sphere { centre, radius: r } = spheres[i];
            let size = centre.x.abs() + centre.y.abs() + centre.z.abs() + r;
            let is_comparable = size < LARGEST_COMPARABLE;
            let scaled = |value: f64| if is_comparable { (value * scale) as f32 } else { 0.0 };
            x[i] = scaled(centre.x - cube.origin.x);
            y[i] = scaled(centre.y - cube.origin.y);
            z[i] = scaled(centre.z - cube.origin.z);
            radius[i] = scaled(r);
            vertex[i] = first_vertex + i as u32;
        }
        clusters
    }

    pub fn joined(parts: &[Self]) -> Self {
        let mut joined = Self::with_room(parts.iter().map(Self::len).sum());
        let mut first = 0;
        for part in parts {
            let (from, to) = (..part.count, first..first + part.count);
            joined.x[to.clone()].copy_from_slice(&part.x[from]);
            joined.y[to.clone()].copy_from_slice(&part.y[from]);
            joined.z[to.clone()].copy_from_slice(&part.z[from]);
            joined.radius[to.clone()].copy_from_slice(&part.radius[from]);
            joined.vertex[to].copy_from_slice(&part.vertex[from]);
            first += part.count;
        }
        joined
    }

    fn with_room(count: usize) -> Self {
        let room = count.next_multiple_of(WIDTH);
        let [x, y, z, radius] = [(); 4].map(|()| vec![0.0; room]);
        Self { count, x, y, z, radius, vertex: vec![0; room] }
    }

    pub fn len(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn compute_preferences(&self, distance: usize, best: &mut [u32], preferences: &mut [u32]) {
        let n = preferences.len();
        let best = &mut best[..n];
        let (x, x_far) = (&self.x[..n], &self.x[distance..][..n]);
        let (y, y_far) = (&self.y[..n], &self.y[distance..][..n]);
        let (z, z_far) = (&self.z[..n], &self.z[distance..][..n]);
        let (radius, radius_far) = (&self.radius[..n], &self.radius[distance..][..n]);
        for k in 0..n {
            let (dx, dy, dz) = (x_far[k] - x[k], y_far[k] - y[k], z_far[k] - z[k]);
            let sum = radius[k] + radius_far[k];
            let joint = 0.5 * ((dx * dx + dy * dy + dz * dz).sqrt() + sum);
            let larger = if radius[k] > radius_far[k] { radius[k] } else { radius_far[k] };
            let cost = if joint > larger { joint } else { larger };
            let partner = (k as u32 ^ (k as u32 + distance as u32)) & PARTNER_BITS;
            preferences[k] = cost.to_bits() & !PARTNER_BITS | partner;
            best[k] = best[k].min(preferences[k]);
        }
    }

    /// Merges the pairs, at most one per entry of `links`, and returns the number of merges. `links`: output, the two
    /// children of each merge. The joint sphere of merge k replaces the cluster with the lower index, and has the
    /// vertex number `first_merge` + k.
    #[inline(always)]
    pub fn merge(
        &mut self,
        simd: impl EightLanes,
        pairs: &mut Pairs,
        first_merge: u32,
        links: &mut [[u32; 2]],
    ) -> usize {
        let n = self.count;
        let (x, y, z) = (&mut self.x[..n], &mut self.y[..n], &mut self.z[..n]);
        let (radius, vertex, best) = (&mut self.radius[..n], &mut self.vertex[..n], &pairs.best[..n]);
        let merges = pairs.count.min(links.len());
        for (k, (&i, link)) in pairs.lower[..merges].iter().zip(links).enumerate() {
            let i = i as usize;
            let j = partner(i, best[i]);
            let (dx, dy, dz) = (x[j] - x[i], y[j] - y[i], z[j] - z[i]);
            let distance = (dx * dx + dy * dy + dz * dz).sqrt();
            let (near, far) = (radius[i], radius[j]);
            let larger = if near > far { near } else { far };
            let joint = 0.5 * (distance + near + far);
            let reach = if joint > larger { joint } else { larger };
            let fraction = (reach - near) / distance;
            let fraction = if fraction < 1.0 { fraction } else { 1.0 };
            let fraction = if distance > 0.0 { fraction } else { 0.0 };
            x[i] += fraction * dx;
            y[i] += fraction * dy;
            z[i] += fraction * dz;
            radius[i] = reach;
            *link = [vertex[i], vertex[j]];
            vertex[i] = first_merge + k as u32;
        }
        for &i in &pairs.lower[merges..pairs.count] {
            let j = partner(i as usize, best[i as usize]);
            pairs.removed[j / WIDTH] &= !(1 << (j % WIDTH));
        }
        self.close_gaps(simd, &pairs.removed[..n.div_ceil(WIDTH)]);
        merges
    }

    #[inline(always)]
    fn close_gaps(&mut self, simd: impl EightLanes, removed: &[u8]) {
        let mut kept = 0;
        for (eight, removed) in removed.iter().enumerate() {
            let first = eight * WIDTH;
            for values in [&mut self.x, &mut self.y, &mut self.z, &mut self.radius] {
                let chosen = simd.chosen(&cast(eight_from(values, first)), !removed);
                values[kept..kept + WIDTH].copy_from_slice(&cast::<_, [f32; WIDTH]>(chosen));
            }
            let chosen = simd.chosen(&eight_from(&self.vertex, first), !removed);
            self.vertex[kept..kept + WIDTH].copy_from_slice(&chosen);
            kept += removed.count_zeros() as usize;
        }
        self.count = kept;
    }
}

impl Pairs {
    pub fn with_room(count: usize) -> Self {
        let room = count.next_multiple_of(WIDTH);
        Self {
            best: vec![0; room + WIDTH],
            preferences: vec![0; count],
            lower: vec![0; room],
            removed: vec![0; room / WIDTH],
            count: 0,
        }
    }

    /// Finds the pairs of clusters that prefer each other.
    #[inline(always)]
    pub fn find(&mut self, simd: impl EightLanes, clusters: &Clusters) {
        self.choose_partners(clusters);
        let n = clusters.count;
        self.best[n..n.next_multiple_of(WIDTH) + WIDTH].fill(0);
        let (mut count, mut carried) = (0, 0);
        for (eight, removed) in self.removed[..n.div_ceil(WIDTH)].iter_mut().enumerate() {
            let first = eight * WIDTH;
            let best = eight_from(&self.best, first);
            let mut ahead = [0; WIDTH];
            for k in 0..WIDTH {
                ahead[k] = partner_offset(first + k, best[k]);
            }
            let (mut lower, mut upper) = (0, carried);
            for distance in 1..=WINDOW {
                let mutual = simd.equal(&best, &eight_from(&self.best, first + distance))
                    & simd.equal(&ahead, &[distance as u32; WIDTH]);
                lower |= mutual;
                upper |= u32::from(mutual) << distance;
            }
            (*removed, carried) = (upper as u8, upper >> WIDTH);
            let (bits, room) = (set_bits(lower), &mut self.lower[count..count + WIDTH]);
            for k in 0..WIDTH {
                room[k] = first as u32 + u32::from(bits[k]);
            }
            count += lower.count_ones() as usize;
        }
        self.count = count;
        if !n.is_multiple_of(WIDTH) {
            self.removed[n / WIDTH] |= u8::MAX << (n % WIDTH);
        }
    }

    /// Finds the least preference of each cluster, which encodes the partner.
    ///
    /// The cost of a pair (i, j) is the radius of its joint sphere. The preference is the bit pattern of this cost,
    /// with the low bits replaced by those of i XOR j. For numbers ≥ 0, bit patterns and numbers have the same order.
    /// Two pairs with a common cluster differ in i XOR j, so their preferences are never equal. The clusters of the
    /// pair with the least preference therefore select each other, and every round merges a pair.
    #[inline(always)]
    fn choose_partners(&mut self, clusters: &Clusters) {
        let best = &mut self.best[..clusters.count];
        best.fill(u32::MAX);
        for distance in 1..=WINDOW.min(best.len() - 1) {
            let n = best.len() - distance;
            let preferences = &mut self.preferences[..n];
            clusters.compute_preferences(distance, &mut best[..n], preferences);
            let best = &mut best[distance..][..n];
            for k in 0..n {
                best[k] = best[k].min(preferences[k]);
            }
        }
    }
}

/// Offset, modulo 32, of the partner encoded in a preference of cluster `i`.
#[inline(always)]
fn partner_offset(i: usize, preference: u32) -> u32 {
    ((i as u32 ^ preference) & PARTNER_BITS).wrapping_sub(i as u32) & PARTNER_BITS
}

#[inline(always)]
fn partner(i: usize, preference: u32) -> usize {
    // Five bits encode a partner up to 15 positions ahead or behind.
    let signed = (partner_offset(i, preference) ^ 16).wrapping_sub(16);
    (i as u32).wrapping_add(signed) as usize
}

#[inline(always)]
fn eight_from<T: Copy + Default>(values: &[T], first: usize) -> [T; WIDTH] {
    let mut eight = [T::default(); WIDTH];
    eight.copy_from_slice(&values[first..first + WIDTH]);
    eight
}
