//! As much of HTTP as a page on this machine needs, and who is let in.
//!
//! Another program of this machine, or a page of somebody else in the same browser, can reach the port too. They do not know the secret in the
//! address; and requests that a foreign page makes are told by their headers and refused: a `Host` that is not ours (a name that was made to lead
//! here), an `Origin` or a `Sec-Fetch-Site` of elsewhere. No answer may be read across origins, framed or kept.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Longest request, bytes.
const MOST: u64 = 16 << 10;
/// Patience with one who sends or takes slowly.
const PATIENCE: Duration = Duration::from_secs(10);

/// First line and headers of a request, names in small letters.
#[derive(Debug, Default)]
pub(super) struct Head {
    method: String,
    path: String,
    headers: Vec<(String, String)>,
}

/// What is asked for, by one who may ask.
pub(super) enum Request {
    Page,
    Run,
    Events,
    Refused(Answer<'static>),
}

/// What is sent.
#[derive(Debug)]
pub(super) enum Answer<'a> {
    Page(&'a str),
    Run(&'a str),
    /// Only the head: events follow.
    Events,
    NotFound,
    Forbidden,
    OnlyGet,
    Busy,
}

/// Where the run is served, and the secret that its address holds.
pub(super) struct Door {
    pub(super) port: u16,
    pub(super) secret: String,
}

impl Door {
    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.secret)
    }

    /// May this be asked, and what is it?
    pub(super) fn let_in(&self, head: &Head) -> Request {
        if !self.is_ours(head) {
            return Request::Refused(Answer::Forbidden);
        }
        if head.method != "GET" {
            return Request::Refused(Answer::OnlyGet);
        }
        let path = head.path.split('?').next().unwrap_or_default();
        let inside = path.strip_prefix('/').and_then(|p| p.split_once('/'));
        match inside.filter(|(secret, _)| same(secret, &self.secret)) {
            Some((_, "")) => Request::Page,
            Some((_, "run")) => Request::Run,
            Some((_, "events")) => Request::Events,
            _ => Request::Refused(Answer::NotFound),
        }
    }

    /// Was it asked by our own page, or typed into the browser?
    fn is_ours(&self, head: &Head) -> bool {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let host = head
            .get("host")
            .is_some_and(|h| hosts.iter().any(|ours| ours == h));
        let origin = head.get("origin").is_none_or(|origin| {
            let rest = origin.strip_prefix("http://");
            rest.is_some_and(|rest| Some(rest) == head.get("host"))
        });
        let site = head
            .get("sec-fetch-site")
            .is_none_or(|s| ["same-origin", "none"].contains(&s));
        host && origin && site
    }
}

impl Head {
    fn get(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(n, _)| n == name);
        header.map(|(_, value)| value.as_str())
    }
}

/// Equal, in a time that does not tell where they differ.
fn same(a: &str, b: &str) -> bool {
    let differ = a
        .bytes()
        .zip(b.bytes())
        .fold(0, |all, (x, y)| all | (x ^ y));
    a.len() == b.len() && differ == 0
}

/// Reads the head of a request.
pub(super) fn read(stream: &TcpStream) -> io::Result<Head> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    parse(BufReader::new(stream.take(MOST)))
}

fn parse(mut from: impl BufRead) -> io::Result<Head> {
    let mut line = || -> io::Result<String> {
        let mut bytes = Vec::new();
        from.read_until(b'\n', &mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.trim_end().to_owned())
    };
    let first = line()?;
    let mut words = first.split(' ');
    let mut word = || words.next().unwrap_or_default().to_owned();
    let mut head = Head {
        method: word(),
        path: word(),
        headers: Vec::new(),
    };
    loop {
        let text = line()?;
        let Some((name, value)) = text.split_once(':') else {
            return Ok(head);
        };
        let name = name.to_ascii_lowercase();
        head.headers.push((name, value.trim().to_owned()));
    }
}

/// Sends an answer.
pub(super) fn write(mut stream: &TcpStream, answer: Answer<'_>) -> io::Result<()> {
    let (status, kind, body) = match &answer {
        Answer::Page(text) => ("200 OK", "text/html; charset=utf-8", *text),
        Answer::Run(text) => ("200 OK", "application/json", *text),
        Answer::Events => ("200 OK", "text/event-stream", ""),
        Answer::NotFound => ("404 Not Found", "text/plain", "There is nothing here.\n"),
        Answer::Forbidden => ("403 Forbidden", "text/plain", "Not from there.\n"),
        Answer::OnlyGet => ("405 Method Not Allowed", "text/plain", "Only GET.\n"),
        Answer::Busy => (
            "503 Service Unavailable",
            "text/plain",
            "Too many viewers.\n",
        ),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\nX-Frame-Options: DENY\r\nConnection: close\r\n"
    )?;
    // Events have no end that is known.
    if !matches!(answer, Answer::Events) {
        write!(stream, "Content-Length: {}\r\n", body.len())?;
    }
    stream.write_all(b"\r\n")?;
    stream.write_all(body.as_bytes())?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn door() -> Door {
        Door {
            port: 4242,
            secret: "0123456789abcdef".into(),
        }
    }

    /// What a request of these lines is given.
    fn asked(lines: &str) -> &'static str {
        let text = lines.replace('\n', "\r\n") + "\r\n\r\n";
        let head = parse(text.as_bytes()).expect("text");
        match door().let_in(&head) {
            Request::Page => "page",
            Request::Run => "run",
            Request::Events => "events",
            Request::Refused(Answer::NotFound) => "not found",
            Request::Refused(Answer::OnlyGet) => "only get",
            Request::Refused(_) => "forbidden",
        }
    }

    #[test]
    fn who_knows_the_address_is_let_in() {
        let get = |path: &str| asked(&format!("GET {path} HTTP/1.1\nHost: 127.0.0.1:4242"));
        assert_eq!(get("/0123456789abcdef/"), "page");
        assert_eq!(get("/0123456789abcdef/run"), "run");
        assert_eq!(get("/0123456789abcdef/events?x"), "events");
        for wrong in [
            "/",
            "",
            "/run",
            "/0123456789abcdef",
            "/0123456789abcdeF/",
            "/0123456789abcde/",
            "/0123456789abcdef/other",
            "/0123456789abcdef0/",
            "/../0123456789abcdef/",
        ] {
            assert_eq!(get(wrong), "not found", "{wrong}");
        }
    }

    #[test]
    fn pages_of_others_are_not() {
        let with = |headers: &str| asked(&format!("GET /0123456789abcdef/run HTTP/1.1\n{headers}"));
        assert_eq!(
            with(
                "Host: localhost:4242\nOrigin: http://localhost:4242\nSec-Fetch-Site: same-origin"
            ),
            "run"
        );
        assert_eq!(with("hOsT:127.0.0.1:4242\nSec-Fetch-Site: none"), "run");
        for foreign in [
            "Host: evil.example:4242",
            "Host: 127.0.0.1:80",
            "X: y",
            "Host: 127.0.0.1:4242\nOrigin: http://evil.example",
            "Host: 127.0.0.1:4242\nOrigin: null",
            "Host: 127.0.0.1:4242\nOrigin: http://localhost:4242",
            "Host: 127.0.0.1:4242\nOrigin: https://127.0.0.1:4242",
            "Host: 127.0.0.1:4242\nSec-Fetch-Site: cross-site",
            "Host: 127.0.0.1:4242\nSec-Fetch-Site: same-site",
        ] {
            assert_eq!(with(foreign), "forbidden", "{foreign}");
        }
        assert_eq!(
            asked("POST /0123456789abcdef/run HTTP/1.1\nHost: 127.0.0.1:4242"),
            "only get"
        );
    }

    #[test]
    fn nonsense_is_answered_and_not_run_into() {
        for nonsense in ["", "\0\0\u{fffd}", "GET", "GET  HTTP/1.1\nHost", "\n\n\n"] {
            assert_eq!(asked(nonsense), "forbidden", "{nonsense:?}");
        }
        let endless = "GET / HTTP/1.1\r\n".to_owned() + &"x".repeat(1 << 20);
        assert!(parse(endless.as_bytes()).expect("text").headers.is_empty());
    }
}
