//! All patterns. To add one, write a file in this folder with its [`Kind`], and its two lines here:
//! its `mod`, and its entry in the list. The entry of a pattern with numbers ends in `(numbers)`.

mod append;
mod backward;
mod random;
mod random_with_replacement;
mod rewrite;
mod semi_random;
mod sequential;
mod strided;

use serde::{Deserialize, Serialize};

use crate::order::kind::{Kind, Pass, PatternTraits};
use crate::words::{Layout, Phase};

/// The [`Kind`] of a matched variant: its numbers, or the struct without any.
macro_rules! kind {
    ($module:ident $name:ident) => {
        &$module::$name
    };
    ($module:ident $name:ident $numbers:ident) => {
        $numbers
    };
}

/// A variant with some numbers.
#[cfg(test)]
macro_rules! example {
    ($module:ident $name:ident) => {
        Pattern::$name
    };
    ($module:ident $name:ident $numbers:ident) => {
        Pattern::$name($module::$name::EXAMPLE)
    };
}

/// Makes [`Pattern`] and [`AnyPass`] from `file: Struct` of each pattern. Both are enums, because
/// every operation takes a step of a pass: no call follows a pointer.
macro_rules! patterns {
    ($($module:ident: $name:ident $(($numbers:ident))?,)*) => {
        /// The order of the transfers of a task's share.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Pattern {
            $(
                #[doc = concat!("See `order/kinds/", stringify!($module), ".rs`.")]
                $name $((#[doc = concat!("Its ", stringify!($numbers), ".")] $module::$name))?,
            )*
        }

        impl Pattern {
            /// Its properties.
            pub const fn traits(&self) -> PatternTraits {
                match self {
                    $(Self::$name { .. } => <$module::$name as Kind>::TRAITS,)*
                }
            }

            /// Its word in a job.
            pub(crate) fn name(&self) -> String {
                let file = match self {
                    $(Self::$name { .. } => stringify!($module),)*
                };
                file.replace('_', "-")
            }

            /// Why a job cannot have it; `None` when it can.
            pub(crate) fn problem(&self, phase: &Phase, layout: Layout) -> Option<&'static str> {
                match self {
                    $(Self::$name $(($numbers))? =>
                        kind!($module $name $($numbers)?).problem(phase, layout),)*
                }
            }

            /// A pass over `records` records.
            pub(crate) fn pass(&self, records: u64, seed: u64) -> AnyPass {
                match self {
                    $(Self::$name $(($numbers))? =>
                        AnyPass::$name(kind!($module $name $($numbers)?).pass(records, seed)),)*
                }
            }

            /// Each pattern, with some numbers.
            #[cfg(test)]
            pub(crate) fn examples() -> Vec<Self> {
                vec![$(example!($module $name $($numbers)?)),*]
            }
        }

        /// A pass of any pattern.
        #[derive(Clone, Debug)]
        pub(crate) enum AnyPass {
            $($name(<$module::$name as Kind>::Pass),)*
        }

        impl Pass for AnyPass {
            #[inline]
            fn next(&mut self, records: u64, position: u64) -> u64 {
                match self {
                    $(Self::$name(pass) => pass.next(records, position),)*
                }
            }
        }
    };
}

patterns! {
    sequential: Sequential,
    backward: Backward,
    rewrite: Rewrite,
    append: Append,
    random: Random,
    random_with_replacement: RandomWithReplacement,
    strided: Strided(numbers),
    semi_random: SemiRandom(numbers),
}
