//! Keys of the contact response and laws in `[contact]`, `[[contact.pairs]]` and `[[walls]]`.

use std::ops::Range;

use super::check::{Bounds, Check};
use crate::error::{Problem, suggest};
use crate::raw::{self, Number};
use crate::section::join;
use crate::spanned::Spanned;
use crate::{
    AngularMomentum, ContactLaws, ContactOrder, Friction, ResponseMethod, ResponseSettings, Scheme,
    StiffnessRule,
};

#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    friction: Option<&'a Spanned<raw::Friction>>,
    restitution: Option<&'a Number>,
    penalty: Option<&'a Number>,
    damping: Option<&'a Number>,
}

impl<'a> Given<'a> {
    pub fn all(raw: &'a raw::Contact) -> Self {
        let raw::Contact { friction, restitution, penalty, damping, .. } = raw;
        Self {
            friction: friction.as_ref(),
            restitution: restitution.as_ref(),
            penalty: penalty.as_ref(),
            damping: damping.as_ref(),
        }
    }

    pub fn pair(raw: &'a raw::Pair) -> Self {
        let raw::Pair { friction, restitution, penalty, damping, .. } = raw;
        Self {
            friction: friction.as_ref(),
            restitution: restitution.as_ref(),
            penalty: penalty.as_ref(),
            damping: damping.as_ref(),
        }
    }

    pub fn wall(raw: &'a raw::Wall) -> Self {
        let raw::Wall { friction, restitution, .. } = raw;
        Self { friction: friction.as_ref(), restitution: restitution.as_ref(), penalty: None, damping: None }
    }

    fn spans(&self) -> impl Iterator<Item = (&'static str, Range<usize>)> {
        let friction = self.friction.map(Spanned::span);
        let [restitution, penalty, damping] =
            [self.restitution, self.penalty, self.damping].map(|value| value.map(Spanned::span));
        let all = [
            ("friction", friction),
            ("restitution", restitution),
            ("penalty", penalty),
            ("damping", damping),
        ];
        all.into_iter().filter_map(|(name, span)| Some((name, span?)))
    }

    pub fn is_nothing(&self) -> bool {
        self.spans().next().is_none()
    }

    /// Reports all laws given for the pair at `path`, which has no contact.
    pub fn refuse(&self, path: &str, check: &mut Check<'_>) {
        for (name, span) in self.spans() {
            let key = join(path, name);
            let problem = Problem::new(format!("`{key}` has no effect on a pair that does not touch"));
            check.report(problem.at(span).key(key).help("leave it out, or let the pair touch"));
        }
    }

    /// Reports laws at `path` that the response ignores or cannot realise. Ignored laws with default values pass.
    fn refuse_idle(&self, path: &str, response: &ResponseSettings, check: &mut Check<'_>) {
        use ResponseMethod::{Decomposition, EnergyMomentum, Penalty};
        let method = response.method;
        let key = |name: &str| join(path, name);
        let unlike = |value: Option<&'a Number>, default: f64| value.filter(|v| *v.get_ref() != default);
        if let (Penalty | EnergyMomentum, Some(restitution), Some(_)) =
            (method, unlike(self.restitution, 1.0), unlike(self.damping, 0.0))
        {
            let fact = format!(
                "`{}` and `damping` are both given: the one follows from the other",
                key("restitution")
            );
            let problem = Problem::new(fact).at(restitution.span()).key(key("restitution"));
            check.report(problem.help("leave one of them out"));
        }
        if let (Penalty, Some(value)) =
            (method, self.restitution.filter(|v| (0.0..LEAST_OF_SPRINGS).contains(v.get_ref())))
        {
            let key = key("restitution");
            let fact =
                format!("`{key}` is {}: damped springs reach {LEAST_OF_SPRINGS} and more", value.get_ref());
            let help = "set `contact.response` to `energy-momentum` or `decomposition`, or give a larger one";
            check.report(Problem::new(fact).at(value.span()).key(key).help(help));
        }
        if let (Decomposition, Some(value)) = (method, unlike(self.damping, 0.0)) {
            check.report(idle(&key("damping"), value.span(), method, &[Penalty, EnergyMomentum]));
        }
        let Some(factor) = unlike(self.penalty, FACTOR) else { return };
        if method == Decomposition {
            check.report(idle(&key("penalty"), factor.span(), method, &[Penalty, EnergyMomentum]));
        } else if let StiffnessRule::Given(stiffness) = response.stiffness
            && *factor.get_ref() != 1.0
        {
            let key = key("penalty");
            let fact = format!("`{key}` has no effect on springs of the given stiffness {stiffness} N/m");
            let help = "leave it out, or set `contact.stiffness` to `mass` or `segment`";
            check.report(Problem::new(fact).at(factor.span()).key(key).help(help));
        }
    }
}

/// Default factor of the spring stiffness \[-\].
const FACTOR: f64 = 0.5;

/// Smallest accepted coefficient of restitution of damped penalty springs \[-\]. A smaller coefficient needs more than
/// 1.2 times the critical damping.
const LEAST_OF_SPRINGS: f64 = 0.1;

pub(super) fn settings(raw: &raw::Contact, check: &mut Check<'_>) -> Option<ResponseSettings> {
    let method = check.choice_or_first("contact.response", raw.response.as_ref(), ResponseMethod::WORDS);
    let scheme = check.choice_or_first("contact.scheme", raw.scheme.as_ref(), Scheme::WORDS);
    let stiffness = stiffness(raw.stiffness.as_ref(), check);
    let soft_start = check.number_or("contact.soft_start", raw.soft_start.as_ref(), Bounds::NotNegative, 0.0);
    let order = check.choice_or_first("contact.order", raw.order.as_ref(), ContactOrder::WORDS);
    let every = every(raw.every.as_ref(), check);
    let projection = check.number_or("contact.projection", raw.projection.as_ref(), Bounds::Part, 1.0);
    let angular_momentum = check.choice_or_first(
        "contact.angular_momentum",
        raw.angular_momentum.as_ref(),
        AngularMomentum::WORDS,
    );
    let settings = ResponseSettings {
        method: method?,
        scheme: scheme?,
        stiffness: stiffness?,
        soft_start,
        order: order?,
        every,
        projection,
        angular_momentum: angular_momentum?,
    };
    refuse_idle(raw, &settings, check);
    Some(settings)
}

/// Reports keys that do not affect the chosen response. Keys with default values pass.
fn refuse_idle(raw: &raw::Contact, settings: &ResponseSettings, check: &mut Check<'_>) {
    use ResponseMethod::{Decomposition, EnergyMomentum, Penalty};
    let span = |value: Option<Range<usize>>, changed: bool| value.filter(|_| changed);
    let stiffness =
        span(raw.stiffness.as_ref().map(Spanned::span), settings.stiffness != StiffnessRule::Mass);
    let scheme = span(raw.scheme.as_ref().map(Spanned::span), settings.scheme != Scheme::Staggered);
    let soft_start = span(raw.soft_start.as_ref().map(Spanned::span), settings.soft_start != 0.0);
    let order = span(raw.order.as_ref().map(Spanned::span), settings.order != ContactOrder::Together);
    let every = span(raw.every.as_ref().map(Spanned::span), settings.every != 1);
    let projection = span(raw.projection.as_ref().map(Spanned::span), settings.projection != 1.0);
    let angular_momentum = span(
        raw.angular_momentum.as_ref().map(Spanned::span),
        settings.angular_momentum != AngularMomentum::Restore,
    );
    let keys: [(&str, _, &[ResponseMethod]); 7] = [
        ("contact.scheme", scheme, &[EnergyMomentum]),
        ("contact.stiffness", stiffness, &[Penalty, EnergyMomentum]),
        ("contact.soft_start", soft_start, &[Penalty]),
        ("contact.order", order, &[Decomposition]),
        ("contact.every", every, &[Decomposition]),
        ("contact.projection", projection, &[Decomposition]),
        ("contact.angular_momentum", angular_momentum, &[Decomposition]),
    ];
    for (key, span, of) in keys {
        if let Some(span) = span.filter(|_| !of.contains(&settings.method)) {
            check.report(idle(key, span, settings.method, of));
        }
    }
}

/// Problem of a key that affects only the methods `of`.
fn idle(key: &str, span: Range<usize>, method: ResponseMethod, of: &[ResponseMethod]) -> Problem {
    let words: Vec<&str> = of.iter().map(|method| method.word()).collect();
    Problem::new(format!("`{key}` has no effect on the response `{}`", method.word()))
        .at(span)
        .key(key)
        .help(format!("leave it out, or set `contact.response` to `{}`", words.join("` or `")))
}

fn stiffness(value: Option<&Spanned<raw::Stiffness>>, check: &mut Check<'_>) -> Option<StiffnessRule> {
    const KEY: &str = "contact.stiffness";
    let Some(value) = value else { return Some(StiffnessRule::Mass) };
    match value.get_ref() {
        raw::Stiffness::Given(stiffness) => {
            Some(StiffnessRule::Given(check.in_range(KEY, *stiffness, value.span(), Bounds::Positive)))
        }
        raw::Stiffness::Rule(word) if word == "mass" => Some(StiffnessRule::Mass),
        raw::Stiffness::Rule(word) if word == "segment" => Some(StiffnessRule::Segment),
        raw::Stiffness::Rule(word) => {
            let help = suggest(word, "it is a number or one of", &["mass", "segment"]);
            check.report(
                Problem::new(format!("`{KEY}` cannot be `{word}`")).at(value.span()).key(KEY).help(help),
            );
            None
        }
    }
}

fn every(value: Option<&Spanned<i64>>, check: &mut Check<'_>) -> u32 {
    const KEY: &str = "contact.every";
    let Some(value) = value else { return 1 };
    u32::try_from(*value.get_ref()).ok().filter(|&every| every > 0).unwrap_or_else(|| {
        let fact = format!("`{KEY}` is {}, not a whole number of steps from 1 on", value.get_ref());
        check.report(Problem::new(fact).at(value.span()).key(KEY).help("give 1 for every step"));
        1
    })
}

/// The laws at `path`. Missing keys have the values of `rest` or, without `rest`, the defaults of the response.
pub(super) fn laws(
    path: &str,
    given: Given<'_>,
    response: Option<&ResponseSettings>,
    rest: Option<ContactLaws>,
    check: &mut Check<'_>,
) -> ContactLaws {
    let method = response.map(|response| response.method);
    // Penalty springs are integrated explicitly and are unstable with a factor above 1.
    let factor =
        if method == Some(ResponseMethod::EnergyMomentum) { Bounds::Positive } else { Bounds::Fraction };
    let restitution = if method == Some(ResponseMethod::Decomposition) { 0.0 } else { 1.0 };
    let mut rest = rest.unwrap_or(ContactLaws {
        penalty: FACTOR,
        damping: 0.0,
        tangential_damping: 0.0,
        calms: [true; 2],
        friction: Friction { at_rest: 0.0, in_motion: 0.0, decay: f64::INFINITY },
        restitution,
    });
    let key = |name: &str| join(path, name);
    if let Some(response) = response {
        given.refuse_idle(path, response, check);
    }
    // Damping and restitution of normal springs determine each other. If `given` has either key, both values of `rest`
    // are dropped.
    if given.restitution.is_some() {
        (rest.damping, rest.calms[0]) = (0.0, false);
    }
    if given.damping.is_some() && method != Some(ResponseMethod::Decomposition) {
        (rest.restitution, rest.calms) = (restitution, [false; 2]);
    }
    let damping = given.damping.map(|value| check.number(&key("damping"), value, Bounds::NotNegative));
    ContactLaws {
        penalty: check.number_or(&key("penalty"), given.penalty, factor, rest.penalty),
        damping: damping.unwrap_or(rest.damping),
        tangential_damping: damping.unwrap_or(rest.tangential_damping),
        calms: rest.calms,
        friction: given.friction.map_or(rest.friction, |value| friction(&key("friction"), value, check)),
        restitution: check.number_or(&key("restitution"), given.restitution, Bounds::Part, rest.restitution),
    }
}

fn friction(key: &str, value: &Spanned<raw::Friction>, check: &mut Check<'_>) -> Friction {
    match value.get_ref() {
        raw::Friction::Constant(coefficient) => {
            let at_rest = check.in_range(key, *coefficient, value.span(), Bounds::NotNegative);
            Friction { at_rest, in_motion: at_rest, decay: f64::INFINITY }
        }
        raw::Friction::Table(table) => {
            let at_rest = check.number(&join(key, "static"), &table.at_rest, Bounds::NotNegative);
            let in_motion = check.number(&join(key, "dynamic"), &table.dynamic, Bounds::NotNegative);
            let decay = table.decay.as_ref();
            let decay = check.number_or(&join(key, "decay"), decay, Bounds::NotNegative, f64::INFINITY);
            if in_motion > at_rest {
                let fact = format!("`{key}.dynamic` is {in_motion}, more than `static`, {at_rest}");
                let problem = Problem::new(fact).at(table.dynamic.span()).key(join(key, "dynamic"));
                check.report(problem.help("friction in motion is no larger than at rest"));
            }
            Friction { at_rest, in_motion, decay }
        }
    }
}
