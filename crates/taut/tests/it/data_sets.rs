//! Public data sets from outside.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::process::Output;
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::support::Place;

/// The program with no data but what the place has.
fn taut(place: &Place, arguments: &str, data: bool) -> Output {
    let mut command = place.command(&arguments.split(' ').collect::<Vec<_>>());
    command.env_remove("TAUT_DATA_DIR").env("TAUT_CACHE_DIR", place.path("cache"));
    if data {
        command.env("TAUT_DATA_DIR", place.path("data"));
    }
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[track_caller]
fn refused(output: &Output, code: i32, words: &[&str]) {
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{told}");
    assert!(output.stdout.is_empty(), "{output:?}");
    words.iter().for_each(|word| assert!(told.contains(word), "{word} in {told}"));
}

/// Answers every request with these bytes.
fn server(status: u16, body: &[u8]) -> String {
    cut_server(status, body, 0)
}

/// The same, where so many more bytes were promised.
fn cut_server(status: u16, body: &[u8], missing: usize) -> String {
    let body = body.to_vec();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/data.csv.gz", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let head = format!(
                "HTTP/1.1 {status} x\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len() + missing
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    address
}

#[test]
fn sets_are_listed_with_what_is_known_of_them() {
    let place = Place::new();
    let list = text(&taut(&place, "data list", false).stdout);
    for word in ["protein", "45730", "log1p_RMSD", "to download", "by hand only", "titanic"] {
        assert!(list.contains(word), "{word} in {list}");
    }
    assert!(!list.contains("TAUT_DATA_DIR"));
    let one = text(&taut(&place, "data list keggundirected", false).stdout);
    for word in ["71 %", "https://", "SHA-256", "terms of the data not known", "not there yet"] {
        assert!(one.contains(word), "{word} in {one}");
    }
    let by_hand = text(&taut(&place, "data list sms_spam", false).stdout);
    assert!(by_hand.contains("none: ") && by_hand.contains("no licence file"), "{by_hand}");
    std::fs::create_dir_all(place.path("data/pol")).unwrap();
    place.write("data/pol/data.csv", "x,y\n1,2\n");
    assert!(text(&taut(&place, "data list", true).stdout).contains("TAUT_DATA_DIR"));
}

#[test]
fn what_cannot_be_had_is_refused_by_name() {
    let place = Place::new();
    refused(&taut(&place, "data fetch boston", false), 1, &["`boston`", "protein"]);
    refused(&taut(&place, "data list boston", false), 1, &["`boston`", "help: "]);
    let by_hand = taut(&place, "data fetch titanic", false);
    refused(&by_hand, 1, &["cannot be downloaded", "TAUT_DATA_DIR", "NAME/data.csv"]);
    let absent = format!("data fetch pol --url {}", server(404, b""));
    refused(&taut(&place, &absent, false), 1, &["status 404", "--url"]);
    let wrong = format!("data fetch pol --url {}", server(200, b"1,2\n3,4\n"));
    refused(&taut(&place, &wrong, false), 1, &["SHA-256", "expected 02accc3b"]);
    let left = std::fs::read_dir(place.path("cache/pol")).unwrap().count();
    assert_eq!(left, 0, "nothing half-written");
    std::fs::create_dir_all(place.path("data/pol")).unwrap();
    place.write("data/pol/data.csv", "x,y\n1,2\n");
    refused(&taut(&place, "data fetch pol", true), 1, &["SHA-256", "data.csv", "remove the file"]);
}

/// With the real tables at hand: the path is printed, and nothing else.
#[test]
fn a_set_that_is_there_is_found() {
    let Some(folder) = std::env::var_os("TAUT_DATA_DIR") else {
        eprintln!("skipped: TAUT_DATA_DIR is not set");
        return;
    };
    let place = Place::new();
    let mut command = place.command(&["data", "fetch", "autompg"]);
    let output = command.env("TAUT_DATA_DIR", folder).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let path = text(&output.stdout);
    assert!(path.trim_end().ends_with("data.csv") && path.lines().count() == 1, "{path}");
    assert!(text(&output.stderr).contains("right SHA-256"));
}

/// What arrived stays, for the next run to go on from.
#[test]
fn a_cut_download_is_said_and_its_part_kept() {
    let (place, sent) = (Place::new(), "1,2\n3,4\n");
    let fetch = format!("data fetch pol --url {}", cut_server(200, sent.as_bytes(), 1000));
    let words = ["arrived in part", "8 of 1008 bytes", "run the command again"];
    refused(&taut(&place, &fetch, false), 1, &words);
    assert_eq!(place.read("cache/pol/data.csv.part"), sent);
    assert_eq!(std::fs::read_dir(place.path("cache/pol")).unwrap().count(), 1);
}

/// With the real tables at hand: the mirror's bytes, packed and without a header, become the file.
#[test]
fn a_good_download_arrives_whole() {
    let Some(folder) = std::env::var_os("TAUT_DATA_DIR") else {
        eprintln!("skipped: TAUT_DATA_DIR is not set");
        return;
    };
    let file = std::path::Path::new(&folder).join("autompg").join("data.csv");
    let whole = std::fs::read_to_string(file).unwrap();
    let (_, rows) = whole.split_once('\n').unwrap();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(rows.as_bytes()).unwrap();
    let address = server(200, &packed.finish().unwrap());
    let place = Place::new();
    let fetch = format!("data fetch autompg --url {address}");
    let output = taut(&place, &fetch, false);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(text(&output.stderr).contains("autompg downloaded"), "{output:?}");
    assert_eq!(place.read("cache/autompg/data.csv"), whole);
    assert_eq!(std::fs::read_dir(place.path("cache/autompg")).unwrap().count(), 1);
    let again = taut(&place, &fetch, false);
    assert!(text(&again.stderr).contains("found in the cache"), "{again:?}");
}
