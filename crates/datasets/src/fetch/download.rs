//! HTTP, with a download that was cut going on where it ended.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::time::Duration;

use ureq::http::Response;
use ureq::{Agent, Body};

use super::{Downloaded, unwritable};
use crate::{DataError, FetchProblem};

/// Tries in one go, each from where the last one ended.
const TRIES: usize = 4;
const CONNECT: Duration = Duration::from_secs(30);
const ANSWER: Duration = Duration::from_secs(60);
const WHOLE_FILE: Duration = Duration::from_secs(3600);
const BUFFER: usize = 1 << 16;

/// Brings `part` to the whole of what `url` gives; the file stays locked as long as it is held.
pub(super) fn to_file(
    name: &str,
    url: &str,
    part: &Path,
    progress: &mut dyn FnMut(Downloaded),
) -> Result<File, DataError> {
    let io = |source| unwritable(part, source);
    let mut file = File::options().create(true).append(true).open(part).map_err(io)?;
    if file.try_lock().is_err() {
        let file = part.display().to_string();
        return Err(DataError::fetch(name, FetchProblem::Busy { file }));
    }
    let agent = agent();
    let mut left = TRIES;
    loop {
        left -= 1;
        match once(&agent, url, &mut file, progress) {
            Ok(()) => return Ok(file),
            Err(Stop::Problem(FetchProblem::Cut { .. })) if left > 0 => {}
            Err(Stop::Problem(problem)) => return Err(DataError::fetch(name, problem)),
            Err(Stop::Disk(source)) => return Err(io(source)),
        }
    }
}

fn agent() -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(CONNECT))
        .timeout_recv_response(Some(ANSWER))
        .timeout_recv_body(Some(WHOLE_FILE));
    config.build().into()
}

enum Stop {
    Problem(FetchProblem),
    Disk(std::io::Error),
}

/// One request for what is missing.
fn once(
    agent: &Agent,
    url: &str,
    file: &mut File,
    progress: &mut dyn FnMut(Downloaded),
) -> Result<(), Stop> {
    let have = file.metadata().map_err(Stop::Disk)?.len();
    let request = agent.get(url);
    let request =
        if have > 0 { request.header("Range", format!("bytes={have}-")) } else { request };
    let response = request.call().map_err(|error| {
        Stop::Problem(FetchProblem::NoAnswer { url: url.to_owned(), problem: error.to_string() })
    })?;
    let cut = |received, expected| {
        Stop::Problem(FetchProblem::Cut { url: url.to_owned(), received, expected })
    };
    let start = match response.status().as_u16() {
        206 if begins_at(&response, have) => have,
        // The server gives the whole file, whatever it was asked for.
        200 => 0,
        // An earlier try has brought all of it.
        416 if is_all(&response, have) => return Ok(()),
        // Another part than was asked for, or none where more was thought to be: begin anew.
        206 | 416 => {
            file.set_len(0).map_err(Stop::Disk)?;
            return Err(cut(0, None));
        }
        status => {
            return Err(Stop::Problem(FetchProblem::Refused { url: url.to_owned(), status }));
        }
    };
    if start == 0 {
        file.set_len(0).map_err(Stop::Disk)?;
    }
    let expected = response.body().content_length().map(|length| start + length);
    let (received, ended) =
        copy(response, file, Downloaded { bytes: start, of: expected }, progress)?;
    if ended && expected.is_none_or(|expected| received == expected) {
        return Ok(());
    }
    Err(cut(received, expected))
}

/// Whether a part begins where it was asked to.
fn begins_at(response: &Response<Body>, start: u64) -> bool {
    range(response).is_some_and(|range| range.starts_with(&format!("bytes {start}-")))
}

/// Whether a server that has no part left says that the file has so many bytes.
fn is_all(response: &Response<Body>, bytes: u64) -> bool {
    range(response).is_some_and(|range| range == format!("bytes */{bytes}"))
}

fn range(response: &Response<Body>) -> Option<&str> {
    response.headers().get("content-range")?.to_str().ok()
}

/// Appends the body; returns the bytes of the file, and whether the body came to an end.
fn copy(
    response: Response<Body>,
    file: &mut File,
    mut state: Downloaded,
    progress: &mut dyn FnMut(Downloaded),
) -> Result<(u64, bool), Stop> {
    let mut reader = response.into_body().into_reader();
    let mut buffer = vec![0; BUFFER];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok((state.bytes, true)),
            Ok(count) => {
                file.write_all(&buffer[..count]).map_err(Stop::Disk)?;
                state.bytes += count as u64;
                progress(state);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return Ok((state.bytes, false)),
        }
    }
}
