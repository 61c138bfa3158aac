//! The program and the machine that a result comes from.
//!
//! Without these a time means nothing later on. On x86 the CPU is asked itself (`CPUID`); elsewhere the operating system.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::machine::threads::{Threads, online_cores};

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
        let cpu = cpu::facts();
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            compiler: env!("QUEENS_COMPILER").to_owned(),
            date: date(SystemTime::now()),
            cpu: cpu.name,
            cpu_id: cpu.id,
            cores: num_cpus::get_physical(),
            hardware_threads: online_cores(),
            usable_threads: usable.count(),
            usable_reason: usable.reason().to_owned(),
            caches: cpu.caches,
            instruction_sets: instruction_sets().join(" "),
            hypervisor: cpu.hypervisor,
            os: os(),
            platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        }
    }
}

/// What there is to know about the CPU.
struct CpuFacts {
    name: String,
    id: String,
    caches: String,
    hypervisor: Option<String>,
}

fn unknown() -> String {
    "unknown".to_owned()
}

/// A list of caches, or the admission that there is none.
fn listed(caches: &[String]) -> String {
    if caches.is_empty() {
        unknown()
    } else {
        caches.join(", ")
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod cpu {
    use raw_cpuid::{CacheType, CpuId, CpuIdReaderNative, Hypervisor};

    use super::{CpuFacts, listed, unknown};

    pub(super) fn facts() -> CpuFacts {
        let cpu = CpuId::new();
        let brand = cpu.get_processor_brand_string();
        let name = brand.map(|brand| brand.as_str().trim().to_owned());
        CpuFacts {
            name: name.filter(|name| !name.is_empty()).unwrap_or_else(unknown),
            id: id(&cpu),
            caches: caches(&cpu),
            hypervisor: hypervisor(&cpu),
        }
    }

    fn id(cpu: &CpuId<CpuIdReaderNative>) -> String {
        let vendor = cpu.get_vendor_info();
        let vendor = vendor.map_or_else(unknown, |vendor| vendor.as_str().to_owned());
        match cpu.get_feature_info() {
            Some(features) => format!(
                "{vendor} family {} model {} stepping {}",
                features.family_id(),
                features.model_id(),
                features.stepping_id()
            ),
            None => vendor,
        }
    }

    fn caches(cpu: &CpuId<CpuIdReaderNative>) -> String {
        let parameters = cpu.get_cache_parameters().into_iter().flatten();
        let caches: Vec<_> = parameters
            .filter_map(|cache| {
                let data = match cache.cache_type() {
                    CacheType::Data => "d",
                    CacheType::Unified => "",
                    _ => return None,
                };
                let lines = cache.sets() * cache.associativity() * cache.physical_line_partitions();
                let kib = lines * cache.coherency_line_size() / 1024;
                Some(format!("L{}{data} {kib} KiB", cache.level()))
            })
            .collect();
        listed(&caches)
    }

    fn hypervisor(cpu: &CpuId<CpuIdReaderNative>) -> Option<String> {
        cpu.get_feature_info()?
            .has_hypervisor()
            .then(|| match cpu.get_hypervisor_info() {
                Some(info) => match info.identify() {
                    Hypervisor::Unknown(..) => unknown(),
                    known => format!("{known:?}"),
                },
                None => unknown(),
            })
    }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
mod cpu {
    use std::fs::read_to_string;

    use super::{CpuFacts, listed, unknown};

    pub(super) fn facts() -> CpuFacts {
        let cpuinfo = read_to_string("/proc/cpuinfo").unwrap_or_default();
        let field = |name: &str| {
            let line = cpuinfo.lines().find(|line| line.starts_with(name))?;
            let (_, value) = line.split_once(':')?;
            Some(value.trim().to_owned())
        };
        let id: Vec<_> = ["CPU implementer", "CPU part", "CPU variant", "CPU revision"]
            .into_iter()
            .filter_map(|name| Some(format!("{name} {}", field(name)?)))
            .collect();
        CpuFacts {
            name: field("model name").unwrap_or_else(unknown),
            id: listed(&id),
            caches: listed(&caches()),
            hypervisor: None,
        }
    }

    /// The data caches of the first core, as Linux lists them.
    fn caches() -> Vec<String> {
        let read = |index: u32, what: &str| {
            let file = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}");
            read_to_string(file).map(|text| text.trim().to_owned())
        };
        (0..8)
            .filter_map(|index| {
                let data = match read(index, "type").ok()?.as_str() {
                    "Data" => "d",
                    "Unified" => "",
                    _ => return None,
                };
                let kib = read(index, "size").ok()?.replace('K', " KiB");
                Some(format!("L{}{data} {kib}", read(index, "level").ok()?))
            })
            .collect()
    }
}

/// The names in a list of features that the CPU has.
#[cfg(target_arch = "x86_64")]
fn instruction_sets() -> Vec<&'static str> {
    macro_rules! present {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    let known = present!(
        "sse2" "sse4.2" "popcnt" "avx" "avx2" "bmi1" "bmi2" "avx512f" "avx512bw" "avx512vl" "avx512vbmi2"
        "avx512vpopcntdq"
    );
    let present = known.into_iter().filter(|(_, present)| *present);
    present.map(|(name, _)| name).collect()
}

#[cfg(target_arch = "aarch64")]
fn instruction_sets() -> Vec<&'static str> {
    let known = [
        ("neon", std::arch::is_aarch64_feature_detected!("neon")),
        ("sve", std::arch::is_aarch64_feature_detected!("sve")),
        ("sve2", std::arch::is_aarch64_feature_detected!("sve2")),
    ];
    let present = known.into_iter().filter(|(_, present)| *present);
    present.map(|(name, _)| name).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn instruction_sets() -> Vec<&'static str> {
    Vec::new()
}

/// The distribution's name and the kernel's release, as far as they are known.
fn os() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="))
        .map_or(std::env::consts::OS, |name| name.trim_matches('"'));
    match std::fs::read_to_string("/proc/sys/kernel/osrelease") {
        Ok(kernel) => format!("{name}, {} {}", std::env::consts::OS, kernel.trim()),
        Err(_) => name.to_owned(),
    }
}

/// A time in UTC as ISO 8601 writes it, to the second.
fn date(time: SystemTime) -> String {
    let seconds = time
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (days, seconds) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Year, month and day of a day counted from 1 January 1970.
fn civil(mut day: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while day >= 365 + u64::from(is_leap(year)) {
        day -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    (year, month, day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use std::time::Duration;

    // Days and seconds as `date -u -d @SECONDS` gives them.
    #[rstest]
    #[case(0, "1970-01-01T00:00:00Z")]
    #[case(951_782_399, "2000-02-28T23:59:59Z")]
    #[case(951_782_400, "2000-02-29T00:00:00Z")]
    #[case(1_735_689_599, "2024-12-31T23:59:59Z")]
    #[case(4_107_542_400, "2100-03-01T00:00:00Z")]
    fn dates(#[case] seconds: u64, #[case] text: &str) {
        assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), text);
    }

    #[test]
    fn this_machine_has_cores_and_can_use_some() {
        let here = Environment::here();
        assert!(here.cores >= 1 && here.usable_threads >= 1);
        assert!(!here.cpu.is_empty() && !here.os.is_empty());
    }

    /// What the program may run on, the record has to name.
    #[test]
    fn a_kernel_that_runs_has_its_instruction_set_listed() {
        let here = Environment::here();
        let sets: Vec<_> = here.instruction_sets.split(' ').collect();
        for (kernel, set) in [
            (crate::Kernel::Avx2, "avx2"),
            (crate::Kernel::Avx512, "avx512f"),
        ] {
            if crate::Engine::Bitboard.can_run(kernel) {
                assert!(sets.contains(&set), "{set} in {sets:?}");
            }
        }
    }
}
