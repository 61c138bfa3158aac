//! Program and machine that produced a result, without which times cannot be compared.

use std::fmt::{self, Display, Formatter};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// Program and machine that produced a result. The struct is flat, so that it fits in a table row.
/// Unknown fields are ignored when a saved environment is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Environment {
    /// Version of the program.
    pub(crate) version: String,
    /// Commit that the program was built from, if it is known.
    pub(crate) commit: String,
    /// Compiler that built the program.
    pub(crate) compiler: String,
    /// Date and time in UTC, such as `2026-01-31T23:59:59Z`.
    pub(crate) date: String,
    /// Name of the CPU. On Linux on x86, its family, model and stepping follow, because virtual
    /// machines often shorten the name.
    pub(crate) cpu: String,
    /// Number of cores available to this process.
    pub(crate) cores: usize,
}

impl Environment {
    /// Returns the current environment.
    pub(crate) fn here() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: env!("QUEENS_COMMIT").to_owned(),
            compiler: env!("QUEENS_COMPILER").to_owned(),
            date: now(),
            cpu: cpu_name(),
            cores: num_cpus::get(),
        }
    }
}

/// Describes the program and the day.
impl Display for Environment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { version, commit, compiler, date, .. } = self;
        let [day, commit] = [(date, 10), (commit, 9)].map(|(of, len)| of.get(..len).unwrap_or(of));
        write!(f, "{day}, queens {version} ({commit}), {compiler}")
    }
}

/// Returns the date and time in UTC, such as `2026-01-31T23:59:59Z`.
fn now() -> String {
    date(SystemTime::now())
}

/// Formats a time, or the nearest one that has a year of four digits after 1969. A wrong clock must
/// not end a count.
fn date(time: SystemTime) -> String {
    const LAST_SECOND_OF_9999: Duration = Duration::from_secs(253_402_300_799);
    let last = SystemTime::UNIX_EPOCH + LAST_SECOND_OF_9999;
    humantime::format_rfc3339_seconds(time.clamp(SystemTime::UNIX_EPOCH, last)).to_string()
}

/// Returns the name of the CPU. On Linux on x86, its family, model and stepping follow.
fn cpu_name() -> String {
    let mut system = sysinfo::System::new();
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    let name = system.cpus().first().map(|cpu| cpu.brand().trim().to_owned());
    let mut name = name.filter(|name| !name.is_empty()).unwrap_or_else(|| "unknown".to_owned());
    let details = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    for (field, label) in [("cpu family", "family"), ("model", "model"), ("stepping", "stepping")] {
        let mut fields = details.lines().filter_map(|line| line.split_once(':'));
        if let Some((_, value)) = fields.find(|(name, _)| name.trim_end() == field) {
            let separator = if field == "cpu family" { "," } else { "" };
            name += &format!("{separator} {label} {}", value.trim());
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_outside_of_the_calendar_are_clamped() {
        let second = Duration::from_secs(1);
        let epoch = SystemTime::UNIX_EPOCH;
        assert_eq!(date(epoch - second), "1970-01-01T00:00:00Z");
        assert_eq!(date(epoch + second), "1970-01-01T00:00:01Z");
        let beyond = epoch + Duration::from_secs(253_402_300_800);
        assert_eq!(date(beyond), "9999-12-31T23:59:59Z");
    }
}
