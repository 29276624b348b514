import type { Site } from "@cloudwright/api";
import type { Logger, Shutdown } from "@cloudwright/platform";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildConsole, locateConsole } from "./build-console.ts";
import { renderNotice } from "./render-notice.ts";

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const nonceMark = "__NONCE__";

type Asset = NonNullable<ReturnType<Site["findAsset"]>>;

/** All files of one build. They are kept in memory because they total only a few hundred kilobytes. */
interface Files {
  readonly page: string;
  readonly assets: ReadonlyMap<string, Asset>;
}

/**
 * Creates the console site for the API server. If the console has not been built yet, it is built in the background. Until the build
 * finishes, console pages show a notice and reload themselves. The API is available immediately.
 */
export function createConsoleSite(deps: { log: Logger; shutdown: Pick<Shutdown, "signal">; cache: string }): Site {
  const { log, shutdown, cache } = deps;
  let files: Files | undefined;
  let isBroken = false;
  const open = async (): Promise<void> => {
    const folder = locateConsole(cache);
    if (!existsSync(folder)) {
      log.info("building the console");
      await buildConsole(folder, shutdown.signal);
    }
    files = readFiles(folder);
    log.debug({ files: files.assets.size }, "the console is ready");
  };
  void open().catch((error: unknown) => {
    if (shutdown.signal.aborted) return;
    isBroken = true;
    log.warn({ err: error }, "could not build the console; the API is not affected");
  });
  return {
    renderPage(nonce) {
      if (files !== undefined) return { status: 200, html: files.page.replaceAll(nonceMark, nonce) };
      return { status: isBroken ? 503 : 200, html: renderNotice(nonce, isBroken) };
    },
    findAsset: (name) => files?.assets.get(name),
  };
}

function readFiles(folder: string): Files {
  const assets = readdirSync(join(folder, "assets")).map((name): [string, Asset] => {
    const content = readFileSync(join(folder, "assets", name));
    const type = mediaTypes[extname(name)] ?? "application/octet-stream";
    const gzipped = extname(name) === ".woff2" ? undefined : gzipSync(content, { level: 9 });
    // Files with a content hash in their name can be cached forever.
    return [name, { content, gzipped, type, lasting: /-[\w-]{8}\.\w+$/.test(name) }];
  });
  return { page: readFileSync(join(folder, "index.html"), "utf8"), assets: new Map(assets) };
}
