import type { KubeObject } from "@cloudwright/kube";
import { describeError, Fault } from "@cloudwright/platform";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { deployerFaults } from "../faults.ts";
import { numberOf, objectOf, textOf, textsOf } from "../read-spec.ts";
import type { Json, JsonObject } from "../task.ts";
import type { AddOn, Chart, Installation, Site } from "./add-on.ts";
import { fillIn } from "./fill-in.ts";

/** Reads a catalogue folder with one YAML file per add-on. If a file is invalid, the fault names it. */
export function readCatalogue(folder: string): readonly AddOn[] {
  const files = listFiles(folder).filter((file) => /\.ya?ml$/.test(file));
  return files.toSorted((one, other) => one.localeCompare(other)).map((file) => readEntry(join(folder, file)));
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new Fault(deployerFaults.bad_catalogue, `the add-on folder cannot be read: ${describeError(cause)}`, { cause });
  }
}

function readEntry(path: string): AddOn {
  const refuse = (why: string): Fault => new Fault(deployerFaults.bad_catalogue, `${path}: ${why}`);
  let entry: JsonObject;
  try {
    entry = objectOf(parse(readFileSync(path, "utf8")) as Json);
  } catch (cause) {
    throw refuse(`invalid YAML: ${describeError(cause)}`);
  }
  const name = textOf(entry["name"]);
  const version = textOf(entry["version"]);
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name))
    throw refuse(
      "name: use lower-case letters, digits and dashes, such as cert-manager; start with a letter; at most 63 characters",
    );
  if (version === "") throw refuse('version: a string such as "1.2.3" is required');
  const wanted = readWanted(entry["wanted"]);
  if (wanted === undefined) throw refuse("wanted: use `asked`, `always` or a mapping with `when`");
  const install = entry["chart"] === undefined ? readManifests(entry) : readChart(entry);
  if (typeof install === "string") throw refuse(install);
  const clouds = textsOf(entry["clouds"]);
  const order = numberOf(entry["order"]) || 100;
  return { name, version, order, wanted, install, ...(clouds.length === 0 ? {} : { clouds }) };
}

function readWanted(value: Json | undefined): AddOn["wanted"] | undefined {
  if (value === undefined || value === "asked") return "asked";
  if (value === "always") return value;
  const when = textOf(objectOf(value)["when"]);
  return when === "" ? undefined : { when };
}

function readManifests(entry: JsonObject): Installation | string {
  const { manifests, values } = entry;
  if (!Array.isArray(manifests) || manifests.length === 0) return "`chart` or a list of `manifests` is required";
  const wrong = manifests.findIndex((each) => !isKubeObject(objectOf(each)));
  if (wrong !== -1) return `manifests[${wrong}] lacks apiVersion, kind or metadata.name`;
  return {
    by: "manifests",
    render: ({ address }, version, given) => {
      const facts = { version, cluster: address.name, region: address.region, values: { ...objectOf(values), ...given } };
      return manifests.map((each) => fillIn(each, facts) as unknown as KubeObject);
    },
  };
}

function isKubeObject({ apiVersion, kind, metadata }: JsonObject): boolean {
  return [apiVersion, kind, objectOf(metadata)["name"]].every((text) => textOf(text) !== "");
}

function readChart(entry: JsonObject): Installation | string {
  const from = objectOf(entry["chart"]);
  const [name, namespace] = [textOf(from["name"]), textOf(from["namespace"])];
  if (name === "" || namespace === "") return "chart: name and namespace are required";
  const digest = textOf(from["digest"]).replace(/^sha256:/, "");
  if (digest !== "" && !/^[0-9a-f]{64}$/.test(digest)) return "chart.digest: 64 hexadecimal digits are required";
  const repository = textOf(from["repository"]);
  if (repository !== "" && !/^(https|oci):\/\//.test(repository))
    return "chart.repository: use an address that starts with https:// or oci://";
  const chart: Chart = {
    name,
    namespace,
    release: textOf(from["release"]) || name,
    ...(digest === "" ? {} : { digest }),
    ...(repository === "" ? {} : { repository }),
  };
  const values = ({ address }: Site): JsonObject =>
    objectOf(fillIn(objectOf(entry["values"]), { cluster: address.name, region: address.region }));
  return { by: "chart", chart, values };
}
