import { getOption, type DescMessage } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { reference } from "../gen/cloudwright/v1/options_pb.ts";
import { findField, getEntitySchema } from "./entities.ts";
import { childKinds, findKind, getKind, kinds, namedInPath, orderByReferences, roleReaches, roles, type Kind } from "./kinds.ts";
import { methods } from "./methods.ts";
import { services } from "./services.ts";

const all: readonly Kind[] = kinds;

describe("M025 the table of kinds agrees with the proto files", () => {
  test.each(all)("$kind has metadata, spec and status, and a service that gets and lists it", ({ kind }) => {
    const schema = getEntitySchema(kind);
    expect(schema.name).toBe(kind);
    expect(schema.fields.map(({ name }) => name)).toEqual(["metadata", "spec", "status"]);
    expect(services.map(({ name }) => name)).toContain(`${kind}Service`);
    const verbs = methods.filter((operation) => operation.kind === kind).map(({ verb }) => verb);
    expect(verbs).toEqual(expect.arrayContaining(["get", "list"]));
  });

  test.each(all)(
    "the path of $kind is its collection, below the project unless the kind is global",
    ({ kind, collection, scope, parent }) => {
      const above = scope === "global" ? "/v1" : "/v1/projects/{project}";
      const named = parent !== undefined && parent.field === undefined ? `/${getKind(parent.kind).collection}/{parent}` : "";
      const paths = methods
        .filter((operation) => operation.kind === kind)
        .flatMap(({ bindings }) => bindings.map(({ path }) => path));
      const own = `${above}${named}/${collection}`;
      expect(paths).toContain(own);
      for (const path of paths) expect(path.replace(/(\/\{name\}(:[a-z]+)?)?$/, "")).toBe(own);
    },
  );

  test.each(all.filter(({ parent }) => parent !== undefined))(
    "$kind names its parent in a field that is marked as a reference to it",
    ({ kind, parent }) => {
      expect(childKinds(parent?.kind ?? "").map((child) => child.kind)).toContain(kind);
      if (parent?.field === undefined) return;
      const field = findField(kind, ["spec", parent.field]);
      expect(field && getOption(field, reference)).toBe(parent.kind);
    },
  );

  test.each(all)(
    "X012 $kind can be paused if and only if it is provisioned; a project can be paused for everything in it",
    ({ kind, provisioned }) => {
      const verbs = methods.filter((operation) => operation.kind === kind).map(({ verb }) => verb);
      const pauses = provisioned || kind === "Project";
      expect([verbs.includes("pause"), verbs.includes("resume")]).toEqual([pauses, pauses]);
    },
  );

  test("each kind comes after the kinds it references", () => {
    const names = all.map(({ kind }) => kind);
    const early = all.filter(({ kind, references }) => references.some((one) => names.indexOf(one.kind) > names.indexOf(kind)));
    expect(early).toEqual([]);
    expect(orderByReferences(all)).toHaveLength(all.length);
  });

  test("the references of each kind are the spec fields that the proto files mark as references", () => {
    for (const { kind, references } of all) {
      const declared = references
        .filter(({ field }) => field !== namedInPath)
        .map(({ kind: to, field, many }) => [field, to, many]);
      expect({ kind, declared }).toEqual({ kind, declared: listMarked(getEntitySchema(kind).field["spec"]?.message) });
    }
  });

  test("every entity in the proto files is in the table", () => {
    const gotten = methods.filter(
      ({ verb, descriptor }) => verb === "get" && descriptor.output.fields.some(({ name }) => name === "metadata"),
    );
    expect(gotten.map(({ kind }) => kind).toSorted()).toEqual(all.map(({ kind }) => kind).toSorted());
  });
});

describe("M003 words on the command line", () => {
  test("identify one kind each", () => {
    const words = all.flatMap(({ kind, collection, words: own }) => [...new Set([kind.toLowerCase(), collection, ...own])]);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
    for (const { kind, words: own } of all) for (const word of own) expect(findKind(word.toUpperCase())?.kind).toBe(kind);
  });

  test("find nothing if they are unknown", () => {
    expect(findKind("nonsense")).toBeUndefined();
    expect(() => getKind("nonsense")).toThrow("nonsense");
  });
});

describe("M008 roles", () => {
  test("include the lower ones; the role agent includes only itself", () => {
    for (const [index, held] of roles.entries()) {
      for (const [rank, asked] of roles.entries()) expect(roleReaches(held, asked)).toBe(index >= rank);
      expect([roleReaches(held, "agent"), roleReaches("agent", held)]).toEqual([false, false]);
    }
    expect(roleReaches("agent", "agent")).toBe(true);
  });
});

function listMarked(message: DescMessage | undefined, prefix = "", inList = false): [string, string, boolean][] {
  return (message?.fields ?? []).flatMap((field): [string, string, boolean][] => {
    const path = `${prefix}${field.jsonName}`;
    const to = getOption(field, reference);
    if (to !== "") return [[path, to, inList || field.fieldKind === "list"]];
    const isOurs = field.message?.typeName.startsWith("cloudwright.") === true;
    return isOurs ? listMarked(field.message, `${path}.`, inList || field.fieldKind === "list") : [];
  });
}
