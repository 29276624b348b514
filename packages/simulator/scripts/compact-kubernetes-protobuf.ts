/**
 * Generates src/kubernetes/gen/protobuf.json from the .proto files in the sources of the Kubernetes API:
 *   node packages/simulator/scripts/compact-kubernetes-protobuf.ts <k8s.io/api source> <k8s.io/apimachinery source>
 * The result covers messages that have a schema in schemas.json. kubectl sends protobuf for objects that it builds itself.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

type Field = [number: number, name: string, type: string, isRepeated?: 1];

const folder = join(import.meta.dirname, "../src/kubernetes/gen");
const schemas = JSON.parse(readFileSync(join(folder, "schemas.json"), "utf8")) as Record<string, { properties?: object }>;
const scalars: Record<string, string> = {
  string: "string",
  bool: "bool",
  bytes: "bytes",
  int32: "int",
  int64: "int",
  uint32: "int",
  double: "double",
};
const messages = new Map<string, Field[]>();
for (const source of process.argv.slice(2)) {
  for (const file of globSync("**/generated.proto", { cwd: source })) readFile(readFileSync(join(source, file), "utf8"));
}
const wanted = new Set(Object.keys(schemas));
const lines: string[] = [];
for (const name of wanted) {
  const fields = messages.get(name);
  if (fields === undefined) continue;
  // Some messages are nested in protobuf but inlined into their parent in JSON.
  const known = schemas[name]?.properties as Record<string, unknown> | undefined;
  const named = fields.map(
    ([number, field, type, ...rest]) => [number, known === undefined || field in known ? field : "", type, ...rest] as Field,
  );
  for (const [, , type] of named) if (type.startsWith("io.")) wanted.add(type);
  lines.push(`${JSON.stringify(name)}: ${JSON.stringify(named)}`);
}
writeFileSync(join(folder, "protobuf.json"), `{\n${lines.toSorted().join(",\n")}\n}\n`);

function readFile(text: string): void {
  const pack = /^package (.+);$/m.exec(text)?.[1] ?? "";
  for (const [, name = "", body = ""] of text.matchAll(/^message (\w+) \{\n(.*?)^\}/gms)) {
    const fields = [...body.matchAll(/^ {2}(optional|repeated|map<string, ([^>]+)>) ?([.\w]*) (\w+) = (\d+);/gm)].map(
      ([, how = "", mapped, type = "", field = "", number]): Field => {
        if (mapped !== undefined) return [Number(number), field, `map:${typeName(pack, mapped)}`];
        return how === "repeated"
          ? [Number(number), field, typeName(pack, type), 1]
          : [Number(number), field, typeName(pack, type)];
      },
    );
    messages.set(apiName(`${pack}.${name}`), fields);
  }
}

function typeName(pack: string, type: string): string {
  return scalars[type] ?? apiName(type.startsWith(".") ? type.slice(1) : type.includes(".") ? type : `${pack}.${type}`);
}

function apiName(name: string): string {
  return name.replace(/^k8s\.io\./, "io.k8s.");
}
