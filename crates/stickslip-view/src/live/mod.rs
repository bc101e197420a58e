//! A run while it goes on: its page, served to this machine alone.
//!
//! [`Live`] is a recorder beside others. Now and then it packs what there is of the run; a server of a few lines gives that to whoever knows the
//! address, which holds a secret. It listens on the loopback device only, and refuses what a page of somebody else could ask for (`http.rs`).
//!
//! A viewer has the page, with the first state of the run in it, which listens to `events` and fetches `run` when something is new: the whole run
//! each time, so that a reload and a second viewer need nothing of their own.

mod http;

use crate::film::Film;
use crate::sample::Sample;
use http::{Answer, Door, Request};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use stickslip_model::{Model, StepRecord};
use stickslip_record::{Header, RecordError, Recorder, Start, Summary};

/// Least time between two states that are shown.
const EVERY: Duration = Duration::from_millis(200);
/// Packing takes at most about this part of the run's time, as long as that is not
const SHARE: u32 = 8;
/// longer than this between two states.
const PATIENCE: Duration = Duration::from_secs(3);
/// Viewers at once.
const MOST: usize = 16;
/// A viewer who hears nothing for so long is told that the run is still there.
const QUIET: Duration = Duration::from_secs(10);

/// Records a run for those who watch it.
pub struct Live {
    title: String,
    model: Model,
    sample: Sample,
    shared: Arc<Shared>,
    address: String,
    due: Instant,
}

/// What the run and its viewers share.
#[derive(Default)]
struct Shared {
    now: Mutex<Shown>,
    changed: Condvar,
    viewers: AtomicUsize,
}

/// The state that viewers are given.
#[derive(Clone, Default)]
struct Shown {
    /// Grows with each state; 0 before there is any.
    number: u64,
    page: Arc<String>,
    data: Arc<String>,
    ended: bool,
}

impl Shared {
    /// A viewer that panicked has changed nothing.
    fn now(&self) -> MutexGuard<'_, Shown> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Live {
    /// Listens on a port of the loopback device; 0 for any that is free.
    ///
    /// # Errors
    /// Where the port is taken.
    pub fn serve(port: u16, title: impl Into<String>, model: Model) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let door = Door {
            port: listener.local_addr()?.port(),
            secret: secret(),
        };
        let address = door.address();
        let shared = Arc::new(Shared::default());
        let of_server = Arc::clone(&shared);
        std::thread::spawn(move || listen(&listener, &Arc::new(door), &of_server));
        Ok(Self {
            title: title.into(),
            model,
            sample: Sample::default(),
            shared,
            address,
            due: Instant::now(),
        })
    }

    /// Where the run can be seen.
    #[must_use]
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Packs what there is and shows it.
    fn show(&mut self, ended: bool) {
        let begun = Instant::now();
        let Ok(film) = Film::of(&self.model, &self.sample) else {
            return;
        };
        let film = film.titled(&self.title);
        let data = Arc::new(film.live_data());
        let first = self.shared.now().number == 0;
        let page = (first || ended).then(|| Arc::new(film.live_page()));
        {
            let mut now = self.shared.now();
            now.number += 1;
            now.page = page.unwrap_or_else(|| Arc::clone(&now.page));
            (now.data, now.ended) = (data, ended);
        }
        self.shared.changed.notify_all();
        self.due = Instant::now() + (begun.elapsed() * SHARE).clamp(EVERY, PATIENCE);
    }
}

impl Recorder for Live {
    fn start(&mut self, header: &Header, initial: &StepRecord) -> Result<(), RecordError> {
        self.sample.start(header, initial)?;
        self.show(false);
        Ok(())
    }

    fn record(&mut self, before: Start<'_>, step: &StepRecord) -> Result<(), RecordError> {
        self.sample.record(before, step)?;
        if Instant::now() >= self.due {
            self.show(false);
        }
        Ok(())
    }

    fn finish(&mut self, summary: &Summary) -> Result<(), RecordError> {
        self.sample.finish(summary)?;
        self.show(true);
        Ok(())
    }
}

/// 128 bits that nobody can guess, from the keys that the operating system gives each process.
fn secret() -> String {
    let half = || RandomState::new().hash_one(std::process::id());
    format!("{:016x}{:016x}", half(), half())
}

fn listen(listener: &TcpListener, door: &Arc<Door>, shared: &Arc<Shared>) {
    for stream in listener.incoming().flatten() {
        let (door, shared) = (Arc::clone(door), Arc::clone(shared));
        std::thread::spawn(move || {
            let crowd = shared.viewers.fetch_add(1, Ordering::Relaxed);
            // A viewer who goes away in the middle is no error.
            let _ = if crowd < MOST {
                answer(stream, &door, &shared)
            } else {
                http::write(&stream, Answer::Busy)
            };
            shared.viewers.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

fn answer(stream: TcpStream, door: &Door, shared: &Shared) -> io::Result<()> {
    match door.let_in(&http::read(&stream)?) {
        Request::Page => http::write(&stream, Answer::Page(&first(shared).page)),
        Request::Run => http::write(&stream, Answer::Run(&first(shared).data)),
        Request::Events => events(stream, shared),
        Request::Refused(why) => http::write(&stream, why),
    }
}

/// The state of now, or the first one if there is none yet.
fn first(shared: &Shared) -> Shown {
    let now = shared.now();
    let there = shared
        .changed
        .wait_timeout_while(now, QUIET, |now| now.number == 0);
    there.unwrap_or_else(PoisonError::into_inner).0.clone()
}

/// Tells a viewer of each new state, until the run has ended.
fn events(mut stream: TcpStream, shared: &Shared) -> io::Result<()> {
    http::write(&stream, Answer::Events)?;
    let mut known = 0;
    loop {
        let now = shared.now();
        let waited = shared
            .changed
            .wait_timeout_while(now, QUIET, |now| now.number == known);
        let (number, ended) = {
            let now = waited.unwrap_or_else(PoisonError::into_inner).0;
            (now.number, now.ended)
        };
        if number == known {
            stream.write_all(b": the run goes on\n\n")?;
        } else {
            write!(stream, "event: frames\ndata: {number}\n\n")?;
        }
        stream.flush()?;
        if ended {
            return Ok(());
        }
        known = number;
    }
}
