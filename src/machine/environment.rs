//! Program and machine that produced a result. Running times cannot be compared without this
//! information.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

/// Program and machine that produced a result. The struct is flat, so that it fits in a table row.
/// Unknown fields are ignored when a saved environment is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Environment {
    /// Version of the program.
    pub version: String,
    /// Compiler that built the program.
    pub compiler: String,
    /// Date and time in UTC, such as `2026-01-31T23:59:59Z`.
    pub date: String,
    /// Name of the CPU. On x86, its family, model and stepping follow, because virtual machines
    /// often shorten the name.
    pub cpu: String,
    /// Number of cores available to this process.
    pub cores: usize,
}

impl Environment {
    /// Returns the current environment.
    #[must_use]
    pub fn here() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            compiler: env!("QUEENS_COMPILER").to_owned(),
            date: now(),
            cpu: cpu_name(),
            cores: num_cpus::get(),
        }
    }

    /// Returns the CPU, the number of cores and the date, for titles and file names.
    #[must_use]
    pub fn name(&self) -> String {
        let day: String = self.date.chars().take(10).collect();
        let s = if self.cores == 1 { "" } else { "s" };
        format!("{}, {} core{s}, {day}", self.cpu, self.cores)
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

fn or_unknown(text: Option<String>) -> String {
    text.filter(|text| !text.is_empty()).unwrap_or_else(|| "unknown".to_owned())
}

/// Returns the name of the CPU with its family, model and stepping.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn cpu_name() -> String {
    let cpuid = raw_cpuid::CpuId::new();
    let name = cpuid.get_processor_brand_string().map(|name| name.as_str().trim().to_owned());
    let mut name = or_unknown(name);
    if let Some(cpu) = cpuid.get_feature_info() {
        let (family, model, stepping) = (cpu.family_id(), cpu.model_id(), cpu.stepping_id());
        name += &format!(", family {family} model {model} stepping {stepping}");
    }
    name
}

/// Returns the name of the CPU, or `unknown`.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn cpu_name() -> String {
    let mut system = sysinfo::System::new();
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    or_unknown(system.cpus().first().map(|cpu| cpu.brand().to_owned()))
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
