//! Downloads from a server in this process: good, wrong, cut, absent, of few abilities.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use datasets::fetch::{Downloaded, Fetched, Origin, Places};
use datasets::public::{PublicSet, Recipe, catalogue, find};
use datasets::{DataError, FetchProblem};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

/// How the server treats one request.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Act {
    /// The file, or the part asked for.
    Serve,
    /// That, broken off after so many bytes.
    CutAfter(usize),
    /// The whole file, whatever was asked for.
    IgnoreRange,
    /// Another part than was asked for.
    WrongRange,
    /// A status and no file.
    Status(u16),
    /// The whole file without its length, in a connection that ends with it.
    NoLength,
    /// A promise of more bytes than there are.
    Overpromise,
}

struct Server {
    address: String,
    /// The range header of each request, in order.
    asked: Arc<Mutex<Vec<Option<String>>>>,
}

impl Server {
    /// Serves `file`, one act for each request; the last one for all that follow.
    fn new(file: Vec<u8>, acts: &[Act]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}/data.csv.gz", listener.local_addr().unwrap());
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (log, acts) = (Arc::clone(&asked), acts.to_vec());
        thread::spawn(move || {
            for (index, stream) in listener.incoming().enumerate() {
                let act = acts[index.min(acts.len() - 1)];
                answer(stream.unwrap(), &file, act, &log);
            }
        });
        Self { address, asked }
    }

    fn asked(&self) -> Vec<Option<String>> {
        self.asked.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, file: &[u8], act: Act, log: &Mutex<Vec<Option<String>>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let head: Vec<String> =
        lines.by_ref().map_while(Result::ok).take_while(|line| !line.is_empty()).collect();
    let range = head.iter().find_map(|line| {
        let lower = line.to_lowercase();
        lower.strip_prefix("range: bytes=").map(str::to_owned)
    });
    log.lock().unwrap().push(range.clone());
    let asked = range.and_then(|range| range.trim_end_matches('-').parse::<usize>().ok());
    let start = match act {
        Act::IgnoreRange | Act::NoLength => 0,
        _ => asked.unwrap_or(0),
    };
    let (status, body) = match act {
        Act::Status(status) => (status, &b""[..]),
        _ if start > 0 && start >= file.len() => (416, &b""[..]),
        _ => (if start > 0 { 206 } else { 200 }, &file[start..]),
    };
    let mut text = format!("HTTP/1.1 {status} x\r\nConnection: close\r\n");
    let promised = body.len() + if act == Act::Overpromise { 5 } else { 0 };
    if act != Act::NoLength {
        text += &format!("Content-Length: {promised}\r\n");
    }
    let told = if act == Act::WrongRange { start + 1 } else { start };
    if status == 206 {
        text += &format!("Content-Range: bytes {told}-{}/{}\r\n", file.len() - 1, file.len());
    }
    if status == 416 && act == Act::Serve {
        text += &format!("Content-Range: bytes */{}\r\n", file.len());
    }
    let sent = if let Act::CutAfter(most) = act { body.len().min(most) } else { body.len() };
    // A client that has heard enough may have gone.
    let _ = stream.write_all(format!("{text}\r\n").as_bytes());
    let _ = stream.write_all(&body[..sent]);
}

const HEADER: &str = "a,b,y";

/// A table without a header, long enough to be cut.
fn body() -> String {
    (0..4000).map(|i| format!("{},{},{}\n", i, i * i, 7 * i % 11)).collect()
}

fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn sha256(text: &str) -> &'static str {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>().leak()
}

fn set(server: &Server, text: &str) -> PublicSet {
    PublicSet {
        name: "numbers",
        title: "numbers",
        rows: 4000,
        inputs: 2,
        target: "y",
        file: "data.csv",
        source: "this test",
        licence: "none",
        sha256: sha256(text),
        recipe: Recipe::WithHeader { url: server.address.clone().leak(), header: HEADER },
    }
}

fn whole() -> String {
    format!("{HEADER}\n{}", body())
}

fn places(folder: &Path) -> Places {
    Places { data: None, cache: Some(folder.to_owned()) }
}

fn fetch(places: &Places, set: &PublicSet) -> Result<Fetched, DataError> {
    places.fetch(set, None, &mut |_| {})
}

#[track_caller]
fn problem(found: Result<Fetched, DataError>) -> FetchProblem {
    match found {
        Err(DataError::Fetch { problem, .. }) => *problem,
        other => panic!("{other:?}"),
    }
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder.join("numbers")) else { return Vec::new() };
    let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn a_good_file_arrives_whole_and_is_kept() {
    for act in [Act::Serve, Act::NoLength] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::new(packed(&body()), &[act]);
        let set = set(&server, &whole());
        let mut seen = Vec::new();
        let mut progress = |state: Downloaded| seen.push(state);
        let found = places(folder.path()).fetch(&set, None, &mut progress).unwrap();
        assert_eq!(found.origin, Origin::Download);
        assert_eq!(std::fs::read_to_string(&found.path).unwrap(), whole());
        assert_eq!(names(folder.path()), ["data.csv"]);
        let last = seen.last().unwrap();
        assert_eq!(last.bytes, packed(&body()).len() as u64);
        assert!(last.of.is_none_or(|all| all == last.bytes));
        // A second time nothing is asked for.
        let again = fetch(&places(folder.path()), &set).unwrap();
        assert_eq!((again.origin, &again.path), (Origin::Cache, &found.path));
        assert_eq!(server.asked(), [None]);
    }
}

#[test]
fn text_is_completed_whatever_its_form() {
    let odd = [
        body().replace('\n', "\r\n").into_bytes(),
        body().trim_end().as_bytes().to_vec(),
        packed(body().trim_end()),
    ];
    for file in odd {
        let folder = tempfile::tempdir().unwrap();
        let set = set(&Server::new(file, &[Act::Serve]), &whole());
        let found = fetch(&places(folder.path()), &set).unwrap();
        assert_eq!(std::fs::read_to_string(found.path).unwrap(), whole());
    }
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(whole().into_bytes(), &[Act::Serve]);
    let url = server.address.clone().leak();
    let set = PublicSet { recipe: Recipe::AsIs { url }, ..set(&server, &whole()) };
    assert!(fetch(&places(folder.path()), &set).is_ok());
}

#[test]
fn a_cut_download_goes_on_where_it_ended() {
    let folder = tempfile::tempdir().unwrap();
    let file = packed(&body());
    let server = Server::new(file.clone(), &[Act::CutAfter(1000), Act::CutAfter(500), Act::Serve]);
    fetch(&places(folder.path()), &set(&server, &whole())).unwrap();
    assert_eq!(server.asked(), [None, Some("1000-".into()), Some("1500-".into())]);
    // In the next process too: after the last try what there is stays.
    let folder = tempfile::tempdir().unwrap();
    let server = Server::new(file.clone(), &[Act::CutAfter(700)]);
    let cut = problem(fetch(&places(folder.path()), &set(&server, &whole())));
    let FetchProblem::Cut { received, expected, .. } = cut else { panic!("{cut:?}") };
    assert_eq!((received, expected), (2800, Some(file.len() as u64)));
    assert_eq!(names(folder.path()), ["data.csv.part"]);
    let server = Server::new(file, &[Act::Serve]);
    fetch(&places(folder.path()), &set(&server, &whole())).unwrap();
    assert_eq!(server.asked(), [Some("2800-".into())]);
    assert_eq!(names(folder.path()), ["data.csv"]);
}

#[test]
fn servers_that_cannot_resume_are_asked_for_the_whole() {
    for acts in [
        &[Act::CutAfter(1000), Act::IgnoreRange][..],
        &[Act::CutAfter(1000), Act::WrongRange, Act::Serve],
        &[Act::CutAfter(1000), Act::Status(416), Act::Serve],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::new(packed(&body()), acts);
        let found = fetch(&places(folder.path()), &set(&server, &whole())).unwrap();
        assert_eq!(std::fs::read_to_string(found.path).unwrap(), whole(), "{acts:?}");
    }
}

/// A whole download whose check never came is not taken on trust, nor does it get in the way.
#[test]
fn an_unfinished_file_left_behind_is_no_trouble() {
    let others = b"something else, and longer than nothing".to_vec();
    for left in [packed(&body()), others, vec![b'7'; packed(&body()).len()]] {
        let folder = tempfile::tempdir().unwrap();
        let part = folder.path().join("numbers/data.csv.part");
        std::fs::create_dir_all(part.parent().unwrap()).unwrap();
        std::fs::write(&part, left).unwrap();
        let server = Server::new(packed(&body()), &[Act::Serve]);
        let set = set(&server, &whole());
        // What does not fit together is found by its text, and the next try is from the beginning.
        let found = fetch(&places(folder.path()), &set);
        let found = found.or_else(|_| fetch(&places(folder.path()), &set)).unwrap();
        assert_eq!(std::fs::read_to_string(found.path).unwrap(), whole());
    }
}

#[test]
fn a_whole_download_is_checked_and_not_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let (file, part) = (packed(&body()), folder.path().join("numbers/data.csv.part"));
    std::fs::create_dir_all(part.parent().unwrap()).unwrap();
    std::fs::write(&part, &file).unwrap();
    let server = Server::new(file.clone(), &[Act::Serve]);
    let found = fetch(&places(folder.path()), &set(&server, &whole())).unwrap();
    assert_eq!(std::fs::read_to_string(found.path).unwrap(), whole());
    assert_eq!(server.asked(), [Some(format!("{}-", file.len()))]);
    assert_eq!(names(folder.path()), ["data.csv"]);
    // As many bytes are not yet the right ones.
    std::fs::remove_file(folder.path().join("numbers/data.csv")).unwrap();
    std::fs::write(&part, vec![b'7'; file.len()]).unwrap();
    let wrong = problem(fetch(&places(folder.path()), &set(&server, &whole())));
    assert!(matches!(wrong, FetchProblem::WrongHash { .. }), "{wrong:?}");
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

/// A download that the disk gets in the way of is not lost: here it turns into a link to itself, which
/// nobody can read.
#[cfg(unix)]
#[test]
fn a_download_is_kept_where_the_disk_is_to_blame() {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("numbers/data.csv.part");
    let aside = folder.path().join("aside");
    let server = Server::new(packed(&body()), &[Act::Serve]);
    let set = set(&server, &whole());
    let mut progress = |state: Downloaded| {
        if Some(state.bytes) == state.of {
            std::fs::rename(&part, &aside).unwrap();
            std::os::unix::fs::symlink(&part, &part).unwrap();
        }
    };
    let error = places(folder.path()).fetch(&set, None, &mut progress).unwrap_err();
    assert!(matches!(error, DataError::Unreadable { .. }), "{error}");
    assert_eq!(names(folder.path()), ["data.csv.part"]);
    std::fs::rename(&aside, &part).unwrap();
    fetch(&places(folder.path()), &set).unwrap();
    assert_eq!(server.asked().len(), 2);
    assert_eq!(names(folder.path()), ["data.csv"]);
}

#[test]
fn a_wrong_file_is_refused_and_not_kept() {
    for (file, act) in [
        (packed(&body().replace('7', "8")), Act::Serve),
        (b"<html>try again later</html>".to_vec(), Act::Serve),
        (packed(&body()), Act::Serve),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::new(file, &[act]);
        let wrong = problem(fetch(&places(folder.path()), &set(&server, "another text")));
        assert!(matches!(wrong, FetchProblem::WrongHash { .. }), "{wrong:?}");
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }
    // Damaged gzip is an error of its own, and not kept either.
    let folder = tempfile::tempdir().unwrap();
    let mut damaged = packed(&body());
    damaged.truncate(damaged.len() / 2);
    let server = Server::new(damaged, &[Act::Serve]);
    let error = fetch(&places(folder.path()), &set(&server, &whole())).unwrap_err();
    assert!(matches!(error, DataError::TruncatedGzip { .. }), "{error}");
    assert_eq!(names(folder.path()), Vec::<String>::new());
}

#[test]
fn what_is_not_there_is_said_with_its_address() {
    for status in [404, 403, 500] {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::new(packed(&body()), &[Act::Status(status)]);
        let error = fetch(&places(folder.path()), &set(&server, &whole())).unwrap_err();
        assert!(error.cause().contains(&format!("status {status}")), "{error}");
        assert!(error.cause().contains(&server.address), "{error}");
        assert_eq!(server.asked().len(), 1, "no second try");
    }
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/x", listener.local_addr().unwrap());
    drop(listener);
    let set = set(&Server { address, asked: Arc::default() }, &whole());
    assert!(matches!(problem(fetch(&places(folder.path()), &set)), FetchProblem::NoAnswer { .. }));
    let server = Server::new(packed(&body()), &[Act::Overpromise]);
    let cut = places(folder.path()).fetch(&set, Some(&server.address), &mut |_| {});
    assert!(matches!(problem(cut), FetchProblem::Cut { .. }));
}

#[test]
fn the_data_folder_comes_first_and_is_checked() {
    let (data, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = Server::new(packed(&body()), &[Act::Serve]);
    let set = set(&server, &whole());
    let places =
        Places { data: Some(data.path().to_owned()), cache: Some(cache.path().to_owned()) };
    assert!(places.find(&set).is_none());
    fetch(&places, &set).unwrap();
    assert_eq!(places.find(&set).unwrap().origin, Origin::Cache);
    let folder = data.path().join("numbers");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("data.csv.gz"), packed(&whole())).unwrap();
    let found = fetch(&places, &set).unwrap();
    assert_eq!((found.origin, found.path), (Origin::Data, folder.join("data.csv.gz")));
    std::fs::write(folder.join("data.csv.gz"), packed(&body())).unwrap();
    let FetchProblem::WrongHash { file, .. } = problem(fetch(&places, &set)) else {
        panic!("another text is another table");
    };
    assert!(file.ends_with("data.csv.gz"));
    let nowhere = Places { data: None, cache: None };
    assert_eq!(problem(fetch(&nowhere, &set)), FetchProblem::NoCache);
}

#[test]
fn two_downloads_at_once_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let part = folder.path().join("numbers/data.csv.part");
    std::fs::create_dir_all(part.parent().unwrap()).unwrap();
    let held = std::fs::File::create(&part).unwrap();
    held.lock().unwrap();
    let server = Server::new(packed(&body()), &[Act::Serve]);
    let set = set(&server, &whole());
    assert!(matches!(problem(fetch(&places(folder.path()), &set)), FetchProblem::Busy { .. }));
    drop(held);
    assert!(fetch(&places(folder.path()), &set).is_ok());
}

#[test]
fn the_catalogue_is_whole() {
    for set in catalogue() {
        assert_eq!(find(set.name).unwrap(), *set);
        assert!(set.sha256.len() == 64 && set.sha256.bytes().all(|b| b.is_ascii_hexdigit()));
        assert!(set.url().is_none_or(|url| url.starts_with("https://")));
        if let Recipe::WithHeader { header, .. } = set.recipe {
            let columns: Vec<&str> = header.split(',').collect();
            assert_eq!(columns.len(), set.inputs + 1, "{}", set.name);
            assert_eq!(columns.last(), Some(&set.target), "{}", set.name);
        }
    }
    let unknown = find("boston").unwrap_err();
    assert!(unknown.cause().contains("`boston`") && unknown.cause().contains("protein"));
    let folder = tempfile::tempdir().unwrap();
    let by_hand = find("titanic").unwrap();
    let error = fetch(&places(folder.path()), &by_hand).unwrap_err();
    assert!(error.cause().contains("passengers") && error.remedy().contains("TAUT_DATA_DIR"));
}

/// The hashes and headers are those of the files there are.
#[test]
fn files_in_the_data_folder_are_the_right_ones() {
    let Some(folder) = std::env::var_os("TAUT_DATA_DIR") else {
        eprintln!("skipped: TAUT_DATA_DIR is not set");
        return;
    };
    let places = Places { data: Some(folder.into()), cache: None };
    for set in catalogue() {
        let found = fetch(&places, set);
        match found {
            Ok(found) => assert_eq!(found.origin, Origin::Data),
            Err(error) => assert!(
                matches!(
                    problem(Err(error)),
                    FetchProblem::NoCache | FetchProblem::NoAddress { .. }
                ),
                "{}: not there is no fault, another text is",
                set.name
            ),
        }
    }
}
