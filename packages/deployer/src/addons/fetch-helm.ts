import { describeError, Fault, findTool } from "@cloudwright/platform";
import { describePlatform, doExclusively, openDownload } from "@cloudwright/terraform";
import { createHash, randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { deployerFaults } from "../faults.ts";

/** The pinned helm release. Only archives with these checksums, which the vendor publishes, are used. */
export const pinnedHelm: HelmRelease = {
  version: "3.18.4",
  sums: {
    linux_amd64: "f8180838c23d7c7d797b208861fecb591d9ce1690d8704ed1e4cb8e2add966c1",
    linux_arm64: "c0a45e67eef0c7416a8a8c9e9d5d2d30d70e4f4d3f7bea5de28241fffa8f3b89",
    darwin_amd64: "860a7238285b44b5dc7b3c4dad6194316885d7015d77c34e23177e0e9554af8f",
    darwin_arm64: "041849741550b20710d7ad0956e805ebd960b483fe978864f8e7fdd03ca84ec8",
  },
};

export interface HelmRelease {
  readonly version: string;
  /** SHA-256 checksums of the archives, keyed by platform. */
  readonly sums: Readonly<Record<string, string>>;
}

/** The locations to search for helm, and the location to download it from. */
export interface HelmSource {
  readonly path: string;
  /** Cache for the downloaded executable, shared by all processes on the machine. */
  readonly cacheDirectory: string;
  /** Absolute path or URL of a directory that contains the vendor's archives. `off` disables downloads. Default: the vendor's site. */
  readonly mirror?: string | undefined;
  readonly release?: HelmRelease;
  readonly platform?: string;
}

const vendor = "https://get.helm.sh";
const mostBytes = 256 * 1024 * 1024;

/**
 * Returns the path of a helm executable: the one on PATH, the cached one, or a new download. A download is used only if it matches the
 * pinned checksum. The executable appears atomically, so that other processes never run a partial file.
 */
export async function fetchHelm(source: HelmSource, signal?: AbortSignal): Promise<string> {
  const { path, cacheDirectory, mirror = vendor, release = pinnedHelm, platform = describePlatform() } = source;
  const onPath = findTool("helm", { PATH: path });
  if (onPath !== undefined) return onPath;
  const target = join(cacheDirectory, "helm", release.version, platform, "helm");
  if (await isIntact(target)) return target;
  const sum = release.sums[platform];
  if (sum === undefined) throw missing(`there is no pinned helm release for ${platform}`);
  if (mirror === "off") throw missing(`helm is not on PATH, ${target} does not exist, and downloads are disabled`);
  return doExclusively(
    join(cacheDirectory, "helm"),
    async () => {
      if (!(await isIntact(target))) await download(mirror, release.version, { platform, sum, target }, signal);
      return target;
    },
    signal,
  );
}

async function download(
  base: string,
  version: string,
  { platform, sum, target }: { readonly platform: string; readonly sum: string; readonly target: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const folder = platform.replace("_", "-");
  const name = `helm-v${version}-${folder}.tar.gz`;
  const archive = await read(base, name, signal);
  const found = createHash("sha256").update(archive).digest("hex");
  if (found !== sum) {
    throw new Fault(deployerFaults.bad_helm, `${name} from ${base} has the checksum ${found}; expected ${sum}`);
  }
  const program = findFile(gunzipSync(archive, { maxOutputLength: mostBytes }), `${folder}/helm`);
  if (program === undefined) throw new Fault(deployerFaults.bad_helm, `${name} from ${base} does not contain ${folder}/helm`);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const temporary = `${target}.${randomUUID()}`;
  try {
    await writeFile(temporary, program, { mode: 0o700, flag: "wx" });
    await chmod(temporary, 0o700);
    await writeFile(sumFileOf(target), createHash("sha256").update(program).digest("hex"), { mode: 0o600 });
    await rename(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function read(base: string, name: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of (await openDownload(base, name, signal)) as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > mostBytes) throw new Error("it is too large");
      chunks.push(chunk);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new Fault(deployerFaults.no_helm, `${name} cannot be downloaded from ${base}: ${describeError(error)}`, {
      cause: error,
    });
  }
  return Buffer.concat(chunks);
}

/** Returns whether the cached executable exists and has not changed since it was verified. */
async function isIntact(target: string): Promise<boolean> {
  if (!existsSync(target) || !existsSync(sumFileOf(target))) return false;
  const [program, sum] = await Promise.all([readFile(target), readFile(sumFileOf(target), "utf8")]);
  return createHash("sha256").update(program).digest("hex") === sum;
}

function sumFileOf(target: string): string {
  return `${target}.sha256`;
}

const block = 512;

/** Returns the content of one file in a tar archive. The file is matched by its exact name, so no path in the archive is followed. */
function findFile(tar: Buffer, name: string): Buffer | undefined {
  for (let at = 0; at + block <= tar.length;) {
    const text = (start: number, length: number): string =>
      tar.toString("latin1", at + start, at + start + length).split("\0")[0] ?? "";
    const size = Number.parseInt(text(124, 12).trim() || "0", 8);
    if (!Number.isInteger(size) || size < 0 || at + block + size > tar.length) return undefined;
    const isFile = ["0", ""].includes(text(156, 1));
    if (isFile && text(0, 100) === name) return tar.subarray(at + block, at + block + size);
    at += block + Math.ceil(size / block) * block;
  }
  return undefined;
}

function missing(why: string): Fault {
  return new Fault(deployerFaults.no_helm, why);
}
