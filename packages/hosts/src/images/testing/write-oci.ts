import { createHash } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Writes an OCI layout. `layers` are the paths of tar archives, which become the layers of the manifest for this machine. */
export async function writeOci(folder: string, layers: readonly string[]): Promise<void> {
  const blobs = join(folder, "blobs", "sha256");
  await mkdir(blobs, { recursive: true });
  const put = async (mediaType: string, content: Buffer): Promise<{ mediaType: string; digest: string; size: number }> => {
    const hex = createHash("sha256").update(content).digest("hex");
    await writeFile(join(blobs, hex), content);
    return { mediaType, digest: `sha256:${hex}`, size: content.length };
  };
  const architecture = process.arch === "x64" ? "amd64" : process.arch;
  const descriptors = [];
  for (const layer of layers) descriptors.push(await put("application/vnd.oci.image.layer.v1.tar", await readFile(layer)));
  const manifest = Buffer.from(JSON.stringify({ schemaVersion: 2, layers: descriptors }));
  const chosen = await put("application/vnd.oci.image.manifest.v1+json", manifest);
  const foreign = { ...chosen, platform: { os: "linux", architecture: "s390x" } };
  const index = { schemaVersion: 2, manifests: [foreign, { ...chosen, platform: { os: "linux", architecture } }] };
  await writeFile(join(folder, "index.json"), JSON.stringify(index));
}
