//! Keys of the contact response in `[contact]`, and keys of the contact laws in `[contact]`, `[[contact.pairs]]` and
//! `[[walls]]`.

use std::ops::Range;

use super::check::{Bounds, Check};
use crate::contact::response::{
    AngularMomentum, ContactLaws, FrictionLaw, Order, ResponseMethod, ResponseOptions, Scheme,
};
use crate::error::{Problem, suggest};
use crate::raw::{self, Number};
use crate::section::join;
use crate::spanned::Spanned;
use crate::{ResponseSettings, StiffnessRule};

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

    /// Reports laws at `path` that the response ignores or cannot realise, and `restitution` together with `damping`.
    /// Ignored laws with default values pass.
    fn refuse_idle(&self, path: &str, response: &ResponseSettings, check: &mut Check<'_>) {
        let method = response.method;
        let key = |name: &str| join(path, name);
        let unlike = |value: Option<&'a Number>, default: f64| value.filter(|v| *v.get_ref() != default);
        if method.uses("damping")
            && let (Some(restitution), Some(_)) = (unlike(self.restitution, 1.0), unlike(self.damping, 0.0))
        {
            let fact = format!(
                "`{}` and `damping` are both given: the one follows from the other",
                key("restitution")
            );
            let problem = Problem::new(fact).at(restitution.span()).key(key("restitution"));
            check.report(problem.help("leave one of them out"));
        }
        let least = method.properties().least_restitution;
        if let Some(value) = self.restitution.filter(|v| (0.0..least).contains(v.get_ref())) {
            let key = key("restitution");
            let (word, restitution) = (method.word(), value.get_ref());
            let fact = format!("`{key}` is {restitution}: the response `{word}` reaches {least} and more");
            let any = words_of(|method| method.properties().least_restitution == 0.0);
            let help = format!("set `contact.response` to {any}, or give a larger one");
            check.report(Problem::new(fact).at(value.span()).key(key).help(help));
        }
        refuse_unused(path, "damping", unlike(self.damping, 0.0).map(Spanned::span), method, check);
        let Some(factor) = unlike(self.penalty, FACTOR) else { return };
        refuse_unused(path, "penalty", Some(factor.span()), method, check);
        if method.uses("penalty")
            && let StiffnessRule::Given(stiffness) = response.stiffness
            && *factor.get_ref() != 1.0
        {
            let key = key("penalty");
            let fact = format!("`{key}` has no effect on springs of the given stiffness {stiffness} N/m");
            let help = "leave it out, or set `contact.stiffness` to `mass` or `segment`";
            check.report(Problem::new(fact).at(factor.span()).key(key).help(help));
        }
    }
}

/// Default of `penalty`, the factor of the spring stiffness \[-\].
const FACTOR: f64 = 0.5;

pub(super) fn settings(raw: &raw::Contact, check: &mut Check<'_>) -> Option<ResponseSettings> {
    let method = check.choice_or_first("contact.response", raw.response.as_ref(), ResponseMethod::WORDS);
    let scheme = check.choice_or_first("contact.scheme", raw.scheme.as_ref(), Scheme::WORDS);
    let stiffness = stiffness(raw.stiffness.as_ref(), check);
    let soft_start = check.number_or("contact.soft_start", raw.soft_start.as_ref(), Bounds::NotNegative, 0.0);
    let order = check.choice_or_first("contact.order", raw.order.as_ref(), Order::WORDS);
    let every = every(raw.every.as_ref(), check);
    let projection = check.number_or("contact.projection", raw.projection.as_ref(), Bounds::Part, 1.0);
    let angular_momentum = check.choice_or_first(
        "contact.angular_momentum",
        raw.angular_momentum.as_ref(),
        AngularMomentum::WORDS,
    );
    let settings = ResponseSettings {
        method: method?,
        stiffness: stiffness?,
        options: ResponseOptions {
            scheme: scheme?,
            soft_start,
            order: order?,
            every,
            projection,
            angular_momentum: angular_momentum?,
        },
    };
    refuse_idle(raw, &settings, check);
    Some(settings)
}

/// Reports keys that do not affect the chosen response. Keys with default values pass.
fn refuse_idle(raw: &raw::Contact, settings: &ResponseSettings, check: &mut Check<'_>) {
    fn span<T>(value: Option<&Spanned<T>>, changed: bool) -> Option<Range<usize>> {
        value.map(Spanned::span).filter(|_| changed)
    }
    let ResponseSettings { method, stiffness, options } = *settings;
    let ResponseOptions { scheme, soft_start, order, every, projection, angular_momentum } = options;
    let restores = angular_momentum == AngularMomentum::Restore;
    for (key, span) in [
        ("scheme", span(raw.scheme.as_ref(), scheme != Scheme::Staggered)),
        ("stiffness", span(raw.stiffness.as_ref(), stiffness != StiffnessRule::Mass)),
        ("soft_start", span(raw.soft_start.as_ref(), soft_start != 0.0)),
        ("order", span(raw.order.as_ref(), order != Order::Together)),
        ("every", span(raw.every.as_ref(), every != 1)),
        ("projection", span(raw.projection.as_ref(), projection != 1.0)),
        ("angular_momentum", span(raw.angular_momentum.as_ref(), !restores)),
    ] {
        refuse_unused("contact", key, span, method, check);
    }
}

/// Reports the key `name` of the table at `path`, given at `span`, if it does not affect the response.
fn refuse_unused(
    path: &str,
    name: &str,
    span: Option<Range<usize>>,
    method: ResponseMethod,
    check: &mut Check<'_>,
) {
    let Some(span) = span.filter(|_| !method.uses(name)) else { return };
    let key = join(path, name);
    let fact = format!("`{key}` has no effect on the response `{}`", method.word());
    let others = words_of(|method| method.uses(name));
    let help = format!("leave it out, or set `contact.response` to {others}");
    check.report(Problem::new(fact).at(span).key(key).help(help));
}

/// Words of the responses with a property, joined by "or".
fn words_of(has: impl Fn(ResponseMethod) -> bool) -> String {
    let methods = ResponseMethod::WORDS.iter().filter(|(_, method)| has(*method));
    methods.map(|(word, _)| format!("`{word}`")).collect::<Vec<_>>().join(" or ")
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
    let is_stable = method.is_some_and(|method| method.properties().is_stable_for_any_stiffness);
    let factor = if is_stable { Bounds::Positive } else { Bounds::Fraction };
    let restitution = method.map_or(1.0, |method| method.properties().default_restitution);
    let mut rest = rest.unwrap_or(ContactLaws {
        penalty: FACTOR,
        damping: 0.0,
        tangential_damping: 0.0,
        calms: [true; 2],
        friction: FrictionLaw::none(),
        restitution,
    });
    let key = |name: &str| join(path, name);
    if let Some(response) = response {
        given.refuse_idle(path, response, check);
    }
    // Damping and restitution of normal springs determine each other. If `given` has one of the two, the other is reset
    // to its default in `rest`. A given value also switches default damping off (`calms`): restitution switches it off
    // for normal springs, damping for all springs.
    if given.restitution.is_some() {
        (rest.damping, rest.calms[0]) = (0.0, false);
    }
    if given.damping.is_some() && method.is_none_or(|method| method.uses("damping")) {
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

fn friction(key: &str, value: &Spanned<raw::Friction>, check: &mut Check<'_>) -> FrictionLaw {
    match value.get_ref() {
        raw::Friction::Constant(coefficient) => {
            let at_rest = check.in_range(key, *coefficient, value.span(), Bounds::NotNegative);
            FrictionLaw::constant(at_rest)
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
            FrictionLaw { at_rest, in_motion, decay }
        }
    }
}
