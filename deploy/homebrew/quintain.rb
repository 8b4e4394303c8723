# Homebrew's formula. scripts/package-manifests fills in the capitals when a release is made.
class Quintain < Formula
  desc "Workbench for grid-game AI: players, matches, tournaments"
  homepage "REPOSITORY"
  version "VERSION"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    url "REPOSITORY/releases/download/vVERSION/quintain-VERSION-universal-apple-darwin.tar.gz"
    sha256 "SHA256_MACOS"
  end
  on_linux do
    on_intel do
      url "REPOSITORY/releases/download/vVERSION/quintain-VERSION-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "SHA256_LINUX_X86_64"
    end
    on_arm do
      url "REPOSITORY/releases/download/vVERSION/quintain-VERSION-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "SHA256_LINUX_AARCH64"
    end
  end

  def install
    bin.install "quintain"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/quintain --version")
  end
end
