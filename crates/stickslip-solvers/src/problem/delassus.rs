//! The Delassus matrix D = Wᵀ M⁻¹ W + C in 3×3 blocks, sparse: blocks exist where contacts share a body.

use crate::problem::{Arm, ContactBlock, ContactProblem, InverseMass};
use glam::{DMat3, DVec3};

/// Sparse matrix of 3×3 blocks, compressed by rows, columns sorted in each row, diagonal always
/// present. Entry (i, j) maps an impulse on contact j (N s) to the velocity it gives contact i (m/s).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Delassus {
    /// Start of each row in `cols` and `blocks`; one more entry than rows.
    starts: Vec<usize>,
    cols: Vec<usize>,
    blocks: Vec<DMat3>,
    diagonal: Vec<usize>,
    // Memory of the assembly: contacts of each body, compressed.
    body_starts: Vec<usize>,
    body_contacts: Vec<usize>,
    neighbours: Vec<usize>,
    /// The arms of all contacts, one contact after the other, and where each contact's begin.
    rows: Vec<ArmRows>,
    first_rows: Vec<usize>,
}

/// Rows of Wᵀ of one contact on one body: three directions and their moments, and M⁻¹ times them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ArmRows {
    body: usize,
    linear: [DVec3; 3],
    angular: [DVec3; 3],
    linear_response: [DVec3; 3],
    angular_response: [DVec3; 3],
}

impl ArmRows {
    const NONE: Self = Self {
        body: 0,
        linear: [DVec3::ZERO; 3],
        angular: [DVec3::ZERO; 3],
        linear_response: [DVec3::ZERO; 3],
        angular_response: [DVec3::ZERO; 3],
    };

    /// In place: an arm's rows are too large to be handed about.
    fn set(&mut self, frame: &[DVec3; 3], arm: &Arm, inverse: &InverseMass) {
        self.body = arm.body;
        for (k, d) in frame.iter().enumerate() {
            let (linear, angular) = arm.wrench(*d);
            self.linear[k] = linear;
            self.angular[k] = angular;
            self.linear_response[k] = linear * inverse.mass;
            self.angular_response[k] = inverse.inertia * angular;
        }
    }

    /// Block of (self, other) through their common body.
    fn block(&self, other: &Self) -> DMat3 {
        let entry = |r: usize, c: usize| {
            self.linear[r].dot(other.linear_response[c])
                + self.angular[r].dot(other.angular_response[c])
        };
        let column = |c: usize| DVec3::new(entry(0, c), entry(1, c), entry(2, c));
        DMat3::from_cols(column(0), column(1), column(2))
    }
}

impl Delassus {
    /// Number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// Whether there is no contact.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// Number of stored blocks.
    #[must_use]
    pub fn stored_blocks(&self) -> usize {
        self.blocks.len()
    }

    /// Are all its numbers finite?
    pub(crate) fn is_finite(&self) -> bool {
        // 0 x is no number where x is not finite.
        let sum = self.blocks.iter().fold(DMat3::ZERO, |s, b| s + *b * 0.0);
        sum == DMat3::ZERO
    }

    /// Columns and blocks of row `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[usize], &[DMat3]) {
        let range = self.starts[i]..self.starts[i + 1];
        (&self.cols[range.clone()], &self.blocks[range])
    }

    /// Visits the blocks between some contacts that touch no others (rising), by their places among them.
    pub(crate) fn for_blocks_of(
        &self,
        members: &[usize],
        mut visit: impl FnMut(usize, usize, &DMat3),
    ) {
        for (k, &i) in members.iter().enumerate() {
            let (cols, blocks) = self.row(i);
            // Both lists rise: walk them together.
            let mut l = 0;
            for (&j, block) in cols.iter().zip(blocks) {
                while members[l] < j {
                    l += 1;
                }
                visit(k, l, block);
            }
        }
    }

    /// The diagonal block D_ii, in 1/kg.
    #[must_use]
    pub fn diagonal(&self, i: usize) -> &DMat3 {
        &self.blocks[self.diagonal[i]]
    }

    /// w̄_i = tr(D_ii)/3, the inverse of the contact's effective mass, in 1/kg.
    #[must_use]
    pub fn w_bar(&self, i: usize) -> f64 {
        let d = self.diagonal(i);
        (d.x_axis.x + d.y_axis.y + d.z_axis.z) / 3.0
    }

    /// (D p)_i.
    #[must_use]
    pub fn row_times(&self, i: usize, p: &[DVec3]) -> DVec3 {
        let (cols, blocks) = self.row(i);
        let mut u = DVec3::ZERO;
        for (&j, d) in cols.iter().zip(blocks) {
            u += *d * p[j];
        }
        u
    }

    /// out = D p.
    pub fn times(&self, p: &[DVec3], out: &mut Vec<DVec3>) {
        out.clear();
        out.extend((0..self.len()).map(|i| self.row_times(i, p)));
    }

    /// Builds the matrix from blocks given by (row, column, block); duplicates are added, in the
    /// order given, and missing diagonal blocks are zero.
    #[must_use]
    pub fn from_blocks(n_c: usize, mut entries: Vec<(usize, usize, DMat3)>) -> Self {
        entries.extend((0..n_c).map(|i| (i, i, DMat3::ZERO)));
        entries.sort_by_key(|&(i, j, _)| (i, j));
        let mut out = Self::default();
        out.starts.push(0);
        let mut k = 0;
        for i in 0..n_c {
            while k < entries.len() && entries[k].0 == i {
                let (_, j, block) = entries[k];
                let start = out.starts[i];
                if out.cols.len() > start && out.cols.last() == Some(&j) {
                    let last = out.blocks.len() - 1;
                    out.blocks[last] += block;
                } else {
                    if j == i {
                        out.diagonal.push(out.cols.len());
                    }
                    out.cols.push(j);
                    out.blocks.push(block);
                }
                k += 1;
            }
            out.starts.push(out.cols.len());
        }
        out
    }

    /// Assembles D = Wᵀ M⁻¹ W + C of a step, reusing memory. Exactly symmetric: the blocks below the
    /// diagonal are the transposes of those above.
    pub fn assemble(&mut self, problem: &ContactProblem) {
        let n_c = problem.contacts.len();
        self.set_rows(problem);
        self.contacts_of_bodies(problem.inverse_mass.len());

        self.starts.clear();
        self.cols.clear();
        self.blocks.clear();
        self.diagonal.clear();
        self.starts.push(0);
        for i in 0..n_c {
            self.neighbours.clear();
            self.neighbours.push(i);
            for arm in &self.rows[self.arms_of(i)] {
                let range = self.body_starts[arm.body]..self.body_starts[arm.body + 1];
                self.neighbours
                    .extend_from_slice(&self.body_contacts[range]);
            }
            self.neighbours.sort_unstable();
            self.neighbours.dedup();
            for k in 0..self.neighbours.len() {
                let j = self.neighbours[k];
                if j == i {
                    self.diagonal.push(self.cols.len());
                }
                let block = if j < i {
                    self.find(j, i).transpose()
                } else {
                    let mut block = DMat3::ZERO;
                    for a in &self.rows[self.arms_of(i)] {
                        for b in &self.rows[self.arms_of(j)] {
                            if a.body == b.body {
                                block += a.block(b);
                            }
                        }
                    }
                    if i == j {
                        block += DMat3::from_diagonal(problem.contacts[i].compliance);
                    }
                    block
                };
                self.cols.push(j);
                self.blocks.push(block);
            }
            self.starts.push(self.cols.len());
        }
    }

    /// The block (i, j), zero where none is stored.
    #[must_use]
    pub fn find(&self, i: usize, j: usize) -> DMat3 {
        let (cols, blocks) = self.row(i);
        cols.binary_search(&j).map_or(DMat3::ZERO, |k| blocks[k])
    }

    fn contacts_of_bodies(&mut self, n_b: usize) {
        self.body_starts.clear();
        self.body_starts.resize(n_b + 2, 0);
        for arm in &self.rows {
            self.body_starts[arm.body + 2] += 1;
        }
        for b in 2..n_b + 2 {
            self.body_starts[b] += self.body_starts[b - 1];
        }
        self.body_contacts.clear();
        self.body_contacts.resize(self.body_starts[n_b + 1], 0);
        for (i, ends) in self.first_rows.windows(2).enumerate() {
            for arm in &self.rows[ends[0]..ends[1]] {
                let slot = &mut self.body_starts[arm.body + 1];
                self.body_contacts[*slot] = i;
                *slot += 1;
            }
        }
    }

    /// The rows of Wᵀ of every arm.
    fn set_rows(&mut self, problem: &ContactProblem) {
        let arms = |contact: &ContactBlock| contact.arms.iter().flatten().count();
        self.first_rows.clear();
        self.first_rows.push(0);
        let mut n = 0;
        for contact in &problem.contacts {
            n += arms(contact);
            self.first_rows.push(n);
        }
        self.rows.resize(n, ArmRows::NONE);
        let mut rows = self.rows.iter_mut();
        for contact in &problem.contacts {
            for (arm, row) in contact.arms.iter().flatten().zip(&mut rows) {
                row.set(&contact.frame, arm, &problem.inverse_mass[arm.body]);
            }
        }
    }

    /// Which of the rows are the arms of a contact.
    fn arms_of(&self, contact: usize) -> std::ops::Range<usize> {
        self.first_rows[contact]..self.first_rows[contact + 1]
    }
}
