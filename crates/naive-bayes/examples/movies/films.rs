//! The films: what the table has, as rows for the classifier.

use std::error::Error;
use std::path::Path;

use datasets::{Cell, CsvOptions, Source, read_csv};
use naive_bayes::{Batch, Kind, Levels, NaiveBayesError};
use ndarray::Array2;

/// One film.
#[derive(Debug, Clone)]
pub(crate) struct Film {
    pub(crate) title: String,
    pub(crate) year: f64,
    pub(crate) deaths: f64,
    /// What the motion picture association says, `None` where the table has nothing.
    pub(crate) rating: Option<String>,
    pub(crate) genres: Vec<String>,
}

/// All films with the names of all genres, in the order of first sight.
#[derive(Debug, Clone)]
pub(crate) struct Films {
    pub(crate) films: Vec<Film>,
    pub(crate) genres: Vec<String>,
}

impl Films {
    /// Reads the table.
    pub(crate) fn read(path: &Path) -> Result<Self, Box<dyn Error>> {
        let table = read_csv(Source::path(path), &CsvOptions::default())?;
        let column = |name: &str| {
            table.column(name).ok_or_else(|| format!("the table has no column `{name}`"))
        };
        let (titles, years) = (column("Film")?, column("Year")?);
        let (deaths, ratings, genres) =
            (column("Body_Count")?, column("MPAA_Rating")?, column("Genre")?);
        let film = |row: usize| Film {
            title: words(titles.cell(row)).unwrap_or_default(),
            year: years.numbers()[row],
            deaths: deaths.numbers()[row],
            rating: words(ratings.cell(row)),
            genres: words(genres.cell(row))
                .map(|list| list.split('|').map(str::to_owned).collect())
                .unwrap_or_default(),
        };
        Ok(Self::new((0..table.n_rows()).map(film).collect()))
    }

    fn new(films: Vec<Film>) -> Self {
        let mut genres: Vec<String> = Vec::new();
        for genre in films.iter().flat_map(|film| &film.genres) {
            if !genres.contains(genre) {
                genres.push(genre.clone());
            }
        }
        Self { films, genres }
    }

    /// The films that have a rating at all.
    pub(crate) fn rated(&self) -> Self {
        Self::new(self.films.iter().filter(|film| film.rating.is_some()).cloned().collect())
    }

    /// Whether each film is rated R; the lecture counts films without a rating as not.
    pub(crate) fn is_r(&self) -> Vec<bool> {
        self.films.iter().map(|film| film.rating.as_deref() == Some("R")).collect()
    }

    /// The same as classes 0 and 1.
    pub(crate) fn classes(&self) -> Levels {
        Levels::from_integers(&self.is_r().into_iter().map(i64::from).collect::<Vec<_>>())
    }

    /// Year and deaths as Gaussian features, each genre as a Bernoulli one.
    pub(crate) fn batch(&self, deaths: fn(f64) -> f64) -> Result<Batch<'static>, NaiveBayesError> {
        let mut batch = Batch::new(self.films.len())
            .column("Year", Kind::Gaussian, self.films.iter().map(|film| film.year).collect())?
            .column(
                "Body_Count",
                Kind::Gaussian,
                self.films.iter().map(|film| deaths(film.deaths)).collect(),
            )?;
        let shape = (self.films.len(), self.genres.len());
        let flags = Array2::from_shape_fn(shape, |(row, genre)| {
            f64::from(u8::from(self.films[row].genres.contains(&self.genres[genre])))
        });
        for (name, flags) in self.genres.iter().zip(flags.columns()) {
            batch = batch.column(name, Kind::Bernoulli, flags.to_vec())?;
        }
        Ok(batch)
    }
}

fn words(cell: Cell<'_>) -> Option<String> {
    match cell {
        Cell::Text(text) => Some(text.to_owned()),
        // A film may be called 300.
        Cell::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
