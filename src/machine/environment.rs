//! The program and the machine that a result comes from.
//!
//! Without these a time means nothing later on. On x86 the CPU is asked itself (`CPUID`); elsewhere the operating
//! system.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sysinfo::System;

use super::threads::{Threads, online_cores};

/// The program and the machine that a result comes from. All fields are flat, so that a row of a table can hold them.
/// Other fields, which older programs saved, are not read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Environment {
    /// Version of this program.
    pub version: String,
    /// The compiler it was built with.
    pub compiler: String,
    /// When, in UTC: `2026-01-31T23:59:59Z`.
    pub date: String,
    /// The CPU's name. Virtual machines often shorten it.
    pub cpu: String,
    /// Vendor, family, model and stepping, which tell CPUs apart that share a name.
    pub cpu_id: String,
    /// Physical cores of the machine.
    pub cores: usize,
    /// Hardware threads of the machine.
    pub hardware_threads: usize,
    /// Hardware threads that this process may use.
    pub usable_threads: usize,
    /// What limits them: affinity, a container's quota, or nothing.
    pub usable_reason: String,
    /// The instruction sets that matter here and that the CPU has.
    pub instruction_sets: String,
    /// Operating system, with its version.
    pub os: String,
    /// Operating system and architecture, as the compiler names them.
    pub platform: String,
}

impl Environment {
    /// Where this process runs, now.
    #[must_use]
    pub fn here() -> Self {
        let usable = Threads::usable();
        let [cpu, cpu_id] = cpu().map(|text| match text {
            Some(text) if !text.is_empty() => text,
            _ => "unknown".to_owned(),
        });
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            compiler: env!("QUEENS_COMPILER").to_owned(),
            date: now(),
            cpu,
            cpu_id,
            cores: num_cpus::get_physical(),
            hardware_threads: online_cores(),
            usable_threads: usable.count(),
            usable_reason: usable.reason().to_owned(),
            instruction_sets: instruction_sets().join(" "),
            os: os(),
            platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }

    /// What tells machines apart: the CPU's name, family, model and stepping, the threads it can run here, and its
    /// widest vectors.
    #[must_use]
    pub fn machine(&self) -> String {
        // The vendor is in the name too.
        let id = self.cpu_id.split_once(' ').map_or("", |(_, id)| id);
        let sets: Vec<_> = self.instruction_sets.split(' ').collect();
        let widest = ["avx512f", "avx2", "sve2", "sve", "neon"];
        let widest = widest.into_iter().find(|wide| sets.contains(wide));
        let widest = widest.map_or("", |set| set.trim_end_matches('f'));
        let s = if self.usable_threads == 1 { "" } else { "s" };
        let threads = format!("{} thread{s}", self.usable_threads);
        let mut parts = vec![&*self.cpu, id, &threads, widest];
        parts.retain(|part| !part.is_empty());
        parts.join(", ")
    }

    /// Machine and day, which name what was measured in titles and files.
    #[must_use]
    pub fn name(&self) -> String {
        let day: String = self.date.chars().take(10).collect();
        format!("{}, {day}", self.machine())
    }
}

/// Date and time in UTC: `2026-01-31T23:59:59Z`.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// The system's name and version and the kernel's release, as far as they are known.
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

/// The CPU's name, and vendor, family, model and stepping.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn cpu() -> [Option<String>; 2] {
    let cpuid = raw_cpuid::CpuId::new();
    let name = cpuid.get_processor_brand_string();
    let id = cpuid.get_vendor_info().zip(cpuid.get_feature_info());
    let id = id.map(|(vendor, cpu)| {
        let (family, model, stepping) = (cpu.family_id(), cpu.model_id(), cpu.stepping_id());
        format!(
            "{} family {family} model {model} stepping {stepping}",
            vendor.as_str()
        )
    });
    [name.map(|name| name.as_str().trim().to_owned()), id]
}

/// The CPU's name and vendor.
#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn cpu() -> [Option<String>; 2] {
    let mut system = System::new();
    system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
    let cpu = system.cpus().first();
    [
        cpu.map(|cpu| cpu.brand().to_owned()),
        cpu.map(|cpu| cpu.vendor_id().to_owned()),
    ]
}

/// Those of the features named that the CPU has.
#[allow(
    unused_macros,
    reason = "not every architecture has features that matter here"
)]
macro_rules! present {
    ($detected:ident: $($name:tt)*) => {
        [$(std::arch::$detected!($name).then_some($name)),*]
            .into_iter()
            .flatten()
            .collect()
    };
}

/// Those that the kernels are written for, and what shows how old the CPU is.
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
