//! Shapes.

use super::{KeySpec, Kind, ORIENTATION_KINDS, TableSpec, VECTOR, key, one_of, required, table};

pub(in crate::scene) static SHAPE: TableSpec = one_of(
    "shape",
    "A shape: one of these keys.",
    &[
        key(
            "half-space",
            Kind::Table(&HALF_SPACE),
            "Everything below a plane.",
        ),
        key("ball", Kind::Table(&BALL), "A ball around the origin."),
        key("box", Kind::Table(&BOX), "A box around the origin."),
        key(
            "cylinder",
            Kind::Table(&CYLINDER),
            "A cylinder around the origin, along z.",
        ),
        key(
            "cone",
            Kind::Table(&CONE_SHAPE),
            "A cone along z, its centre of mass at the origin, its base below.",
        ),
        key(
            "capsule",
            Kind::Table(&CAPSULE),
            "All points within the radius of a segment along z around the origin.",
        ),
        key(
            "hull",
            Kind::Table(&HULL),
            "The convex hull of points. A free one has its centre of mass at the origin.",
        ),
        key(
            "points",
            Kind::Table(&POINTS),
            "Points and nothing between them, such as the feet of a tripod.",
        ),
        key(
            "compound",
            Kind::Tables(&PIECE),
            "Convex pieces that move as one body.",
        ),
        key("mesh", Kind::Table(&MESH), "A surface of triangles."),
        key(
            "height-field",
            Kind::Table(&HEIGHT_FIELD),
            "A surface of heights over a grid.",
        ),
    ],
);

pub(in crate::scene) static HALF_SPACE: TableSpec = table(
    "half-space",
    "Everything below a plane; its free side is normal·x >= offset.",
    &[
        required(
            "normal",
            VECTOR,
            "Normal out of the solid, of any length but 0.",
        ),
        key(
            "offset",
            Kind::Number,
            "Distance of the plane from the origin along the normal, m. Default 0.",
        ),
    ],
);

pub(in crate::scene) static BALL: TableSpec = table(
    "ball",
    "A ball around the origin.",
    &[required("radius", Kind::Number, "Radius, m.")],
);

pub(in crate::scene) static BOX: TableSpec = table(
    "box",
    "A box around the origin.",
    &[required("size", VECTOR, "Full edge lengths, m.")],
);

const RADIUS: KeySpec = required("radius", Kind::Number, "Radius, m.");

pub(in crate::scene) static CYLINDER: TableSpec = table(
    "cylinder",
    "A cylinder around the origin, along z.",
    &[RADIUS, required("length", Kind::Number, "Length, m.")],
);

pub(in crate::scene) static CONE_SHAPE: TableSpec = table(
    "cone",
    "A cone along z: the base at z = -length/4, the apex at z = 3 length/4.",
    &[
        required("radius", Kind::Number, "Radius of the base, m."),
        required("length", Kind::Number, "From base to apex, m."),
    ],
);

pub(in crate::scene) static CAPSULE: TableSpec = table(
    "capsule",
    "All points within the radius of a segment along z around the origin.",
    &[
        RADIUS,
        required(
            "length",
            Kind::Number,
            "Length of the segment, m: without the round ends.",
        ),
    ],
);

pub(in crate::scene) static HULL: TableSpec = table(
    "hull",
    "The convex hull of points.",
    &[required(
        "points",
        Kind::List(&VECTOR),
        "Four points or more, m; those inside the hull do not count.",
    )],
);

pub(in crate::scene) static POINTS: TableSpec = table(
    "points",
    "Points and nothing between them.",
    &[required(
        "at",
        Kind::List(&VECTOR),
        "The points in the body's frame, m; the origin is the centre of mass.",
    )],
);

pub(in crate::scene) static PIECE: TableSpec = table(
    "compound",
    "A convex piece of a compound.",
    &[
        required(
            "shape",
            Kind::Shape,
            "Its shape: convex, or a compound itself.",
        ),
        key(
            "position",
            VECTOR,
            "Place of its origin in the body's frame, m. Default [0, 0, 0].",
        ),
        key(
            "orientation",
            ORIENTATION_KINDS,
            "Its orientation in the body's frame, as a body's.",
        ),
        key(
            "density",
            Kind::Number,
            "Its own density, kg/m³: given for every piece or for none.",
        ),
    ],
);

pub(in crate::scene) static MESH: TableSpec = table(
    "mesh",
    "A surface of triangles, from a file or written out.",
    &[
        key(
            "file",
            Kind::Text,
            "An STL or OBJ file in the scene's folder.",
        ),
        key(
            "scale",
            Kind::Number,
            "Metres for each unit of the file. Default 1.",
        ),
        key("vertices", Kind::List(&VECTOR), "The vertices, m."),
        key(
            "triangles",
            Kind::List(&Kind::Array(&Kind::Number, 3)),
            "Numbers of three vertices each, from 0, counterclockwise seen from outside.",
        ),
    ],
);

pub(in crate::scene) static HEIGHT_FIELD: TableSpec = table(
    "height-field",
    "A surface of heights over a grid about the origin, from a file or written out.",
    &[
        key(
            "file",
            Kind::Text,
            "A CSV file, or a grey PNG image (black 0, white 1), in the scene's folder.",
        ),
        key(
            "heights",
            Kind::List(&Kind::List(&Kind::Number)),
            "Rows of heights: along x, the rows along y.",
        ),
        required(
            "spacing",
            Kind::Array(&Kind::Number, 2),
            "Distance of the columns (along x) and of the rows (along y), m.",
        ),
        key(
            "scale",
            Kind::Number,
            "Metres for each unit of height. Default 1.",
        ),
    ],
);
