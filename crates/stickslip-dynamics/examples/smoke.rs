//! smoke
use glam::DVec3;
use stickslip_dynamics::*;
use stickslip_geometry::Shape;
fn main() {
    let solver = std::env::args().nth(1).unwrap_or("auto".into());
    let mut b = World::builder()
        .friction(0.5)
        .solver(solver.clone())
        .body(BodySpec::fixed(
            "ground",
            Shape::half_space(DVec3::Z, 0.0).unwrap(),
        ));
    for i in 0..10 {
        b = b.body(
            BodySpec::free(format!("box[{i}]"), Shape::cuboid(DVec3::ONE).unwrap(), 1.0)
                .at(DVec3::new(0., 0., 15.5 + i as f64)),
        );
    }
    let mut w = b.build().unwrap();
    let t0 = std::time::Instant::now();
    let mut worst: f64 = 0.;
    let mut pen: f64 = 0.;
    let mut it = 0;
    let mut maxc = 0;
    let mut r: f64 = 0.;
    for _ in 0..800 {
        let before = std::time::Instant::now();
        match w.step() {
            Ok(s) => {
                worst = worst.max(s.certificate.worst_of_law().1);
                r = r.max(s.certificate.rounding);
                pen = pen.max(s.certificate.penetration);
                it += s.iterations;
                maxc = maxc.max(s.contacts.len());
                if s.step % 50 == 0 || (170..180).contains(&s.step) {
                    println!(
                        "{} t {:.2} contacts {} active {} it {} {} us worst {:?} z9 {}",
                        s.step,
                        s.t,
                        s.contacts.len(),
                        s.contacts.iter().filter(|c| c.impulse.x > 0.).count(),
                        s.iterations,
                        before.elapsed().as_micros(),
                        s.certificate.worst(),
                        s.bodies[10 - 1].pose.position.z
                    );
                }
            }
            Err(e) => {
                println!("{e}");
                break;
            }
        }
    }
    println!(
        "{:?} worst {worst:e} round {r} pen {pen:e} it {it} maxc {maxc}",
        t0.elapsed()
    );
    for s in w.states() {
        println!(
            "{:?} {:?}",
            s.pose.position.to_array(),
            s.twist.linear.to_array()
        );
    }
}
