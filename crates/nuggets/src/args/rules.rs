//! The options for house rules: one for each row of the table.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use nuggets_game::{BadRules, HouseRule, RuleChoices, Rules};

use super::{BadArgument, number};

const HEADING: &str = "House rules (all off by default)";
const PLAIN: &str = "plain";

/// Rules beyond the specification. Without any of them the game follows it exactly.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RuleArgs {
    choices: RuleChoices,
    plain: bool,
}

impl RuleArgs {
    /// Returns the rules that result. Numbers of piles that were not given are adapted to the gold.
    pub(crate) fn rules(&self) -> Result<Rules, BadArgument> {
        if self.plain {
            return Ok(Rules::default());
        }
        self.choices.rules().map_err(|why| match why {
            BadRules::FoodWithoutLifetime => BadArgument(
                "invalid house rules: --food without --lifetime has no effect. Add --lifetime N, or \
                 leave --food off"
                    .to_owned(),
            ),
            why => BadArgument(format!("invalid house rules: {why}")),
        })
    }
}

impl Args for RuleArgs {
    fn augment_args(command: Command) -> Command {
        let plain = Arg::new(PLAIN).long(PLAIN).action(ArgAction::SetTrue);
        let plain = plain.help("Turn all house rules off, overriding the other options");
        command.next_help_heading(HEADING).args(HouseRule::ALL.map(option)).arg(plain)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for RuleArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut choices = RuleChoices::default();
        for rule in HouseRule::ALL {
            let entry = rule.entry();
            let value = match entry.range {
                Some(_) => matches.get_one(entry.name).copied(),
                None => matches.get_flag(entry.name).then_some(1),
            };
            choices.set(rule, value);
        }
        Ok(Self { choices, plain: matches.get_flag(PLAIN) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn option(rule: HouseRule) -> Arg {
    let entry = rule.entry();
    let help = match entry.usual {
        Some(usual) => format!("{} [default: {usual}]", entry.help),
        None => entry.help.to_owned(),
    };
    let option = Arg::new(entry.name).long(entry.name).help(help);
    match &entry.range {
        Some(range) => option.value_name("N").value_parser(number::<u32>(range.clone())),
        None => option.action(ArgAction::SetTrue),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        rules: RuleArgs,
    }

    fn typed(words: &str) -> Result<Rules, String> {
        let words = ["program"].into_iter().chain(words.split_whitespace());
        let program = Program::try_parse_from(words).map_err(|why| why.to_string())?;
        program.rules.rules().map_err(|why| why.to_string())
    }

    #[test]
    fn the_default_rules_are_those_of_the_specification() {
        assert_eq!(typed(""), Ok(Rules::default()));
    }

    #[test]
    fn plain_overrides_all_others_even_invalid_ones() {
        assert_eq!(typed("--plain --min-piles 9 --max-piles 3 --steal"), Ok(Rules::default()));
    }

    #[test]
    fn every_option_has_its_effect() {
        let typed = typed(
            "--gold 100 --min-piles 5 --max-piles 6 --players 7 --vision 8 --steal --drop-on-quit \
             --lifetime 9 --food 10",
        );
        let expected =
            "gold 100, 5 to 6 piles, players 7, vision 8, steal, drop-on-quit, lifetime 9, food 10";
        assert_eq!(typed.unwrap().variants().unwrap(), expected);
    }

    #[test]
    fn rules_that_make_no_sense_are_rejected_with_the_reason() {
        for (words, reason) in [
            ("--gold 0", "give a whole number from 1 to 1000000"),
            ("--min-piles 9 --max-piles 3", "9 is more than 3"),
            ("--food 5", "--food without --lifetime"),
        ] {
            let error = typed(words).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
