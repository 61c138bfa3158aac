//! The program and the machine that a result comes from.
//!
//! Without these a time means nothing later on. On x86 the CPU is asked itself (`CPUID`); elsewhere the operating
//! system.

use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sysinfo::System;

use super::threads::{Threads, online_cores};

/// The program and the machine that a result comes from. All fields are flat, so that a row of a table can hold them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
    /// Sizes of the data caches.
    pub caches: String,
    /// The instruction sets that matter here and that the CPU has.
    pub instruction_sets: String,
    /// The hypervisor, where the machine is a virtual one.
    pub hypervisor: Option<String>,
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
        let known = |text: Option<String>| {
            let text = text.filter(|text| !text.is_empty());
            text.unwrap_or_else(|| "unknown".to_owned())
        };
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            compiler: env!("QUEENS_COMPILER").to_owned(),
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            cpu: known(cpu::name()),
            cpu_id: known(cpu::id()),
            cores: num_cpus::get_physical(),
            hardware_threads: online_cores(),
            usable_threads: usable.count(),
            usable_reason: usable.reason().to_owned(),
            caches: known(Some(cpu::caches().join(", "))),
            instruction_sets: instruction_sets().join(" "),
            hypervisor: cpu::hypervisor().map(|name| known(Some(name))),
            os: os(),
            platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

impl Environment {
    /// What tells machines apart: the CPU's name, family, model and stepping, the threads it can run here, and its widest
    /// vectors.
    #[must_use]
    pub fn machine(&self) -> String {
        // The vendor is in the name too.
        let id = self.cpu_id.split_once(' ').map_or("", |(_, id)| id);
        let sets = || self.instruction_sets.split(' ');
        let widest = ["avx512f", "avx2", "sve2", "sve", "neon"];
        let widest = widest
            .into_iter()
            .find(|wide| sets().any(|set| set == *wide));
        let widest = widest.map(|set| set.trim_end_matches('f'));
        let s = if self.usable_threads == 1 { "" } else { "s" };
        let threads = format!("{} thread{s}", self.usable_threads);
        let parts = [&*self.cpu, id, &threads, widest.unwrap_or_default()];
        let parts: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(", ")
    }

    /// Machine and day, which name what was measured in titles and files.
    #[must_use]
    pub fn name(&self) -> String {
        let day: String = self.date.chars().take(10).collect();
        format!("{}, {day}", self.machine())
    }
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

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod cpu {
    use raw_cpuid::{CacheType, CpuId, Hypervisor};

    pub(super) fn name() -> Option<String> {
        let brand = CpuId::new().get_processor_brand_string()?;
        Some(brand.as_str().trim().to_owned())
    }

    pub(super) fn id() -> Option<String> {
        let (vendor, cpu) = (
            CpuId::new().get_vendor_info()?,
            CpuId::new().get_feature_info()?,
        );
        Some(format!(
            "{} family {} model {} stepping {}",
            vendor.as_str(),
            cpu.family_id(),
            cpu.model_id(),
            cpu.stepping_id()
        ))
    }

    pub(super) fn caches() -> Vec<String> {
        let caches = CpuId::new().get_cache_parameters();
        let data = caches.into_iter().flatten().filter_map(|cache| {
            let kind = match cache.cache_type() {
                CacheType::Data => "d",
                CacheType::Unified => "",
                _ => return None,
            };
            let lines = cache.sets() * cache.associativity() * cache.physical_line_partitions();
            let kib = lines * cache.coherency_line_size() / 1024;
            Some(format!("L{}{kind} {kib} KiB", cache.level()))
        });
        data.collect()
    }

    /// The hypervisor's name, empty where it does not tell.
    pub(super) fn hypervisor() -> Option<String> {
        let cpu = CpuId::new();
        let is_virtual = cpu.get_feature_info()?.has_hypervisor();
        let known = cpu.get_hypervisor_info().map(|info| info.identify());
        is_virtual.then(|| match known {
            None | Some(Hypervisor::Unknown(..)) => String::new(),
            Some(known) => format!("{known:?}"),
        })
    }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
mod cpu {
    use std::fs::read_to_string;

    use sysinfo::{CpuRefreshKind, System};

    pub(super) fn name() -> Option<String> {
        first(|cpu| cpu.brand().to_owned())
    }

    pub(super) fn id() -> Option<String> {
        first(|cpu| cpu.vendor_id().to_owned())
    }

    fn first(get: impl Fn(&sysinfo::Cpu) -> String) -> Option<String> {
        let mut system = System::new();
        system.refresh_cpu_list(CpuRefreshKind::nothing());
        system.cpus().first().map(get)
    }

    /// The data caches of the first core, as Linux lists them.
    pub(super) fn caches() -> Vec<String> {
        let read = |index: u32, what: &str| {
            let file = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}");
            read_to_string(file).map(|text| text.trim().to_owned()).ok()
        };
        let caches = (0..8).filter_map(|index| {
            let kind = match read(index, "type")?.as_str() {
                "Data" => "d",
                "Unified" => "",
                _ => return None,
            };
            let kib = read(index, "size")?.replace('K', " KiB");
            Some(format!("L{}{kind} {kib}", read(index, "level")?))
        });
        caches.collect()
    }

    pub(super) fn hypervisor() -> Option<String> {
        None
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_is_now_in_utc_to_the_second() {
        let here = Environment::here();
        let date = humantime::parse_rfc3339(&here.date).unwrap();
        assert!(date.elapsed().unwrap().as_secs() < 600);
        assert_eq!(here.date.len(), "2026-01-31T23:59:59Z".len());
    }
}
