//! Greedy agglomeration by a priority queue of pairs, with partners found in a tree built by online insertion.
//!
//! A ball is live until it is merged. An entry of the queue stores a ball, the best partner of this ball when the entry
//! was pushed, and as cost the radius of their joint ball. Merges can only increase the least cost of a live ball, so
//! the stored cost is a lower bound. Therefore the first entry whose two balls are still live is the pair of least
//! cost.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::bottom_up::make_comparable;
use super::nearest::NONE;
use crate::detection::volume::Sphere;

/// Merges of the spheres into one tree, numbered as in [`super::topology::Topology::from_merges`].
///
/// # Cost
/// O(n log n) expected for n spheres. The searches are serial, so [`super::bottom_up::merges`] is faster.
///
/// # Source
/// Omohundro 1989, "Five balltree construction algorithms", ICSI TR-89-063, bottom-up and online insertion algorithms;
/// Aragón & Molinari, CMAME 268 (2014), §3.1.
pub fn merges(spheres: &[Sphere]) -> Vec<[u32; 2]> {
    let mut balls = spheres.to_vec();
    balls.iter_mut().for_each(make_comparable);
    let mut tree = OnlineTree::new(2 * balls.len());
    (0..balls.len() as u32).for_each(|number| tree.insert(number, balls[number as usize]));
    let mut queue: BinaryHeap<Reverse<Pair>> = BinaryHeap::with_capacity(2 * balls.len());
    let push = |queue: &mut BinaryHeap<_>, tree: &OnlineTree, number: u32| {
        queue.extend(tree.best_partner(number).map(Reverse));
    };
    (0..balls.len() as u32).for_each(|number| push(&mut queue, &tree, number));
    let mut merges = Vec::with_capacity(balls.len().saturating_sub(1));
    while let Some(Reverse(Pair { number, partner, .. })) = queue.pop() {
        if !tree.holds(number) {
            continue;
        }
        if !tree.holds(partner) {
            push(&mut queue, &tree, number);
            continue;
        }
        let joint = tree.ball(number).joint(&tree.ball(partner));
        tree.remove(number);
        tree.remove(partner);
        merges.push([number.min(partner), number.max(partner)]);
        let parent = (spheres.len() + merges.len() - 1) as u32;
        tree.insert(parent, joint);
        push(&mut queue, &tree, parent);
    }
    merges
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    /// Radius of the joint ball \[m\]; for other uses see `Waiting`.
    cost: f64,
    number: u32,
    partner: u32,
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        let numbers = |pair: &Self| (pair.number, pair.partner);
        self.cost.total_cmp(&other.cost).then_with(|| numbers(self).cmp(&numbers(other)))
    }
}

/// The vertex `number` in the queue of a search. The search minimises the radius of a joint ball \[m\] or an added
/// volume \[m³\]. `cost` is a lower bound on this quantity for all vertices at and below the vertex `number`.
type Waiting = Reverse<Pair>;

#[derive(Clone, Copy, Debug)]
struct Vertex {
    ball: Sphere,
    parent: u32,
    /// For a leaf, [`NONE`] and the number of the inserted ball.
    children: [u32; 2],
    /// Least radius of the inserted balls at or below the vertex \[m\].
    least_radius: f64,
}

struct OnlineTree {
    vertices: Vec<Vertex>,
    free: Vec<u32>,
    root: u32,
    /// Vertex of each ball; [`NONE`] for a ball that is not in the tree.
    places: Vec<u32>,
}

impl OnlineTree {
    fn new(num_numbers: usize) -> Self {
        let vertices = Vec::with_capacity(num_numbers);
        Self { vertices, free: Vec::new(), root: NONE, places: vec![NONE; num_numbers] }
    }

    fn holds(&self, number: u32) -> bool {
        self.places[number as usize] != NONE
    }

    fn ball(&self, number: u32) -> Sphere {
        self.vertices[self.places[number as usize] as usize].ball
    }

    fn add(&mut self, vertex: Vertex) -> u32 {
        if let Some(place) = self.free.pop() {
            self.vertices[place as usize] = vertex;
            return place;
        }
        self.vertices.push(vertex);
        self.vertices.len() as u32 - 1
    }

    /// Inserts a ball as sibling of the vertex that `best_sibling` selects.
    fn insert(&mut self, number: u32, ball: Sphere) {
        let leaf = Vertex { ball, parent: NONE, children: [NONE, number], least_radius: ball.radius };
        let leaf = self.add(leaf);
        self.places[number as usize] = leaf;
        if self.root == NONE {
            self.root = leaf;
            return;
        }
        let sibling = self.best_sibling(&ball);
        let parent = self.vertices[sibling as usize].parent;
        let joint = self.add(Vertex { ball, parent, children: [sibling, leaf], least_radius: 0.0 });
        self.replace_child(parent, sibling, joint);
        self.vertices[sibling as usize].parent = joint;
        self.vertices[leaf as usize].parent = joint;
        self.refit_from(joint);
    }

    /// Removes a ball. Its sibling replaces their common parent.
    fn remove(&mut self, number: u32) {
        let leaf = std::mem::replace(&mut self.places[number as usize], NONE);
        let parent = self.vertices[leaf as usize].parent;
        self.free.push(leaf);
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let Vertex { children: [left, right], parent: above, .. } = self.vertices[parent as usize];
        let sibling = if left == leaf { right } else { left };
        self.replace_child(above, parent, sibling);
        self.vertices[sibling as usize].parent = above;
        self.free.push(parent);
        self.refit_from(above);
    }

    fn replace_child(&mut self, parent: u32, from: u32, to: u32) {
        if parent == NONE {
            self.root = to;
            return;
        }
        let children = &mut self.vertices[parent as usize].children;
        children[usize::from(children[0] != from)] = to;
    }

    fn refit_from(&mut self, mut place: u32) {
        while place != NONE {
            let [left, right] =
                self.vertices[place as usize].children.map(|child| self.vertices[child as usize]);
            let vertex = &mut self.vertices[place as usize];
            vertex.ball = left.ball.joint(&right.ball);
            vertex.least_radius = left.least_radius.min(right.least_radius);
            place = vertex.parent;
        }
    }

    /// The vertex that adds the least volume to the tree as sibling of `ball`. The added volume is estimated as the
    /// volume of the joint ball of both siblings, plus the growth of each ball above the siblings. Volumes are divided
    /// by 4 π/3.
    ///
    /// Best-first search: the growth of the balls above a vertex is a lower bound on the volume that `ball` adds with a
    /// sibling at or below this vertex.
    fn best_sibling(&self, ball: &Sphere) -> u32 {
        let volume = |radius: f64| radius * radius * radius;
        let (mut best, mut sibling) = (f64::INFINITY, self.root);
        let mut waiting = BinaryHeap::from([wait(0.0, self.root)]);
        while let Some(Reverse(Pair { cost: growth, number: place, .. })) = waiting.pop() {
            if growth + volume(ball.radius) >= best {
                break;
            }
            let vertex = &self.vertices[place as usize];
            let joint = volume(vertex.ball.joint_radius(ball));
            if growth + joint < best {
                (best, sibling) = (growth + joint, place);
            }
            if vertex.children[0] != NONE {
                let below = growth + (joint - volume(vertex.ball.radius)).max(0.0);
                waiting.extend(vertex.children.map(|child| wait(below, child)));
            }
        }
        sibling
    }

    /// The ball A with this `number` and its best partner: the ball B for which the joint ball of A and B is smallest.
    /// Of several such balls, B is the ball with the least number. `None` if the tree contains no other ball.
    fn best_partner(&self, number: u32) -> Option<Pair> {
        let query = self.ball(number);
        let mut best: Option<Pair> = None;
        let mut waiting = BinaryHeap::from([wait(0.0, self.root)]);
        while let Some(Reverse(Pair { cost: bound, number: place, .. })) = waiting.pop() {
            if best.is_some_and(|best| bound > best.cost) {
                break;
            }
            let Vertex { ball, children: [left, right], .. } = &self.vertices[place as usize];
            if *left != NONE {
                let bound = |place: u32| wait(self.lower_bound(place, &query), place);
                waiting.extend([bound(*left), bound(*right)]);
            } else if *right != number {
                let found = Pair { cost: query.joint_radius(ball), number, partner: *right };
                best = Some(best.map_or(found, |best| best.min(found)));
            }
        }
        best
    }

    /// Lower bound on the radius of the joint ball of `query` and any inserted ball at or below a vertex.
    ///
    /// Let the vertex have the radius R and the centre c. The centre of an inserted ball of radius r is at most R − r
    /// from c, so its distance from the centre of `query` is at least `distance` − (R − r). Half the sum of this
    /// distance and both radii is at least `between`, because r ≥ `least_radius`. The last factor covers rounding.
    fn lower_bound(&self, place: u32, query: &Sphere) -> f64 {
        let Vertex { ball, least_radius, .. } = &self.vertices[place as usize];
        let distance = (query.centre - ball.centre).norm();
        let between = 0.5 * (distance - ball.radius + query.radius + 2.0 * least_radius);
        between.max(query.radius).max(*least_radius) * (1.0 - 8.0 * f64::EPSILON)
    }
}

fn wait(bound: f64, place: u32) -> Waiting {
    Reverse(Pair { cost: bound, number: place, partner: NONE })
}
