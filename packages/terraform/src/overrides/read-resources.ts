import { isObject, parseJson, type ReadonlyJson, type ReadonlyJsonObject } from "@cloudwright/platform";
import type { ConfiguredResource } from "./ignore-rules.ts";
import { listLabelled, listPlaced } from "./json-blocks.ts";
import { readHclResources } from "./read-hcl-resources.ts";

/** Returns the resources in a root module's files with the changes that they ignore. Files in subfolders belong to other modules. */
export function readResources(files: Iterable<readonly [path: string, text: string]>): readonly ConfiguredResource[] {
  const found = new Map<string, ConfiguredResource>();
  // Override files come last, sorted by name, and their lists replace earlier ones.
  const inOrder = [...files].filter(([path]) => !path.includes("/")).toSorted(([a], [b]) => compareNames(a, b));
  for (const [path, text] of inOrder) {
    for (const resource of readFile(path, text)) {
      const address = `${resource.type}.${resource.name}`;
      const earlier = found.get(address)?.ignoreChanges;
      found.set(address, { ...resource, ...keepIgnored(earlier, resource.ignoreChanges) });
    }
  }
  return [...found.values()];
}

/** Returns the resources in a JSON configuration with the changes that they ignore. */
export function readJsonResources(configuration: ReadonlyJsonObject): readonly ConfiguredResource[] {
  return listLabelled(configuration, "resource").map(({ type, name, value }) => {
    const rules = isObject(value) ? listPlaced({ path: "", value: value["lifecycle"] ?? null }) : [];
    const lists = rules.flatMap(
      (rule) => (isObject(rule.value) ? (rule.value["ignore_changes"] ?? []) : []) as ReadonlyJson[] | ReadonlyJson,
    );
    const texts = lists.filter((each): each is string => typeof each === "string");
    if (texts.includes("all")) return { type, name, ignoreChanges: "all" as const };
    return texts.length === 0 ? { type, name } : { type, name, ignoreChanges: texts };
  });
}

function readFile(path: string, text: string): readonly ConfiguredResource[] {
  if (/\.(tf|tofu)$/.test(path)) return readHclResources(text);
  if (!/\.(tf|tofu)\.json$/.test(path)) return [];
  const parsed = parseJson(text);
  return isObject(parsed) ? readJsonResources(parsed) : [];
}

function keepIgnored(
  earlier: ConfiguredResource["ignoreChanges"],
  later: ConfiguredResource["ignoreChanges"],
): Partial<ConfiguredResource> {
  const ignoreChanges = earlier === "all" ? "all" : (later ?? earlier);
  return ignoreChanges === undefined ? {} : { ignoreChanges };
}

function compareNames(a: string, b: string): number {
  const rank = (name: string): number => (/(^|_)override\.(tf|tofu)(\.json)?$/.test(name) ? 1 : 0);
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}
