//! The queue of times before which pairs of tree vertices cannot meet.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// Two vertices of the trees of two bodies, or of one tree: subtrees apart from each other, or one with itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VertexPair {
    /// Index of the pair of bodies.
    pub pair: u32,
    /// The two bodies.
    pub bodies: [u32; 2],
    /// A vertex of the tree of each.
    pub vertices: [u32; 2],
}

impl VertexPair {
    /// Whether the two are of one body, which can touch itself.
    pub fn is_of_one_body(&self) -> bool {
        self.bodies[0] == self.bodies[1]
    }
}

/// An entry: the pair cannot meet before `time`, as predicted at `asked_at` in the given epochs of its bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// Earliest time of contact \[s\].
    pub time: f64,
    /// When it was predicted \[s\].
    pub asked_at: f64,
    /// The pair.
    pub pair: VertexPair,
    epochs: [u32; 2],
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Event {}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Event {
    /// The earliest is the greatest, as the heap of the standard library yields its maximum; ties by vertices.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then_with(|| other.pair.cmp(&self.pair))
    }
}

/// Events by time; those of a body whose epoch has passed are dropped when met.
#[derive(Clone, Debug)]
pub(super) struct EventQueue {
    heap: BinaryHeap<Event>,
    epochs: Vec<u32>,
}

impl EventQueue {
    /// An empty queue over this many bodies.
    pub fn new(num_bodies: usize) -> Self {
        Self { heap: BinaryHeap::new(), epochs: vec![0; num_bodies] }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.heap.clear();
    }

    /// Voids every event of a body.
    pub fn begin_epoch(&mut self, body: u32) {
        self.epochs[body as usize] = self.epochs[body as usize].wrapping_add(1);
    }

    /// Adds an event predicted at `asked_at`.
    pub fn push(&mut self, time: f64, asked_at: f64, pair: VertexPair) {
        let epochs = pair.bodies.map(|body| self.epochs[body as usize]);
        self.heap.push(Event { time, asked_at, pair, epochs });
    }

    /// Time of the earliest valid event \[s\].
    pub fn earliest(&mut self) -> Option<f64> {
        while let Some(event) = self.heap.peek() {
            if is_valid(&self.epochs, event) {
                return Some(event.time);
            }
            self.heap.pop();
        }
        None
    }

    /// Takes the earliest valid event if it is due at `time` \[s\].
    pub fn pop_due(&mut self, time: f64) -> Option<Event> {
        if self.earliest()? <= time { self.heap.pop() } else { None }
    }

    /// All valid events, in no order.
    pub fn valid_entries(&self) -> impl Iterator<Item = (f64, VertexPair)> + '_ {
        self.heap.iter().filter(|event| is_valid(&self.epochs, event)).map(|event| (event.time, event.pair))
    }
}

fn is_valid(epochs: &[u32], event: &Event) -> bool {
    event.pair.bodies.iter().zip(event.epochs).all(|(&body, epoch)| epochs[body as usize] == epoch)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(bodies: [u32; 2], vertices: [u32; 2]) -> VertexPair {
        VertexPair { pair: 0, bodies, vertices }
    }

    /// Earliest first, ties by vertices, void events never seen.
    #[test]
    fn events_come_by_time_and_void_ones_are_dropped() {
        let mut queue = EventQueue::new(3);
        queue.push(2.0, 0.0, pair([0, 1], [5, 5]));
        queue.push(1.0, 0.0, pair([0, 2], [1, 9]));
        queue.push(1.0, 0.0, pair([0, 2], [1, 3]));
        assert_eq!(queue.pop_due(1.0).map(|event| event.pair.vertices), Some([1, 3]));
        assert_eq!(queue.valid_entries().count(), 2);
        queue.begin_epoch(2);
        assert_eq!(queue.earliest(), Some(2.0));
        assert!(queue.pop_due(1.5).is_none());
        queue.push(1.2, 0.0, pair([1, 2], [0, 0]));
        assert_eq!(queue.pop_due(1.5).map(|event| event.pair.bodies), Some([1, 2]));
    }
}
