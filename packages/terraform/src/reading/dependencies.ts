import { isObject, listOf, objectOf, type ReadonlyJson, type ReadonlyJsonObject, textOf } from "@cloudwright/platform";
import type { FileReferences } from "./read-references.ts";

/** A resource and the resources it depends on. */
export interface ResourceDependency {
  /** Address without `count` and `for_each` keys, because Terraform waits for all instances of a resource. */
  readonly address: string;
  /** Addresses of the resources that must be created before this one and deleted after it. */
  readonly needs: readonly string[];
}

/** Reads the references in a module's files. `path` has the form `network.subnets` and is empty for the root module. */
export type ReadModuleReferences = (path: string) => FileReferences;

/** Maximum number of resources in a graph that can be drawn. Larger configurations are reported without dependencies. */
const mostResources = 2000;

/**
 * Reads dependencies from the configuration in a plan and resolves locals and modules. For resources that exist only in the state, uses the
 * dependencies in the state.
 */
export function readDependencies(shown: ReadonlyJsonObject, filesOf: ReadModuleReferences): ResourceDependency[] {
  const configuration = objectOf(shown["configuration"]);
  const root = createModule(objectOf(configuration["root_module"]), undefined, "", filesOf);
  const providers = objectOf(configuration["provider_config"]);
  const found = new Map<string, ReadonlySet<string>>();
  for (const module of listModules(root)) {
    for (const resource of listOf(module.content["resources"]).filter(isObject)) {
      const provider = objectOf(providers[textOf(resource["provider_config_key"])]);
      const own = textOf(resource["address"]);
      const needs = new Set([
        ...module.resolveAll([...listReferences(resource), ...module.readFiles(own)]),
        ...module.needs(),
        ...root.resolveAll(listReferences(provider)),
      ]);
      const address = module.prefix + own;
      needs.delete(address);
      found.set(address, needs);
    }
  }
  for (const [address, needs] of listStored(objectOf(objectOf(objectOf(shown["prior_state"])["values"])["root_module"]))) {
    if (!found.has(address)) found.set(address, new Set(needs));
  }
  if (found.size > mostResources) return [];
  return [...found].map(([address, needs]) => ({ address, needs: [...needs].filter((each) => found.has(each)).toSorted() }));
}

/** Removes `count` and `for_each` keys from an address. */
export function dropKeys(address: string): string {
  return address.includes("[") ? address.replaceAll(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, "") : address;
}

interface Module {
  readonly content: ReadonlyJsonObject;
  readonly prefix: string;
  readonly children: ReadonlyMap<string, Module>;
  /** Dependencies that apply to every resource in the module. */
  needs(): ReadonlySet<string>;
  resolveAll(references: Iterable<string>): Set<string>;
  /** References that the module's files contain for a local or resource. */
  readFiles(name: string): readonly string[];
  resolveOutput(name: string): Set<string>;
  listAll(): string[];
}

function createModule(
  content: ReadonlyJsonObject,
  parent: Module | undefined,
  path: string,
  filesOf: ReadModuleReferences,
  call: ReadonlyJsonObject = {},
): Module {
  const prefix =
    path === ""
      ? ""
      : `${path
          .split(".")
          .map((name) => `module.${name}`)
          .join(".")}.`;
  const own = new Set(listOf(content["resources"]).map((resource) => textOf(objectOf(resource)["address"])));
  const children = new Map<string, Module>();
  const known = new Map<string, Set<string>>();
  let files: FileReferences | undefined;
  const resolve = (reference: string): Set<string> => {
    const [kind = "", name = "", third = ""] = dropKeys(reference).split(/[.[]/);
    const key = kind === "data" || kind === "module" ? `${kind}.${name}.${third}` : `${kind}.${name}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    // Stops recursion at circular references, which Terraform rejects.
    known.set(key, new Set());
    const result = lookUp(kind, name, third);
    known.set(key, result);
    return result;
  };
  const lookUp = (kind: string, name: string, third: string): Set<string> => {
    if (kind === "local") return module.resolveAll(module.readFiles(`local.${name}`));
    if (kind === "var") return parent?.resolveAll(listReferences(objectOf(call["expressions"])[name] ?? null)) ?? new Set();
    const address = kind === "data" ? `data.${name}.${third}` : `${kind}.${name}`;
    if (kind !== "module") return new Set(own.has(address) ? [prefix + address] : []);
    const child = children.get(name);
    return (third === "" ? new Set(child?.listAll()) : child?.resolveOutput(third)) ?? new Set();
  };
  const module: Module = {
    content,
    prefix,
    children,
    needs: () =>
      new Set(
        parent === undefined
          ? []
          : [...parent.needs(), ...parent.resolveAll(listReferences({ ...call, module: null, expressions: null }))],
      ),
    resolveAll(references) {
      const list = [...references];
      // A plan that lists `module.a.b` also lists `module.a`. On its own, `module.a` means the whole module.
      const isPart = (reference: string): boolean =>
        reference.startsWith("module.") &&
        /^module\.[^.]+$/.test(dropKeys(reference)) &&
        list.some((other) => dropKeys(other).startsWith(`${dropKeys(reference)}.`));
      return new Set(list.filter((reference) => !isPart(reference)).flatMap((reference) => [...resolve(reference)]));
    },
    readFiles: (name) => (files ??= filesOf(path)).get(name) ?? [],
    resolveOutput: (name) => module.resolveAll(listReferences(objectOf(content["outputs"])[name] ?? null)),
    listAll: () => [
      ...[...own].map((address) => prefix + address),
      ...[...children.values()].flatMap((child) => child.listAll()),
    ],
  };
  for (const [name, each] of Object.entries(objectOf(content["module_calls"]))) {
    const inner = path === "" ? name : `${path}.${name}`;
    children.set(name, createModule(objectOf(objectOf(each)["module"]), module, inner, filesOf, objectOf(each)));
  }
  return module;
}

function listModules(module: Module): Module[] {
  return [module, ...[...module.children.values()].flatMap(listModules)];
}

/** Returns all references in a value, from expressions and from `depends_on`. */
function listReferences(value: ReadonlyJson): string[] {
  if (Array.isArray(value)) return (value as readonly ReadonlyJson[]).flatMap(listReferences);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    (name === "references" || name === "depends_on") && isTexts(inner) ? [...inner] : listReferences(inner),
  );
}

function isTexts(value: ReadonlyJson): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function listStored(module: ReadonlyJsonObject): (readonly [string, readonly string[]])[] {
  const own = listOf(module["resources"]).filter(isObject);
  return [
    ...own.map((resource) => {
      const needs = listOf(resource["depends_on"]).filter((each) => typeof each === "string");
      return [dropKeys(textOf(resource["address"])), needs] as const;
    }),
    ...listOf(module["child_modules"]).filter(isObject).flatMap(listStored),
  ];
}
