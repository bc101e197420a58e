//! Writes the page of a run whose names try to leave their place, for the browser tests; also the shortest way from
//! states in memory to a page: `cargo run -p stickslip-view --example names -- names.html`.

use glam::DVec3;
use stickslip_geometry::{Pose, Shape};
use stickslip_model::{Body, BodyState, Model, StepRecord};
use stickslip_record::{Header, Recorder, Start, Summary};
use stickslip_view::PageWriter;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "names.html".into());
    let long = format!("long {}", "x".repeat(9995));
    let names = [
        "</script><script>window.broken = 1</script>",
        "\"quoted\" 'and' <b>bold</b> &amp; \u{2028} {{data}} <img src=x onerror=window.broken=1>",
        long.as_str(),
    ];
    let body = |name: &&str| Ok(Body::prescribed(*name, Shape::cuboid(DVec3::ONE)?));
    let bodies: Result<Vec<Body>, Box<dyn std::error::Error>> = names.iter().map(body).collect();
    let model = Model {
        bodies: bodies?,
        ..Model::default()
    };
    let header = Header {
        bodies: names.map(String::from).to_vec(),
        h: 0.01,
        every: 1,
        scene_file: "</script>.toml".into(),
        ..Header::default()
    };
    let state = |step: u64| StepRecord {
        step,
        t: 0.01 * step as f64,
        bodies: (0..3)
            .map(|k| BodyState {
                pose: Pose::at(DVec3::new(2.0 * f64::from(k), 0.0, 0.1 * step as f64)),
                ..BodyState::default()
            })
            .collect(),
        ..StepRecord::default()
    };
    let title = format!(
        "</title></script><script>window.broken = 1</script> {{{{script}}}} {}",
        names[1]
    );
    let mut page = PageWriter::new(out, title, model);
    page.start(&header, &state(0))?;
    for step in 1..4 {
        let before = state(step - 1);
        page.record(
            Start {
                t: before.t,
                bodies: &before.bodies,
            },
            &state(step),
        )?;
    }
    page.finish(&Summary {
        steps: 3,
        t: 0.03,
        certified: true,
        ..Summary::default()
    })?;
    Ok(())
}
