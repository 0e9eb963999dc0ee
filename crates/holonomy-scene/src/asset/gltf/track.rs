//! One animated property: its keys, its value at any time, and the keys of a piece of it repeated.
//!
//! Source: glTF 2.0 specification, section 3.11 and appendix C (interpolation). With t_d the time between keys k and k+1, t in 0..1
//! between them, v values, a in-tangents and b out-tangents (per second), a cubic spline is
//! (2t³ - 3t² + 1) v_k + t_d (t³ - 2t² + t) b_k + (-2t³ + 3t²) v_{k+1} + t_d (t³ - t²) a_{k+1}.

use serde::Serialize;

/// How values between keys are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Interpolation {
    /// The value of the key before.
    Step,
    /// Straight lines; for rotations, great circles.
    Linear,
    /// Cubic Hermite splines with given tangents.
    CubicSpline,
}

impl Interpolation {
    /// The word glTF has for it.
    pub(super) fn keyword(self) -> &'static str {
        match self {
            Interpolation::Step => "STEP",
            Interpolation::Linear => "LINEAR",
            Interpolation::CubicSpline => "CUBICSPLINE",
        }
    }
}

/// What is animated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    Translation,
    Rotation,
    Scale,
    Weights,
}

impl Property {
    pub fn keyword(self) -> &'static str {
        match self {
            Property::Translation => "translation",
            Property::Rotation => "rotation",
            Property::Scale => "scale",
            Property::Weights => "weights",
        }
    }
}

/// The keys of one property of one node.
#[derive(Debug, Clone)]
pub(super) struct Track {
    pub node: usize,
    pub property: Property,
    pub interpolation: Interpolation,
    /// Seconds, strictly increasing, at least one.
    pub times: Vec<f64>,
    pub keys: Vec<Key>,
}

/// Value and tangents (per second; empty unless cubic) at one time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Key {
    pub incoming: Vec<f64>,
    pub value: Vec<f64>,
    pub outgoing: Vec<f64>,
}

impl Track {
    /// The value at time `t`; outside its keys the nearest key's. Rotations come out with length 1.
    pub fn at(&self, t: f64) -> Vec<f64> {
        let mut value = match self.segment(t) {
            Segment::Key(k) => self.keys[k].value.clone(),
            Segment::Between(k, u) => self.between(k, u),
        };
        if self.property == Property::Rotation {
            normalise(&mut value);
        }
        value
    }

    fn segment(&self, t: f64) -> Segment {
        let after = self.times.partition_point(|&key| key <= t);
        match (after, self.times.get(after)) {
            (0, _) => Segment::Key(0),
            (_, None) => Segment::Key(self.times.len() - 1),
            (_, Some(end)) => {
                let start = self.times[after - 1];
                Segment::Between(after - 1, (t - start) / (end - start))
            }
        }
    }

    fn between(&self, k: usize, u: f64) -> Vec<f64> {
        let (a, b) = (&self.keys[k], &self.keys[k + 1]);
        match self.interpolation {
            Interpolation::Step => a.value.clone(),
            Interpolation::Linear if self.property == Property::Rotation => slerp(&a.value, &b.value, u),
            Interpolation::Linear => a.value.iter().zip(&b.value).map(|(x, y)| x + u * (y - x)).collect(),
            Interpolation::CubicSpline => {
                let h = self.times[k + 1] - self.times[k];
                let (u2, u3) = (u * u, u * u * u);
                let basis = [2.0 * u3 - 3.0 * u2 + 1.0, h * (u3 - 2.0 * u2 + u), 3.0 * u2 - 2.0 * u3, h * (u3 - u2)];
                hermite(a, b, basis)
            }
        }
    }

    /// Value (a quaternion of a spline not normalised) and slope (splines only) at time `t`, as a key.
    fn key_at(&self, t: f64) -> Key {
        let cubic = self.interpolation == Interpolation::CubicSpline;
        let (value, slope) = match self.segment(t) {
            Segment::Key(k) => (self.keys[k].value.clone(), vec![0.0; self.keys[k].value.len()]),
            Segment::Between(k, u) => {
                let h = self.times[k + 1] - self.times[k];
                let basis = [(6.0 * u * u - 6.0 * u) / h, 3.0 * u * u - 4.0 * u + 1.0, (6.0 * u - 6.0 * u * u) / h, 3.0 * u * u - 2.0 * u];
                (self.between(k, u), if cubic { hermite(&self.keys[k], &self.keys[k + 1], basis) } else { Vec::new() })
            }
        };
        let slope = if cubic { slope } else { Vec::new() };
        Key { incoming: slope.clone(), value, outgoing: slope }
    }

    /// The same curve from `start` to `end`, with a key at both; held where its own keys do not reach.
    pub fn piece(&self, start: f64, end: f64) -> Track {
        let margin = 1e-9 * (end - start).abs();
        let same = |k: usize, t: f64| self.times.get(k).is_some_and(|key| (key - t).abs() <= margin);
        let mut track = Track { times: Vec::new(), keys: Vec::new(), ..self.clone() };
        let inside: Vec<usize> =
            (0..self.times.len()).filter(|&k| self.times[k] > start + margin && self.times[k] < end - margin).collect();
        let exact = |t: f64| (0..self.times.len()).find(|&k| same(k, t));
        let edge = |t: f64| exact(t).map_or_else(|| self.key_at(t), |k| self.keys[k].clone());
        track.times.push(start);
        track.keys.push(edge(start));
        for k in inside {
            track.times.push(self.times[k]);
            track.keys.push(self.keys[k].clone());
        }
        track.times.push(end);
        track.keys.push(edge(end));
        track.flatten_held(self, margin);
        track
    }

    /// Goes straight from the last key back to the value of the first, at time `end`.
    pub fn return_to_start(&mut self, end: f64) {
        let (Some(first), Some(last), Some(&from)) = (self.keys.first().cloned(), self.keys.last_mut(), self.times.last()) else { return };
        let mut key = first;
        if self.property == Property::Rotation && dot(&last.value, &key.value) < 0.0 {
            key.negate();
        }
        if self.interpolation == Interpolation::CubicSpline {
            let slope: Vec<f64> = key.value.iter().zip(&last.value).map(|(b, a)| (b - a) / (end - from)).collect();
            last.outgoing.clone_from(&slope);
            key.incoming = slope;
        }
        self.times.push(end);
        self.keys.push(key);
    }

    /// Whether the value at `begin` is another than at `end`, so that a repetition jumps from one to the other.
    pub fn jumps(&self, end: &Key, begin: &Key) -> bool {
        let scale = self.keys.iter().flat_map(|key| &key.value).fold(0.0, |max: f64, x| max.max(x.abs()));
        let flip = self.property == Property::Rotation && dot(&end.value, &begin.value) < 0.0;
        let sign = if flip { -1.0 } else { 1.0 };
        end.value.iter().zip(&begin.value).any(|(x, y)| (x - sign * y).abs() > 1e-6 * scale)
    }

    /// Where the source holds its first or last value, the tangents towards the held part are zero.
    fn flatten_held(&mut self, source: &Track, margin: f64) {
        if self.interpolation != Interpolation::CubicSpline {
            return;
        }
        let (first, last) = (source.times[0] - margin, source.times[source.times.len() - 1] - margin);
        for k in 0..self.times.len() {
            let key = &mut self.keys[k];
            if k > 0 && self.times[k - 1] < first {
                key.incoming.fill(0.0);
            }
            if self.times[k] < first || self.times[k] >= last {
                key.outgoing.fill(0.0);
            }
        }
    }
}

enum Segment {
    Key(usize),
    Between(usize, f64),
}

fn hermite(a: &Key, b: &Key, [p, q, r, s]: [f64; 4]) -> Vec<f64> {
    (0..a.value.len()).map(|i| p * a.value[i] + q * a.outgoing[i] + r * b.value[i] + s * b.incoming[i]).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn normalise(q: &mut [f64]) {
    let norm = q.iter().map(|x| x * x).sum::<f64>().sqrt();
    if norm > 0.0 {
        q.iter_mut().for_each(|x| *x /= norm);
    }
}

/// Along the shorter great circle; both ends have length 1.
fn slerp(a: &[f64], b: &[f64], u: f64) -> Vec<f64> {
    let dot = dot(a, b);
    let (cosine, sign) = (dot.abs().min(1.0), if dot < 0.0 { -1.0 } else { 1.0 });
    let angle = cosine.acos();
    let (p, q) = if angle < 1e-6 { (1.0 - u, u) } else { (((1.0 - u) * angle).sin() / angle.sin(), (u * angle).sin() / angle.sin()) };
    a.iter().zip(b).map(|(x, y)| p * x + sign * q * y).collect()
}

/// Keys ready to be written: times as `f32`, strictly increasing.
#[derive(Debug, Default)]
pub(super) struct Keys {
    pub times: Vec<f32>,
    pub keys: Vec<Key>,
}

impl Keys {
    /// Appends a key; one that `f32` cannot tell from the key before replaces it.
    pub fn push(&mut self, time: f32, key: Key) {
        while self.times.last().is_some_and(|&last| last >= time) {
            self.times.pop();
            self.keys.pop();
        }
        self.times.push(time);
        self.keys.push(key);
    }

    /// Appends a piece, moved in time by `shift`, where the keys so far end.
    ///
    /// If the values meet there, one key with both tangents is made of the two. If they jump, they do so `margin` before the piece
    /// begins (the keys so far must end before that, see [`Track::jumps`]): a player that asks for the time of a frame, rounded in
    /// whatever way, is then past the jump.
    pub fn append(&mut self, piece: &Track, shift: f64, margin: f64) {
        let mut keys = piece.keys.clone();
        let seam = piece.times[0] + shift;
        if let (Some(end), Some(begin)) = (self.keys.last_mut(), piece.keys.first()) {
            if piece.property == Property::Rotation && dot(&end.value, &begin.value) < 0.0 {
                keys.iter_mut().for_each(Key::negate);
            }
            if piece.jumps(end, begin) {
                end.outgoing.fill(0.0);
                let held = Key { incoming: vec![0.0; begin.incoming.len()], outgoing: vec![0.0; begin.outgoing.len()], ..keys[0].clone() };
                self.push((seam - margin) as f32, held);
                keys[0].incoming.fill(0.0);
            } else {
                keys[0].incoming = std::mem::take(&mut end.incoming);
            }
        }
        for (time, key) in piece.times.iter().zip(keys) {
            self.push((time + shift) as f32, key);
        }
    }
}

impl Key {
    fn negate(&mut self) {
        for x in self.incoming.iter_mut().chain(&mut self.value).chain(&mut self.outgoing) {
            *x = -*x;
        }
    }
}
