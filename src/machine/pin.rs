//! Tying threads to processors, for measurements that are not to depend on where the operating system puts them.

use std::fmt;
use std::str::FromStr;

use crate::engine::{UnknownName, by_name};

/// Where threads may run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, strum::VariantNames)]
#[strum(serialize_all = "lowercase")]
pub enum Pin {
    /// Wherever the operating system puts them.
    #[default]
    None,
    /// Each on a core of its own: on the first hardware thread of each core.
    Cores,
    /// Each on a hardware thread of its own.
    All,
}

impl Pin {
    /// All ways to pin.
    pub const ALL: [Self; 3] = [Self::None, Self::Cores, Self::All];

    /// The name as options and reports have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Cores => "cores",
            Self::All => "all",
        }
    }

    /// The processors to use, by the operating system's numbers, in order; none where nothing is pinned or where the
    /// system cannot say.
    #[must_use]
    pub fn processors(self) -> Vec<usize> {
        let allowed = || core_affinity::get_core_ids().unwrap_or_default();
        let ids = allowed().into_iter().map(|core| core.id);
        match self {
            Self::None => Vec::new(),
            Self::All => ids.collect(),
            Self::Cores => {
                let allowed: Vec<_> = ids.collect();
                firsts(&allowed, siblings)
            }
        }
    }
}

/// Of each group of siblings the first processor.
fn firsts(allowed: &[usize], siblings: impl Fn(usize) -> String) -> Vec<usize> {
    let mut seen = std::collections::HashSet::new();
    allowed
        .iter()
        .copied()
        .filter(|&id| seen.insert(siblings(id)))
        .collect()
}

/// The hardware threads of a processor's core, as Linux lists them; elsewhere each is taken for a core of its own.
fn siblings(id: usize) -> String {
    let file = format!("/sys/devices/system/cpu/cpu{id}/topology/thread_siblings_list");
    std::fs::read_to_string(file).unwrap_or_else(|_| id.to_string())
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Pin {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, UnknownName> {
        by_name("pinning", name, &Self::ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hardware_thread_of_each_core_is_kept() {
        let siblings = |id: usize| format!("{}", id % 4);
        assert_eq!(firsts(&[0, 1, 2, 3, 4, 5, 6, 7], siblings), [0, 1, 2, 3]);
        assert_eq!(firsts(&[5, 6, 1], siblings), [5, 6]);
    }

    #[test]
    fn names_are_read_back() {
        for pin in Pin::ALL {
            assert_eq!(pin.name().parse(), Ok(pin));
        }
        assert!("some".parse::<Pin>().is_err());
        assert!(Pin::None.processors().is_empty());
    }
}
