import { isCloudName } from "@cloudwright/contract/clouds";
import type { AnyEntity, KindName } from "@cloudwright/api-client";
import { getKind } from "@cloudwright/contract/kinds";
import { stringify } from "yaml";
import { omitDefaults, omitEmptyMap } from "./omit-defaults.ts";
import { isNested } from "./paths.ts";

type Tree = Readonly<Record<string, unknown>>;

/** Renders an entity as a user would write it, without the fields that the platform sets. */
export function renderYaml(kind: KindName, entity: AnyEntity): string {
  return stringify(toDocument(kind, entity), { lineWidth: 110 });
}

/** Returns the user-editable fields of an entity. Omits fields that have their default value. */
function toDocument(kind: KindName, { metadata, spec }: AnyEntity): Tree {
  const { name, labels, annotations, environment, deletionProtection, deletionPolicy, parent } = metadata ?? {};
  const own = {
    name,
    ...(isNested(kind) ? { parent } : {}),
    labels: omitEmptyMap(labels),
    annotations: omitEmptyMap(annotations),
    environment,
    deletionProtection: deletionProtection === true ? true : undefined,
    deletionPolicy,
  };
  const kept = Object.entries(own).filter(([, value]) => value !== undefined && value !== "");
  return { kind, metadata: Object.fromEntries(kept), spec: omitDefaults((spec ?? {}) as Tree) };
}

/** Renders the curl command that creates the entity. */
export function renderCall(kind: KindName, entity: AnyEntity, at: { readonly server: string; readonly project: string }): string {
  const { metadata, spec } = toDocument(kind, entity);
  const { parent = "", ...own } = metadata as Tree;
  const { collection, parent: above } = getKind(kind);
  const path =
    above !== undefined && isNested(kind) ? `${getKind(above.kind).collection}/${String(parent)}/${collection}` : collection;
  return [
    `curl -X POST ${at.server}/v1/projects/${at.project}/${path} \\`,
    `  -H "Authorization: Bearer $CLOUDWRIGHT_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${quote(JSON.stringify({ metadata: own, spec }))}`,
  ].join("\n");
}

/** Renders the CLI command that creates the entity. Passes a file if flags cannot express the spec. */
export function renderCommand(kind: KindName, entity: AnyEntity, at: { readonly project: string }): string {
  const { metadata, spec } = toDocument(kind, entity);
  const {
    name = "NAME",
    labels = {},
    environment,
  } = metadata as { name?: string; labels?: Record<string, string>; environment?: string };
  const project = at.project === "default" ? [] : ["-p", at.project];
  const { parent: above } = getKind(kind);
  const parent =
    above !== undefined && isNested(kind) ? [`--${getKind(above.kind).words[0]}`, entity.metadata?.parent ?? ""] : [];
  const flags = flagsOf(kind, spec as Tree);
  if (flags === undefined) return `npx cloud apply -f - ${project.join(" ")}<<'EOF'\n${renderYaml(kind, entity)}EOF`;
  const more = [
    ...Object.entries(labels).flatMap(([key, value]) => ["--label", `${key}=${value}`]),
    ...(environment === undefined ? [] : ["--environment", environment]),
  ];
  return ["npx cloud", getKind(kind).words[0], "create", name, ...parent, ...flags, ...more, ...project]
    .map((word) => quoteIfNeeded(String(word)))
    .join(" ")
    .replace("'npx cloud'", "npx cloud");
}

/**
 * Returns the flags for a spec, or undefined if flags cannot express it. A list becomes a repeated flag, and a oneof becomes a single
 * word.
 */
function flagsOf(kind: KindName, spec: Tree): string[] | undefined {
  const flags: string[] = [];
  for (const [key, value] of Object.entries(spec)) {
    // Only entities without a parent choose a cloud. All others inherit the cloud of their parent.
    if (getKind(kind).parent === undefined && isCloudName(key)) {
      if (Object.keys(value as Tree).length > 0) return undefined;
      flags.push("--cloud", key);
    } else if (value === true) flags.push(`--${kebab(key)}`);
    else if (Array.isArray(value) && value.every((item) => typeof item === "string"))
      flags.push(...value.flatMap((item) => [`--${kebab(key)}`, item]));
    else if (typeof value === "string" || typeof value === "number") flags.push(`--${kebab(key)}`, String(value));
    else return undefined;
  }
  return flags;
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function quoteIfNeeded(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : quote(word);
}
