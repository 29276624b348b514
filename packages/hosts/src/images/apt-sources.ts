import { Fault } from "@cloudwright/platform";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { hostsFaults } from "../faults.ts";

interface AptSource {
  readonly uris: readonly string[];
  readonly suites: readonly string[];
  readonly components: readonly string[];
  readonly signedBy: string | undefined;
}

/**
 * Returns the lines of a sources.list for a Debian release, taken from the host's own apt configuration. Images are therefore built from
 * the mirrors that the operator chose for the host.
 */
export async function readMirrors(release: string, folder = "/etc/apt"): Promise<string[]> {
  const sources = await readSources(folder);
  const suites = new Set([release, `${release}-updates`, `${release}-security`]);
  const lines = sources.flatMap(({ uris, suites: offered, components, signedBy }) => {
    if (!components.includes("main")) return [];
    const options = signedBy === undefined ? "" : `[signed-by=${signedBy}] `;
    const wanted = offered.filter((suite) => suites.has(suite));
    return wanted.flatMap((suite) => uris.map((uri) => `deb ${options}${uri} ${suite} main`));
  });
  if (lines.some((line) => line.endsWith(` ${release} main`))) return lines;
  throw new Fault(
    hostsFaults.no_mirror,
    `the apt sources in ${folder} contain no entry for the suite ${release} with the component main`,
  );
}

async function readSources(folder: string): Promise<AptSource[]> {
  const parts = join(folder, "sources.list.d");
  const names = await readdir(parts).catch((): string[] => []);
  const files = [join(folder, "sources.list"), ...names.toSorted().map((name) => join(parts, name))];
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(file, "utf8").catch(() => "");
      if (file.endsWith(".sources")) return parseStanzas(text);
      return file.endsWith(".list") ? parseLines(text) : [];
    }),
  );
  return found.flat();
}

/** Parses the format of `*.sources` files: stanzas of `Name: value` lines. */
function parseStanzas(text: string): AptSource[] {
  const stanzas = text.split(/\n[ \t]*\n/).map((stanza) => {
    const fields = new Map<string, string>();
    for (const line of stanza.split("\n")) {
      const colon = line.indexOf(":");
      if (line.startsWith("#") || line.startsWith(" ") || colon === -1) continue;
      fields.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    return fields;
  });
  return stanzas
    .filter((fields) => words(fields.get("types")).includes("deb") && fields.get("enabled") !== "no")
    .map((fields) => ({
      uris: words(fields.get("uris")),
      suites: words(fields.get("suites")),
      components: words(fields.get("components")),
      // The field may also contain the key itself. In that case, apt uses the host's trusted keys.
      signedBy: fields.get("signed-by")?.startsWith("/") === true ? fields.get("signed-by") : undefined,
    }));
}

/** Parses the one-line format: `deb [options] uri suite component...`. */
function parseLines(text: string): AptSource[] {
  return text.split("\n").flatMap((line) => {
    const match = /^deb[ \t]+(?:\[(?<options>[^\]]*)\][ \t]+)?(?<rest>\S.*)$/.exec(line.trim());
    if (match?.groups === undefined) return [];
    const [uri, suite, ...components] = words((match.groups["rest"] as string).split("#")[0]);
    if (uri === undefined || suite === undefined) return [];
    const signedBy = words(match.groups["options"]).find((option) => option.startsWith("signed-by=/"));
    return [{ uris: [uri], suites: [suite], components, signedBy: signedBy?.slice("signed-by=".length) }];
  });
}

function words(text: string | undefined): string[] {
  return (text ?? "").split(/[ \t]+/).filter((word) => word !== "");
}
