//! Program and machine that produced a result. Running times cannot be compared without this
//! information.

use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use sysinfo::System;

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
use super::threads::system;
use super::threads::{Threads, online_cores};

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
    /// Name of the CPU. Virtual machines often shorten it.
    pub cpu: String,
    /// Vendor, family, model and stepping, which distinguish CPUs with the same name.
    pub cpu_id: String,
    /// Number of physical cores.
    pub cores: usize,
    /// Number of hardware threads.
    pub hardware_threads: usize,
    /// Number of hardware threads available to this process.
    pub usable_threads: usize,
    /// Reason for the number of usable threads: CPU affinity, a container quota, or no limit.
    pub usable_reason: String,
    /// Instruction sets of the CPU that are relevant to the kernels.
    pub instruction_sets: String,
    /// Operating system and its version.
    pub os: String,
    /// Operating system and architecture, as named by the compiler.
    pub platform: String,
}

impl Environment {
    /// Returns the current environment.
    #[must_use]
    pub fn here() -> Self {
        let usable = Threads::usable();
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            compiler: env!("QUEENS_COMPILER").to_owned(),
            date: now(),
            cpu: cpu_name(),
            cpu_id: or_unknown(cpu_id()),
            cores: num_cpus::get_physical(),
            hardware_threads: online_cores(),
            usable_threads: usable.count(),
            usable_reason: usable.reason().to_owned(),
            instruction_sets: instruction_sets().join(" "),
            os: os(),
            platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }

    /// Describes the machine by its CPU's name, family, model and stepping, its usable threads, and
    /// its widest vectors.
    #[must_use]
    pub fn machine(&self) -> String {
        // The name already includes the vendor.
        let id = self.cpu_id.split_once(' ').map_or("", |(_, id)| id);
        let has = |name: &&str| self.instruction_sets.split(' ').any(|set| set == *name);
        let widest = ["avx512f", "avx2", "sve2", "sve", "neon"].into_iter().find(has);
        let widest = widest.unwrap_or_default().trim_end_matches('f');
        let s = if self.usable_threads == 1 { "" } else { "s" };
        let threads = format!("{} thread{s}", self.usable_threads);
        let mut parts = vec![&*self.cpu, id, &threads, widest];
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }

    /// Returns the machine and the date, for titles and file names.
    #[must_use]
    pub fn name(&self) -> String {
        let day: String = self.date.chars().take(10).collect();
        format!("{}, {day}", self.machine())
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

/// Returns the name and version of the operating system and the release of its kernel, as far as
/// they are known.
fn os() -> String {
    let kind = std::env::consts::OS;
    let mut os = System::name().unwrap_or_else(|| kind.to_owned());
    if let Some(version) = System::os_version() {
        os += &format!(" {version}");
    }
    if let Some(release) = System::kernel_version() {
        os += &format!(", {kind} {release}");
    }
    os
}

fn or_unknown(text: Option<String>) -> String {
    text.filter(|text| !text.is_empty()).unwrap_or_else(|| "unknown".to_owned())
}

/// Returns the name of the CPU, or `unknown`.
fn cpu_name() -> String {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let name = raw_cpuid::CpuId::new().get_processor_brand_string();
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    let name = name.map(|name| name.as_str().trim().to_owned());
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    let name = system().cpus().first().map(|cpu| cpu.brand().to_owned());
    or_unknown(name)
}

/// Returns the vendor, family, model and stepping of the CPU.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn cpu_id() -> Option<String> {
    let cpuid = raw_cpuid::CpuId::new();
    let (vendor, cpu) = cpuid.get_vendor_info().zip(cpuid.get_feature_info())?;
    let (family, model, stepping) = (cpu.family_id(), cpu.model_id(), cpu.stepping_id());
    Some(format!("{} family {family} model {model} stepping {stepping}", vendor.as_str()))
}

/// Returns the vendor of the CPU.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn cpu_id() -> Option<String> {
    system().cpus().first().map(|cpu| cpu.vendor_id().to_owned())
}

/// Collects the names of the given features that the CPU supports.
#[allow(unused_macros, reason = "unused on architectures without relevant features")]
macro_rules! present {
    ($detected:ident: $($name:tt)*) => {
        [$(std::arch::$detected!($name).then_some($name)),*]
            .into_iter()
            .flatten()
            .collect()
    };
}

/// Returns the available instruction sets that kernels use, and others that indicate the age of the
/// CPU.
fn instruction_sets() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    return present!(
        is_x86_feature_detected: "sse2" "sse4.2" "popcnt" "avx" "avx2" "bmi1" "bmi2" "avx512f" "avx512bw"
        "avx512vl" "avx512vbmi2" "avx512vpopcntdq"
    );
    #[cfg(target_arch = "aarch64")]
    return present!(is_aarch64_feature_detected: "neon" "sve" "sve2");
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    Vec::new()
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
