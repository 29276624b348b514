import { isObject } from "@cloudwright/platform";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { AnyEntity } from "@cloudwright/api-client";
import { findKind, isNamedBelow, kinds, type Kind } from "@cloudwright/contract/kinds";
import { Fault, describeError } from "@cloudwright/platform/fault";
import { cliFaults } from "./faults.ts";
import { readFirstNames } from "./first-names.ts";
import { apiVersion } from "./output/item.ts";
import type { World } from "./world.ts";

/** An entity read from a YAML or JSON file. */
export interface EntityDocument {
  readonly kind: Kind;
  readonly cluster: string | undefined;
  /** The project named in the document. Undefined means the session's project. */
  readonly project: string | undefined;
  readonly entity: AnyEntity & { metadata: { name: string } };
  /** The file name and document number, for error messages. */
  readonly source: string;
}

/**
 * Reads all documents from files, directories and standard input (`-`). Parents come before their children. Throws if any document is
 * invalid.
 */
export async function readDocuments(world: World, paths: readonly string[]): Promise<EntityDocument[]> {
  const documents: EntityDocument[] = [];
  for (const path of paths) {
    for (const { text, source } of await readSources(world, path)) {
      for (const [index, value] of (await parseYamlDocuments(text, source)).entries()) {
        documents.push(...toDocuments(value, `${source}#${index + 1}`));
      }
    }
  }
  if (documents.length === 0) throw new Fault(cliFaults.bad_file, `no documents found in ${paths.join(", ")}`);
  const rank = (document: EntityDocument): number => kinds.findIndex(({ kind }) => kind === document.kind.kind);
  return documents.toSorted((a, b) => rank(a) - rank(b));
}

/** Parses YAML or JSON text into documents. Skips empty documents. */
export async function parseYamlDocuments(text: string, source: string): Promise<unknown[]> {
  const { parseAllDocuments } = await import("yaml");
  // Keeps fractions as strings, so that `version: 1.30` does not become 1.3. The contract has no fractional fields.
  const parsed = parseAllDocuments(text, {
    customTags: (tags) => tags.filter((tag) => typeof tag === "string" || !tag.tag.endsWith(":float")),
  });
  return [...parsed].flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined)
      throw new Fault(cliFaults.bad_file, `${source}: ${(error.message.split("\n")[0] ?? "").replace(/:$/, "")}`);
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return value === null || value === undefined ? [] : [value];
  });
}

/** Converts a parsed document into entities. A list document yields several. */
export function toDocuments(value: unknown, source: string): EntityDocument[] {
  const wrong = (what: string): Fault => new Fault(cliFaults.bad_file, `${source}: ${what}`);
  if (!isObject(value)) throw wrong("expected a document with a kind");
  if (typeof value["kind"] === "string" && value["kind"].endsWith("List") && Array.isArray(value["items"])) {
    return value["items"].flatMap((item, index) => toDocuments(item, `${source}[${index}]`));
  }
  const { apiVersion: version = apiVersion, kind: word, cluster, metadata, spec, status: _status, ...unknown } = value;
  if (typeof word !== "string") throw wrong("kind is missing");
  const kind = findKind(word);
  if (kind === undefined) throw wrong(`unknown kind "${word}"`);
  if (version !== apiVersion) throw wrong(`unsupported apiVersion ${JSON.stringify(version)}; use ${apiVersion}`);
  const [extra] = Object.keys(unknown);
  if (extra !== undefined) throw wrong(`unknown field "${extra}"`);
  if (!isObject(metadata) || typeof metadata["name"] !== "string") throw wrong("metadata.name is missing");
  if (spec !== undefined && spec !== null && !isObject(spec)) throw wrong("spec must be a map");
  if (isNamedBelow(kind) !== (typeof cluster === "string")) {
    throw wrong(
      isNamedBelow(kind) ? "a node pool requires a cluster: add `cluster: NAME` next to `kind`" : 'unknown field "cluster"',
    );
  }
  const { project, ...rest } = metadata;
  return [
    {
      kind,
      source,
      cluster: cluster as string | undefined,
      project: typeof project === "string" && project !== "" ? project : undefined,
      entity: {
        metadata: rest as { name: string },
        ...(spec === undefined ? {} : { spec: readFirstNames(kind.kind, spec ?? {}, source) }),
      },
    },
  ];
}

async function readSources(world: World, path: string): Promise<{ text: string; source: string }[]> {
  if (path === "-") return [{ text: await world.stdin.readAll(), source: "standard input" }];
  try {
    if (!statSync(path).isDirectory()) return [{ text: readFileSync(path, "utf8"), source: path }];
    const files = readdirSync(path).filter((name) => /\.(ya?ml|json)$/.test(name));
    return files.toSorted().map((name) => ({ text: readFileSync(join(path, name), "utf8"), source: join(path, name) }));
  } catch (cause) {
    throw new Fault(cliFaults.bad_file, `cannot read ${path}: ${describeError(cause)}`, { cause });
  }
}
