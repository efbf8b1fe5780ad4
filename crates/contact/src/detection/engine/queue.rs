//! Priority queue of predicted contact times of pairs of tree vertices.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A pair of bodies, and a vertex of the tree of each body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VertexPair {
    pub bodies: [u32; 2],
    /// A vertex of the tree of each body.
    pub vertices: [u32; 2],
}

/// The pair cannot touch before `time`, as predicted at `predicted_at`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// Earliest time of contact \[s\].
    pub time: f64,
    /// Time of the prediction \[s\].
    pub predicted_at: f64,
    pub pair: VertexPair,
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
    /// The earliest event is the greatest, because `BinaryHeap` returns the greatest event. Of equally early
    /// events, the event with the smallest pair is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then_with(|| other.pair.cmp(&self.pair))
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct EventQueue {
    heap: BinaryHeap<Event>,
}

impl EventQueue {
    pub fn clear(&mut self) {
        self.heap.clear();
    }

    pub fn push(&mut self, time: f64, predicted_at: f64, pair: VertexPair) {
        self.heap.push(Event { time, predicted_at, pair });
    }

    /// Time of the earliest event \[s\].
    pub fn earliest(&self) -> Option<f64> {
        self.heap.peek().map(|event| event.time)
    }

    /// Removes and returns the earliest event, if its time is at most `time` \[s\].
    pub fn pop_due(&mut self, time: f64) -> Option<Event> {
        if self.earliest()? <= time { self.heap.pop() } else { None }
    }

    /// All events, in arbitrary order.
    pub fn entries(&self) -> impl Iterator<Item = (f64, VertexPair)> + '_ {
        self.heap.iter().map(|event| (event.time, event.pair))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_by_time() {
        let pair = |bodies, vertices| VertexPair { bodies, vertices };
        let mut queue = EventQueue::default();
        queue.push(2.0, 0.0, pair([0, 1], [5, 5]));
        queue.push(1.0, 0.0, pair([0, 2], [1, 9]));
        queue.push(1.0, 0.0, pair([0, 2], [1, 3]));
        assert_eq!(queue.pop_due(1.0).map(|event| event.pair.vertices), Some([1, 3]));
        assert_eq!(queue.entries().count(), 2);
        assert!(queue.pop_due(0.5).is_none());
        queue.push(0.75, 0.0, pair([1, 2], [0, 0]));
        assert_eq!(queue.earliest(), Some(0.75));
        assert_eq!(queue.pop_due(1.5).map(|event| event.pair.bodies), Some([1, 2]));
    }
}
