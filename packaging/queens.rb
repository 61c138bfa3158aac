# Formula for Homebrew. After a release, set `url` to its tag and `sha256` to the checksum of that file.
class Queens < Formula
  desc "Count N-queens solutions exactly, using every core and vector unit of the CPU"
  homepage "https://github.com/OWNER/queens"
  url "https://github.com/OWNER/queens/archive/refs/tags/v0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]
  head "https://github.com/OWNER/queens.git", branch: "main"

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "cli")
    generate_completions_from_executable(bin/"queens", "completions", shells: [:bash, :zsh, :fish])
    system bin/"queens", "man", "--out", man1
  end

  test do
    assert_equal "14772512", shell_output("#{bin}/queens 16 --quiet").strip
  end
end
