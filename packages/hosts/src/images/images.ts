import { Fault, isObject, numberOf, parseJson, textOf } from "@cloudwright/platform";
import { lstat, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { extractArchive, requireDigest } from "./archive.ts";
import { readMirrors } from "./apt-sources.ts";
import { unpackOci } from "./oci.ts";
import { digestRecipe, distributions, renderRecipe, type Distribution } from "./recipe.ts";
import { createSerializer } from "../serialize.ts";
import { removeStaging, removeTree, retire, stage } from "./staging.ts";

/** A root file system that instances share. Instances never change it. */
export interface Image {
  readonly name: string;
  /** The origin of the image, such as `debian-12@<digest of the recipe>` or `oci@<digest of the manifest>`. */
  readonly source: string;
  readonly createdAtMs: number;
  /** Disk space that the image occupies. Undefined for images of earlier releases. */
  readonly sizeBytes: number | undefined;
  /** Identifies the request that created the image. */
  readonly token: string;
  /** Folder with the root file system. */
  readonly root: string;
}

interface ImportRequest {
  readonly name: string;
  /** Absolute path of a folder or an archive. */
  readonly path: string;
  /** Expected SHA-256 checksum of the archive, in hexadecimal. */
  readonly sha256?: string | undefined;
  /** Identifies the request. If the image was created by the same request, it is returned. */
  readonly token?: string | undefined;
}

/** The images of a host. An image becomes visible only when it is complete. */
export interface Images {
  /** Builds an image from the packages of a distribution. Returns the existing image if it was built from the same recipe. */
  build(request: { readonly name: string; readonly distribution: Distribution }, signal: AbortSignal | undefined): Promise<Image>;
  importRootfs(request: ImportRequest, signal: AbortSignal | undefined): Promise<Image>;
  /** Imports an OCI layout from a folder or an archive. */
  importOci(request: ImportRequest, signal: AbortSignal | undefined): Promise<Image>;
  list(): Promise<Image[]>;
  find(name: string): Promise<Image | undefined>;
  get(name: string): Promise<Image>;
  /** Removes an image. Throws if an instance uses it. */
  remove(name: string): Promise<void>;
  /** Records that an instance uses an image. The image cannot be removed until the instance releases it. */
  hold(name: string, user: string): Promise<void>;
  release(name: string, user: string): Promise<void>;
  /** Returns the instances that use an image. */
  listUsers(name: string): Promise<string[]>;
}

const buildTimeoutMs = 30 * 60_000;
const copyTimeoutMs = 30 * 60_000;

/** Opens the images in the host's folder and removes the leftovers of interrupted builds and imports. Only one process may open them. */
export async function openImages(deps: HostDeps): Promise<Images> {
  const folder = join(deps.directory, "images");
  await removeStaging(folder);
  const serialize = createSerializer();

  async function find(name: string): Promise<Image | undefined> {
    const content = await readFile(join(folder, requireName(name), "image.json"), "utf8").catch(() => undefined);
    const record = content === undefined ? undefined : parseJson(content);
    if (!isObject(record)) return undefined;
    const { source, createdAtMs, sizeBytes, token } = record;
    return {
      name,
      source: textOf(source),
      createdAtMs: numberOf(createdAtMs),
      sizeBytes: typeof sizeBytes === "number" ? sizeBytes : undefined,
      token: textOf(token),
      root: join(folder, name, "root"),
    };
  }

  async function list(): Promise<Image[]> {
    const names = (await readdir(folder)).filter((name) => !name.startsWith(".")).toSorted();
    return (await Promise.all(names.map(find))).filter((image) => image !== undefined);
  }

  async function get(name: string): Promise<Image> {
    const image = await find(name);
    if (image !== undefined) return image;
    const names = (await list()).map((each) => each.name);
    throw new Fault(
      hostsFaults.image_not_found,
      `the host has no image "${name}"; its images are: ${names.join(", ") || "none"}`,
    );
  }

  async function create(
    name: string,
    signal: AbortSignal | undefined,
    token: string,
    fill: (staging: string) => Promise<string>,
  ): Promise<Image> {
    await stage(deps, { folder, name }, signal, async (staging) => {
      const source = await fill(staging);
      await requireRoot(join(staging, "root"));
      await mkdir(join(staging, "users"));
      const measured = await deps.run("du", ["--summarize", "--block-size=1", "--", join(staging, "root")], { signal });
      const record = { source, createdAtMs: deps.clock.now(), sizeBytes: Number.parseInt(measured.stdout, 10), token };
      await writeFile(join(staging, "image.json"), JSON.stringify(record));
    });
    return get(name);
  }

  async function requireFree(name: string): Promise<void> {
    if ((await find(name)) !== undefined)
      throw new Fault(hostsFaults.image_exists, `the host already has an image named "${name}"`);
  }

  /** Returns the image that an earlier attempt of the same request created. Throws if another request created it. */
  async function findRepeated(name: string, token: string): Promise<Image | undefined> {
    const existing = token === "" ? undefined : await find(name);
    if (existing?.token === token) return existing;
    await requireFree(name);
    return undefined;
  }

  return {
    find,
    list,
    get,
    listUsers: async (name) => (await readdir(join(folder, requireName(name), "users")).catch((): string[] => [])).toSorted(),
    async build({ name, distribution }, signal) {
      const source = `${distribution}@${digestRecipe(distribution)}`;
      const existing = await find(name);
      if (existing?.source === source) return existing;
      await requireFree(name);
      const mirrors = await readMirrors(distributions[distribution]);
      return create(name, signal, "", async (staging) => {
        // Runs the build in separate namespaces, so that it leaves no mounts on the host, and no processes if this process is killed.
        const isolation = ["--mount", "--propagation=private", "--pid", "--fork", "--kill-child", "--mount-proc"];
        const build = ["mmdebstrap", ...renderRecipe(distribution, join(staging, "root"))];
        const command = ["--pdeathsig=KILL", "unshare", ...isolation, ...build];
        const options = { input: `${mirrors.join("\n")}\n`, signal, timeoutMs: buildTimeoutMs };
        await deps.run("setpriv", command, options).catch((error: unknown) => {
          throw describeBuildFailure(distribution, error);
        });
        return source;
      });
    },
    async importRootfs({ name, path, sha256, token = "" }, signal) {
      const existing = await findRepeated(name, token);
      if (existing !== undefined) return existing;
      const isFolder = await checkSource(path, sha256, signal);
      return create(name, signal, token, async (staging) => {
        const root = join(staging, "root");
        if (isFolder) {
          await mkdir(root);
          await deps.run("cp", ["--archive", "--one-file-system", `${path}/.`, root], { signal, timeoutMs: copyTimeoutMs });
        } else await extractArchive(deps, path, root, signal);
        return sha256 === undefined ? "rootfs" : `rootfs@${sha256}`;
      });
    },
    async importOci({ name, path, sha256, token = "" }, signal) {
      const existing = await findRepeated(name, token);
      if (existing !== undefined) return existing;
      const isFolder = await checkSource(path, sha256, signal);
      return create(name, signal, token, async (staging) => {
        const layout = isFolder ? path : join(staging, "layout");
        if (!isFolder) await extractArchive(deps, path, layout, signal);
        const digest = await unpackOci(deps, layout, { root: join(staging, "root"), work: staging }, signal);
        if (!isFolder) await removeTree(layout);
        return `oci@${digest}`;
      });
    },
    // Serialized with `hold`, so that no instance can start using an image while the image is being removed.
    remove: (name) =>
      serialize(name, async () => {
        if ((await find(name)) === undefined) return;
        const users = await readdir(join(folder, name, "users"));
        if (users.length > 0)
          throw new Fault(
            hostsFaults.image_in_use,
            `the image "${name}" is used by the instances ${users.toSorted().join(", ")}`,
          );
        await removeTree(await retire(folder, name));
      }),
    hold: (name, user) =>
      serialize(name, async () => {
        await get(name);
        await writeFile(join(folder, name, "users", user), "");
      }),
    release: (name, user) => rm(join(folder, requireName(name), "users", user), { force: true }),
  };
}

/** Returns true if the source is a folder. Throws if the source does not exist or does not have the expected checksum. */
async function checkSource(path: string, sha256: string | undefined, signal: AbortSignal | undefined): Promise<boolean> {
  const found = isAbsolute(path) ? await stat(path).catch(() => undefined) : undefined;
  if (found === undefined)
    throw new Fault(hostsFaults.bad_image, `"${path}" is not the absolute path of an existing file or folder`);
  if (found.isDirectory() && sha256 !== undefined)
    throw new Fault(
      hostsFaults.bad_image,
      `${path} is a folder, and only archives have a checksum; omit the checksum or import an archive`,
    );
  if (sha256 !== undefined) await requireDigest(path, sha256, signal);
  return found.isDirectory();
}

/** Throws if a folder does not look like the root of a Linux system. */
async function requireRoot(root: string): Promise<void> {
  const entries = await Promise.all(["etc", "usr"].map((name) => lstat(join(root, name)).catch(() => undefined)));
  if (entries.every((entry) => entry?.isDirectory() === true)) return;
  throw new Fault(hostsFaults.bad_image, "the image is not a root file system; it must contain the folders etc and usr");
}

function requireName(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,62}$/.test(name)) return name;
  throw new Fault(
    hostsFaults.bad_image,
    `"${name}" is not a valid image name; use lower-case letters, digits, dots, dashes and underscores, at most 63 characters, and start with a letter or digit`,
  );
}

/** Leaves out everything that the build printed except its errors. */
export function describeBuildFailure(distribution: Distribution, error: unknown): unknown {
  if (!(error instanceof Fault) || error.code !== hostsFaults.tool_failed.code) return error;
  const errors = [...error.message.matchAll(/(?:^|; )E: ([^;]{1,300})/g)].map(([, text = ""]) => text.trim());
  const reasons = errors.slice(0, 2).join("; ") || error.message;
  return new Fault(hostsFaults.build_failed, `the image ${distribution} could not be built: ${reasons}`, { cause: error });
}
