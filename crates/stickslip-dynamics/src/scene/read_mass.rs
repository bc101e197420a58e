//! Mass, density and inertia.

use glam::{DMat3, DVec3};

use super::Mass;
use super::keys::PIECE;
use super::node::{Fault, Node, Outcome, Value};
use super::read_shape::{read_orientation, read_shape};
use super::reader::{Reader, flag, is_positive, items, shown};
use super::table::Table;
use stickslip_geometry::mass::centre_of_mass;
use stickslip_geometry::{MassProperties, Pose, Shape};
use stickslip_robots::Inertial;

/// How far, relative to the largest moment, an inertia may be from symmetric, and how far the triangle
/// inequality may be broken: enough for numbers rounded to ten digits, so that a flat plate passes.
const ROUNDING: f64 = 1e-9;

/// The mass of a free body.
pub(super) fn read_mass(
    reader: &Reader<'_>,
    table: &Table<'_>,
    shape_node: &Node,
    shape: &Shape,
) -> Outcome<Mass> {
    if let Some(mass) = read_pieces(reader, table, shape_node)? {
        return Ok(mass);
    }
    let inertia = table.get("inertia");
    let any = table.get("any-inertia").map_or(Ok(false), flag)?;
    if let Some(centre) = table.get("center-of-mass") {
        return read_given(reader, table, centre, any);
    }
    if let (true, Some(key)) = (any, table.first_of(&["any-inertia"])) {
        let message = "`any-inertia` goes with `center-of-mass`, `mass` and `inertia`";
        return Err(Fault::new(&key.place, message));
    }
    if let Shape::Points { .. } = shape {
        refuse_for_points(table, shape)?;
    }
    match (table.get("mass"), table.get("density")) {
        (Some(_), Some(density)) => {
            let message = "give `mass` or `density`, not both";
            Err(Fault::new(&density.place, message))
        }
        (None, None) => {
            let message = "a free body needs `mass` or `density`";
            let fault = Fault::new(table.place(), message);
            Err(fault.with_help("a body that never moves has motion = \"fixed\""))
        }
        (None, Some(node)) => match inertia {
            Some(inertia) => {
                let message = "`inertia` goes with `mass`; `density` gives its own";
                Err(Fault::new(&inertia.place, message))
            }
            None => {
                reader.remark_density(node);
                reader.positive(node, "the density").map(Mass::Density)
            }
        },
        (Some(node), None) => Ok(Mass::Total {
            mass: reader.positive(node, "the mass")?,
            inertia: inertia
                .map(|node| read_inertia(reader, node, false))
                .transpose()?,
        }),
    }
}

/// Mass, centre of mass and inertia, whatever the shape says.
fn read_given(reader: &Reader<'_>, table: &Table<'_>, centre: &Node, any: bool) -> Outcome<Mass> {
    let (Some(mass), Some(inertia)) = (table.get("mass"), table.get("inertia")) else {
        let message = "`center-of-mass` goes with `mass` and `inertia`";
        return Err(Fault::new(&centre.place, message));
    };
    if let Some(density) = table.get("density") {
        let message = "give `mass` or `density`, not both";
        return Err(Fault::new(&density.place, message));
    }
    Ok(Mass::Given {
        mass: reader.positive(mass, "the mass")?,
        centre: reader.vector(centre)?,
        inertia: read_inertia(reader, inertia, any)?,
        any,
    })
}

/// A compound whose pieces have densities of their own: their masses together.
fn read_pieces(reader: &Reader<'_>, table: &Table<'_>, shape: &Node) -> Outcome<Option<Mass>> {
    let Value::Table(entries) = &shape.value else {
        return Ok(None);
    };
    let Some((_, pieces)) = entries.iter().find(|(key, _)| key.name == "compound") else {
        return Ok(None);
    };
    let pieces = items(pieces, "a list of pieces")?;
    let densities = |piece: &Node| matches!(&piece.value, Value::Table(keys) if keys.iter().any(|(k, _)| k.name == "density"));
    if !pieces.iter().any(densities) {
        return Ok(None);
    }
    if let Some(key) = table.first_of(&["mass", "density", "inertia", "center-of-mass"]) {
        let message = format!(
            "`{}` has no effect beside the densities of the pieces",
            key.name
        );
        return Err(Fault::new(&key.place, message));
    }
    let mut sum = Inertial::default();
    for piece in pieces {
        let table = Table::open(piece, &PIECE)?;
        let Some(density) = table.get("density") else {
            return Err(table.fault("`density` is given for every piece or for none"));
        };
        let node = table.need("shape")?;
        let shape = read_shape(reader, node)?;
        reader.remark_density(density);
        let density = reader.positive(density, "the density")?;
        let pose = Pose {
            position: reader.vector_or(&table, "position", DVec3::ZERO)?,
            orientation: read_orientation(reader, table.get("orientation"))?,
        };
        let found = MassProperties::with_density(&shape, density);
        let (Some(found), Some(centre)) = (found, centre_of_mass(&shape)) else {
            return Err(Fault::new(&node.place, "this piece has no volume"));
        };
        let own = Inertial {
            mass: found.mass,
            centre,
            inertia: found.inertia,
        };
        sum = sum.with(&own.placed(&pose));
    }
    // Symmetric to the last bit.
    let inertia = (sum.inertia + sum.inertia.transpose()) * 0.5;
    Ok(Some(Mass::Given {
        mass: sum.mass,
        centre: sum.centre,
        inertia,
        any: false,
    }))
}

/// Points have no volume, and a single one no inertia; those about another centre do not tell their inertia.
fn refuse_for_points(table: &Table<'_>, shape: &Shape) -> Outcome<()> {
    let fault = |key: &str, message: &str| match table.get(key) {
        Some(node) => Err(Fault::new(&node.place, message)),
        None => Ok(()),
    };
    fault("density", "points have no volume: give `mass`")?;
    if shape.is_particle() {
        fault("inertia", "a point has no inertia: it does not turn")?;
        return fault("angular-velocity", "a point does not turn");
    }
    if table.get("inertia").is_none() && MassProperties::with_mass(shape, 1.0).is_none() {
        let message = "the points' centre is not the origin, so they do not tell the inertia";
        return Err(table.fault(message).with_help("give `inertia`"));
    }
    Ok(())
}

/// An inertia: its diagonal or its three rows; `any` lets it break the triangle inequality.
fn read_inertia(reader: &Reader<'_>, node: &Node, any: bool) -> Outcome<DMat3> {
    let given = items(node, "three moments or three rows of three")?;
    let Ok(rows) = <&[Node; 3]>::try_from(given) else {
        let count = given.len();
        let message = format!("an inertia is three moments or three rows of three, not {count}");
        return Err(Fault::new(&node.place, message));
    };
    let inertia = match rows[0].value {
        Value::Array(_) => {
            let [x, y, z] = rows.each_ref().map(|row| reader.vector(row));
            DMat3::from_cols(x?, y?, z?).transpose()
        }
        _ => DMat3::from_diagonal(reader.vector(node)?),
    };
    let fault = |message: String| Err(Fault::new(&node.place, message));
    let largest = inertia
        .to_cols_array()
        .iter()
        .fold(0.0, |a: f64, b| a.max(b.abs()));
    let skew = inertia - inertia.transpose();
    if skew
        .to_cols_array()
        .iter()
        .any(|x| x.abs() > ROUNDING * largest)
    {
        return fault("the inertia is not symmetric".to_owned());
    }
    if !is_positive(largest) {
        return fault("the inertia is zero, or too small to compute with".to_owned());
    }
    // Scaled, so that no product overflows.
    let moments = principal_moments(inertia * (1.0 / largest)).map(|x| x * largest);
    let [least, middle, most] = moments;
    let [a, b, c] = moments.map(shown);
    if !is_positive(least) {
        return fault(format!(
            "every principal moment of inertia must be positive, but they are {a}, {b}, {c}"
        ));
    }
    if !any && least + middle < most * (1.0 - ROUNDING) {
        return fault(format!(
            "no body has this inertia: the largest principal moment {c} exceeds the sum of the others, \
             {a} + {b}"
        ));
    }
    Ok(inertia)
}

/// The eigenvalues of a symmetric matrix, in rising order, by Jacobi's rotations; a matrix that is
/// diagonal already keeps its numbers.
fn principal_moments(matrix: DMat3) -> [f64; 3] {
    let mut a = matrix;
    for _ in 0..20 {
        let mut rotated = false;
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let off = a.col(q)[p];
            if off.abs() <= f64::EPSILON * (a.col(p)[p].abs() + a.col(q)[q].abs()) * 0.5 {
                continue;
            }
            rotated = true;
            // tan of the angle that makes the entry (p, q) zero, the smaller root.
            let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * off);
            let sign = if theta < 0.0 { -1.0 } else { 1.0 };
            let tan = sign / (theta.abs() + (1.0 + theta * theta).sqrt());
            let cos = 1.0 / (1.0 + tan * tan).sqrt();
            let sin = tan * cos;
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = cos;
            turn.col_mut(q)[q] = cos;
            turn.col_mut(q)[p] = sin;
            turn.col_mut(p)[q] = -sin;
            a = turn.transpose() * a * turn;
        }
        if !rotated {
            break;
        }
    }
    let DVec3 { x, y, z } = DVec3::new(a.col(0).x, a.col(1).y, a.col(2).z);
    let mut moments = [x, y, z];
    moments.sort_by(f64::total_cmp);
    moments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_moments_of_a_turned_diagonal() {
        let (s, c) = libm::sincos(0.7);
        let turn = DMat3::from_cols(
            DVec3::new(c, s, 0.0),
            DVec3::new(-s, c, 0.0),
            DVec3::new(0.0, 0.0, 1.0),
        );
        let tilt = DMat3::from_cols(
            DVec3::new(1.0, 0.0, 0.0),
            DVec3::new(0.0, c, s),
            DVec3::new(0.0, -s, c),
        );
        let r = turn * tilt;
        let matrix = r * DMat3::from_diagonal(DVec3::new(3.0, 1.0, 2.5)) * r.transpose();
        let found = principal_moments(matrix);
        for (moment, exact) in found.iter().zip([1.0, 2.5, 3.0]) {
            assert!((moment - exact).abs() < 1e-14, "{found:?}");
        }
    }
}
