import { getEntitySchema } from "@cloudwright/contract/entities";
import { expect, test } from "vitest";
import { kindViews } from "../kinds/registry.ts";
import { freeForms, meaningfulZeros, omitDefaults } from "./omit-defaults.ts";

type Field = ReturnType<typeof getEntitySchema>["fields"][number];

/** Lists all spec fields of the kinds that have pages, including nested fields. Does not descend into free-form documents. */
function listSpecFields(): Field[] {
  const seen = new Set<string>();
  const walk = (schema: ReturnType<typeof getEntitySchema>): Field[] => {
    if (seen.has(schema.typeName) || schema.typeName.startsWith("google.protobuf.")) return [];
    seen.add(schema.typeName);
    return schema.fields.flatMap((field) => [field, ...(field.message === undefined ? [] : walk(field.message))]);
  };
  return kindViews.flatMap(({ kind }) =>
    getEntitySchema(kind).fields.flatMap(({ localName, message }) =>
      localName === "spec" && message !== undefined ? walk(message) : [],
    ),
  );
}

/** Protobuf enum values for explicit field presence and for the scalar type string. */
const [explicitPresence, stringType] = ["1", "9"];
const isFreeForm = ({ fieldKind, message }: Field): boolean =>
  fieldKind === "map" || message?.typeName === "google.protobuf.Struct";

test("M015 X013 the YAML of an entity contains every value that differs from its default", () => {
  const fields = listSpecFields();
  const optional = fields.filter(
    ({ fieldKind, presence, scalar }) =>
      fieldKind === "scalar" && String(presence) === explicitPresence && String(scalar) !== stringType,
  );
  expect(optional.length).toBeGreaterThan(10);
  expect(optional.map(({ jsonName }) => jsonName).filter((name) => !meaningfulZeros.has(name))).toEqual([]);
  expect(
    fields
      .filter(isFreeForm)
      .map(({ jsonName }) => jsonName)
      .filter((name) => !freeForms.has(name)),
  ).toEqual([]);
  const structured = fields.filter((field) => freeForms.has(field.jsonName) && !isFreeForm(field));
  expect(structured.map(({ parent, jsonName }) => `${parent.name}.${jsonName}`)).toEqual([
    "AwsAccessEntry.policy",
    "AzureAccessEntry.policy",
  ]);
});

test("M015 X013 the YAML keeps empty sections, zeros and empty labels that have a meaning", () => {
  const spec = {
    network: "main",
    version: "",
    workers: 0,
    endpoint: { public: false, publicCidrs: [] },
    aws: {
      deletionProtection: false,
      logRetentionDays: 0,
      logTypes: [],
      support: "",
      accessEntries: [{ policy: "", groups: ["a"] }],
    },
    azure: { entra: { adminGroupIds: [] } },
    nodeLabels: { spare: "" },
    settings: {},
    bucket: { policy: { Statement: [{ Sid: "", Count: 0 }] } },
  };
  expect(omitDefaults(spec)).toEqual({
    network: "main",
    workers: 0,
    endpoint: { public: false },
    aws: { deletionProtection: false, logRetentionDays: 0, accessEntries: [{ policy: "", groups: ["a"] }] },
    azure: { entra: {} },
    nodeLabels: { spare: "" },
    bucket: { policy: { Statement: [{ Sid: "", Count: 0 }] } },
  });
});
