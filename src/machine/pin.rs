//! Pinning threads to processors, for measurements that are not to depend on where the operating system puts them.

use std::collections::HashSet;

use strum::{Display, EnumString, VariantNames};

/// Where threads may run, by its name in lower case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Display, EnumString, VariantNames)]
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
    /// The processors to use, by the operating system's numbers, in order; none where nothing is pinned or where the
    /// system cannot say.
    #[must_use]
    pub fn processors(self) -> Vec<usize> {
        let allowed = core_affinity::get_core_ids().unwrap_or_default();
        let allowed = allowed.into_iter().map(|core| core.id);
        match self {
            Self::None => Vec::new(),
            Self::All => allowed.collect(),
            Self::Cores => firsts(allowed, siblings),
        }
    }
}

/// Of each group of siblings the first processor.
fn firsts(allowed: impl Iterator<Item = usize>, siblings: impl Fn(usize) -> String) -> Vec<usize> {
    let mut seen = HashSet::new();
    allowed.filter(|&id| seen.insert(siblings(id))).collect()
}

/// The hardware threads of a processor's core, as Linux lists them; elsewhere each is taken for a core of its own.
fn siblings(id: usize) -> String {
    let file = format!("/sys/devices/system/cpu/cpu{id}/topology/thread_siblings_list");
    std::fs::read_to_string(file).unwrap_or_else(|_| id.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_hardware_thread_of_each_core_is_kept() {
        let siblings = |id: usize| format!("{}", id % 4);
        assert_eq!(firsts(0..8, siblings), [0, 1, 2, 3]);
        assert_eq!(firsts([5, 6, 1].into_iter(), siblings), [5, 6]);
    }
}
