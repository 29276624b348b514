import { describeError, Fault, isObject, parseJson, trimEnd } from "@cloudwright/platform";
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { Readable } from "node:stream";
import { terraformFaults } from "../faults.ts";
import type { ReleaseLayout } from "./releases.ts";

/** Where releases are downloaded from: the vendor's site, or a mirror with the same paths. */
export interface ReleaseSource {
  /** Description of the source for messages. */
  readonly place: string;
  open(path: string): Promise<Readable>;
  /** Returns the content of a small file. */
  read(path: string): Promise<Buffer>;
  readKey(): Promise<Buffer>;
  listVersions(): Promise<string[]>;
}

const smallBytes = 64 * 1024 * 1024;
const silenceMs = 60_000;

/** Opens a file below an absolute path or a URL. Throws `terraform.download_failed` if the file is not available. */
export function openDownload(base: string, path: string, signal?: AbortSignal): Promise<Readable> {
  const root = trimEnd(base, "/");
  return isAbsolute(root) ? openFile(join(root, path)) : openAddress(`${root}/${path}`, signal);
}

/** Creates a release source. `mirror` is an absolute path or a URL; if undefined, the vendor's site is used. */
export function createReleaseSource(layout: ReleaseLayout, mirror: string | undefined, signal?: AbortSignal): ReleaseSource {
  const base = trimEnd(mirror ?? layout.base, "/");
  const isFolder = isAbsolute(base);
  const open = (path: string): Promise<Readable> => openDownload(base, path, signal);
  const readFrom = async (where: string, stream: Readable): Promise<Buffer> => {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > smallBytes) throw failed(where, "it is too large");
        chunks.push(chunk);
      }
    } catch (error) {
      throw error instanceof Fault ? error : failed(where, describeCause(error), error);
    }
    return Buffer.concat(chunks);
  };
  const read = async (path: string): Promise<Buffer> => readFrom(path, await open(path));
  const readOwn = async (own: { address: string; path: string }): Promise<Buffer> =>
    mirror === undefined ? readFrom(own.address, await openAddress(own.address, signal)) : read(own.path);
  return {
    place: base,
    open,
    read,
    readKey: () => readOwn(layout.key),
    async listVersions() {
      if (isFolder) return listFolders(join(base, layout.list.folder));
      const list = parseJson((await readOwn(layout.list)).toString());
      if (!isObject(list)) throw failed(base, "its list of versions is malformed");
      return layout.listVersions(list);
    },
  };
}

async function openAddress(address: string, signal: AbortSignal | undefined): Promise<Readable> {
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new Error("the server did not respond in time")), silenceMs);
  try {
    const response = await fetch(address, {
      signal: AbortSignal.any([stalled.signal, ...(signal === undefined ? [] : [signal])]),
    });
    const isDowngraded = address.startsWith("https:") && !response.url.startsWith("https:");
    if (!response.ok || response.body === null || isDowngraded) {
      await response.body?.cancel();
      throw failed(
        address,
        isDowngraded ? "the server redirected to a URL without https" : `the server responded with status ${response.status}`,
      );
    }
    const body = Readable.fromWeb(response.body);
    timer.refresh();
    body
      .on("data", () => timer.refresh())
      .once("close", () => clearTimeout(timer))
      .pause();
    return body;
  } catch (error) {
    clearTimeout(timer);
    throw error instanceof Fault ? error : failed(address, describeCause(error), error);
  }
}

async function openFile(file: string): Promise<Readable> {
  const stream = createReadStream(file);
  await new Promise<void>((resolve, reject) => {
    stream.once("open", () => resolve());
    stream.once("error", (error) => reject(failed(file, error.message, error)));
  });
  return stream;
}

async function listFolders(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).map((name) => name.replace(/^v/, ""));
  } catch (error) {
    throw failed(folder, describeError(error), error);
  }
}

function describeCause(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return describeError(cause);
}

function failed(where: string, why: string, cause?: unknown): Fault {
  return new Fault(terraformFaults.download_failed, `${where} cannot be downloaded: ${why}`, { cause });
}
