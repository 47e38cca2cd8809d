//! The command line, as clap sees it.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use taut::Method;

use super::classify::args::ClassifyCommand;
use super::iterative_args::IterativeArgs;
use super::numbers::{
    draws, fraction, interval, neighbours, non_negative, positive, positive_real, seconds, threads,
    up_to,
};

/// The method that is chosen by the size of the table.
const AUTO: &str = "auto";

/// Gaussian-process regression that says how far it is from exact.
#[derive(Debug, Parser)]
#[command(name = "taut", version, about, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Fit a Gaussian process to a table and save the model
    Fit(Box<FitArgs>),
    /// Predict the rows of a table with a saved model
    Predict(PredictArgs),
    /// Tabulate every bound on the log marginal likelihood at a model's hyperparameters
    Certify(CertifyArgs),
    /// Classify rows of a table by naive Bayes: learn, go on learning, merge, predict, judge, explain
    #[command(subcommand)]
    Classify(Box<ClassifyCommand>),
    /// Look at tables, and get public ones
    #[command(subcommand)]
    Data(DataCommand),
}

#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    /// List the public data sets known by name, or all about one
    List(ListArgs),
    /// Describe each column of a table
    Describe(DescribeArgs),
    /// Find or download a public data set, check it, and print where its file is
    Fetch(FetchArgs),
}

/// Which inducing points are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Select {
    /// Rows of largest conditional variance at the starting kernel
    Greedy,
    /// Centres of clusters of the inputs
    Kmeans,
    /// Rows drawn by the seed
    Random,
}

/// What speeds conjugate gradients up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PreconditionerKind {
    /// Nystrom, and vecchia where that saves time: for cglb by a cost model, for iterative where pivots
    /// leave more than the noise
    Auto,
    /// The matrix of the inducing points, for iterative of --preconditioner-rank pivots
    Nystrom,
    /// Each row conditioned on its --neighbours
    Vecchia,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MeanKind {
    Zero,
    Constant,
    Linear,
}

/// Options every command shares.
#[derive(Debug, Clone, Args)]
pub(crate) struct Common {
    /// Worker threads (default: all cores); results do not depend on it
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<usize>,
    /// Print nothing on standard error but errors
    #[arg(long)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FitArgs {
    /// Table (.csv, .csv.gz, .parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// Target column(s), separated by commas
    #[arg(long, required = true, value_delimiter = ',', value_name = "COL")]
    pub(crate) target: Vec<String>,
    /// Input columns (default: all others)
    #[arg(long, value_delimiter = ',', value_name = "COL", conflicts_with = "drop")]
    pub(crate) features: Option<Vec<String>>,
    /// Columns to leave out
    #[arg(long, value_delimiter = ',', value_name = "COL")]
    pub(crate) drop: Vec<String>,
    /// Columns to turn into one 0/1 column per level
    #[arg(long, value_delimiter = ',', value_name = "COL")]
    pub(crate) one_hot: Vec<String>,
    /// Drop rows with missing cells instead of refusing the table
    #[arg(long)]
    pub(crate) drop_missing: bool,
    /// Inference method
    #[arg(long, default_value = AUTO, value_parser = methods())]
    pub(crate) method: MethodChoice,
    /// Covariance function, such as "matern32" or "se[A,B] + periodic[A] * linear"; of several the
    /// one whose log marginal likelihood has the highest lower bound is kept (of ssgp-vb, whose
    /// bounds are another model's, that with the highest objective), and the report says whether
    /// brackets prove the ranking [default: matern32, or that of --params]
    #[arg(long = "kernel", value_name = "EXPR")]
    pub(crate) kernels: Vec<String>,
    /// Prior mean [default: constant, or that of --params]
    #[arg(long, value_enum)]
    pub(crate) mean: Option<MeanKind>,
    /// Inducing points of the method, and of the bounds of `taut certify`
    /// [default: 512, or the number of rows]
    #[arg(long, value_name = "M")]
    pub(crate) inducing: Option<usize>,
    /// Table with inducing points: the input columns, in the table's units
    #[arg(long, value_name = "FILE", conflicts_with_all = ["inducing", "select"])]
    pub(crate) inducing_points: Option<PathBuf>,
    /// How inducing points are chosen [default: greedy]
    #[arg(long, value_enum)]
    pub(crate) select: Option<Select>,
    /// Bound on the log-determinant that is trained, `taut certify` lists their names; or best: the
    /// best that --time (an hour without it) and --memory allow, and the best bracket around it
    /// [default: arithmetic-geometric]
    #[arg(long, value_name = "NAME")]
    pub(crate) bound: Option<String>,
    /// What speeds conjugate gradients up; results differ within --cg-tolerance [default: auto, or
    /// nystrom with --preconditioner-rank]
    #[arg(long, value_enum)]
    pub(crate) preconditioner: Option<PreconditionerKind>,
    /// Slack conjugate gradients may leave in training, in nats [default: 1, iterative: 0.01]; the
    /// final solve goes to 0.001, or to this if less
    #[arg(long, value_name = "NATS", value_parser = positive_real)]
    pub(crate) cg_tolerance: Option<f64>,
    /// Largest number of steps of a solve by conjugate gradients [default: 1000, iterative: 2000 for
    /// the mean]
    #[arg(long, value_name = "N")]
    pub(crate) cg_max_steps: Option<usize>,
    /// Neighbours of bounds and preconditioners that condition each row on its nearest, here or in
    /// `taut certify` [default: 30, iterative: 60]
    #[arg(long, value_name = "K", value_parser = neighbours)]
    pub(crate) neighbours: Option<usize>,
    /// Spectral points of ssgp-vb [default: 50, with --local 10]
    #[arg(long, value_name = "M", value_parser = positive)]
    pub(crate) spectral_points: Option<usize>,
    /// Sets of spectral points ssgp-vb tries; with --local it mixes them [default: 4]
    #[arg(long, value_name = "N", value_parser = up_to::<1000>)]
    pub(crate) draws: Option<usize>,
    /// Fit ssgp-vb anew to the K rows near each query, twice: by distance, then by the
    /// lengthscales found
    #[arg(long, value_name = "K", value_parser = positive)]
    pub(crate) local: Option<usize>,
    /// Scale the variances of local fits by the errors at this many training rows left out
    #[arg(long, value_name = "ROWS", value_parser = positive, requires = "local")]
    pub(crate) calibrate: Option<usize>,
    /// Jitter on the inducing points' covariance, as a part of the kernel's variance; also kept for
    /// `taut certify`
    #[arg(long, value_name = "J", default_value_t = 1e-6, value_parser = non_negative)]
    pub(crate) jitter: f64,
    /// Smallest noise variance training can reach, in the scale of training [default: 1e-6, with
    /// --method iterative 1e-4]
    #[arg(long, value_name = "V", value_parser = positive_real)]
    pub(crate) noise_floor: Option<f64>,
    /// Fit in the table's own units instead of standardising
    #[arg(long)]
    pub(crate) no_scale: bool,
    /// Table with test rows
    #[arg(long, value_name = "FILE", conflicts_with = "test_fraction")]
    pub(crate) test: Option<PathBuf>,
    /// Part of the rows held out for testing
    #[arg(long, value_name = "F", value_parser = fraction)]
    pub(crate) test_fraction: Option<f64>,
    /// Write the split as train.csv and test.csv into this folder
    #[arg(long, value_name = "DIR", requires = "test_fraction")]
    pub(crate) split_out: Option<PathBuf>,
    /// Seed of everything random: the split, the starts
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Starting points to try [default: 5, or 1 with --params]; with ssgp-vb for each draw [default:
    /// 3, for one input 4]
    #[arg(long, value_name = "N", value_parser = up_to::<1000>)]
    pub(crate) starts: Option<usize>,
    /// Largest number of training steps
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(crate) max_iters: usize,
    /// Stop training after this many seconds; `auto` chooses a method that fits
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<f64>,
    /// Up to this many rows `auto` is exact, and reports have the exact log marginal likelihood and
    /// leave-one-out scores of an exact fit
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub(crate) exact_limit: usize,
    /// Hyperparameters to start from: a parameter file or a model file
    #[arg(long, value_name = "FILE")]
    pub(crate) params: Option<PathBuf>,
    /// Hold a parameter at its starting value, such as noise_variance, kernel.lengthscales, or
    /// inducing_points
    #[arg(long, value_name = "PARAM", value_delimiter = ',')]
    pub(crate) fix: Vec<String>,
    /// Condition on the data at the given hyperparameters, without training
    #[arg(long, requires = "params", conflicts_with_all = ["resume", "fix", "starts", "time"])]
    pub(crate) no_train: bool,
    /// Memory budget in GB [default: 80 % of this machine's memory]
    #[arg(long, value_name = "GB", value_parser = positive_real)]
    pub(crate) memory: Option<f64>,
    /// Where to save the model [default: DATA's name with .taut, in the current folder]
    #[arg(long, value_name = "MODEL")]
    pub(crate) out: Option<PathBuf>,
    /// Where to save training's state [default: MODEL.ckpt]
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Go on from the checkpoint
    #[arg(long)]
    pub(crate) resume: bool,
    /// Write a report as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) iterative: IterativeArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct PredictArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Table with the model's input columns (.csv, .csv.gz, .parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// Where to write the predictions [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Probability of the predictive interval
    #[arg(long, value_name = "P", default_value_t = 0.95, value_parser = interval)]
    pub(crate) interval: f64,
    /// Only the posterior mean, which is much cheaper than a variance
    #[arg(long, conflicts_with = "samples")]
    pub(crate) mean_only: bool,
    /// Add this many joint draws of the latent function
    #[arg(long, value_name = "S", value_parser = draws)]
    pub(crate) samples: Option<usize>,
    /// Seed of the draws
    #[arg(long, value_name = "N", default_value_t = 0, requires = "samples")]
    pub(crate) seed: u64,
    /// Add bounds on the distance of the mean from the exact Gaussian process's, and on the exact
    /// variance: mean_error_bound, var_latent_lower, var_latent_upper
    #[arg(long, conflicts_with_all = ["mean_only", "samples"])]
    pub(crate) certify: bool,
    /// Width of the bounds on the variance at which their solves stop, as a share of the kernel's
    /// variance; no effect on exact models, whose bounds are as narrow as rounding allows
    #[arg(long, value_name = "SHARE", default_value_t = 1e-3, value_parser = positive_real,
          requires = "certify")]
    pub(crate) certify_tolerance: f64,
    /// Copy the table's own columns in front of the predictions
    #[arg(long)]
    pub(crate) keep: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct CertifyArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Other hyperparameters for the model's data: a parameter file or a model file
    #[arg(long, value_name = "FILE")]
    pub(crate) params: Option<PathBuf>,
    /// Which bounds: free, all (with those that pass over all of K), best (the most promising that
    /// --time and --memory allow), or names
    #[arg(
        long,
        value_name = "free|all|best|NAME,…",
        value_delimiter = ',',
        default_value = "free"
    )]
    pub(crate) bounds: Vec<String>,
    /// Seconds that --bounds best may take, by estimates for two cores [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<f64>,
    /// Memory budget in GB, of --bounds best and the exact value [default: 80 % of this machine's]
    #[arg(long, value_name = "GB", value_parser = positive_real)]
    pub(crate) memory: Option<f64>,
    /// Inducing points of the bounds that use them, chosen anew [default: the model's]
    #[arg(long, value_name = "M")]
    pub(crate) inducing: Option<usize>,
    /// Neighbours each point is conditioned on in the vecchia bound [default: the model's]
    #[arg(long, value_name = "K", value_parser = neighbours)]
    pub(crate) neighbours: Option<usize>,
    /// Also compute the exact log marginal likelihood up to this many rows
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub(crate) exact_limit: usize,
    /// Write the table as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct DescribeArgs {
    /// Table (.csv, .csv.gz, .parquet), or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write the description as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// The set to tell about
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct FetchArgs {
    /// Name of the set
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    /// Another address of the same file
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,
    /// Print nothing on standard error but errors
    #[arg(long)]
    pub(crate) quiet: bool,
}

/// A method by name, or `None` to choose one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MethodChoice(pub(crate) Option<Method>);

fn methods() -> impl TypedValueParser<Value = MethodChoice> {
    let auto = PossibleValue::new(AUTO)
        .help("Exact when it fits time and memory, else the best that does");
    let named = Method::ALL.iter().map(|method| (method.name(), method.about()));
    let named = named.map(|(name, about)| PossibleValue::new(name).help(about));
    let find = |name: &str| Method::ALL.iter().copied().find(|method| method.name() == name);
    PossibleValuesParser::new(std::iter::once(auto).chain(named))
        .map(move |name| MethodChoice(find(&name)))
}
