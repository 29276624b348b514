import { Fault, isObject, listOf, numberOf, parseJson, textOf, type ReadonlyJsonObject } from "@cloudwright/platform";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { hostsFaults } from "../faults.ts";
import type { HostDeps } from "../host-deps.ts";
import { extractArchive, requireDigest } from "./archive.ts";
import { applyLayer } from "./layers.ts";

const indexTypes = ["application/vnd.oci.image.index.v1+json", "application/vnd.docker.distribution.manifest.list.v2+json"];
const manifestTypes = ["application/vnd.oci.image.manifest.v1+json", "application/vnd.docker.distribution.manifest.v2+json"];
const layerTypes = ["", "+gzip", "+zstd"].map((packing) => `application/vnd.oci.image.layer.v1.tar${packing}`);
const dockerLayer = "application/vnd.docker.image.rootfs.diff.tar.gzip";
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };
/** Limits how much is read into memory. Real manifests have a few kilobytes. */
const documentLimit = 4 * 1024 * 1024;
const nestingLimit = 4;

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly platform: string;
}

/**
 * Unpacks an OCI layout into a root file system and returns the digest of its manifest. Every blob is verified before it is used. `work` is
 * a folder for temporary files on the same file system as `root`.
 */
export async function unpackOci(
  deps: Pick<HostDeps, "run">,
  layout: string,
  { root, work }: { readonly root: string; readonly work: string },
  signal: AbortSignal | undefined,
): Promise<string> {
  const index = await readDocument(join(layout, "index.json"));
  const chosen = await chooseManifest(layout, index, signal);
  const manifest = await readBlob(layout, chosen, signal);
  const layers = listOf(manifest["layers"]).map(parseDescriptor);
  if (layers.length === 0) throw new Fault(hostsFaults.bad_image, `the manifest ${chosen.digest} in ${layout} has no layers`);
  await mkdir(root, { mode: 0o755 });
  for (const layer of layers) {
    if (!layerTypes.includes(layer.mediaType) && layer.mediaType !== dockerLayer) {
      const allowed = [...layerTypes, dockerLayer].join(", ");
      throw new Fault(
        hostsFaults.bad_image,
        `the layer ${layer.digest} has the media type "${layer.mediaType}"; use one of: ${allowed}`,
      );
    }
    const file = blobPath(layout, layer.digest);
    await requireDigest(file, layer.digest.slice("sha256:".length), signal);
    const folder = join(work, "layer");
    await extractArchive(deps, file, folder, signal);
    await applyLayer(folder, root);
    await rm(folder, { recursive: true });
  }
  return chosen.digest;
}

/** Returns the only manifest for this machine's architecture. A manifest without a platform is accepted if it is the only one. */
async function chooseManifest(layout: string, index: ReadonlyJsonObject, signal: AbortSignal | undefined): Promise<Descriptor> {
  const all = await listManifests(layout, index, signal, 0);
  const wanted = `linux/${architectures[process.arch] ?? process.arch}`;
  const matching = all.filter(({ platform }) => platform === wanted);
  const candidates = matching.length === 0 && all.length === 1 ? all.filter(({ platform }) => platform === "") : matching;
  if (candidates.length === 1) return candidates[0] as Descriptor;
  const offered = all.map(({ platform, digest }) => `${platform === "" ? "no platform" : platform} (${digest})`).join(", ");
  throw new Fault(
    hostsFaults.bad_image,
    `${layout} has ${candidates.length} manifests for ${wanted}; exactly one is required. The layout contains: ${offered || "none"}`,
  );
}

async function listManifests(
  layout: string,
  index: ReadonlyJsonObject,
  signal: AbortSignal | undefined,
  depth: number,
): Promise<Descriptor[]> {
  if (depth > nestingLimit)
    throw new Fault(hostsFaults.bad_image, `the indexes of ${layout} are nested more than ${nestingLimit} levels deep`);
  const found: Descriptor[] = [];
  for (const descriptor of listOf(index["manifests"]).map(parseDescriptor)) {
    if (manifestTypes.includes(descriptor.mediaType)) found.push(descriptor);
    if (!indexTypes.includes(descriptor.mediaType)) continue;
    found.push(...(await listManifests(layout, await readBlob(layout, descriptor, signal), signal, depth + 1)));
  }
  return found;
}

function parseDescriptor(value: unknown): Descriptor {
  const { mediaType, digest, platform } = isObject(value) ? value : {};
  if (!/^sha256:[0-9a-f]{64}$/.test(textOf(digest)))
    throw new Fault(
      hostsFaults.bad_image,
      `"${textOf(digest)}" is not a valid digest; use sha256: followed by 64 lower-case hexadecimal digits`,
    );
  const { os, architecture } = isObject(platform) ? platform : {};
  return {
    mediaType: textOf(mediaType),
    digest: textOf(digest),
    platform: isObject(platform) ? `${textOf(os)}/${textOf(architecture)}` : "",
  };
}

async function readBlob(layout: string, { digest }: Descriptor, signal: AbortSignal | undefined): Promise<ReadonlyJsonObject> {
  const file = blobPath(layout, digest);
  await requireDigest(file, digest.slice("sha256:".length), signal);
  return readDocument(file);
}

async function readDocument(file: string): Promise<ReadonlyJsonObject> {
  const size = await stat(file).then(
    (found) => numberOf(found.size),
    () => undefined,
  );
  if (size === undefined)
    throw new Fault(hostsFaults.bad_image, `${file} does not exist; an OCI layout must contain index.json and blobs`);
  if (size > documentLimit)
    throw new Fault(hostsFaults.bad_image, `${file} has ${size} bytes; use at most ${documentLimit} bytes`);
  const document = parseJson(await readFile(file, "utf8"));
  if (isObject(document)) return document;
  throw new Fault(hostsFaults.bad_image, `${file} is not a JSON object`);
}

function blobPath(layout: string, digest: string): string {
  return join(layout, "blobs", "sha256", digest.slice("sha256:".length));
}
