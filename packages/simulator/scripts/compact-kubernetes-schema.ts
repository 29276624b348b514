/**
 * Generates src/kubernetes/gen/schemas.json from the OpenAPI v3 files in the Kubernetes sources:
 *   node packages/simulator/scripts/compact-kubernetes-schema.ts <kubernetes source>/api/openapi-spec/v3
 * The result covers the kinds that simulated clusters serve and the schemas they refer to. Descriptions are truncated after the first
 * sentence.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtInKinds } from "../src/kubernetes/kinds/kinds.ts";

type Schema = Record<string, unknown>;

const folder = process.argv[2] ?? "";
const known: Record<string, Schema> = {};
for (const file of readdirSync(folder).filter((name) => /^apis?__.*v\d+_openapi\.json$/.test(name))) {
  const { components } = JSON.parse(readFileSync(join(folder, file), "utf8")) as {
    components?: { schemas?: Record<string, Schema> };
  };
  Object.assign(known, components?.schemas);
}
const extra = ["io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions", "io.k8s.apimachinery.pkg.apis.meta.v1.Status"];
const others = [
  "authentication.v1.TokenRequest",
  "authentication.v1.SelfSubjectReview",
  "authorization.v1.SelfSubjectAccessReview",
  "authorization.v1.SelfSubjectRulesReview",
  "authorization.v1.SubjectAccessReview",
  "authorization.v1.LocalSubjectAccessReview",
  "autoscaling.v1.Scale",
  "policy.v1.Eviction",
  "core.v1.Binding",
].map((name) => `io.k8s.api.${name}`);
const wanted = new Set([...extra, ...others, ...builtInKinds.map((kind) => kind.schema)]);
const kept: Record<string, Schema> = {};
for (const name of wanted) {
  const schema = known[name];
  if (schema === undefined) throw new Error(`no schema ${name} in ${folder}`);
  kept[name] = shorten(schema, true) as Schema;
}
const lines = Object.keys(kept)
  .toSorted()
  .map((name) => `${JSON.stringify(name)}: ${JSON.stringify(kept[name])}`);
writeFileSync(join(import.meta.dirname, "../src/kubernetes/gen/schemas.json"), `{\n${lines.join(",\n")}\n}\n`);

// Shortens references to bare names and omits defaults that equal Go's zero values.
function shorten(value: unknown, isSchema: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => shorten(item, true));
  if (typeof value !== "object" || value === null) return value;
  const source = value as Schema;
  const out: Schema = {};
  for (const [key, item] of Object.entries(source)) {
    if (!isSchema) out[key] = shorten(item, true);
    else if (key === "$ref") out["$ref"] = note(String(item));
    else if (key === "allOf") Object.assign(out, shorten((item as unknown[])[0], true));
    else if (key === "description") out[key] = firstSentence(String(item));
    else if (key === "default" && ["{}", '""', "0"].includes(JSON.stringify(item))) continue;
    else if (key === "x-kubernetes-group-version-kind") out[key] = (item as unknown[]).slice(0, 1);
    else out[key] = shorten(item, key !== "properties");
  }
  return out;
}

function note(reference: string): string {
  const name = reference.replace("#/components/schemas/", "");
  wanted.add(name);
  return name;
}

function firstSentence(text: string): string {
  const sentence = /^.*?[^.]\.(?=\s|$)/s.exec(text)?.[0] ?? text;
  return sentence.length > 240 ? `${sentence.slice(0, 237)}...` : sentence;
}
