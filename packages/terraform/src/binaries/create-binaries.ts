import { Fault, findTool, systemClock, type Clock } from "@cloudwright/platform";
import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Spawn } from "../driver/spawn.ts";
import { doExclusively } from "../exclusive.ts";
import { terraformFaults } from "../faults.ts";
import type { Binary, Product } from "./binary.ts";
import { downloadRelease } from "./download-release.ts";
import { probeVersion } from "./probe-version.ts";
import { createReleaseSource } from "./release-source.ts";
import { describePlatform, releases } from "./releases.ts";
import { compareVersions, isVersion, parseVersionRange, type VersionRange } from "./version.ts";

/** Where to find or download executables. */
export interface BinariesOptions {
  readonly path: string;
  /** Cache for downloaded executables, shared by all processes on the machine. */
  readonly cacheDirectory: string;
  /** Download settings. If omitted, downloads are disabled. */
  readonly download?: {
    /**
     * Absolute path or URL of a mirror with the same layout as the vendor's site. The signing key is stored there as `hashicorp.asc` or
     * `opentofu.asc`. Default: the vendor's site.
     */
    readonly mirror?: string;
    /** ASCII-armoured key to use instead of the downloaded one. */
    readonly signingKey?: string;
    /** Fingerprint to trust instead of the vendor's, for custom builds. */
    readonly fingerprint?: string;
  };
  readonly platform?: string;
}

export interface Binaries {
  /**
   * Returns an executable for an exact version or a version range. Prefers the one on PATH, then the newest in the cache, then a download.
   */
  get(product: Product, version: string, signal?: AbortSignal): Promise<Binary>;
}

/** Finds executables and downloads missing ones. Results are cached in memory. */
export function createBinaries(deps: { spawn: Spawn; clock?: Clock }, options: BinariesOptions): Binaries {
  const { platform = describePlatform(), download } = options;
  const clock = deps.clock ?? systemClock;
  const known = new Map<string, Promise<Binary>>();

  const find = async (product: Product, range: VersionRange): Promise<Binary | string[]> => {
    const { program } = releases[product];
    const onPath = findTool(program, { PATH: options.path });
    const version = onPath === undefined ? undefined : await probeVersion(deps.spawn, onPath);
    if (onPath !== undefined && version !== undefined && range.has(version)) return { product, version, path: onPath };
    const folder = join(options.cacheDirectory, product);
    const cached = (await listFolder(folder)).filter(isVersion).toSorted(compareVersions);
    for (const candidate of cached.toReversed().filter(range.has)) {
      const path = join(folder, candidate, platform, program);
      if (!existsSync(path)) continue;
      if ((await probeVersion(deps.spawn, path)) === candidate) return { product, version: candidate, path };
      // A different version means that the file was damaged or replaced.
      await rm(path, { force: true });
    }
    return [
      onPath === undefined ? `${program} is not on PATH` : `${onPath} has version ${version ?? "unknown"}`,
      cached.length === 0 ? `${folder} contains no cached version` : `${folder} contains only ${cached.join(", ")}`,
    ];
  };
  const fetchRelease = async (product: Product, range: VersionRange, looked: string[], signal?: AbortSignal): Promise<Binary> => {
    if (download === undefined) throw missing(product, range, [...looked, "downloads are disabled"]);
    const layout = releases[product];
    const source = createReleaseSource(layout, download.mirror, signal);
    const version = range.exact ?? (await source.listVersions()).filter(range.has).toSorted(compareVersions).at(-1);
    if (version === undefined) throw missing(product, range, [...looked, `${source.place} has no suitable version`]);
    const path = join(options.cacheDirectory, product, version, platform, layout.program);
    const { signingKey, fingerprint } = download;
    await downloadRelease(
      source,
      {
        layout,
        version,
        platform,
        nowMs: clock.now(),
        ...(signingKey === undefined ? {} : { signingKey }),
        ...(fingerprint === undefined ? {} : { fingerprint }),
      },
      path,
    );
    if ((await probeVersion(deps.spawn, path)) !== version) {
      await rm(path, { force: true });
      throw new Fault(terraformFaults.bad_archive, `${product} ${version} from ${source.place} does not run on this machine`);
    }
    return { product, version, path };
  };
  const resolve = async (product: Product, range: VersionRange, signal?: AbortSignal): Promise<Binary> => {
    const found = await find(product, range);
    if (!Array.isArray(found)) return found;
    if (download === undefined) return fetchRelease(product, range, found, signal);
    // Only one of several concurrent requests performs the download. The others use its result.
    return doExclusively(
      join(options.cacheDirectory, product),
      async () => {
        const again = await find(product, range);
        return Array.isArray(again) ? fetchRelease(product, range, again, signal) : again;
      },
      signal,
    );
  };
  return {
    async get(product, version, signal) {
      const key = `${product} ${version}`;
      const remembered = await known.get(key)?.catch(() => undefined);
      if (remembered !== undefined && existsSync(remembered.path)) return remembered;
      const asked = resolve(product, parseVersionRange(version), signal);
      known.set(key, asked);
      return asked;
    },
  };
}

function missing(product: Product, range: VersionRange, looked: readonly string[]): Fault {
  const name = product === "terraform" ? "Terraform" : "OpenTofu";
  return new Fault(terraformFaults.no_binary, `no suitable ${name} ${range.text} was found: ${looked.join("; ")}`);
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch {
    return [];
  }
}
