//! `[output]`.

use std::path::{Path, PathBuf};

use super::check::{Bounds, Check};
use crate::contact::detection::DetectionMethod;
use crate::error::Problem;
use crate::raw;
use crate::section::Section;
use crate::spanned::Spanned;
use crate::{CheckpointSettings, Field, FrameSchedule, OutputSettings};

const DEFAULT_FRAMES: usize = 60;

const DEFAULT_CHECKPOINTS: usize = 2;
const MAX_CHECKPOINTS: usize = 1000;

/// Properties of the run. A property with problems is `None`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'a> {
    /// End time \[s\].
    pub end: Option<f64>,
    /// Last component of the default output directory.
    pub name: &'a str,
    pub detection: Option<DetectionMethod>,
}

pub(super) fn validate(
    section: Option<Section<'_>>,
    Run { end, name, detection }: Run<'_>,
    check: &mut Check<'_>,
) -> Option<OutputSettings> {
    let raw: raw::Output = match section {
        Some(section) => section.read_sound_part(&mut check.problems)?,
        None => raw::Output::default(),
    };
    let fields = match &raw.fields {
        Some(words) => check.choices("output.fields", words, Field::WORDS),
        None => Some(Field::DEFAULT.to_vec()),
    };
    let directory = match &raw.directory {
        Some(word) => {
            check.name("output.directory", word);
            PathBuf::from(word.get_ref())
        }
        None => Path::new("out").join(name),
    };
    let contact_interval = raw.contact_interval.as_ref();
    let contact_interval =
        contact_interval.map(|value| check.number("output.contact_interval", value, Bounds::Positive));
    let history = raw.history.as_ref().map(|history| &history.interval);
    let default_history = end.unwrap_or_default() / 1000.0;
    let checkpoint = raw.checkpoint.as_ref().map(|checkpoint| checkpoints(checkpoint, check));
    Some(OutputSettings {
        directory,
        frames: frames(&raw, end, check)?,
        exact: raw.exact.unwrap_or(false),
        contact_interval,
        fields: fields?,
        detection_volumes: detection_volumes(raw.detection_volumes.as_ref(), detection, check),
        history_interval: check.number_or(
            "output.history.interval",
            history,
            Bounds::NotNegative,
            default_history,
        ),
        checkpoint,
    })
}

fn checkpoints(raw: &raw::Checkpoint, check: &mut Check<'_>) -> CheckpointSettings {
    const KEY: &str = "output.checkpoint.keep";
    let interval = check.number("output.checkpoint.interval", &raw.interval, Bounds::Positive);
    let keep = raw.keep.as_ref().map_or(DEFAULT_CHECKPOINTS, |keep| {
        let number = usize::try_from(*keep.get_ref()).unwrap_or_default();
        if !(1..=MAX_CHECKPOINTS).contains(&number) {
            let fact =
                format!("`{KEY}` is {}, not a whole number from 1 to {MAX_CHECKPOINTS}", keep.get_ref());
            let problem = Problem::new(fact).at(keep.span()).key(KEY);
            check.report(problem.help("give the number of checkpoint files to keep; the latest are kept"));
        }
        number
    });
    CheckpointSettings { interval, keep }
}

/// Whether frames include detection volumes. If they are wanted but detection is not by hierarchies, a problem is
/// reported.
fn detection_volumes(
    wanted: Option<&Spanned<bool>>,
    detection: Option<DetectionMethod>,
    check: &mut Check<'_>,
) -> bool {
    const KEY: &str = "output.detection_volumes";
    let Some(wanted) = wanted.filter(|wanted| *wanted.get_ref()) else { return false };
    if detection.is_some_and(|detection| detection != DetectionMethod::Hierarchy) {
        let fact = format!("`{KEY}` is true, but `contact.detection` is not `hierarchy`");
        let problem = Problem::new(fact).at(wanted.span()).key(KEY);
        check.report(
            problem.help("use contact.detection = \"hierarchy\", or remove `output.detection_volumes`"),
        );
    }
    true
}

fn frames(raw: &raw::Output, end: Option<f64>, check: &mut Check<'_>) -> Option<FrameSchedule> {
    match (&raw.frames, &raw.interval, &raw.times) {
        (None, None, None) => Some(FrameSchedule::Count(DEFAULT_FRAMES)),
        (Some(count), None, None) => match usize::try_from(*count.get_ref()) {
            Ok(number) if number > 0 => Some(FrameSchedule::Count(number)),
            _ => {
                let fact = format!("`output.frames` is {}, not a positive whole number", count.get_ref());
                let problem = Problem::new(fact).at(count.span()).key("output.frames");
                check.report(problem.help("give the number of frames after the initial one, at least 1"));
                None
            }
        },
        (None, Some(interval), None) => {
            Some(FrameSchedule::Interval(check.number("output.interval", interval, Bounds::Positive)))
        }
        (None, None, Some(times)) => {
            check_times(times, end, check);
            Some(FrameSchedule::Times(times.get_ref().clone()))
        }
        (frames, interval, times) => {
            let spans = [
                frames.as_ref().map(Spanned::span),
                interval.as_ref().map(Spanned::span),
                times.as_ref().map(Spanned::span),
            ];
            let last = spans.into_iter().flatten().max_by_key(|span| span.start)?;
            let problem = Problem::new("`output` has more than one of `frames`, `interval` and `times`");
            check.report(problem.at(last).key("output").help("keep one of them"));
            None
        }
    }
}

fn check_times(times: &Spanned<Vec<f64>>, end: Option<f64>, check: &mut Check<'_>) {
    const KEY: &str = "output.times";
    let list = times.get_ref();
    let end = end.unwrap_or(f64::INFINITY);
    let outside = |time: &&f64| !time.is_finite() || **time < 0.0 || **time > end;
    if let Some(time) = list.iter().find(outside) {
        let problem = Problem::new(format!("`{KEY}` has {time}, outside the run")).at(times.span()).key(KEY);
        check.report(problem.help("give times from 0 to time.end"));
    }
    if let Some(pair) = list.windows(2).find(|pair| pair[1] <= pair[0]) {
        let fact = format!("`{KEY}` has {} after {}", pair[1], pair[0]);
        check.report(
            Problem::new(fact).at(times.span()).key(KEY).help("give the times in strictly ascending order"),
        );
    }
    if list.is_empty() {
        let problem = Problem::new(format!("`{KEY}` is an empty list")).at(times.span()).key(KEY);
        check.report(problem.help("give at least one time, or leave the key out"));
    }
}
