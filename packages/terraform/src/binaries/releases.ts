import type { Product } from "./binary.ts";

/** Paths of a vendor's release files, relative to its base URL. A mirror uses the same paths. */
export interface ReleaseLayout {
  readonly base: string;
  /** Name of the executable on PATH and in the archive. */
  readonly program: string;
  /** The vendor's list of versions: its URL, and the path of a copy on a mirror. */
  readonly list: { readonly address: string; readonly path: string; readonly folder: string };
  /**
   * The vendor's public key. Only the fingerprint is trusted, so the key may come from anywhere. Vendors renew the expiry date and the
   * subkeys, but the fingerprint stays the same.
   */
  readonly key: { readonly address: string; readonly path: string; readonly fingerprint: string };
  listVersions(list: unknown): string[];
  pathsOf(version: string, platform: string): { archive: string; sums: string; signature: string };
}

export const releases: Readonly<Record<Product, ReleaseLayout>> = {
  terraform: {
    base: "https://releases.hashicorp.com",
    program: "terraform",
    list: { address: "https://releases.hashicorp.com/terraform/index.json", path: "terraform/index.json", folder: "terraform" },
    key: {
      address: "https://www.hashicorp.com/.well-known/pgp-key.txt",
      path: "hashicorp.asc",
      fingerprint: "C874 011F 0AB4 0511 0D02 1055 3436 5D94 72D7 468F",
    },
    listVersions: (list) => Object.keys((list as { versions?: object } | null)?.versions ?? {}),
    pathsOf(version, platform) {
      const sums = `terraform/${version}/terraform_${version}_SHA256SUMS`;
      return { sums, signature: `${sums}.sig`, archive: `terraform/${version}/terraform_${version}_${platform}.zip` };
    },
  },
  opentofu: {
    base: "https://github.com/opentofu/opentofu/releases/download",
    program: "tofu",
    list: { address: "https://get.opentofu.org/tofu/api.json", path: "api.json", folder: "." },
    key: {
      address: "https://get.opentofu.org/opentofu.asc",
      path: "opentofu.asc",
      fingerprint: "E3E6 E43D 84CB 852E ADB0 051D 0C0A F313 E5FD 9F80",
    },
    listVersions: (list) =>
      ((list as { versions?: { id?: unknown }[] } | null)?.versions ?? []).flatMap(({ id }) =>
        typeof id === "string" ? [id.replace(/^v/, "")] : [],
      ),
    pathsOf(version, platform) {
      const sums = `v${version}/tofu_${version}_SHA256SUMS`;
      return { sums, signature: `${sums}.gpgsig`, archive: `v${version}/tofu_${version}_${platform}.zip` };
    },
  },
};

/** Renders the current platform in the vendors' notation, such as `linux_amd64`. */
export function describePlatform(os: string = process.platform, arch: string = process.arch): string {
  const names: Readonly<Record<string, string>> = { x64: "amd64", ia32: "386" };
  return `${os}_${names[arch] ?? arch}`;
}
